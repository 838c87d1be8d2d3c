"""One question each, answered as a summary: audit, compare."""
