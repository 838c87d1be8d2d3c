"""
How label noise limits the AUC
==============================

When one label in eight is wrong, no classifier can have an AUC of 1 on these labels, not even the
perfect one. What is the best AUC?
"""

# %%
# If a share ``a`` of the rows labelled positive are negatives and a share ``b`` the other way
# round, then every ROC curve is squeezed by the same linear map, ROC* included, and AUC* − ½
# shrinks by exactly 1 − a − b.

import matplotlib.pyplot as plt
import numpy as np

from rocstar import ArctanRatio, certify, laws, roc_auc

clean = laws.GaussianPair.shifted(3.0, dim=4)
shares = (0.0, 0.05, 0.1, 0.2, 0.3)
noisy = {share: laws.LabelNoise(clean, share, share) for share in shares}
for share, law in noisy.items():
    print(
        f"{share:.0%} wrong: the perfect classifier has AUC {law.auc:.3f}, L* {law.arc_length:.3f}"
    )

# %%
# A model is trained and judged on such labels. What it *seems* to reach falls with the best AUC;
# what it *really* reaches, judged by clean labels, hardly changes.

fresh, truth = clean.sample(5000, 5000, random_state=1)
seems, really, certified = [], [], []
for law in noisy.values():
    X, y = law.sample(800, 800, random_state=0)
    result = certify(ArctanRatio(), X, y, random_state=0)
    certified.append(result.auc.low)
    seems.append(result.auc.value)
    really.append(roc_auc(truth, ArctanRatio().fit(X, y).decision_function(fresh)))

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
colours = plt.cm.viridis(np.linspace(0, 0.85, len(shares)))
for (share, law), colour in zip(noisy.items(), colours, strict=True):
    curve = law.roc_star()
    left.plot(curve.fpr, curve.tpr, color=colour, label=f"{share:.0%} wrong")
left.plot([0, 1], [0, 1], color="#9aa5b1", lw=1, ls=":")
left.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal", title="ROC*")
left.legend(loc="lower right")
right.plot(shares, [law.auc for law in noisy.values()], color="#1f2933", label="the ceiling")
right.plot(shares, seems, "o", color="#c2410c", label="what the model seems to reach")
right.plot(shares, certified, "^", color="#c2410c", mfc="none", label="certified")
right.plot(shares, really, "s", color="#0f766e", label="the same model, clean labels")
right.set(xlabel="share of wrong labels", ylabel="AUC", title="The model is better than it looks")
right.legend(loc="lower left")
plt.show()

# %%
# Two lessons. An AUC of 0.79 with 20 % wrong labels *is* the best possible: cleaning labels will
# do more than a larger model. And if you know the share of wrong labels, you can undo the squeeze:

share = 0.2
undone = 0.5 + (seems[3] - 0.5) / (1 - 2 * share)
print(f"from {seems[3]:.3f} back to {undone:.3f}; judged by clean labels {really[3]:.3f}")
