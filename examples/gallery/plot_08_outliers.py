"""
Outlier scores from the ratio
=============================

You have a clean reference, say last year's accepted parts, and a new batch that may hold bad ones.
An isolation forest asks "is this row unusual?". The better question is "is this row more likely
in the batch than in the reference?", and that is a density ratio.
"""

# %%
# Breast tissue: 200 benign samples are the reference. The batch has 157 other benign samples and 25
# malignant ones, which nobody has labelled.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import IsolationForest
from sklearn.preprocessing import StandardScaler

from rocstar import RatioOutlierDetector, auc_interval, roc_points

data = load_breast_cancer()
rng = np.random.default_rng(0)
benign = rng.permutation(np.flatnonzero(data.target == 1))
malignant = rng.permutation(np.flatnonzero(data.target == 0))[:25]
scale = StandardScaler().fit(data.data[benign[:200]])
reference = scale.transform(data.data[benign[:200]])
batch = scale.transform(data.data[np.concatenate([benign[200:], malignant])])
bad = np.repeat([0, 1], [157, 25])

# %%
# The score is the angle atan(p/q), with p the reference and q the batch: near 0 where the batch has
# rows and the reference has none.

detector = RatioOutlierDetector(contamination=25 / 182, random_state=0)
ratio = -detector.fit(batch, reference=reference).score_samples(batch)
forest = -IsolationForest(random_state=0).fit(reference).score_samples(batch)
scores = {"density ratio": ratio, "isolation forest": forest}
for name, score in scores.items():
    print(f"{name:<17} AUC {auc_interval(bad, score)}")

# %%
# The labels are used only here, to judge both scores. The ratio uses the batch as a whole: 25 rows
# that lie together where the reference is empty are evidence that no single row gives.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
bins = np.linspace(0, np.pi / 2, 33)
for label, name, colour in ((0, "benign", "#1d4ed8"), (1, "malignant", "#c2410c")):
    left.hist(-ratio[bad == label], bins, color=colour, alpha=0.6, label=name)
left.axvline(detector.offset_, color="#1f2933", ls=":")
left.set(xlabel="angle: the reference against the batch", ylabel="rows of the batch")
left.set_xticks([0, np.pi / 4, np.pi / 2], ["0", "π/4", "π/2"])
left.legend()
for name, score in scores.items():
    curve = roc_points(bad, score)
    right.plot(curve.fpr, curve.tpr, label=name)
right.plot([0, 1], [0, 1], color="#9aa5b1", lw=1, ls=":")
right.set(xlabel="benign rows flagged", ylabel="malignant rows found", aspect="equal")
right.legend(loc="lower right")
plt.show()
