"""scikit-learn estimators of the angle and what is built on it."""
