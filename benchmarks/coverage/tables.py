"""Write README.md from the results: ``python tables.py``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binom

HERE = Path(__file__).parent


def read(name: str) -> pd.DataFrame | None:
    path = HERE / "results" / f"{name}.csv"
    return pd.read_csv(path) if path.exists() else None


def markdown(frame: pd.DataFrame) -> str:
    rows = [list(frame.columns), ["---"] * frame.shape[1], *frame.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def percent(rate: float, runs: float) -> str:
    se = 100 * np.sqrt(max(rate * (1 - rate), 0.0) / runs)
    return f"{100 * rate:.1f} ± {se:.1f}"


def auc_bound(d: pd.DataFrame) -> str:
    out = d[["law", "auc", "n_pos"]].rename(columns={"auc": "AUC", "n_pos": "n₊"})
    for method in ("dirichlet", "delong", "delong-logit"):
        rates = d[f"{method} coverage"]
        out[f"{method} %"] = [percent(r, n) for r, n in zip(rates, d["runs"], strict=True)]
    out["median bound"] = d["dirichlet median"].round(3)
    return markdown(out)


NAMES = {"arc_length": "L\\*", "auc": "AUC\\*", "tv": "TV"}


def certify_bounds(d: pd.DataFrame) -> str:
    return markdown(held(d, ["law", "n"]))


def few_positives(d: pd.DataFrame) -> str:
    d = d.sort_values("method", ascending=False, kind="stable")
    out = held(d, ["method", "law"])
    for key, name in NAMES.items():
        out[f"{name} bias"] = d[f"{key} bias"].map("{:+.3f}".format)
    return markdown(out)


def held(d: pd.DataFrame, cell: list[str]) -> pd.DataFrame:
    """How often lower bounds held, and where they lie."""
    out = d[cell].copy()
    for key, name in NAMES.items():
        rates = d[f"{key} coverage"]
        out[f"{name} %"] = [percent(r, n) for r, n in zip(rates, d["runs"], strict=True)]
        lows, truths = d[f"{key} median low"], d[key]
        pairs = zip(lows, truths, strict=True)
        out[f"{name} low of true"] = [f"{low:.3f} of {true:.3f}" for low, true in pairs]
    return out


def repeats(d: pd.DataFrame) -> str:
    out = d[["law", "positives", "cv"]].copy()
    out["all three %"] = [percent(r, n) for r, n in zip(d["together"], d["runs"], strict=True)]
    for key, name in NAMES.items():
        rates = d[f"{key} coverage"]
        out[f"{name} %"] = [percent(r, n) for r, n in zip(rates, d["runs"], strict=True)]
        pairs = zip(d[f"{key} median low"], d[f"{key} truth"], strict=True)
        out[f"{name} low of true"] = [f"{low:.3f} of {true:.3f}" for low, true in pairs]
    return markdown(out)


def stability(d: pd.DataFrame) -> str:
    out = d[["model", "law", "positives", "repeats"]].copy()
    for key, name in NAMES.items():
        for part in ("sd", "mean"):
            pairs = zip(d[f"{key} {part} once"], d[f"{key} {part}"], strict=True)
            out[f"{name} {part}"] = [f"{once:.3f} → {now:.3f}" for once, now in pairs]
    out["CPU seconds"] = d["CPU seconds"]
    return markdown(out)


def values(d: pd.DataFrame) -> str:
    out = d[["model", "law", "n", "runs"]].copy()
    for key, name in (("arc_length", "L\\*"), ("auc", "AUC\\*")):
        rates = d[f"{key} coverage"]
        out[f"{name} covered %"] = [percent(r, n) for r, n in zip(rates, d["runs"], strict=True)]
        out[f"{name} bias"] = d[f"{key} bias"].map("{:+.4f}".format)
        out[f"{name} held-out bias"] = d[f"{key} held-out bias"].map("{:+.4f}".format)
        out[f"{name} RMSE"] = d[f"{key} value rmse"].map("{:.4f}".format)
        ratio = d[f"{key} value rmse"] / d[f"{key} oracle rmse"]
        out[f"{name} RMSE / oracle"] = ratio.map("{:.2f}".format)
    return markdown(out)


def level(d: pd.DataFrame) -> str:
    out = d[["test", "law", "n_pos", "n_neg", "runs"]].copy()
    out["rejected at 5 %"] = [percent(r, n) for r, n in zip(d["rejected"], d["runs"], strict=True)]
    return markdown(out)


def power(d: pd.DataFrame) -> str:
    out = d[["law", "n", "runs"]].rename(columns={"n": "rows per class"})
    for key, name in (("power", "rocstar power %"), ("hyppo power", "hyppo power %")):
        out[name] = [percent(r, n) for r, n in zip(d[key], d["runs"], strict=True)]
    out["rocstar ms"], out["hyppo ms"] = d["ms"].round(0), d["hyppo ms"].round(0)
    return markdown(out)


def neyman_pearson(d: pd.DataFrame) -> str:
    out = d[["fpr", "delta", "n_neg", "runs"]].copy()
    out["violations %"] = [percent(r, n) for r, n in zip(d["violations"], d["runs"], strict=True)]
    out["median rate"] = d["median rate"].round(4)
    return markdown(out)


def bands(d: pd.DataFrame) -> str:
    out = d[["law", "n_pos", "n_neg", "runs"]].copy()
    for method in ("dirichlet", "exact"):
        rates = d[f"{method} coverage"]
        out[f"{method} %"] = [percent(r, n) for r, n in zip(rates, d["runs"], strict=True)]
        out[f"{method} gap at FPR .1"] = d[f"{method} gap at .1"].round(3)
    return markdown(out)


FIGURES = {"auc": "AUC", "arc_length": "J", "youden": "Youden", "gain": "gain"}


def weights(d: pd.DataFrame) -> str:
    names = {"kind": "weights", "effective": "effective share", "n_pos": "n₊", "n_neg": "n₋"}
    d = longest(d, ["kind", "effective", "auc", "n_pos", "n_neg"])
    out = d[[*names, "auc", "runs"]].rename(columns={**names, "auc": "true AUC"})
    rates = d["auc delong coverage"]
    delong = [percent(r, n) for r, n in zip(rates, d["runs"], strict=True)]
    return markdown(out.join(figures(d, "rocstar")).assign(**{"DeLong AUC %": delong}))


def groups(d: pd.DataFrame) -> str:
    names = {"correlation": "ρ", "n_groups": "groups", "auc": "true AUC"}
    d = longest(d, ["shape", "auc", "sizes", "classes", "correlation", "n_groups"])
    out = d[["shape", "sizes", "classes", *names, "runs"]].rename(columns=names)
    return markdown(out.join(figures(d, "rocstar", "bootstrap")))


def figures(d: pd.DataFrame, *methods: str) -> pd.DataFrame:
    """Coverage and median bound of each figure, methods parted by a slash."""
    out = pd.DataFrame(index=d.index)
    for key, name in FIGURES.items():
        parts = [d[f"{key} {method} coverage"] for method in methods]
        shares = [[percent(r, n) for r, n in zip(p, d["runs"], strict=True)] for p in parts]
        medians = [d[f"{key} {method} median"].map("{:.3f}".format) for method in methods]
        out[f"{name} %"] = [" / ".join(cell) for cell in zip(*shares, strict=True)]
        bounds = [" / ".join(cell) for cell in zip(*medians, strict=True)]
        truths = d[f"{key} truth"].map("{:.3f}".format)
        out[f"{name} bound"] = [f"{b} of {t}" for b, t in zip(bounds, truths, strict=True)]
    return out


def longest(d: pd.DataFrame, cell: list[str]) -> pd.DataFrame:
    """Of several simulations of one cell, that with the most runs."""
    return d.sort_values("runs", kind="stable").drop_duplicates(cell, keep="last").sort_index()


def betting(d: pd.DataFrame) -> str:
    out = d[["figure", "n_pos", "n_neg", "runs"]].rename(columns={"n_pos": "n₊", "n_neg": "n₋"})
    for method in ("betting", "dirichlet"):
        rates = d[f"{method} coverage"]
        out[f"{method} %"] = [percent(r, n) for r, n in zip(rates, d["runs"], strict=True)]
        out[f"{method} gap"] = d[f"{method} gap"].map("{:.3f}".format)
    return markdown(out)


def betting_gaps(d: pd.DataFrame) -> str:
    names = {"shift": "distance", "n_pos": "n₊", "n_neg": "n₋"}
    out = d[[*names, "runs"]].rename(columns=names)
    for name in ("L", "AUC", "TV"):
        folds = d[f"five folds {name}"]
        ratios = [d[f"{method} {name}"] / folds for method in ("betting", "hold-out")]
        cells = zip(folds, *ratios, strict=True)
        out[name] = [f"{f:.3f}: {b:.2f} / {h:.2f}" for f, b, h in cells]
    names = [f"betting {name} coverage" for name in ("L", "AUC", "TV")]
    out["coverage of betting"] = [f"{100 * c:.0f} %" for c in d[names].min(axis=1)]
    return markdown(out)


def proven_bands(d: pd.DataFrame) -> str:
    out = d[["law", "n", "runs"]].rename(columns={"n": "rows per class"})
    for method in ("concave", "hull points", "exact", "dirichlet"):
        columns = (d[f"{method} {name}"] for name in ("ε", "partial AUC", "coverage"))
        cells = zip(*columns, strict=True)
        out[method] = [
            "–" if np.isnan(e) else f"{e:.2f}; {a:.4f} ({100 * c:.0f} %)" for e, a, c in cells
        ]
    return markdown(out)


PEERS = {
    "mean": ("betting", "Gaffke", "Clopper–Pearson", "Hoeffding", "emp. Bernstein", "normal"),
    "AUC": ("betting", "Dirichlet", "DeLong", "bootstrap"),
}


def betting_peers(d: pd.DataFrame) -> str:
    parts = []
    for figure, methods in PEERS.items():
        rows = d[d["figure"] == figure]
        out = rows[["figure", "law", "n"]].copy()
        for k, method in enumerate(methods):
            pairs = zip(rows[f"{k} gap"], rows[f"{k} coverage"], strict=True)
            out[method] = ["–" if np.isnan(g) else f"{g:.3f} ({100 * c:.0f} %)" for g, c in pairs]
        parts.append(markdown(out))
    return "\n\n".join(parts)


def betting_groups(d: pd.DataFrame) -> str:
    names = {"auc": "true AUC", "n_groups": "groups"}
    out = d[["classes", *names]].rename(columns=names)
    for key, name in FIGURES.items():
        methods = ("betting", "dirichlet", "bootstrap")
        medians = [d[f"{key} {method} median"].map("{:.3f}".format) for method in methods]
        rates = [d[f"{key} {method} coverage"].map("{:.0%}".format) for method in methods]
        pairs = [median + " (" + rate + ")" for median, rate in zip(medians, rates, strict=True)]
        truths = d[f"{key} truth"].map("{:.3f}".format)
        cells = zip(*pairs, truths, strict=True)
        out[name] = [f"{a} / {b} / {c} of {t}" for a, b, c, t in cells]
    return markdown(out)


def betting_confseq(d: pd.DataFrame) -> str:
    out = d[["law", "n", "runs"]].copy()
    for name in ("betting", "confseq"):
        out[f"{name} gap"] = d[f"{name} gap"].map("{:.3f}".format)
    return markdown(out)


def segments(d: pd.DataFrame) -> str:
    out = d.rename(columns={"world": "score", "n": "rows per class"})
    out["segments per table"] = d["segments"].map("{:.2f}".format)
    out["tables with a claim, %"] = [
        percent(r, n) for r, n in zip(d["claims"], d["runs"], strict=True)
    ]
    return markdown(out.drop(columns=["segments", "claims", "seconds"]))


def headroom(d: pd.DataFrame) -> str:
    out = d[["score", "way", "positives", "negatives", "runs"]].copy()
    for name in ("total variation", "cost"):
        out[f"{name}: true"] = d[f"{name} truth"].map("{:.3f}".format)
        out["median bound" + " " * (name == "cost")] = d[f"{name} median"].map("{:.3f}".format)
        out["overstated, %" + " " * (name == "cost")] = [
            percent(r, n) for r, n in zip(d[f"{name} overstated"], d["runs"], strict=True)
        ]
    return markdown(out)


def measures(d: pd.DataFrame) -> str:
    """Coverage of the curve and the worst measure of each cell; medians of the gaps below it."""
    names = [c.removesuffix(" gap") for c in d if c.endswith(" gap")]
    shared = [name for name in names if not name.startswith("own ")]
    own = [name for name in names if name.startswith("own ")]
    cells = len(d) * (1 + len(names))
    # One-sided binomial test of each level, at 1 % divided by the number of cells.
    limits = {n: binom.ppf(0.01 / cells, n, 0.95) / n for n in d["runs"].unique()}
    rates = d[["curve", *names]].min(axis=1)
    failed = int((rates < d["runs"].map(limits)).sum())
    out = d[["way", "law"]].copy()
    out["prevalence"] = d["prevalence"].map("{:.0%}".format)
    out["curve %"] = [percent(r, n) for r, n in zip(d["curve"], d["runs"], strict=True)]
    for title, group in (("worst measure %", shared), ("worst own bound %", own)):
        worst = d[group].min(axis=1)
        which = d[group].idxmin(axis=1).str.removeprefix("own ")
        shown = zip(worst, d["runs"], which, strict=True)
        out[title] = [f"{percent(r, n)} ({name})" for r, n, name in shown]
    gaps = d.groupby("prevalence")[[f"{name} gap" for name in names]].median()
    gaps.columns = [column.removesuffix(" gap") for column in gaps]
    widths = gaps.T.map("{:.3f}".format).rename(columns="{:.0%}".format)
    widths.insert(0, "median gap", widths.index)
    test = (
        f"{failed} of {len(d)} rows reject their level in a binomial test at 1 % / {cells} cells."
    )
    return "\n\n".join([markdown(out), test, markdown(widths)])


TABLES: dict[str, Callable[[pd.DataFrame], str]] = {
    "auc_bound": auc_bound,
    "weights": weights,
    "groups": groups,
    "certify_bounds": certify_bounds,
    "repeats": repeats,
    "stability": stability,
    "values": values,
    "few_positives": few_positives,
    "two_sample_level": level,
    "two_sample_power": power,
    "neyman_pearson": neyman_pearson,
    "bands": bands,
    "measures": measures,
    "betting": betting,
    "betting_gaps": betting_gaps,
    "proven_bands": proven_bands,
    "betting_groups": betting_groups,
    "betting_peers": betting_peers,
    "betting_confseq": betting_confseq,
    "segments": segments,
    "headroom": headroom,
}


def main() -> None:
    text = (HERE / "README.template.md").read_text()
    for name, table in TABLES.items():
        data = read(name)
        body = "*Not run yet.*" if data is None else table(data)
        text = text.replace(f"{{{{{name}}}}}", body)
    (HERE / "README.md").write_text(text)


if __name__ == "__main__":
    main()
