"""`rocstar.estimators.baselines` under its short name."""

from rocstar.estimators.baselines import *  # noqa: F403
