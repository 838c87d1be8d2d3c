"""Class means and ranks of lazy columns."""

import numpy as np
import pytest
from data_scale import X, Y, arrays, frames
from numpy.testing import assert_allclose

from rocstar import ArctanRatio, MaximalAUCClassifier
from rocstar.scale.labelled import Ranks

pytestmark = pytest.mark.dask


def test_scores_refuse_weights_below_zero_and_labels_of_one_class():
    x, y = arrays()
    model = ArctanRatio().fit(x, y)
    with pytest.raises(ValueError, match="sample_weight"):
        model.score(x, y, y * 0.0 - 1.0)
    with pytest.raises(ValueError, match="each class"):
        model.score(x, y * 0)
    _, series = frames(3)
    with pytest.raises(ValueError, match="same partitions; got 4 and 3"):
        model.score(frames(4)[0], series)


def test_scores_that_come_back_a_little_lower_stay_in_the_first_bin():
    edges = np.array([1.0, 2.0, 3.0])
    ranks = Ranks.of(edges, np.array([[1.0, 2.0, 1.0], [2.0, 1.0, 1.0]]))
    assert_allclose(ranks(np.array([np.nextafter(1.0, 0)])), ranks(np.array([1.0])))


@pytest.mark.parametrize("exact", [True, False])
def test_two_steps_over_partitions(exact, monkeypatch):
    import dask.array as da

    if not exact:
        monkeypatch.setattr("rocstar.scale.labelled.EXACT_ROWS", 0)
    weight = np.random.default_rng(2).integers(0, 3, len(Y)).astype(float)
    host = MaximalAUCClassifier().fit(X, Y, weight)
    x, y = arrays()
    model = MaximalAUCClassifier().fit(x, y, da.from_array(weight, chunks=170))
    off = np.abs(model.weights_.compute() - host.weights_).max()
    if exact:
        assert model.weights_error_ == 0.0
        assert off < 1e-7
        assert_allclose(model.second_step_.coef_, host.second_step_.coef_, atol=1e-7)
    else:
        # The stated error is of |F₊ − F₋|; the weights are that, divided by their mean.
        assert 0 < model.weights_error_ < 0.01
        assert off < 8 * model.weights_error_
    assert model.objective_ == pytest.approx(host.objective_, abs=1e-3)
    assert model.arc_length_ == pytest.approx(host.arc_length_, abs=1e-3)
    assert model.score(x, y, da.from_array(weight, chunks=170)) == pytest.approx(model.arc_length_)


def test_two_steps_of_a_constant_score_over_partitions():
    x, y = arrays(x=np.zeros_like(X))
    with pytest.warns(UserWarning, match="no second step"):
        model = MaximalAUCClassifier().fit(x, y)
    assert model.second_step_ is model.first_step_
