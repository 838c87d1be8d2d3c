"""What whoever publishes a version has to fill in: ``python tools/release.py [--tag v0.1.0]``.

Without a tag the open points are listed. With one they are errors, and so is a tag that is not the
version's. ``--pyroma`` prints the tests of pyroma that cannot pass while they are open.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag")
    parser.add_argument("--pyroma", action="store_true")
    options = parser.parse_args()
    if options.pyroma:
        print(",".join(unknown_to_pyroma(ROOT)))
        return
    points = open_points(ROOT, options.tag)
    for point in points:
        print(f"- {point}")
    if not points:
        print(f"Version {version(ROOT)} is ready to be published.")
    elif options.tag:
        sys.exit("The tag cannot be published before these points are settled.")
    else:
        print("To be filled in by whoever publishes; RELEASING.md says how.")


def open_points(root: Path, tag: str | None = None) -> list[str]:
    """One sentence for each thing that is missing or contradicts the version."""
    number = version(root)
    changes = _text(root, "CHANGELOG.md")
    citation = _text(root, "CITATION.cff")
    recipe = _text(root, "conda/recipe.yaml")
    dated = re.search(rf"^## \[{re.escape(number)}\] - \d{{4}}-\d\d-\d\d$", changes, re.MULTILINE)
    checks = {
        "`repository` in pyproject.toml is empty: packages have no links and no pictures.": (
            repository(root)
        ),
        f"CHANGELOG.md has no dated entry for {number}.": dated,
        f"CITATION.cff does not give the version {number}.": f"\nversion: {number}\n" in citation,
        f"conda/recipe.yaml does not give the version {number}.": f'"{number}"' in recipe,
        f"The tag {tag} does not belong to the version {number}.": tag in (None, f"v{number}"),
    }
    return [sentence for sentence, settled in checks.items() if not settled]


def unknown_to_pyroma(root: Path) -> list[str]:
    """Tests of pyroma that ask for a link, while there is none, or for an address of mail."""
    # Questions go to the issues of the repository, not to one person's mail.
    return ["AuthorEmail"] if repository(root) else ["AuthorEmail", "Url"]


def repository(root: Path) -> str:
    """Address of the repository; empty while it is not decided."""
    settings = tomllib.loads(_text(root, "pyproject.toml"))
    address: str = settings["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]
    return address


def version(root: Path) -> str:
    """The version, from the one place that states it."""
    found = re.search(r'^__version__ = "(.+)"$', _text(root, "src/rocstar/__init__.py"), re.M)
    assert found is not None
    return found[1]


def _text(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
