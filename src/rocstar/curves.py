"""`rocstar.geometry.curves` under its short name."""

from rocstar.geometry.curves import *  # noqa: F403
