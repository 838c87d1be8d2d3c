"""Bad features, labels and weights in a partition are one sentence."""

import numpy as np
import pytest
from data_scale import X, Y, arrays, column, frames, mixed_labels
from numpy.testing import assert_allclose

from rocstar import ArctanRatio
from rocstar.scale.partition_checks import _ALIGNED, aligned, float_matrix

pytestmark = pytest.mark.dask


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda x, y: (np.where(x > 3, np.nan, x), y), "must be finite"),
        (lambda x, y: (x, y * 0), "two classes"),
        (lambda x, y: (x, np.arange(len(y))), "exactly two.*so pass X.compute.. and y.compute"),
        (lambda x, y: (x.astype(str), y), "finite|numbers"),
        (lambda x, y: (x[:0], y[:0]), "at least one row"),
    ],
)
def test_bad_partitions_give_one_sentence(change, sentence):
    x, y = change(X, Y)
    x = np.char.add("a", x) if x.dtype.kind == "U" else x
    with pytest.raises(ValueError, match=sentence):
        ArctanRatio().fit(*arrays(300, x, y))


def test_shapes_and_kinds_that_do_not_fit_are_one_sentence():
    x, y = arrays()
    dx, dy = frames()
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match="`y` must have 1 dimension; got 2"):
        ArctanRatio().fit(x, y[:, None])
    with pytest.raises(ValueError, match="`y` must have 1 dimension; got 2"):
        ArctanRatio().fit(dx, dy.to_frame())
    with pytest.raises(ValueError, match="`X` must have 2 dimensions; got 1"):
        ArctanRatio().fit(x[:, 0], y)
    with pytest.raises(ValueError, match=r"`X` must hold numbers; partition \d+ has dtype complex"):
        ArctanRatio().fit(x * 1j, y)
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match=r"must hold numbers; partition \d+ has csr"):
        ArctanRatio().fit(x.map_blocks(sparse.csr_array), y)
    holes = dx.astype("Float64").mask(dx > 2)
    with pytest.raises(ValueError, match=r"must be finite; partition \d+ has missing"):
        ArctanRatio().fit(holes, dy)
    with pytest.raises(ValueError, match="objective_weight"):
        ArctanRatio().fit(x, y, objective_weight=da.full(len(Y), -1.0, chunks=x.chunks[0]))


def test_labels_of_two_kinds_are_refused():
    x, _ = arrays(300)
    with pytest.raises(ValueError, match="labels of one kind, none missing, in all partitions"):
        ArctanRatio().fit(x, column(mixed_labels()))
    one_class = np.where(np.arange(len(Y)) < 600, 0, 1).astype(object)
    one_class[600:] = "1"
    with pytest.raises(ValueError, match="labels of one kind"):
        ArctanRatio().fit(x, column(one_class))
    missing = np.where(Y == 1, "up", "down").astype(object)
    missing[3] = None
    with pytest.raises(ValueError, match="none missing"):
        ArctanRatio().fit(x, column(missing))


def test_labels_may_be_times():
    x, y = arrays(300)
    days = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")[Y.astype(int)]
    model = ArctanRatio().fit(x, column(days))
    assert model.classes_.dtype.kind == "M"
    assert_allclose(model.coef_, ArctanRatio().fit(x, y).coef_, atol=1e-12)


def unaligned(array):
    """The same numbers in a buffer that starts between two of them, as messages do."""
    buffer = np.empty(array.nbytes + 1, dtype=np.uint8)[1:]
    moved = np.frombuffer(buffer.data, dtype=array.dtype).reshape(array.shape)
    moved[...] = array
    assert not moved.flags.aligned
    return moved


def test_what_arrives_unaligned_is_aligned_once_and_let_go_with_its_array():
    moved = unaligned(X)
    first = float_matrix(moved)
    assert first.flags.aligned
    assert_allclose(first, X, rtol=0)
    assert float_matrix(moved) is first
    before = len(_ALIGNED)
    del moved
    assert len(_ALIGNED) == before - 1
    assert aligned(X, X) is X
