"""`rocstar.geometry.measures` under its short name."""

from rocstar.geometry.measures import *  # noqa: F403
from rocstar.geometry.measures import __all__ as __all__
