"""Estimators of Dask collections, and what says that it works in memory only."""

import pytest
from data_scale import X, Y, arrays, frames_of
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    ClassifierRatio,
    MaximalAUCClassifier,
    NeymanPearsonClassifier,
    RatioOutlierDetector,
    StackedRatio,
    arc_length_score,
    auc_interval,
    audit,
    baselines,
    certify,
    compare,
    curves,
    two_sample_test,
)

pytestmark = pytest.mark.dask


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_penalties_are_chosen_on_a_sample_and_fitted_to_all_rows(kernel, no_loading):
    import dask

    options = {"random_state": 0, "alphas": [1e-1, 1e-3], "gammas": [0.1], "n_components": 30}
    host = ArctanRatioCV(kernel, **options).fit(X, Y)
    x, y = arrays()
    model = ArctanRatioCV(kernel, **options).fit(x, y)
    assert model.classes_.tolist() == [0, 1]
    assert dask.is_dask_collection(model.decision_function(x))
    if kernel == "linear":
        # The sample is all rows here, so that nothing but the order of summation differs.
        assert model.alpha_ == host.alpha_
        assert_allclose(model.predict_angle(x).compute(), host.predict_angle(X), atol=1e-7)
        assert model.arc_length_ == pytest.approx(host.arc_length_, abs=1e-9)
    assert model.arc_length_ == pytest.approx(host.arc_length_, abs=0.02)
    few = ArctanRatioCV(kernel, **options, max_tuning_rows=100).fit(x, y)
    assert few.arc_length_ == pytest.approx(host.arc_length_, abs=0.02)
    with pytest.raises(ValueError, match="`groups` needs all rows in memory"):
        ArctanRatioCV(kernel).fit(x, y, groups=y)
    with pytest.raises(ValueError, match="`max_tuning_rows=None` needs all rows"):
        ArctanRatioCV(kernel, max_tuning_rows=None).fit(x, y)


def test_stack_over_partitions(no_loading):
    members = [
        ("linear", ArctanRatioCV(alphas=[1e-3])),
        ("rbf", ArctanRatio("rbf", n_components=20)),
    ]
    x, y = arrays()
    model = StackedRatio(members, random_state=0).fit(x, y)
    assert model.takes_collections
    assert sum(model.weights_.values()) == pytest.approx(1)
    assert 60 < model.n_stacking_rows_ < 180  # a tenth of 1,200
    angle = model.predict_angle(x).compute()
    mixed = sum(
        share * model.estimators_[name].predict_angle(X) for name, share in model.weights_.items()
    )
    assert_allclose(angle, mixed, atol=1e-12)
    assert_allclose(model.decision_function(x).compute(), model.decision_function(X), atol=1e-12)
    assert model.arc_length_ == pytest.approx(1.62, abs=0.05)
    assert certify(StackedRatio(members, random_state=0), x, y, random_state=0).auc.low > 0.7
    with pytest.raises(TypeError, match=r"`trees` cannot.*X.compute"):
        StackedRatio([*members, ("trees", LogisticRegression())]).fit(x, y)
    with pytest.raises(ValueError, match="`groups` must be None"):
        StackedRatio(members).fit(x, y, groups=y)


def test_two_steps_with_a_chosen_penalty_over_partitions():
    ratio = ArctanRatioCV(alphas=[1e-1, 1e-3], random_state=0)
    host = MaximalAUCClassifier(ratio).fit(X, Y)
    x, y = arrays()
    model = MaximalAUCClassifier(ratio).fit(x, y)
    assert_allclose(model.predict_angle(x).compute(), host.predict_angle(X), atol=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        ArctanRatioCV(loss="box"),
        ArctanRatioCV("rbf", n_components=None),
        MaximalAUCClassifier(ArctanRatio(loss="box")),
        StackedRatio([("linear", ArctanRatio()), ("box", ArctanRatio(loss="box"))]),
    ],
    ids=["cv", "all landmarks", "two steps", "stack"],
)
def test_what_needs_all_rows_says_so_before_it_reads_any(model, monkeypatch):
    x, y = arrays()
    monkeypatch.setattr("dask.base.compute", None)  # nothing may be computed
    for module in ("overview", "rows", "labelled"):
        monkeypatch.setattr(f"rocstar.scale.{module}.tree_sum", None)
    for call in (lambda: model.fit(x, y), lambda: certify(model, x, y)):
        with pytest.raises(ValueError, match="needs all rows in memory"):
            call()


def test_what_needs_memory_says_so():
    x, y = arrays()
    with pytest.raises(ValueError, match=r"loss='box'.*X.compute"):
        ArctanRatio(loss="box").fit(x, y)
    with pytest.raises(ValueError, match="n_components=None"):
        ArctanRatio("rbf", n_components=None).fit(x, y)
    with pytest.raises(ValueError, match="`y` must be a Dask array, dataframe or series"):
        ArctanRatio().fit(x, Y)
    with pytest.raises(ValueError, match="partitions of X"):
        ArctanRatio().fit(frames_of([(X, Y)] * 2)[0], frames_of([(X, Y)] * 3)[1])


IN_MEMORY = {
    "ClassifierRatio": lambda x, y: ClassifierRatio().fit(x, y),
    "NeymanPearsonClassifier": lambda x, y: NeymanPearsonClassifier().fit(x, y),
    "RatioOutlierDetector": lambda x, y: RatioOutlierDetector().fit(x),
    "baseline": lambda x, y: baselines.PairwiseSquaredAUC().fit(x, y),
    "two_sample_test": lambda x, y: two_sample_test(x, y),
    "two_sample_test of labels": lambda x, y: two_sample_test(X, y),
    "compare": lambda x, y: compare(x, x),
    "auc": lambda x, y: curves.roc_auc(y, x[:, 0]),
    "hull": lambda x, y: curves.roc_hull(Y, x[:, 0]),
    "auc_interval": lambda x, y: auc_interval(y, x[:, 0]),
    "arc_length_score": lambda x, y: arc_length_score(y, x[:, 0]),
    "labels of ArctanRatio": lambda x, y: ArctanRatio().fit(X, y),
    "labels of certify": lambda x, y: certify(ArctanRatio(), X, y),
    "labels of audit": lambda x, y: audit(X, y),
    "scores of audit": lambda x, y: audit(X, Y, scores=y),
    "predictions of ClassifierRatio": lambda x, y: (
        ClassifierRatio(LogisticRegression()).fit(X, Y).predict_angle(x)
    ),
}


@pytest.mark.parametrize("what", IN_MEMORY)
def test_what_works_in_memory_says_so_and_loads_nothing(what, no_loading):
    with pytest.raises(ValueError, match=r"must be in memory here; got a Dask collection: pass .*"):
        IN_MEMORY[what](*arrays())
