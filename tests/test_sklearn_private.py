"""scikit-learn's private names are in one file."""

import ast
from pathlib import Path

import rocstar

SOURCE = Path(rocstar.__file__).parent


def private_imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
            parts = [*node.module.split("."), *(alias.name for alias in node.names)]
            yield from (part for part in parts if part.startswith("_"))


def test_no_other_file_imports_a_private_name():
    found = {
        str(path.relative_to(SOURCE)): names
        for path in SOURCE.rglob("*.py")
        if (names := list(private_imports(path)))
    }
    assert set(found) == {"sklearn_private.py"}, found
