"""Whether the built distributions hold what they should and nothing else: check_package.py DIST."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
LIMITS = {".whl": 650_000, ".gz": 5_000_000}  # bytes


def main(folder: Path) -> None:
    [wheel], [sdist] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    shipped = {
        path.relative_to(SOURCE).as_posix()
        for path in (SOURCE / "rocstar").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
    assert inside == shipped, f"the wheel differs from src/: {sorted(inside ^ shipped)}"
    assert any(name.endswith("licenses/LICENSE") for name in names), "the wheel has no licence"
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"pyproject.toml", "README.md", "LICENSE", *(f"src/{name}" for name in shipped)}
    assert needed <= names, f"the sdist lacks {sorted(needed - names)}"
    large = [name for name in names if name.startswith(("local/", ".venv", "docs/_build"))]
    assert not large, f"the sdist holds {large[:5]}"
    for path in (wheel, sdist):
        size = path.stat().st_size
        assert size < LIMITS[path.suffix], f"{path.name} has {size:,} bytes"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
