"""Files that are not there."""

from __future__ import annotations

from rocstar.tables.file_names import no_such_file


def test_the_nearest_file_is_suggested(tmp_path):
    (tmp_path / "churn.csv").write_text("a\n1\n", encoding="utf-8")
    near = no_such_file(tmp_path / "chrun.csv")
    assert near.endswith(f"`; did you mean `{tmp_path / 'churn.csv'}`?")
    assert no_such_file(tmp_path / "x") == f"There is no file `{tmp_path / 'x'}`."
    assert no_such_file("/no/such/a.csv") == "There is no file `/no/such/a.csv`."
