"""
Evaluating a model under covariate shift
========================================

The test set is from an old population. How good will the model be in the new one, where nobody has
labels yet? Weight each old row by how much denser it is among the new ones: the ratio p/q.
"""

# %%
# The illness of imaginary patients depends on body mass in a curved way. The old clinic saw
# everybody; the new one mostly sees heavy people. A linear model was trained at the old clinic.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LinearRegression

from rocstar import ArctanRatioCV, certify

rng = np.random.default_rng(0)


def patients(centre, rows):
    mass = rng.normal(centre, 1.0, size=rows)
    outcome = 0.5 * mass + 0.35 * mass**2 + rng.normal(scale=0.6, size=rows)
    return mass[:, None], outcome


X_train, y_train = patients(0.0, 2000)
X_old, y_old = patients(0.0, 2000)
X_new, y_new = patients(1.0, 2000)  # y_new is only for judging this example
model = LinearRegression().fit(X_train, y_train)

# %%
# The new rows are the positives, the old ones the negatives; the fitted ratio is the weight. First
# check whether it can work at all: if the two hardly overlap, a few rows carry nearly all the
# weight. The overlap is one minus the total variation.

X, y = np.concatenate([X_old, X_new]), np.repeat([0, 1], 2000)
ratio = ArctanRatioCV("linear", loss="log").fit(X, y)
print(f"total variation between the clinics: {certify(ratio, X, y, random_state=0).tv}")
weight = ratio.predict_ratio(X_old)
print(f"2,000 weighted rows are worth {weight.sum() ** 2 / (weight**2).sum():.0f}")

# %%
# The mean squared error that the old test set promises, the same rows weighted, and what the new
# clinic will really see.

loss = (model.predict(X_old) - y_old) ** 2
promised, weighted = loss.mean(), np.average(loss, weights=weight)
really = np.mean((model.predict(X_new) - y_new) ** 2)
print(f"promised {promised:.2f}, weighted {weighted:.2f}, really {really:.2f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
bins = np.linspace(-4, 5, 46)
left.hist(X_old[:, 0], bins, color="#9aa5b1", alpha=0.7, label="old")
left.hist(X_old[:, 0], bins, weights=weight, color="#0f766e", alpha=0.5, label="old, weighted")
left.hist(X_new[:, 0], bins, histtype="step", color="#c2410c", lw=1.8, label="new")
left.set(xlabel="body mass, standardised", ylabel="patients")
left.legend()
names = ["promised by\nthe old test set", "the same,\nweighted", "what the new\nclinic sees"]
right.bar(names, [promised, weighted, really], color=["#9aa5b1", "#0f766e", "#c2410c"], width=0.6)
right.set(ylabel="mean squared error")
plt.show()

# %%
# This corrects a shift of the *inputs* only. If the illness itself depends differently on them at
# the new clinic, no weights of old rows can show it.
