"""
From a table to a decision in ten minutes
=========================================

You have a table, a target and a model. This tutorial answers four questions in order: is there
any signal, how good could a model be, how far is yours from that, and have the data changed
since? At the end of the page you can download it as a Jupyter notebook.
"""

# %%
# The data
# --------
#
# To be able to check every answer, we use a table whose truth is known: customers who leave
# ("churn") and customers who stay, drawn from two distributions. Four columns matter, and their
# best possible AUC is 0.856. A fifth is noise, and a sixth is a category.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import rocstar
from rocstar.laws import GaussianPair
from rocstar.measures import Precision
from rocstar.testing import assert_no_drift

law = GaussianPair.shifted(1.5, dim=4)


def customers(rows, seed):
    """A table of customers, a third of whom leave."""
    X, y = law.sample(rows // 3, rows - rows // 3, random_state=seed)
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(X, columns=["calls", "spend", "age", "visits"])
    table["noise"] = rng.normal(size=rows)
    table["plan"] = rng.choice(["basic", "plus", "pro"], rows)
    return table, y


table, churned = customers(1200, seed=0)
table.head()

# %%
# Your model
# ----------
#
# Suppose that you have a model of two columns. Its scores must come from rows that it was not
# fitted to, so we use cross-validation.

score = cross_val_predict(
    LogisticRegression(), table[["calls", "spend"]], churned, cv=5, method="decision_function"
)
print(f"AUC of our model: {rocstar.roc_auc(churned, score):.3f}")

# %%
# Is that good? It depends on what the columns allow.
#
# The audit
# ---------
#
# One call takes the table as it is, categories included, looks for the best classifier and judges
# your score. ``model="linear"`` keeps it quick; leave it out for the best answer.

audit = rocstar.audit(
    table, churned, scores={"our model": score}, model="linear", random_state=0, name="customers"
)
print(audit)

# %%
# Read the tiles from top to bottom. **Best AUC, at least**: some classifier on these columns is
# that good, with 95 % confidence. **Gap of your score, at least**: your model is at least this far
# below the best achievable, with the same confidence. Here we know the truth and can check that
# the bound holds.

print(f"certified: at least {audit.auc.low:.3f} (95 % confidence); truth: {law.auc:.3f}")
assert audit.auc.low < law.auc

# %%
# The picture shows the curve that was found, the band that lies below the best curve with 95 %
# confidence, and your model.

audit.plot_roc()
plt.show()

# %%
# **Decision.** A gap is certified, so a better model of the *same* columns exists. Without a gap
# you would look for new columns instead.
#
# At your prevalence
# ------------------
#
# A third of this table left, but perhaps only 5 % of all customers do. State the prevalence where
# the model will be used, and ask for what you need there: the precision among the customers you
# call, if you want to reach half of those who leave.

precision = audit.certificate.measure(Precision(recall=0.5, prevalence=0.05))
print(f"precision at 50 % recall: at least {precision.low:.3f} (95 % confidence)")

# %%
# A better model
# --------------
#
# The audit keeps the model that it found. It takes tables like yours and can be saved.

new_customers, _ = customers(6, seed=1)
audit.model.predict_proba(new_customers)[:, 1].round(2)

# %%
# Have the data changed?
# ----------------------
#
# Three months later, spending has gone up. ``compare`` asks whether any classifier can tell the
# two tables apart, and by which column.

later, _ = customers(1200, seed=2)
later["spend"] += 0.6
drift = rocstar.compare(
    table, later, model="linear", fast=True, random_state=0, names=("spring", "summer")
)
print(drift.verdict)
assert drift.columns_importance[0]["name"] == "spend"

# %%
# In a test suite the same question is one line. It fails only if a difference above the limit is
# certified.

spring, _ = customers(600, seed=3)
assert_no_drift(table, spring, at_most=0.02, model="linear")

# %%
# Where to go next
# ----------------
#
# ``audit.to_html("audit.html")`` writes the whole report as one page. The same from the command
# line: ``rocstar audit customers.csv --target churned --score our_model -o audit.html``. Read the
# page on assumptions and limits before you quote a number.
