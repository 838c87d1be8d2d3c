"""
Any classifier's angle
======================

Forests, boosted trees, nearest neighbours, logistic regression: each estimates P(y | x). Turn
the estimate into an angle, and one number on held-out rows ranks them all.
"""

# %%
# The classes interlock on a chessboard, so that the truth is known but not easy.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from rocstar import ArctanRatioCV, ClassifierRatio, StackedRatio, arc_length_score, laws, roc_auc

black = [(i, j) for i in range(3) for j in range(3) if (i + j) % 2 == 0]
white = [(i, j) for i in range(3) for j in range(3) if (i + j) % 2 == 1]
law = laws.GaussianMixturePair(black, white, covs_pos=0.09, covs_neg=0.09)
X, y = law.sample(500, 500, random_state=0)
fresh, labels = law.sample(20_000, 20_000, random_state=1)

# %%
# `ClassifierRatio` wraps any scikit-learn classifier. If c is its probability and W± the weight of
# each class in training, then p/q = (c/W₊) / ((1 − c)/W₋): no retraining, no access to its insides.

members = {
    "logistic": ClassifierRatio(LogisticRegression()),
    "quadratic": ClassifierRatio(QuadraticDiscriminantAnalysis()),
    "3 neighbours": ClassifierRatio(KNeighborsClassifier(3)),
    "forest": ClassifierRatio(RandomForestClassifier(100, random_state=0)),
    "boosted trees": ClassifierRatio(HistGradientBoostingClassifier(random_state=0)),
    "kernel ratio": ArctanRatioCV("rbf", random_state=0),
}
stack = StackedRatio(
    [("trees", members["forest"]), ("kernel", members["kernel ratio"])], random_state=0
)
models = {name: model.fit(X, y) for name, model in {**members, "stack": stack}.items()}

side = np.linspace(-1, 3, 90)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
maps = {"truth": law.angle(grid)} | {n: m.predict_angle(grid) for n, m in models.items()}
reached = {"truth": law.arc_length}
for name, model in models.items():
    angle = model.predict_angle(fresh)
    reached[name] = arc_length_score(labels, angle)
    print(f"{name:<14} held-out J {reached[name]:.3f}   AUC {roc_auc(labels, angle):.3f}")
print(f"{'truth':<14} L* {law.arc_length:.3f}           AUC* {law.auc:.3f}")

# %%
# A value below √2 = 1.414 is worse than that of a constant: logistic regression fitted a slope that
# is not there. The forest and the boosted trees rank equally well, but the boosted trees are
# overconfident; this lowers their held-out J, but not their AUC.

figure, axes = plt.subplots(2, 4, figsize=(11, 5.8), layout="constrained")
for ax, (name, angle) in zip(axes.flat, maps.items(), strict=True):
    ax.pcolormesh(side, side, angle.reshape(90, 90), cmap="coolwarm", vmin=0, vmax=np.pi / 2)
    ax.set(title=f"{name}: {reached[name]:.3f}", xticks=[], yticks=[], aspect="equal")
plt.show()

# %%
# Each pair of models can be mixed, and the mixture that is best out of fold is found by a small
# concave problem.

print({name: round(share, 2) for name, share in models["stack"].weights_.items()})
