"""Is the synthetic table like the real one? Numbers and figure of the case study.

    python docs/case-studies/synthetic.py --data DIR

DIR holds adult.parquet: the 14 features of the census table and a 0/1 column `target`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.preprocessing import OrdinalEncoder

from rocstar import compare, roc_auc

HERE = Path(__file__).parent
ROWS = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    table = pd.read_parquet(parser.parse_args().data / "adult.parquet")
    # The first 32,561 rows are the published training part, the others its test part.
    train, test = table[:32_561], table[32_561:]
    rng = np.random.default_rng(0)
    seen, real = (part.sample(ROWS, random_state=0) for part in (train, test))
    made = {
        "a second real sample": seen,
        "each column drawn by itself": independent(seen, rng),
        "a Gaussian copula": copula(seen, rng),
        "neighbours mixed": mixed(seen, rng),
    }
    lines, results = [], {}
    for name, rows in made.items():
        results[name] = compare(
            real, rows, fast=True, random_state=0, names=("real", "other"), n_jobs=1
        )
        lines += [f"== {name}", results[name].verdict]
        lines += [f"   total variation {results[name].tv}"]
        lines += [
            f"   {column['name']}: jointly {column['importance']:.3f}, "
            f"alone {column['divergence']:.3f}"
            for column in results[name].columns_importance[:3]
        ]
        lines += [
            f"   a model of income trained on it, on real rows: AUC {usefulness(rows, real):.3f}"
        ]
        lines += [""]
        print("\n".join(lines[-7:]), flush=True)
    (HERE / "results" / "synthetic.txt").write_text("\n".join(lines), encoding="utf-8")
    draw(results)


def independent(rows: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Every histogram right, every relation lost."""
    return _taken(rows, {name: rng.permutation(len(rows)) for name in rows})


def copula(rows: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Every histogram right, relations as a Gaussian would have them."""
    codes = OrdinalEncoder().fit_transform(rows)
    jitter = codes + rng.random(codes.shape)
    order, ranks = np.argsort(jitter, axis=0), _ranks(jitter)
    correlation = np.corrcoef(norm.ppf((ranks + 0.5) / len(rows)).T)
    drawn = _ranks(rng.multivariate_normal(np.zeros(len(correlation)), correlation, len(rows)))
    return _taken(rows, {name: order[drawn[:, k], k] for k, name in enumerate(rows)})


def mixed(rows: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Half of the columns come from another row of the same education, sex and income class."""
    kept = ["education", "education_num", "sex", "target"]
    moved = rng.permutation([name for name in rows if name not in kept])[:5]
    donor = np.arange(len(rows))
    for group in rows.groupby(["education", "sex", "target"], observed=True).indices.values():
        donor[group] = rng.permutation(group)
    return _taken(rows, dict.fromkeys(moved, donor))


def _ranks(values: np.ndarray) -> np.ndarray:
    return np.argsort(np.argsort(values, axis=0), axis=0)


def _taken(rows: pd.DataFrame, sources: dict[str, np.ndarray]) -> pd.DataFrame:
    """The table with some columns read from other rows."""
    as_is = np.arange(len(rows))
    return pd.DataFrame({name: rows[name].array[sources.get(name, as_is)] for name in rows})


def usefulness(rows: pd.DataFrame, real: pd.DataFrame) -> float:
    """AUC on real rows of a model trained on the others."""
    both = pd.concat([rows, real], ignore_index=True)
    y = both.pop("target").to_numpy()
    texts = both.select_dtypes(exclude="number").columns
    both[texts] = OrdinalEncoder().fit_transform(both[texts].astype(str))
    model = HistGradientBoostingClassifier(random_state=0).fit(both[: len(rows)], y[: len(rows)])
    return roc_auc(y[len(rows) :], model.predict_proba(both[len(rows) :])[:, 1])


def draw(results) -> None:
    plt.rcParams.update(
        {"svg.hashsalt": "rocstar", "axes.spines.top": False, "axes.spines.right": False}
    )
    figure, axes = plt.subplots(1, 4, figsize=(11, 2.9), sharey=True, layout="constrained")
    for ax, (name, result) in zip(axes, results.items(), strict=True):
        result.plot_angles(ax)
        ax.set_title(
            f"{name}\nTV at least {np.floor(1000 * result.tv.low) / 1000:.3f}", fontsize=10
        )
        ax.set(xlabel="held-out angle", ylabel="")
        ax.get_legend().remove()
    axes[0].set_ylabel("share of the rows")
    axes[0].legend(["real", "other"], frameon=False)
    figure.savefig(HERE.parent / "images" / "case-synthetic.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
