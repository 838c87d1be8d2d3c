"""
Sharp bounds from the arc length
================================

Someone reports the arc length of the best ROC curve and nothing else. What can the total variation
and the best AUC be? The sharp bounds answer this, and no better answer is possible.
"""

# %%
# Each law below is a pair of classes whose truth is known to ten digits. Whatever the dimension or
# the shape, all of them lie between the sharp bounds, which are attained and so cannot be improved.
# The grey band shows the bounds of the paper that introduced the arc length.

import matplotlib.pyplot as plt
import numpy as np

from rocstar import auc_bounds, liu_tv_bounds, tv_bounds
from rocstar.laws import suite

tasks = suite()
length = np.linspace(np.sqrt(2), 2, 200)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.fill_between(length, *liu_tv_bounds(length), color="#9aa5b1", alpha=0.3, label="Liu (2022)")
left.fill_between(length, *tv_bounds(length), color="#0f766e", alpha=0.25, label="sharp")
right.fill_between(length, *auc_bounds(length), color="#0f766e", alpha=0.25, label="sharp")
known = {name: (law.arc_length, law.tv, law.auc) for name, law in tasks.items()}
arc, tv, area = np.array(list(known.values())).T
left.scatter(arc, tv, color="#1f2933", s=16, zorder=3, label=f"{len(tasks)} laws")
right.scatter(arc, area, color="#1f2933", s=16, zorder=3)
for name, where in (
    ("scale-1d", (18, -16)),
    ("gaussian-1d", (14, -22)),
    ("gaussian-50d", (0, -28)),
):
    arrow = {"arrowstyle": "-", "color": "#616e7c", "lw": 0.7}
    left.annotate(name, known[name][:2], where, textcoords="offset points", arrowprops=arrow)
left.set(xlabel="arc length of ROC*", ylabel="total variation")
right.set(xlabel="arc length of ROC*", ylabel="AUC*")
left.legend(loc="upper left")
plt.show()

# %%
# The bounds turn one certificate into several. An arc length of at least 1.8 means:

low, high = tv_bounds(1.8)
print(
    f"at L* = 1.8: total variation {low:.3f} to {high:.3f}, AUC* {auc_bounds(1.8).low:.3f} to ",
    end="",
)
print(f"{auc_bounds(1.8).high:.3f}")

# %%
# Note the direction: a *lower* confidence bound of L* gives valid lower ends only. Put into an
# upper formula it bounds nothing.
