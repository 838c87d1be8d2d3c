"""CatBoost, tuned."""

from __future__ import annotations

from catboost import CatBoostClassifier
from serving import serve
from tuning import ranked

MODEL = CatBoostClassifier(thread_count=1, random_state=0, verbose=False, allow_writing_files=False)
GRID = {"learning_rate": [0.03, 0.1], "iterations": [100, 400], "depth": [3, 6]}

if __name__ == "__main__":
    serve({"rank": {"CatBoost": ranked(MODEL, GRID)}}, ("catboost", "scikit-learn"))
