"""Rows and labels of one law, in memory and in partitions, for the tests of scale."""

import numpy as np
import pytest

from rocstar import laws

LAW = laws.GaussianPair(np.zeros(4), np.full(4, 0.6))
X, Y = LAW.sample(700, 500, random_state=0)
SHUFFLED = np.random.default_rng(0).permutation(len(Y))
X, Y = X[SHUFFLED], Y[SHUFFLED]
NAMES = ["a", "b", "c", "d"]


def arrays(size=100, x=X, y=Y):
    """Dask arrays, cut between columns too."""
    da = pytest.importorskip("dask.array")
    return da.from_array(x, chunks=(size, 2)), da.from_array(y, chunks=size)


def column(values, size=300):
    return pytest.importorskip("dask.array").from_array(np.asarray(values), chunks=size)


def frames(npartitions=4):
    """A dataframe and a series."""
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    table = dd.from_pandas(pd.DataFrame(X, columns=NAMES).assign(y=Y), npartitions=npartitions)
    return table[NAMES], table["y"]


def frames_of(parts):
    """A dataframe and a series of the given (X, y) partitions."""
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    names = [f"x{j}" for j in range(X.shape[1])]
    tables = [pd.DataFrame(x, columns=names) for x, _ in parts]
    columns = [pd.Series(y, name="y") for _, y in parts]

    def table(i):
        return tables[i]

    def column(i):
        return columns[i]

    ordinals = range(len(parts))
    return (
        dd.from_map(table, ordinals, meta=tables[0].iloc[:0]),
        dd.from_map(column, ordinals, meta=columns[0].iloc[:0]),
    )


def mixed_labels():
    """Numbers in the first half, text in the second."""
    labels = np.empty(len(Y), object)
    labels[:600] = [int(label) for label in Y[:600]]
    labels[600:] = [str(int(label)) for label in Y[600:]]
    return labels


def mixed_table():
    """Numbers with gaps, categories, dates; a score, a weight, a target."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(X, columns=NAMES).assign(
        plan=np.where(rng.random(len(Y)) < 0.3 + 0.3 * Y, "plus", "basic"),
        since=pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, len(Y)), unit="D"),
        visits=rng.integers(0, 9, len(Y)),
        old=-X[:, 0],
        weight=rng.integers(1, 4, len(Y)).astype(float),
        left=np.where(Y == 1, "no", "yes"),  # "yes" is the larger label: the class of LAW's zeros
    )
    frame.loc[rng.random(len(Y)) < 0.1, "b"] = np.nan
    return frame
