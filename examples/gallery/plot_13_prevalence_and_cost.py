"""
How good at my prevalence and costs?
====================================

The AUC does not depend on how rare positives are or on what an error costs. Decisions do. One
certificate gives bounds of the best precision, net benefit or cost at the prevalence of the place
where a classifier will be used.
"""

# %%
# A case-control sample: 400 patients with a disease and 800 without. In the clinic one visitor in
# fifty has it. A missed case costs 500, a needless examination 10. The score in use looks at the
# first of two markers only.

import matplotlib.pyplot as plt
import numpy as np

from rocstar import (
    ArctanRatio,
    DecisionCurveDisplay,
    PrecisionRecallDisplay,
    RocDisplay,
    certify,
    headroom,
    laws,
)
from rocstar.measures import Cost, Precision, Recall

law = laws.GaussianPair([1.6, 1.4], [0, 0])
X, y = law.sample(400, 800, random_state=0)
prevalence = 0.02

certificate = certify(ArctanRatio(), X, y, random_state=0)
questions = {
    "precision at recall 0.5": Precision(recall=0.5, prevalence=prevalence),
    "recall at precision 0.1": Recall(precision=0.1, prevalence=prevalence),
    "cost per visitor": Cost(false_negative=500, false_positive=10, prevalence=prevalence),
}
for name, measure in questions.items():
    print(f"{name}: {certificate.measure(measure)}; truth {law.measure(measure):.3f}")

# %%
# All of these bounds hold together, since they are read off one curve. What does the score in use
# lose? Its headroom, in cost per visitor:

print(headroom(y, X[:, 0], certificate, measure=questions["cost per visitor"]))

# %%
# The same curve in three pictures. Shaded: what is certified for the best classifier. Dashed: the
# score in use, its probability moved to the prevalence of the clinic.

log_ratio = 1.6 * X[:, 0] - 1.6**2 / 2
chance = prevalence / (prevalence + (1 - prevalence) * np.exp(-log_ratio))

figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
displays = (RocDisplay, PrecisionRecallDisplay, DecisionCurveDisplay)
for display, ax in zip(displays, axes, strict=True):
    display.from_predictions(
        y, chance, certificate=certificate, prevalence=prevalence, name="first marker", ax=ax
    )
axes[2].set(xlim=(0, 0.3))
plt.show()

# %%
# At a prevalence of 2 %, a precision that looks poor may still be the best possible: the
# certificate helps to tell a weak score from weak markers. See :doc:`/measures`.
