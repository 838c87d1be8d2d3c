"""Files that are written whole or not at all."""

from __future__ import annotations

import pytest

from rocstar.checks import InputError
from rocstar.tables.writing import replace_file


def test_files_are_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_unwritable_output_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"^`.*out.txt` cannot be written: .*\.$"):
        replace_file(tmp_path / "missing" / "out.txt", b"")
