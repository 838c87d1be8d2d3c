"""
How much AUC is left?
=====================

Your model has an AUC of 0.95. Is that good? It depends on the best AUC that can be achieved.
"""

# %%
# Odd or even? 1,797 handwritten digits of 8 × 8 pixels, and three models, from simple to flexible.
# Their scores are out of fold, as they would be if someone else handed them to us.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rocstar import ArctanRatioCV, auc_interval, certify, headroom

X, digit = load_digits(return_X_y=True)
y = digit % 2
models = {
    "naive Bayes": GaussianNB(),
    "a tree of depth 6": DecisionTreeClassifier(max_depth=6, random_state=0),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
}
folds = StratifiedKFold(5, shuffle=True, random_state=1)
scores = {
    name: cross_val_predict(model, X, y, cv=folds, method="predict_proba")[:, 1]
    for name, model in models.items()
}

# %%
# What could *any* classifier do? A kernel estimate of the density ratio searches, and the rows it
# has not seen judge what it found.

search = ArctanRatioCV("rbf", alphas=(1e-2, 1e-3, 1e-4), cv=3, random_state=0)
best = certify(search, X, y, random_state=0)
print(best)

# %%
# The headroom compares each model with it on the same rows, so that what they share cancels.

judged = {name: auc_interval(y, score) for name, score in scores.items()}
left = {name: headroom(y, score, best) for name, score in scores.items()}
for name in models:
    print(f"{name:<20} AUC {judged[name].value:.3f}, at least {left[name].low:.3f} below the best")

# %%
# The picture to show your team: where each model is, and how far it is from what is possible, with
# 95 % confidence.

figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
for row, name in enumerate(models):
    area = judged[name]
    ax.plot([area.value, area.value + left[name].low], [row, row], color="#c2410c", lw=7, alpha=0.3)
    ax.plot([area.low, area.high], [row, row], color="#1f2933", lw=2)
    ax.plot(area.value, row, "o", color="#1f2933", ms=7)
    ax.annotate(
        f"at least {left[name].low:.3f} below",
        (area.value + left[name].low, row),
        (0, 9),
        textcoords="offset points",
        color="#c2410c",
        ha="right",
    )
ax.axvspan(best.auc.low, 1, color="#0f766e", alpha=0.12, lw=0)
ax.axvline(best.auc.low, color="#0f766e")
ax.text(best.auc.low, 2.75, f"AUC* ≥ {best.auc.low:.3f} ", color="#0f766e", ha="right")
ax.set(yticks=range(3), yticklabels=list(models), ylim=(-0.5, 3.1), xlabel="AUC", xlim=(None, 1))
plt.show()

# %%
# Logistic regression looked fine by itself. The pixels are not what limits it, so try a better
# model before you buy a better scanner. Had the red bars been short, the advice would be the
# opposite: look for better columns.
