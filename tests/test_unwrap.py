"""The estimator inside pipelines and searches."""

import pytest
from data_gaussians import gaussians
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from rocstar import (
    ArctanRatio,
    ClassifierRatio,
    predict_angle,
)
from rocstar.estimators.protocol import declared
from rocstar.estimators.unwrap import unwrap

X, Y = gaussians(80)


def search(estimator):
    return GridSearchCV(estimator, {}, cv=2)


WRAPPED = {
    "itself": lambda model: model,
    "pipeline": lambda model: make_pipeline(StandardScaler(), model),
    "search": search,
    "pipeline of a search": lambda model: make_pipeline(StandardScaler(), search(model)),
    "search of pipelines": lambda model: search(make_pipeline(make_pipeline(model))),
    "passthrough": lambda model: Pipeline([("nothing", "passthrough"), ("model", model)]),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_one_function_looks_inside(name):
    model = WRAPPED[name](ArctanRatio())
    assert isinstance(unwrap(model), ArctanRatio)
    assert declared(model).smooth_class
    assert hasattr(unwrap(model.fit(X, Y)), "coef_")
    assert predict_angle(model, X).shape == (160,)
    assert declared(ClassifierRatio(WRAPPED[name](LogisticRegression()))).smooth_class


def test_a_fitted_search_answers_by_what_it_found():
    found = GridSearchCV(ArctanRatio(), {"alpha": [1e3, 1e-3]}, cv=2).fit(X, Y)
    assert unwrap(found).alpha == 1e-3
    with pytest.raises(NotFittedError):
        predict_angle(search(ArctanRatio()), X)
