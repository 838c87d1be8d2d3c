"""`rocstar.geometry.bounds` under its short name."""

from rocstar.geometry.bounds import *  # noqa: F403
from rocstar.geometry.bounds import __all__ as __all__
