"""Files that are not there, and what may have been meant."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path


def no_such_file(source: str | Path) -> str:
    """The sentence for a missing file, with the nearest name beside it."""
    path = Path(source)
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        names = []
    close = get_close_matches(path.name, names, n=1, cutoff=0.6)
    meant = f"; did you mean `{path.with_name(close[0])}`?" if close else "."
    return f"There is no file `{source}`{meant}"
