"""Tables as people keep them: ``python tests/broken_files.py FOLDER`` writes one file per case.

Each case says what `rocstar audit` must give: the answer of the clean table, that answer with a
warning or a note on a column, or one sentence.
"""

from __future__ import annotations

import gzip
import json
import pickle
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

TARGET = "churned"


def clean(rows: int = 160) -> pd.DataFrame:
    """Amounts that tell the classes apart rather well, and categories that do not."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    return pd.DataFrame(
        {
            "amount": (np.exp(rng.normal(7 + 1.2 * y, 1)) + 1000).round(2),
            "plan": rng.choice(["basic", "plus"], rows),
            TARGET: np.where(y == 1, "yes", "no"),
        }
    )


@dataclass(frozen=True)
class Case:
    """A file, and what must come of it; without a word, the answer of the clean table alone."""

    file: str
    write: Callable[[Path], object]
    options: tuple[str, ...] = ()
    warning: str = ""
    note: str = ""
    sentence: str = ""
    same: bool = True  # whether the answer is that of the clean table
    needs: str = ""
    types: dict[str, str] = field(default_factory=lambda: {"amount": "number"})


def csv(frame: pd.DataFrame, **how: object) -> Callable[[Path], object]:
    return lambda path: frame.to_csv(path, index=False, **how)


def raw(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def amounts(spell: Callable[[float], str], **how: object) -> Callable[[Path], object]:
    frame = clean()
    return csv(frame.assign(amount=frame["amount"].map(spell)), **how)


def labels(**some: object) -> pd.DataFrame:
    """The clean table with another target in some of its rows, given as name=(rows, value)."""
    frame = clean()
    for rows, value in some.values():
        frame.loc[rows, TARGET] = value
    return frame


def german(value: float) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def leaky(column: Callable[[np.ndarray], object], name: str = "late") -> Callable[[Path], object]:
    frame = clean()
    return csv(frame.assign(**{name: column(np.asarray(frame[TARGET] == "yes"))}))


def flipped(y: np.ndarray) -> np.ndarray:
    return np.where(np.arange(len(y)) % 33 == 0, ~y, y).astype(int)


def database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as base, base:
        clean().to_sql("churn", base)


def archived(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("churn.csv", clean().to_csv())


YES, NO = (clean().index[clean()[TARGET] == label] for label in ("yes", "no"))
TEXT = clean().to_csv(index=False)
RECORDS = clean().to_dict("records")
HTML = f"<!DOCTYPE html>\n<html><body>{clean().to_html()}</body></html>".encode()

ENCODED = {
    encoding: Case(f"{encoding}.csv", raw(TEXT.replace("plan", "plän").encode(encoding)))
    for encoding in ("utf-8-sig", "utf-16", "cp1252", "latin-1")
}
SEPARATED = {
    "semicolons": Case("semicolons.csv", csv(clean(), sep=";")),
    "tabs": Case("tabs.tsv", csv(clean(), sep="\t")),
    "semicolons and decimal commas": Case("de.csv", csv(clean(), sep=";", decimal=",")),
    "a separator at the end of each row": Case(
        "end.csv", raw(TEXT.replace("yes\n", "yes,\n").replace("no\n", "no,\n").encode())
    ),
    "quoted line breaks": Case(
        "lines.csv", csv(clean().assign(plan=lambda f: f["plan"] + " plan,\nsince 2020"))
    ),
}
FORMATS = {
    "gzip": Case("data.csv.gz", raw(gzip.compress(TEXT.encode()))),
    "JSON lines": Case("data.jsonl", raw("\n".join(map(json.dumps, RECORDS)).encode())),
    "JSON list": Case("data.json", raw(json.dumps(RECORDS).encode())),
    "Feather": Case("data.feather", lambda path: clean().to_feather(path)),
    "Excel": Case("data.xlsx", lambda path: clean().to_excel(path, index=False), needs="openpyxl"),
}
NUMBERS = {
    "euros": Case("eur.csv", amounts(lambda v: f"{german(v)} €"), note="` is "),
    "dollars": Case("usd.csv", amounts(lambda v: f"${v:,.2f}"), note="comma between thousands"),
    "decimal commas": Case("comma.csv", amounts(lambda v: f"{v:.2f}".replace(".", ","))),
    "percent": Case("percent.csv", amounts(lambda v: f"{v:.2f} %"), note=" %` is "),
    "spaces": Case("spaces.csv", amounts(lambda v: f"{v:,.2f}".replace(",", "\u202f"))),
    "parentheses": Case(
        "negative.csv",
        amounts(lambda v: f"({v:,.2f})"),
        note="between thousands): `(",
    ),
    "a typing error": Case(
        "typo.csv",
        csv(clean().astype({"amount": object}).replace({"amount": {clean()["amount"][3]: "1O00"}})),
        note="1 value that is not a number counts as missing",
        same=False,
    ),
}
TARGETS = {
    "blank targets": Case(
        "blank.csv",
        csv(pd.concat([clean(), clean()[:7].assign(**{TARGET: None})])),
        warning="7 rows have no known value of the target `churned` (7 blank) and were left out.",
    ),
    "unknown targets": Case(
        "unknown.csv",
        csv(pd.concat([clean(), clean()[:2].assign(**{TARGET: "?"})])),
        options=("--positive", "yes"),
        warning="2 rows have no known value of the target `churned` (2 with `?`) and were",
    ),
    "spellings": Case(
        "spellings.csv",
        csv(labels(a=(YES[:4], "Yes "), b=(NO[:1], "NO"))),
        options=("--positive", "yes"),
        warning="4 rows are spelled `Yes ` and were counted as `yes`.",
    ),
    "three classes": Case(
        "three.csv",
        csv(labels(a=(NO[:30], "maybe"))),
        options=("--positive", "yes"),
        warning="(30 rows) count as negative.",
    ),
    "a class per row": Case(
        "classes.csv",
        csv(clean().assign(**{TARGET: [f"name {row}" for row in range(160)]})),
        sentence="has 160 classes; at most 50 can be audited: join the rare ones, or say which is "
        "positive with --positive.",
    ),
    "a continuous target": Case(
        "price.csv",
        csv(clean().assign(**{TARGET: clean()["amount"]})),
        sentence="distinct numbers and looks like a measurement; a target needs 2 to 50 classes",
    ),
    "one class": Case("one.csv", csv(clean().assign(**{TARGET: 1})), sentence="one class only, 1."),
    "several problems": Case(
        "several.csv",
        csv(clean()),
        options=("--weight", "wait", "--drop", "plam"),
        sentence="no column `plam`; did you mean `plan`? `several.csv` has no column `wait`;",
    ),
}
COLUMNS = {
    "an empty column": Case("empty.csv", csv(clean().assign(gap=None)), types={"gap": "empty"}),
    "presence": Case(
        "presence.csv",
        leaky(lambda y: np.where(y, "signed", None)),
        warning="`late` separates the classes almost alone by being blank or not (AUC 1.000)",
        types={"late": "presence"},
        same=False,
    ),
    "a leak": Case(
        "leak.csv", leaky(lambda y: y * 1), warning="check whether it leaks the target.", same=False
    ),
    "an imperfect leak": Case(
        "almost.csv", leaky(flipped), warning="far above the next column", same=False
    ),
    "humidity": Case("humid.csv", leaky(lambda y: np.arange(len(y)) % 40, "humid"), same=False),
    "a key": Case(
        "key.csv",
        leaky(lambda y: np.arange(len(y)) % 40, "clientId"),
        warning="`clientId` looks like an identifier",
        same=False,
    ),
}
REFUSED = {
    "SQLite": (
        "x.csv",
        database,
        "`x.csv` is a SQLite database; export the table as CSV or Parquet.",
    ),
    "zip": ("z.csv", archived, "`z.csv` is a zip archive; unpack it."),
    "pickle": ("p.csv", raw(pickle.dumps(RECORDS)), "`p.csv` is a pickle;"),
    "HDF5": ("h.csv", raw(b"\x89HDF\r\n\x1a\n" + b"\0" * 99), "`h.csv` is an HDF5 file;"),
    "PDF": ("d.csv", raw(b"%PDF-1.7\n%\xe2\xe3"), "`d.csv` is a PDF document;"),
    "HTML": ("page.csv", raw(HTML), "`page.csv` is an HTML page;"),
    "old Excel": ("old.xls", raw(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "save it as .xlsx or CSV."),
    "binary": ("b.csv", raw(bytes(range(256)) * 9), "`b.csv` is binary data, not CSV text."),
    "no bytes": ("e.csv", raw(b""), "`e.csv` is empty."),
    "no rows": ("r.csv", raw(b"amount,churned\n"), "`r.csv` has a header but no rows."),
    "ragged": (
        "g.csv",
        raw(b"a,churned\n1,no\n1,2,no\n"),
        "not well-formed CSV: Expected 2 fields",
    ),
    "two names": ("n.csv", raw(b"a,a,churned\n1,2,no\n"), "has two columns named `a`"),
    "cut Parquet": ("c.parquet", raw(b"PAR1" + b"\0" * 50), "not a complete Parquet file"),
    "broken JSON": ("j.jsonl", raw(b'{"a": 1}\n{"a"'), "is not well-formed JSON in line 2;"),
}
CASES = ENCODED | SEPARATED | FORMATS | NUMBERS | TARGETS | COLUMNS
CASES |= {
    name: Case(file, write, sentence=sentence) for name, (file, write, sentence) in REFUSED.items()
}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for case in CASES.values():
        case.write(folder / case.file)
