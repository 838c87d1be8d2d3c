"""The report as one HTML file that loads nothing, runs one hashed script and escapes all data."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from rocstar.report import (
    class_figures,
    column_figures,
    curve_figures,
    decision_figures,
    range_figures,
    score_figures,
    watch_figures,
    words,
)
from rocstar.report.drawing import Figure
from rocstar.report.parts import Data, Summary
from rocstar.report.sections import document

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet run a cell instead of showing it."""


def html(summary: Mapping[str, Any]) -> str:
    """Self-contained report page of an audit or a comparison."""
    # The page needs no network and works without JavaScript; its content security policy admits
    # only its own style sheet and script, by hash.
    environment = _environment()
    style, script = (_source(environment, name) for name in ("report.css", "report.js"))
    shown = document(summary)
    return environment.get_template("report.html").render(
        document=shown,
        figures={section.id: figure(section.id, summary) for section in shown.sections},
        style=style,
        script=script,
        policy=(
            "default-src 'none'; "
            f"style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
    )


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError(
            "The HTML report needs Jinja2: install it with pip install 'rocstar[cli]'."
        ) from error
    environment = Environment(
        loader=PackageLoader("rocstar.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = _prose
    environment.filters["glued"] = _glued
    environment.filters["breakable"] = _breakable
    environment.filters["csv_link"] = _csv_link
    return environment


def _source(environment: Environment, name: str) -> Markup:
    """Style sheet or script as it stands in the package: no data is ever put into it."""
    from markupsafe import Markup

    assert environment.loader is not None
    source, _, _ = environment.loader.get_source(environment, name)
    return Markup(source)


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _prose(sentence: object) -> Markup:
    """Sentence with its backquoted names set as code, everything escaped."""
    from markupsafe import Markup, escape

    pieces = words.code_spans(_glued(sentence))
    return Markup("").join(
        Markup("<code>{}</code>").format(text) if is_name else escape(text)
        for is_name, text in pieces
    )


def _glued(text: object) -> str:
    """Text in which no line breaks between a number and its sign."""
    return re.sub(r"(?<=\d) (?=%)|(?<=[≥=<]) (?=\d)", "\u00a0", str(text))


def _breakable(name: object) -> Markup:
    """Name that a narrow column may break after an underscore, a dot, a slash or a hyphen."""
    from markupsafe import Markup, escape

    pieces = re.split(r"(?<=[_./-])(?=\w)", str(name))
    return Markup("<wbr>").join(escape(piece) for piece in pieces)


def _csv_link(data: Data) -> str:
    """CSV file as a data address: the download works without a script."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(_inert(cell) for cell in data.header)
    writer.writerows([_inert(cell) for cell in row] for row in data.rows)
    # The byte-order mark makes spreadsheets read the file as UTF-8.
    payload = base64.b64encode(buffer.getvalue().encode("utf-8-sig", errors="replace")).decode()
    return f"data:text/csv;charset=utf-8;base64,{payload}"


def _inert(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def figure(section: str, summary: Summary) -> Figure | None:
    """Figure that goes with a section of the report, if it has one."""
    draw = _FIGURES.get(section)
    return draw(summary) if draw else None


# Each is plain SVG, drawn for a wide column and for a phone: it is there without JavaScript and in
# print. The page's script adds the read-out under the pointer and the switches of the legend.
_FIGURES: dict[str, Callable[[Summary], Figure | None]] = {
    "roc": curve_figures.roc,
    "angles": curve_figures.angles,
    "scale": range_figures.scale,
    "headroom": range_figures.headroom,
    "learning": curve_figures.learning,
    "members": range_figures.members,
    "calibration": score_figures.calibration,
    "precision-recall": decision_figures.precision_recall,
    "decision": decision_figures.net_benefit,
    "importance": column_figures.importance,
    "changes": column_figures.changes,
    "pairs": class_figures.pairs,
    "recalls": class_figures.recalls,
    "timeline": watch_figures.timeline,
    "sparklines": watch_figures.sparklines,
    "auc_timeline": watch_figures.auc_timeline,
}
