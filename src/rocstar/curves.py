"""`rocstar.geometry.curves` under its short name."""

from rocstar.geometry.curves import *  # noqa: F403
from rocstar.geometry.curves import __all__ as __all__
