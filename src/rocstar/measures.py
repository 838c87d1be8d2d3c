"""`rocstar.geometry.measures` and `rocstar.geometry.linear_measures` under one short name."""

from rocstar.geometry import linear_measures as _linear_measures
from rocstar.geometry import measures as _measures
from rocstar.geometry.linear_measures import *  # noqa: F403
from rocstar.geometry.measures import *  # noqa: F403

__all__ = sorted([*_linear_measures.__all__, *_measures.__all__])
