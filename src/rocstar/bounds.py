"""`rocstar.geometry.bounds` under its short name."""

from rocstar.geometry.bounds import *  # noqa: F403
