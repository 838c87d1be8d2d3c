"""Arrays of every library by one set of functions."""

import array_api_strict
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from rocstar.fitting import arrays

STRICT = array_api_strict.asarray


@pytest.mark.parametrize("of", [np.asarray, STRICT], ids=["numpy", "strict"])
def test_small_functions_answer_in_the_library_they_were_asked_in(of):
    x = of(np.array([3.0, 1.0, 1.0, 2.0]))
    assert_array_equal(arrays.to_host(arrays.distinct_values(x)), [1.0, 2.0, 3.0])
    assert_array_equal(arrays.to_host(arrays.distinct_values(x[1:])), [1.0, 2.0])
    assert_array_equal(arrays.to_host(arrays.take_rows(x, np.array([3, 0]))), [2.0, 3.0])
    assert float(arrays.dot(x, x)) == 15.0
    same = arrays.like([0.5], x)
    assert (type(same), same.dtype) == (type(x), x.dtype)


def test_sums_of_single_precision_are_double():
    x = np.full(2**20, 0.1, dtype=np.float32)
    assert arrays.double_sum(x).dtype == np.float64
    assert float(arrays.double_sum(STRICT(x))) == pytest.approx(float(x[0]) * 2**20, rel=1e-12)


def test_which_arrays_are_whose():
    dense, thin = np.eye(2), sparse.csr_matrix(np.eye(2))
    assert arrays.is_numpy(dense)
    assert arrays.is_numpy(thin)
    assert arrays.is_foreign(STRICT(dense))
    assert not arrays.is_foreign(dense)
    assert arrays.double(thin.astype(np.float32)).dtype == np.float64
