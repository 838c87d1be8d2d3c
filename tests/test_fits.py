"""One fit for everyone: weights, groups and seeds reach whatever is inside."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from rocstar import (
    ArctanRatio,
    ArctanRatioCV,
    ClassifierRatio,
    MaximalAUCClassifier,
    NeymanPearsonClassifier,
    StackedRatio,
    audit,
    certify,
    compare,
    two_sample_test,
)
from rocstar.estimators.fits import (
    derived_seed,
    drawn_seed,
    fitted_clone,
    generator,
    seeded,
    takes_groups,
)
from rocstar.laws import GaussianPair
from rocstar.tables.dense import DenseRatio

X, Y = GaussianPair([0.0, 0.0], [1.0, 0.0]).sample(60, 60, random_state=0)
WEIGHT = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
GROUPS = np.arange(len(Y)) % 20


class Recorder(ClassifierMixin, BaseEstimator):
    """A classifier that remembers what its fit was given."""

    def fit(self, X, y, sample_weight=None, groups=None):
        self.classes_ = np.unique(y)
        self.given_ = {"sample_weight": sample_weight, "groups": groups}
        self.rows_ = len(X)
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def inside(model):
    """The recorder inside pipelines, searches and our own wrappers."""
    for name in ("best_estimator_", "estimator_", "ratio_"):
        if hasattr(model, name):
            return inside(getattr(model, name))
    return inside(model.steps[-1][1]) if isinstance(model, Pipeline) else model


def search(estimator, cv=2):
    return GridSearchCV(estimator, {}, cv=cv)


HOLDERS = {
    "itself": lambda model: model,
    "pipeline": lambda model: make_pipeline(StandardScaler(), model),
    "pipelines": lambda model: make_pipeline(StandardScaler(), make_pipeline(model)),
    "search": search,
    "search of a pipeline": lambda model: search(make_pipeline(StandardScaler(), model)),
    "pipeline of a search": lambda model: make_pipeline(StandardScaler(), search(model)),
    "ratio": ClassifierRatio,
    "ratio of a pipeline": lambda model: ClassifierRatio(make_pipeline(model)),
    "ratio of a search": lambda model: ClassifierRatio(search(make_pipeline(model))),
    "dense": lambda model: DenseRatio(ClassifierRatio(model)),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_weights_reach_what_is_inside(holder):
    rows = np.arange(0, 120, 2)
    model = fitted_clone(HOLDERS[holder](Recorder()), X, Y, sample_weight=WEIGHT, rows=rows)
    found = inside(model)
    assert found.rows_ == 60
    assert_array_equal(found.given_["sample_weight"], WEIGHT[rows])


@pytest.mark.parametrize("holder", [name for name in HOLDERS if "search" not in name])
def test_groups_reach_what_is_inside(holder):
    rows = np.arange(0, 120, 2)
    model = fitted_clone(HOLDERS[holder](Recorder()), X, Y, groups=GROUPS, rows=rows)
    given = inside(model).given_["groups"]
    assert len(np.unique(np.column_stack([given, GROUPS[rows]]), axis=0)) == 10


@pytest.mark.parametrize(("cv", "together"), [(GroupKFold(2), True), (StratifiedKFold(2), False)])
def test_a_search_gets_groups_if_its_folds_use_them(cv, together):
    class Spy(type(cv)):
        def split(self, X, y=None, groups=None):
            seen.append(groups)
            return super().split(X, y, groups)

    seen = []
    for model in (search(ArctanRatio(), Spy(2)), make_pipeline(search(ArctanRatio(), Spy(2)))):
        fitted_clone(model, X, Y, groups=GROUPS)
    assert [groups is not None for groups in seen] == [together, together]


def test_weights_that_cannot_be_used_are_one_sentence():
    for model in (KNeighborsClassifier(), make_pipeline(search(KNeighborsClassifier()))):
        with pytest.raises(ValueError, match="but KNeighborsClassifier cannot use it: leave it"):
            certify(model, X, Y, sample_weight=WEIGHT)


def test_a_vote_takes_weights_as_it_pleases():
    vote = VotingClassifier([("a", LogisticRegression())], voting="soft")
    weighted = fitted_clone(vote, X, Y, sample_weight=WEIGHT)
    alone = LogisticRegression().fit(X, Y, sample_weight=WEIGHT)
    assert_allclose(weighted.predict_proba(X), alone.predict_proba(X))


WEIGHTED = {
    "pipeline": make_pipeline(StandardScaler(), ArctanRatio()),
    "search": GridSearchCV(ArctanRatio(), {"alpha": [1e-2, 1.0]}, cv=2),
    "search of a classifier": GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    "stack of a pipeline": StackedRatio([("p", make_pipeline(StandardScaler(), ArctanRatio()))]),
}


@pytest.mark.parametrize("name", WEIGHTED)
def test_certify_hands_weights_on(name):
    certificate = certify(WEIGHTED[name], X, Y, sample_weight=WEIGHT, cv=2, random_state=0)
    # Weights of several orders of magnitude move the model.
    skewed = np.where(X[:, 1] > 0, 1e3, 1.0)
    other = certify(WEIGHTED[name], X, Y, sample_weight=skewed, cv=2, random_state=0)
    assert not np.allclose(certificate.angle, other.angle, atol=1e-3)


def requesting(estimator):
    return estimator.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)


ROUTED = {
    "pipeline": lambda scaler, one: make_pipeline(scaler, one),
    "search": lambda scaler, one: GridSearchCV(one, {"alpha": [1e-2, 1.0]}, cv=2),
    "stack": lambda scaler, one: StackedRatio([("p", make_pipeline(scaler, one))], cv=2),
}


@pytest.mark.parametrize("name", ROUTED)
def test_certify_respects_metadata_routing(name):
    options = {"sample_weight": WEIGHT, "cv": 2, "random_state": 0}
    with config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        model = ROUTED[name](scaler, requesting(ArctanRatio()))
        routed = certify(model, X, Y, **options)
    plain = certify(ROUTED[name](StandardScaler(), ArctanRatio()), X, Y, **options)
    assert_allclose(routed.angle, plain.angle)


def test_processes_and_threads_know_of_the_routing():
    with config_context(enable_metadata_routing=True):
        one = ArctanRatio().set_fit_request(sample_weight=False)
        stack = StackedRatio([("p", make_pipeline(one))], cv=2, n_jobs=2, random_state=0)
        with pytest.raises(TypeError, match="not routed to any object"):
            stack.fit(X, Y, sample_weight=WEIGHT)
        with pytest.raises(TypeError, match="not routed to any object"):
            certify(make_pipeline(one), X, Y, sample_weight=WEIGHT, cv=2, n_jobs=2)


def test_routing_says_which_request_is_missing():
    model = make_pipeline(StandardScaler(), ArctanRatio())
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match="are passed but are not explicitly set as requested"),
    ):
        certify(model, X, Y, sample_weight=WEIGHT, cv=2)


def test_groups_are_routed_to_those_who_ask():
    with config_context(enable_metadata_routing=True):
        asking = make_pipeline(ArctanRatioCV(cv=2, random_state=0).set_fit_request(groups=True))
        deaf = make_pipeline(ArctanRatioCV(cv=2, random_state=0).set_fit_request(groups=False))
        with_groups, without = (
            fitted_clone(model, X, Y, groups=GROUPS)[-1] for model in (asking, deaf)
        )
    plain = ArctanRatioCV(cv=2, random_state=0)
    assert with_groups.best_score_ == plain.fit(X, Y, groups=GROUPS).best_score_
    assert without.best_score_ == plain.fit(X, Y).best_score_
    assert with_groups.best_score_ != without.best_score_


# Groups reach the folds that members make themselves


def copies(signal, seed=0, n_groups=100, rows=5):
    """Rows of a group share their label and six columns that name the group, and nothing else."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), rows)
    y = rng.integers(0, 2, n_groups)[groups]
    names = rng.normal(size=(n_groups, 6))[groups] + 0.05 * rng.normal(size=(len(y), 6))
    return np.column_stack([rng.normal(size=len(y)) + signal * y, names]), y, groups


STACK = StackedRatio(
    [
        ("linear", ArctanRatioCV(cv=3)),
        ("neighbour", KNeighborsClassifier(5)),
    ],
    cv=2,
    random_state=0,
)


@pytest.mark.parametrize("holder", ["itself", "pipeline"])
def test_a_stack_in_an_audit_keeps_groups_together(holder):
    X, y, groups = copies(signal=1.0)
    found = audit(X, y, groups=groups, model=HOLDERS[holder](STACK), cv=2, random_state=0)
    assert found.auc.value > 0.6
    X, y, groups = copies(signal=0.0)
    found = audit(X, y, groups=groups, model=STACK, cv=2, random_state=0).summary()
    # A neighbour of the same group in another fold would give J of 1.9.
    assert max(member["arc_length"] for member in found["members"]) < 1.5


def test_a_stack_gives_its_shares_by_whole_groups():
    X, y, groups = copies(signal=1.0)
    shares = fitted_clone(STACK, X, y, groups=groups).weights_
    assert shares["linear"] > 0.8
    assert fitted_clone(STACK, X, y).weights_["neighbour"] > 0.4


@pytest.mark.parametrize("cv", [2, "holdout"])
def test_two_sites_can_be_audited(cv):
    # A model of one site has no two groups to tune by; the other site judges it all the same.
    site = np.arange(len(Y)) % 2
    found = audit(X, Y, groups=site, model="linear", cv=cv, random_state=0)
    assert found.auc.value > 0.6


def test_calibration_keeps_groups_together():
    X, y, groups = copies(signal=0.0)
    ratio = ClassifierRatio(KNeighborsClassifier(5), calibration="isotonic", random_state=0)
    alone, together = (
        fitted_clone(ratio, X, y, groups=units).calibrator_.predict([0.0, 1.0])
        for units in (None, groups)
    )
    assert np.ptp(alone) > 0.9
    assert np.ptp(together) < 0.9


# Seeds


def forest(**options):
    return RandomForestClassifier(5, **options)


def test_every_open_seed_is_set_and_no_other():
    splitter = StratifiedKFold(2, shuffle=True)
    model = make_pipeline(
        StandardScaler(),
        GridSearchCV(ClassifierRatio(forest()), {}, cv=splitter),
    )
    first, again, other = (seeded(model, seed) for seed in (7, 7, 8))

    def seeds(one):
        params = one.get_params()
        names = [name for name in params if name.endswith("random_state")]
        return {name: params[name] for name in names} | {"cv": one[-1].cv.random_state}

    assert None not in seeds(first).values()
    assert seeds(first) == seeds(again)
    assert not set(seeds(first).values()) & set(seeds(other).values())
    assert splitter.random_state is None
    assert model.get_params()["gridsearchcv__estimator__estimator__random_state"] is None
    given = seeded(ClassifierRatio(forest(random_state=3), random_state=4), 7)
    assert (given.random_state, given.estimator.random_state) == (4, 3)
    assert seeded(search(ArctanRatio(), KFold(2)), 7).cv.random_state is None


def test_a_drawn_seed_is_fresh_unless_given():
    assert drawn_seed(np.int64(5)) == 5
    assert drawn_seed(None) != drawn_seed(None)
    assert drawn_seed(np.random.RandomState(0)) == drawn_seed(np.random.RandomState(0))


REPEATED = {
    "StackedRatio": lambda seed: (
        StackedRatio([("rf", forest())], cv=2, random_state=seed).fit(X, Y).predict_angle(X)
    ),
    "StackedRatio of a pipeline": lambda seed: (
        StackedRatio([("rf", make_pipeline(forest()))], cv=2, random_state=seed)
        .fit(X, Y)
        .predict_angle(X)
    ),
    "ClassifierRatio": lambda seed: (
        ClassifierRatio(forest(), random_state=seed).fit(X, Y).predict_angle(X)
    ),
    "NeymanPearsonClassifier": lambda seed: (
        NeymanPearsonClassifier(ClassifierRatio(forest()), fpr=0.1, delta=0.1, random_state=seed)
        .fit(X, Y)
        .decision_function(X)
    ),
    "certify": lambda seed: certify(forest(), X, Y, cv=2, random_state=seed).angle,
    "certify a stack": lambda seed: (
        certify(StackedRatio([("rf", forest())], cv=2), X, Y, cv=2, random_state=seed).angle
    ),
    "two_sample_test": lambda seed: (
        two_sample_test(X, Y, estimator=forest(), n_permutations=19, random_state=seed).statistic
    ),
    "audit": lambda seed: audit(X, Y, model=forest(), cv=2, random_state=seed).certificate.angle,
    "compare": lambda seed: (
        compare(X[Y == 0], X[Y == 1], model=forest(), cv=2, random_state=seed).certificate.angle
    ),
}


@pytest.mark.parametrize("name", REPEATED)
def test_an_integer_fixes_everything_below_it(name):
    answer = REPEATED[name]
    assert_array_equal(answer(0), answer(0))
    assert not np.array_equal(answer(0), answer(1))


@pytest.mark.parametrize("name", ["audit", "compare"])
def test_an_audit_reports_the_seed_it_drew(name):
    def answer(seed):
        options = {"model": forest(), "cv": 2, "random_state": seed}
        if name == "audit":
            return audit(X, Y, **options)
        return compare(X[Y == 0], X[Y == 1], **options)

    found = answer(None)
    seed = found.summary()["method"]["seed"]
    assert isinstance(seed, int)
    assert_array_equal(answer(seed).certificate.angle, found.certificate.angle)
    assert answer(None).summary()["method"]["seed"] != seed


def test_an_audit_and_a_certificate_agree():
    found = audit(X, Y, model=forest(), cv=2, random_state=3)
    alone = certify(forest(), X, Y, cv=2, random_state=3)
    assert_array_equal(found.certificate.fold, alone.fold)
    assert_allclose(found.certificate.arc_length.low, alone.arc_length.low)


def test_groups_reach_what_a_two_step_classifier_tunes():
    ratio = ArctanRatioCV(cv=2, random_state=0)
    model = fitted_clone(MaximalAUCClassifier(ratio), X, Y, groups=GROUPS)
    assert model.first_step_.best_score_ == ratio.fit(X, Y, groups=GROUPS).best_score_


def test_how_rows_were_held_out_is_said_truly():
    halves = [(np.arange(0, 120, 2), np.arange(1, 120, 2))]
    phrases = [
        audit(X, Y, model="linear", cv=cv, random_state=0).summary()["method"]["splits"]
        for cv in (2, StratifiedKFold(2), halves)
    ]
    assert phrases == [
        "2 folds; stratified by class",
        "2 splits given by `cv`",
        "one part held out by `cv`",
    ]


def test_a_seed_draws_the_same_seeds_and_numbers():
    assert derived_seed(7) == derived_seed(7) != 7
    assert generator(7).random() == generator(7).random()
    state = np.random.RandomState(7)
    assert generator(state).random() != generator(state).random()


def test_splitters_say_whether_they_look_at_groups():
    assert takes_groups(GroupKFold(3))
    assert not takes_groups(KFold(3))
