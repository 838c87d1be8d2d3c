"""What commands read and write."""

from __future__ import annotations

import json

from data_cli import QUICK


def test_json_goes_to_stdout_and_reports_to_files(rocstar, churn, tmp_path):
    outputs = [tmp_path / name for name in ("a.html", "a.md", "a.json")]
    options = [item for path in outputs for item in ("-o", str(path))]
    code, out, err = rocstar("audit", churn, "-t", "churned", "--json", *QUICK, *options)
    assert code == 0
    summary = json.loads(out)
    assert summary["data"]["positive"] == "yes"
    assert summary["method"]["seconds"].keys() >= {"read", "columns", "certify"}
    assert json.loads(outputs[2].read_text()) == summary
    assert all(f"Wrote {path}." in err for path in outputs)
    assert "<html" in outputs[0].read_text()
