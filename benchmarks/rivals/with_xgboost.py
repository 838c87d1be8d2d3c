"""XGBoost, tuned."""

from __future__ import annotations

from serving import serve
from tuning import ranked
from xgboost import XGBClassifier

MODEL = XGBClassifier(n_jobs=1, random_state=0)
GRID = {"learning_rate": [0.03, 0.1], "n_estimators": [100, 400], "max_depth": [3, 6]}

if __name__ == "__main__":
    serve({"rank": {"XGBoost": ranked(MODEL, GRID)}}, ("xgboost", "scikit-learn"))
