"""What the metadata of a distribution takes from the address of the repository.

The address has one place, ``repository`` under ``[tool.hatch.metadata.hooks.custom]`` in
``pyproject.toml``. While it is empty, distributions have no links and the pictures of their
description stay relative; ``make release-check`` says so.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# A target in Markdown, `](target)`, or in HTML, `src="target"`, that names a file of this tree.
RELATIVE = re.compile(r"""(\]\(|src=")(?![a-z]+:|#|/)([^)"\s]+)""")


class RepositoryMetadata(MetadataHookInterface):
    """Adds the links and the description."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository = self.config.get("repository", "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        if repository:
            metadata["urls"] = urls(repository)
            text = with_absolute_targets(text, repository, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def urls(repository: str) -> dict[str, str]:
    """Links of a package on an index."""
    return {
        "Source": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
    }


def with_absolute_targets(text: str, repository: str, tag: str) -> str:
    """A page whose pictures and links work where the files beside it are not."""

    def absolute(found: re.Match[str]) -> str:
        start, target = found.groups()
        picture = target.endswith((".svg", ".png"))
        return f"{start}{repository}/{'raw' if picture else 'blob'}/{tag}/{target}"

    return RELATIVE.sub(absolute, text)
