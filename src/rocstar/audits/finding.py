"""`Finding`: what an audit and a comparison have in common."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocstar.inference.certificate import Certificate
from rocstar.inference.estimate import Estimate
from rocstar.results import ArrayResult
from rocstar.tables.model import TableModel
from rocstar.tables.writing import replace_file

if TYPE_CHECKING:
    from rocstar.report.curve_displays import RocDisplay
    from rocstar.report.displays import AngleDisplay


class Rendered(ArrayResult):
    """A certificate, and a summary that renders as text, HTML, Markdown or JSON."""

    certificate: Any
    _summary: dict[str, Any]
    # Methods that draw, as the last line of the text names them.
    _shows = ""

    def summary(self) -> dict[str, Any]:
        """Everything that was found, as numbers, strings, lists and dicts."""
        return deepcopy(self._summary)

    @property
    def verdict(self) -> str:
        """The finding in a sentence or two."""
        return str(self._summary["verdict"])

    @property
    def pvalue(self) -> float:
        """Of the test that there is no difference."""
        return float(self._summary["test"]["pvalue"])

    def to_json(self, path: str | Path | None = None) -> str:
        """The summary as JSON text; written to ``path`` if one is given."""
        from rocstar import report

        return _kept(report.json(self._summary), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The report as Markdown; written to ``path`` if one is given."""
        from rocstar import report

        return _kept(report.markdown(self._summary), path)

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one self-contained page; written to ``path`` if one is given."""
        from rocstar import report

        return _kept(report.html(self._summary), path)

    @property
    def arc_length(self) -> Estimate:
        """√K where K classes are indistinguishable, K where they are separable."""
        length: Estimate = self.certificate.arc_length
        return length

    @property
    def divergence(self) -> Estimate:
        """Arc length minus √K, K the number of classes."""
        divergence: Estimate = self.certificate.divergence
        return divergence

    def to_frame(self) -> Any:
        """One row per measure of the certificate, as a pandas data frame."""
        return self.certificate.to_frame()

    def to_dict(self) -> dict[str, Any]:
        """The summary, as :meth:`summary` returns it."""
        return self.summary()

    def __repr__(self) -> str:
        lines = [self._summary["title"], self.verdict, ""]
        lines += [f"  {name:<24} {value!s}" for name, value in self._numbers()]
        lines += [f"  {sentence}" for sentence in self._sentences()]
        lines += ["", f"More: .to_html(path), {self._shows}.summary()"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from rocstar.report.notebook import card

        title, lead = self._summary["title"], self.verdict
        return card(title, self._numbers(), lead=lead, notes=self._sentences())

    def _numbers(self) -> list[tuple[str, object]]:
        from rocstar.report.sections import facts

        return [(fact.label, f"{fact.value} – {fact.note}") for fact in facts(self._summary)]

    def _sentences(self) -> list[str]:
        from rocstar.report.words import remark

        found = [score["sentence"] for score in self._summary["scores"]]
        return found + [remark(**seen) for seen in self._summary["data"]["warnings"]]


@dataclass(frozen=True, eq=False, repr=False)
class Finding(Rendered):
    """What an audit and a comparison have in common: a certificate, and a summary to render."""

    certificate: Certificate
    _summary: dict[str, Any] = field(repr=False)
    model: TableModel | None = field(default=None, compare=False)
    """The model of one split, a classifier of frames; None for a table in partitions."""

    _shows = ".plot_roc(), .plot_angles(), "

    @property
    def auc(self) -> Estimate:
        """Largest AUC of any score."""
        return self.certificate.auc

    @property
    def tv(self) -> Estimate:
        """Total variation distance."""
        return self.certificate.tv

    def plot(self, ax: Any = None) -> RocDisplay:
        """The main picture: :meth:`plot_roc`."""
        return self.plot_roc(ax)

    def plot_roc(self, ax: Any = None) -> RocDisplay:
        """ROC* with its band, and the curve of each given score."""
        from rocstar.report.curve_displays import RocDisplay

        return RocDisplay(self.summary()["figures"]["roc"]).plot(ax)

    def plot_angles(self, ax: Any = None) -> AngleDisplay:
        """Distribution of the angle in each class."""
        from rocstar.report.displays import AngleDisplay

        return AngleDisplay(self.summary()["figures"]["angles"]).plot(ax)

    def _numbers(self) -> list[tuple[str, object]]:
        whole = [("Total variation", self.tv), ("Arc length of ROC*", self.arc_length)]
        return [*super()._numbers(), *whole]


def _kept(text: str, path: str | Path | None) -> str:
    if path is not None:
        replace_file(path, text.encode())
    return text
