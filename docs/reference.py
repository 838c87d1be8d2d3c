"""The page of the API reference, listed from the public names: ``docs/conf.py`` writes it."""

from __future__ import annotations

import importlib
from collections import defaultdict

import rocstar

# Parts of the reference, and the rooms or modules whose public names they list.
PARTS = {
    "Audit and comparison": ("audits",),
    "Watching a stream": ("watching",),
    "Certificates": ("inference",),
    "Estimators": ("estimators",),
    "Tables": ("tables",),
    "Confidence bounds": ("inference.estimate", "inference.intervals", "inference.bands"),
    "Displays": ("report",),
    "Curves of labelled scores": ("geometry.curves", "curves"),
    "Measures of an ROC curve": ("geometry.measures", "measures"),
    "Bounds from the arc length": ("geometry.bounds", "geometry.class_bounds", "bounds"),
    "Laws with known truth": ("laws",),
    "Methods from the literature": ("baselines",),
    "Assertions for tests": ("testing",),
}


def public_names() -> dict[str, list[str]]:
    """Public names by part: those of the package, then those of the modules it names."""
    parts = defaultdict(list, {part: [] for part in PARTS})
    for name, home in rocstar._HOME.items():
        parts[part_of(home)].append(f"rocstar.{name}")
    for module in rocstar._MODULES:
        names = importlib.import_module(f"rocstar.{module}").__all__
        own = [name for name in names if name not in rocstar._HOME]
        parts[part_of(module)] += [f"rocstar.{module}.{name}" for name in own]
    return {part: names for part, names in parts.items() if names}


def part_of(home: str) -> str:
    """The part that lists a module, or else its room; a room that no part lists is an error."""
    for place in (home, home.partition(".")[0]):
        for part, places in PARTS.items():
            if place in places:
                return part
    raise LookupError(f"No part of the reference lists rocstar.{home}: add it to PARTS.")


def reference_page() -> str:
    """The page in reStructuredText."""
    lines = ["API reference", "=============", ""]
    for title, names in public_names().items():
        lines += [title, "-" * len(title), "", ".. autosummary::", "   :toctree:", ""]
        lines += [f"   {name}" for name in names]
        lines.append("")
    return "\n".join(lines)
