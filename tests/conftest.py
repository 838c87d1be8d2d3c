"""One hypothesis profile for all tests: the same examples on every run, on any machine."""

from hypothesis import settings

# Repeatable, so that a red run is a red tree; no deadline, since shared machines stall.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
