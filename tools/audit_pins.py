"""pip-audit of a lock, also at registries that keep the newest record of a package only.

    python tools/audit_pins.py requirements-dev.lock

Mirrors of PyPI may have no record of a single version. Where one is missing, the package's own
record is read in its place, if it is of that version; a pin that is neither is an error.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import requests

VERSION_RECORD = re.compile(r"(https://.+/pypi/[^/]+)/([^/]+)/json")
_get = requests.Session.get


def record(session: requests.Session, url: str, **options: Any) -> requests.Response:
    """The record of a version, or of its package where that is the same."""
    answer = _get(session, url, **options)
    wanted = VERSION_RECORD.fullmatch(url)
    if answer.status_code == requests.codes.not_found and wanted:
        newest = _get(session, f"{wanted[1]}/json", **options)
        if newest.ok and newest.json()["info"]["version"] == wanted[2]:
            return newest
    return answer


if __name__ == "__main__":
    from pip_audit._cli import audit  # `make audit-lock` installs it; private, so below version 3

    requests.Session.get = record  # type: ignore[method-assign]
    sys.argv[1:] = ["--strict", "--disable-pip", "--no-deps", "--requirement", sys.argv[1]]
    audit()
