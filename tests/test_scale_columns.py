"""Predictions of Dask collections stay lazy."""

import numpy as np
import pytest
from data_scale import X, Y, arrays, frames
from numpy.testing import assert_allclose

from rocstar import ArctanRatio, ArctanRatioCV, predict_angle

pytestmark = pytest.mark.dask


def test_predictions_are_lazy():
    import dask

    x, y = arrays()
    host, model = ArctanRatio().fit(X, Y), ArctanRatio().fit(x, y)
    for what in ("predict_angle", "predict_proba", "decision_function", "predict_log_ratio"):
        answer = getattr(model, what)(x)
        assert dask.is_dask_collection(answer)
        assert_allclose(answer.compute(), getattr(host, what)(X), rtol=1e-7, err_msg=what)
    assert model.predict(x).compute().tolist() == host.predict(X).tolist()


def test_angles_of_a_fitted_model_stay_lazy(no_loading):
    import dask

    assert dask.is_dask_collection(predict_angle(ArctanRatio().fit(X, Y), arrays()[0]))


def test_probabilities_of_rows_nobody_has_counted():
    x, y = frames()
    model, host = ArctanRatio().fit(x, y), ArctanRatio().fit(X, Y)
    share = model.predict_proba(x)
    assert share.shape[1] == 2
    assert_allclose(share.compute(), host.predict_proba(X), atol=1e-8)
    known, _ = arrays()
    assert model.predict_proba(known).shape == (len(Y), 2)
    assert_allclose(model.predict_proba(known).compute(), host.predict_proba(X), atol=1e-8)


def test_missing_values_are_an_error_when_they_are_predicted():
    holes = X.copy()
    holes[400, 1] = np.nan
    x, y = arrays(300)
    da = pytest.importorskip("dask.array")
    bad = da.from_array(holes, chunks=(300, 4))
    for model in (ArctanRatio(), ArctanRatioCV(alphas=[0.01], cv=2)):
        model.fit(x, y)
        for method in ("predict", "predict_angle", "predict_proba", "decision_function"):
            with pytest.raises(ValueError, match="must be finite"):
                getattr(model, method)(bad).compute()
