"""
A rare class: bounds from 24 positives
======================================

Fraud, defects, rare diseases: a thousand negatives and two dozen positives. An AUC does
not depend on the class shares. But with few positives the usual confidence interval is too short.
"""

# %%
# A good score, AUC 0.95, judged on 24 positives and 1,000 negatives; 80 analysts each draw their
# own sample and report a 95 % lower limit. DeLong's limit is a common one.

import matplotlib.pyplot as plt
import numpy as np

from rocstar import ArctanRatio, auc_interval, laws

law = laws.GaussianPair.shifted(2.3262)  # AUC* = 0.95
methods = {"delong": "DeLong (1988)", "dirichlet": "rocstar's default"}
low = {method: [] for method in methods}
for seed in range(80):
    X, y = law.sample(24, 1000, random_state=seed)
    for method in methods:
        low[method].append(auc_interval(y, X[:, 0], side="lower", method=method).low)

# %%
# One in twenty may fail. Red lines claim more than the truth.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True, layout="constrained")
for ax, (method, name) in zip(axes, methods.items(), strict=True):
    ends = np.sort(low[method])
    wrong = ends > law.auc
    ax.vlines(np.arange(80), ends, 1, color=np.where(wrong, "#c2410c", "#9aa5b1"), lw=2)
    ax.axhline(law.auc, color="#0f766e")
    ax.set(title=f"{name}: {wrong.sum()} of 80 claim too much", xlabel="analyst", ylim=(0.8, 1))
axes[0].set_ylabel("AUC")
axes[0].text(1, law.auc + 0.004, f"truth {law.auc:.2f}", color="#0f766e")
plt.show()
print({name: f"median {np.median(low[method]):.3f}" for method, name in methods.items()})

# %%
# The default adds one unseen row to each class, placed as badly as possible, and draws random
# masses over all of them. Its limits are much lower, and that is the price: even if all 24
# positives outranked every negative, no bound that holds for every law could exceed
# 0.05^(1/24) = 0.883.
#
# Class weights change nothing: every estimator here averages *within* each class, so weights
# per class, oversampling by a factor, and the prevalence itself cancel.

X, y = law.sample(24, 1000, random_state=0)
plain = ArctanRatio().fit(X, y)
weighted = ArctanRatio().fit(X, y, sample_weight=np.where(y == 1, 1000 / 24, 1.0))
print("largest change of an angle by weighting the classes:", end=" ")
print(f"{np.abs(plain.predict_angle(X) - weighted.predict_angle(X)).max():.1e}")
