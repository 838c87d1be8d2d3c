"""
Is there any signal?
====================

Before tuning anything: do these columns hold *any* information about the label? A cross-validated
AUC of 0.51 does not answer this. The model may be unable to see the kind of difference there is.
"""

# %%
# Two sensors, two kinds of machine. Both sensors have mean 0 and variance 1 for both kinds; only
# their correlation differs. No column is informative alone, and no linear model helps.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from rocstar import ArctanRatioCV, certify, laws, two_sample_test

together, apart = [[1, 0.6], [0.6, 1]], [[1, -0.2], [-0.2, 1]]
law = laws.GaussianPair([0, 0], [0, 0], together, apart)
X, y = law.sample(300, 300, random_state=1)

blind = cross_val_score(LogisticRegression(), X, y, cv=5, scoring="roc_auc").mean()
print(f"logistic regression, cross-validated AUC: {blind:.3f}")

# %%
# `two_sample_test` looks at the columns and at smooth functions of them, and permutes the labels to
# learn what chance alone would do. It is exact: at 5 %, one shuffled table in twenty is rejected.

shuffled = np.random.default_rng(0).permutation(y)
real, chance = (two_sample_test(X, labels, random_state=0) for labels in (y, shuffled))
print(f"real labels:     p = {real.pvalue:.3f}")
print(f"shuffled labels: p = {chance.pvalue:.3f}")

# %%
# So there is a difference. How large is it? A certificate answers in AUC, and its lower bound holds
# whatever the model: it is judged on rows the model has not seen.

found = certify(ArctanRatioCV("rbf", random_state=0), X, y, random_state=0)
nothing = certify(ArctanRatioCV("rbf", random_state=0), X, shuffled, random_state=0)
print(f"real labels:     AUC* {found.auc}  (truth {law.auc:.3f})")
print(f"shuffled labels: AUC* {nothing.auc}")

# %%
# What the model sees is the angle atan(p/q) of each point: red where one kind is denser, blue where
# the other is. Held out, the angles of the two classes differ for the real labels only.

model = ArctanRatioCV("rbf", random_state=0).fit(X, y)
side = np.linspace(-3.2, 3.2, 120)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
angle = model.predict_angle(grid).reshape(120, 120)

figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
axes[0].pcolormesh(side, side, angle, cmap="coolwarm", vmin=0, vmax=np.pi / 2, rasterized=True)
for label, colour in ((0, "#1d4ed8"), (1, "#c2410c")):
    axes[0].scatter(*X[y == label].T, s=6, color=colour, edgecolor="white", linewidth=0.3)
axes[0].set(title="the angle that was learnt", xlabel="sensor 1", ylabel="sensor 2")
axes[0].set(xlim=(-3.2, 3.2), ylim=(-3.2, 3.2))
bins = np.linspace(0, np.pi / 2, 25)
for ax, result, name in ((axes[1], found, "real labels"), (axes[2], nothing, "shuffled labels")):
    for label, colour in ((0, "#1d4ed8"), (1, "#c2410c")):
        held_out = result.angle[result.y == label]
        ax.hist(held_out, bins, color=colour, alpha=0.55, label=f"kind {label}")
    ax.set_xticks([0, np.pi / 4, np.pi / 2], ["0", "π/4", "π/2"])
    ax.set(title=f"{name}: AUC* at least {result.auc.low:.2f}", xlabel="held-out angle")
    ax.legend()
plt.show()

# %%
# A p-value says *whether*, the certificate says *how much*. With six rows instead of six hundred
# neither would show anything, which is not the same as "no signal": see :doc:`/limits`.
