"""LightGBM, tuned."""

from __future__ import annotations

from lightgbm import LGBMClassifier
from serving import serve
from tuning import ranked

MODEL = LGBMClassifier(n_jobs=1, random_state=0, verbose=-1)
GRID = {"learning_rate": [0.03, 0.1], "n_estimators": [100, 400], "num_leaves": [7, 31]}

if __name__ == "__main__":
    serve({"rank": {"LightGBM": ranked(MODEL, GRID)}}, ("lightgbm", "scikit-learn"))
