"""Whether the links of all pages lead somewhere: ``python tools/check_links.py [--web]``.

Links to files and headings are always checked; those to other sites with ``--web``, which asks each
once. Pages that the build of the documentation writes cannot be checked here; Sphinx does that.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"""(?:\]\(|src=")([^)"\s]+)""")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+\s+(.+?)\s*$", re.MULTILINE)
BUILT = tuple(ROOT / "docs" / name for name in ("api", "gallery", "tutorial"))
# Answers to programs that a reader's browser does not get.
FOR_BROWSERS_ONLY = (401, 403, 405, 406, 418, 429)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--web", action="store_true", help="ask other sites too")
    options = parser.parse_args()
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8"
    )
    pages = [ROOT / name for name in listed.stdout.splitlines()]
    broken = [problem for page in pages for problem in broken_inside(page)]
    if options.web:
        broken += broken_outside(pages)
    for problem in broken:
        print(problem)
    if broken:
        sys.exit(1)
    print(f"{len(pages)} pages: no broken link.")


def broken_inside(page: Path) -> list[str]:
    """Links of a page to files or headings that do not exist."""
    problems = []
    for target in links(page):
        path, _, heading = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = (page.parent / path).resolve() if path else page
        if any(folder in file.parents for folder in BUILT):
            continue  # the build of the documentation writes it
        if path.startswith("PLOTS/"):  # of a template, whose command puts the folder there
            continue
        if not file.exists():
            problems.append(f"{page.relative_to(ROOT)}: there is no {target}")
        elif heading and file.suffix == ".md" and heading not in anchors(file):
            problems.append(f"{page.relative_to(ROOT)}: {path or 'it'} has no #{heading}")
    return problems


def broken_outside(pages: list[Path]) -> list[str]:
    """Addresses that other sites do not know."""
    where = {
        target.partition("#")[0]: page.relative_to(ROOT)
        for page in pages
        for target in links(page)
        if target.startswith(("http:", "https:"))
    }
    answers = {address: answer(address) for address in sorted(where)}
    return [f"{where[address]}: {address}: {said}" for address, said in answers.items() if said]


def answer(address: str) -> str:
    """What is wrong with an address, or nothing."""
    request = urllib.request.Request(address, headers={"User-Agent": "Mozilla/5.0"})
    try:
        with urllib.request.urlopen(request, timeout=20):
            return ""
    except urllib.error.HTTPError as error:
        return "" if error.code in FOR_BROWSERS_ONLY else str(error)
    except OSError as error:
        return str(error)


def links(page: Path) -> list[str]:
    """Targets of the links and pictures of a page, outside code."""
    return LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """Names of a page's headings, as GitHub and MyST make them."""
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))
    headings = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text)]
    return named | {heading.replace(" ", "-") for heading in headings}


if __name__ == "__main__":
    main()
