"""
Ten million rows
================

A fit is a sum over rows, repeated a handful of times, so its time grows no faster than the rows.
This example fits millions of rows on one machine and certifies the result on a million others.
"""

# %%
# Ten million rows of five columns in single precision: 200 MB. The law is known, so that we know
# what should come out.

import time

import matplotlib.pyplot as plt
import numpy as np

from rocstar import ArctanRatio, arc_length_interval, laws, roc_auc

rows, train, columns = 10_000_000, 9_000_000, 5
law = laws.GaussianPair.shifted(1.0, dim=columns)
X = np.random.default_rng(0).standard_normal((rows, columns), dtype=np.float32)
y = np.arange(rows, dtype=np.int8) % 2
X[1::2] += np.float32(1 / np.sqrt(columns))

# %%
# Fit to growing parts of the first nine million. Blocks of rows pass through the cache, so nothing
# of the size of the table is copied; and a large fit starts from the solution of a tenth of its
# rows, which is why it needs *fewer* iterations.

sizes, spent = np.array([10_000, 100_000, 1_000_000, train]), []
for size in sizes:
    start = time.perf_counter()
    model = ArctanRatio().fit(X[:size], y[:size])
    spent.append(time.perf_counter() - start)
    print(f"{size:>10,} rows: {spent[-1]:6.2f} s, {model.n_iter_} iterations")

# %%
# The last million rows judge. The distance of the bound from the estimate falls like one over the
# square root of their number. At a million it is below 0.001, and more are hardly needed. Both
# stay 0.002 to 0.003 below the truth, and more rows would not change that: the true angle is an
# arctangent, and the model is a clipped straight line. ``loss="log"`` would close the gap.

angle, labels = model.predict_angle(X[train:]), y[train:]
judges = np.array([100, 1_000, 10_000, 100_000, 1_000_000])
bounds = [arc_length_interval(labels[:n], angle[:n], side="lower") for n in judges]
for n, bound in zip(judges, bounds, strict=True):
    print(f"judged by {n:>9,}: arc length {bound.value:.4f}, at least {bound.low:.4f}")
print(f"truth {law.arc_length:.4f}; AUC {roc_auc(labels, angle):.4f} of {law.auc:.4f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.loglog(sizes, spent, "o-", color="#0f766e")
left.loglog(sizes, spent[-1] * sizes / sizes[-1], color="#9aa5b1", lw=1, ls=":")
left.text(sizes[1], 0.6 * spent[-1] * sizes[1] / sizes[-1], "in proportion", color="#616e7c")
left.set(xlabel="rows", ylabel="seconds on this machine", title="Fitting")
right.fill_between(judges, [b.low for b in bounds], law.arc_length, color="#0f766e", alpha=0.15)
right.semilogx(judges, [b.value for b in bounds], "o", color="#1f2933", label="estimate")
right.semilogx(judges, [b.low for b in bounds], "^-", color="#0f766e", label="certified")
right.axhline(law.arc_length, color="#c2410c", label="truth")
right.set(xlabel="rows held out", ylabel="arc length", title="Certifying")
right.legend(loc="lower right")
plt.show()

# %%
# Beyond memory, pass a Dask dataframe instead of an array; on a GPU, a PyTorch tensor: see
# :doc:`/scaling`. The code stays the same.
