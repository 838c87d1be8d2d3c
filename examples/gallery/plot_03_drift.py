"""
Drift between two months
========================

The model was trained on January. Are the data of February alike, and if not, which column moved?
"""

# %%
# Twelve columns of an imaginary shop. In February a new channel appeared, older customers stopped
# coming, and one change is hard to see: `basket` and `discount` have the same histograms as
# before, but they have become linked.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rocstar import compare


def month(rng, rows, february):
    noise = rng.normal(size=(rows, 9))
    link = 0.7 if february else 0.0
    discount = rng.normal(size=rows)
    age = rng.gamma(9, 4.5, rows)
    shares = [0.5, 0.25, 0.15, 0.1] if february else [0.6, 0.3, 0.1, 0.0]
    columns = {f"noise_{k}": noise[:, k] for k in range(8)}
    return pd.DataFrame(
        {
            **columns,
            "age": np.where(february & (age > 65), 40, age).round(),
            "channel": rng.choice(["shop", "web", "phone", "app"], rows, p=shares),
            "discount": discount,
            "basket": link * discount + np.sqrt(1 - link**2) * noise[:, 8],
        }
    )


rng = np.random.default_rng(0)
january, february = month(rng, 4000, False), month(rng, 4000, True)

# %%
# One call. `fast=True` judges one half of the rows by a model of the other half, which makes the
# answer quick, and its bounds do not depend on several folds.

drift = compare(january, february, fast=True, random_state=0, names=("January", "February"))
print(drift)

# %%
# `importance` is the arc length that is lost when a column is shuffled among held-out rows, so it
# sees what a column does *together* with others; `divergence` is what the column shows alone.
# Monitoring column by column shows the blue bars only, and misses the link.

columns = drift.columns_importance[:7][::-1]
names = [column["name"] for column in columns]
place = np.arange(len(columns))
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.barh(place + 0.2, [c["importance"] for c in columns], 0.4, color="#0f766e", label="jointly")
left.barh(place - 0.2, [c["divergence"] for c in columns], 0.4, color="#1d4ed8", label="alone")
left.set(yticks=place, yticklabels=names, xlabel="arc length", title="Which columns moved?")
left.legend(loc="lower right")
drift.plot_angles(right)
right.set_title("Most rows could be from either month")
plt.show()

# %%
# The case without a change, for comparison: two halves of the same month.

same = compare(january[:2000], january[2000:], fast=True, random_state=0)
print(same.verdict)

# %%
# As a nightly job: ``rocstar compare january.parquet february.parquet --fail-above 0.05`` exits
# with 3 when the *lower bound* of the divergence is above the limit.
