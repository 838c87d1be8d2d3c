"""Held-out and training rows of Dask collections."""

import numpy as np
import pytest
from data_scale import LAW, X, Y, arrays, column
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from rocstar import ArctanRatio, StackedRatio, certify
from rocstar.scale.random_split import RandomSplit

pytestmark = pytest.mark.dask


@pytest.mark.parametrize("most", [2**20, 200])
def test_certificate_of_partitions(most, monkeypatch):
    monkeypatch.setattr("rocstar.scale.random_split.MOST_HELD_OUT_ROWS", most)
    x, y = arrays()
    found = certify(ArctanRatio(), x, y, random_state=0)
    again = certify(ArctanRatio(), x, y, random_state=0)
    assert found.strict
    assert found.arc_length == again.arc_length
    expected = min(most, len(Y) / 2)
    assert abs(found.y.size - expected) < 5 * np.sqrt(expected)
    assert found.arc_length.low < LAW.arc_length < found.arc_length.high + 0.05
    assert found.auc.low < LAW.auc
    # What was judged has not been learnt from: the training rows' J is the model's own.
    split = RandomSplit.of(y, None, 0)
    training = split.training_weights().compute() > 0
    host = ArctanRatio().fit(X[training], Y[training])
    assert_allclose(found.angle, host.predict_angle(X[~training]), atol=1e-7)
    with pytest.raises(ValueError, match="groups"):
        certify(ArctanRatio(), x, y, groups=np.arange(len(Y)))
    with pytest.raises(TypeError, match="ArctanRatio, an ArctanRatioCV, a MaximalAUC"):
        certify(LogisticRegression(), x, y)


def test_a_class_on_one_side_only_is_not_blamed_on_weights():
    rare = np.arange(len(Y)) == 5
    x, y = arrays()[0], column(rare)
    with pytest.raises(ValueError, match="enough rows of each class to judge some"):
        certify(ArctanRatio(), x, y, random_state=0)
    with pytest.raises(ValueError, match="enough rows of each class to judge some"):
        StackedRatio([("linear", ArctanRatio())], random_state=0).fit(x, y)
    with pytest.raises(ValueError, match="one class"):
        certify(ArctanRatio(), x, column(np.zeros(len(Y))), random_state=0)
    with pytest.raises(ValueError, match="`sample_weight` must give each class some weight"):
        certify(ArctanRatio(), x, column(Y), sample_weight=column(Y * 1.0), random_state=0)
