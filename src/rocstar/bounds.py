"""`rocstar.geometry.bounds` and `rocstar.geometry.class_bounds` under one short name."""

from rocstar.geometry import bounds as _bounds
from rocstar.geometry import class_bounds as _class_bounds
from rocstar.geometry.bounds import *  # noqa: F403
from rocstar.geometry.class_bounds import *  # noqa: F403

__all__ = sorted([*_bounds.__all__, *_class_bounds.__all__])
