"""`rocstar.estimators.baselines` under its short name."""

from rocstar.estimators.baselines import *  # noqa: F403
from rocstar.estimators.baselines import __all__ as __all__
