"""Weighted Gram matrices against the plain product."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from rocstar.fitting import gram
from rocstar.fitting.gram import tensor_cores, weighted_gram

X = np.random.default_rng(0).normal(size=(300, 4))


@pytest.mark.parametrize("least", [0.0, -1.0], ids=["convex", "not convex"])
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_matrix])
def test_every_way_gives_the_plain_product(least, stored, monkeypatch):
    monkeypatch.setattr(gram, "least_rows", lambda width: 64)  # several steps
    weights = np.random.default_rng(1).uniform(least, 1.0, len(X))
    assert_allclose(weighted_gram(stored(X), weights), X.T @ (weights[:, None] * X), atol=1e-12)


def test_no_columns_give_no_entries():
    assert weighted_gram(X[:, :0], np.ones(len(X))).shape == (0, 0)


def test_tensor_cores_are_for_hessians_of_many_rows_alone():
    torch = pytest.importorskip("torch")
    before = torch.get_float32_matmul_precision()
    for rows, within in ((gram.MANY_ROWS, "high"), (gram.MANY_ROWS - 1, before)):
        with tensor_cores(torch.ones((rows, 1))):
            assert torch.get_float32_matmul_precision() == within
    with pytest.raises(ZeroDivisionError), tensor_cores(torch.ones((gram.MANY_ROWS, 1))):
        1 / 0  # noqa: B018
    assert torch.get_float32_matmul_precision() == before
