"""The members of a stack: those by default, and lists that are none."""

import numpy as np
import pytest
from data_gaussians import gaussians
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from rocstar import (
    ArctanRatio,
    ClassifierRatio,
    QuadraticRatio,
    StackedRatio,
    TableModel,
    audit,
    certify,
    laws,
)
from rocstar.estimators.members import (
    FEW_RARE_ROWS,
    FEW_ROWS,
    MANY_ROWS,
    MAX_COLUMNS,
    MOST_GUIDED_ROWS,
    boosted_trees,
    class_rows,
    default_members,
    member_forest,
    stand_ins,
)
from rocstar.estimators.standardized import StandardizedRatio


def test_parameters_of_the_default_members_too():
    stack = StackedRatio(random_state=0)
    assert stack.get_params()["rbf__cv"] == 3
    assert stack.estimators is None
    stack.set_params(rbf__cv=2, trees="drop", cv=2)
    assert (stack.cv, dict(stack.estimators)["rbf"].cv) == (2, 2)
    X, y = gaussians(40)
    fitted = stack.fit(X, y)
    assert set(fitted.weights_) == {"linear", "rbf", "quadratic"}
    assert "split2_test_score" not in fitted.estimators_["rbf"].cv_results_
    # A member that few rows do without returns if it is changed.
    returned = clone(stack).set_params(shallow__estimator__max_iter=5).fit(X, y)
    assert set(returned.weights_) == {"linear", "rbf", "quadratic", "shallow"}
    assert clone(StackedRatio()).estimators is None
    with pytest.raises(ValueError, match="Invalid parameter 'ferns'"):
        StackedRatio().set_params(ferns__cv=3)


def test_default_members_named_or_not_are_the_same():
    X, y = gaussians(40)
    named = StackedRatio(default_members(rows=len(y)), random_state=0).fit(X, y)
    assert_array_equal(
        named.predict_angle(X), StackedRatio(random_state=0).fit(X, y).predict_angle(X)
    )


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (StackedRatio([]), {}, "must name one member that is not dropped"),
        (StackedRatio([("a", "drop")]), {}, "must name one member that is not dropped"),
        (StackedRatio([ArctanRatio()]), {}, "list of pairs of a name and an estimator"),
        (StackedRatio([("a", ArctanRatio())] * 2), {}, "distinct names"),
        (StackedRatio([("a__b", ArctanRatio())]), {}, "distinct names, without '__'"),
        (StackedRatio([("cv", ArctanRatio())]), {}, "other than the stack's own parameters"),
    ],
)
def test_bad_input_gives_one_clear_sentence(model, change, message):
    given = {"X": np.array([[0.0, 1], [1, 0], [2, 1], [3, 3]]), "y": [0, 0, 1, 1], **change}
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(**given)


def test_the_rows_and_columns_say_which_members_there_are():
    def names(*shape):
        return [name for name, _ in default_members(0, *shape)]

    assert names(FEW_ROWS - 1) == ["linear", "rbf", "quadratic", "trees"]
    assert names(FEW_ROWS) == names(MANY_ROWS) == [*names(FEW_ROWS - 1), "shallow", "forest"]
    assert names() == names(MOST_GUIDED_ROWS) == [*names(MANY_ROWS)[:-1], "guided", "forest"]
    assert names(MANY_ROWS + 1) == names()
    assert names(MOST_GUIDED_ROWS + 1) == names(MANY_ROWS)
    # Wide rows have no covariances, neither as a member nor as a guide.
    wide = dict(default_members(0, MANY_ROWS + 1, MAX_COLUMNS + 1))
    assert list(wide) == [name for name in names() if name != "quadratic"]
    assert [type(guide) for guide in wide["guided"].estimator.guides] == [StandardizedRatio]


def test_a_member_that_is_dropped_does_not_guide():
    def guides(*dropped, columns=1):
        stack = StackedRatio().set_params(**dict.fromkeys(dropped, "drop"))
        found = stack._seeded_members(0, MANY_ROWS + 1, columns).get("guided")
        return found and [type(guide) for guide in found.estimator.guides]

    assert guides() == [StandardizedRatio, QuadraticRatio]
    assert guides("linear", "rbf") == [QuadraticRatio]
    assert guides("quadratic") == guides(columns=MAX_COLUMNS + 1) == [StandardizedRatio]
    assert guides("rbf", "quadratic") is None
    # One's own is kept, and its parameters are checked, also where nothing would guide.
    own = StackedRatio().set_params(rbf="drop", quadratic="drop", guided=LogisticRegression())
    assert isinstance(own._seeded_members(0, 100)["guided"], ClassifierRatio)
    with pytest.raises(ValueError, match="Invalid parameter 'ferns'"):
        StackedRatio().set_params(rbf="drop", quadratic="drop", guided__ferns=1)
    # One that is brought back is as the columns ask.
    back = StackedRatio().set_params(guided__estimator__max_rows=100)
    found = back._seeded_members(0, MOST_GUIDED_ROWS + 1, MAX_COLUMNS + 1)["guided"]
    assert [type(guide) for guide in found.estimator.guides] == [StandardizedRatio]


def test_a_member_that_is_replaced_does_not_guide():
    # Else many rows with gaps would be refused, which few are not.
    boosted = HistGradientBoostingClassifier(max_iter=5, random_state=0)
    stack = StackedRatio(cv="holdout", random_state=0).set_params(
        linear="drop", rbf=boosted, quadratic="drop", shallow="drop", forest="drop", trees="drop"
    )
    X, y = gaussians(MANY_ROWS // 2 + 1)
    X[::7, 0] = np.nan
    assert set(stack.fit(X, y).weights_) == set(stack.fit(X[::9], y[::9]).weights_) == {"rbf"}


def test_boosting_goes_further_with_many_rows_and_stops_early_with_none():
    for name, further in {"trees": 2.5, "shallow": 2, "guided": 1.5}.items():
        few, many = (boosted_trees(name, rows) for rows in (1_000, 40_000))
        assert many.max_iter == further * few.max_iter
        assert many.learning_rate == few.learning_rate
        assert not few.early_stopping


def test_a_forest_looks_at_more_columns_of_more_rows_but_not_of_large_or_wide_tables():
    shapes = [(1_999, 10), (2_000, 10), (2_000, 200), (2_000, 2_000), (10_000, 10)]
    looked_at = [member_forest(*shape).max_features for shape in shapes]
    assert looked_at == ["sqrt", 0.4, 0.2, "sqrt", "sqrt"]


def test_trees_have_small_leaves_where_the_rarer_class_has_few_rows_among_many():
    def settings(model):
        ratios = {name: getattr(m, "ratio_", m) for name, m in model.estimators_.items()}
        kept = ("n_estimators", "min_samples_leaf", "l2_regularization")
        found = {n: ratios[n].estimator_.get_params() for n in ratios if n in trees}
        return {n: [of[key] for key in kept if key in of] for n, of in found.items()}

    trees = ("trees", "shallow", "forest")
    large = {"trees": [20, 1.0], "shallow": [20, 1.0], "forest": [30, 3]}
    small = {"trees": [5, 1.0], "shallow": [5, 10.0], "forest": [100, 2]}
    X, y = gaussians(500)
    for positives, expected in ((FEW_RARE_ROWS, large), (FEW_RARE_ROWS - 1, small)):
        rows = np.r_[np.flatnonzero(y == 1)[:positives], np.flatnonzero(y == 0)]
        assert settings(StackedRatio(random_state=0).fit(X[rows], y[rows])) == expected
        assert settings(TableModel(random_state=0).fit(X[rows], y[rows]).ratio_) == expected
    # Of few rows altogether, a tree of five rows per leaf would follow noise.
    assert boosted_trees("trees", FEW_ROWS - 1, rarer=50).min_samples_leaf == 20


def test_large_trees_see_a_column_that_needs_many_cuts():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(4_000, 10))
    y = np.floor(40 * X[:, 0]) % 2
    trees = boosted_trees("trees", 2_000, random_state=0).fit(X[:2_000], y[:2_000])
    assert roc_auc_score(y[2_000:], trees.predict_proba(X[2_000:])[:, 1]) > 0.95
    assert boosted_trees("shallow", 2_000).max_features == 0.2


def test_trees_of_more_columns_than_rows_are_small():
    by_width = {
        columns: dict(default_members(0, 500, columns))["trees"].estimator.max_leaf_nodes
        for columns in (10, 500, 501)
    }
    assert by_width == {10: 24, 500: 24, 501: 8}


def test_a_kernel_alone_or_of_few_rows_has_no_stand_in():
    kernel = {"rbf": dict(default_members())["rbf"]}
    both = {"linear": dict(default_members())["linear"], **kernel}
    assert set(stand_ins(both, FEW_ROWS)) == {"rbf"}
    assert stand_ins(both, FEW_ROWS - 1) == {}
    assert stand_ins(kernel, FEW_ROWS) == {}


def test_a_kernel_that_is_right_for_many_rows_earns_its_tuning():
    X, y = laws.suite()["correlation-10d"].sample(2_000, 2_000, random_state=0)
    stack = StackedRatio(random_state=0).set_params(quadratic="drop").fit(X, y)
    # A stand-in with the penalty of few rows had less than the trees, and no share.
    assert stack.weights_["rbf"] > 0.9
    assert stack.member_arc_length_["rbf"] > stack.member_arc_length_["trees"] + 0.03


def test_rows_are_counted_alike_whatever_they_weigh():
    assert class_rows(np.array([1, 1, 1, 0, 0])) == (5, 2)
    assert class_rows(np.array([1, 1, 1, 0, 0]), weights=[0, 0, 3, 1, 1]) == (3, 1)
    # Weights of 300 rows as uneven as these count as much as 110 equal ones.
    X, y = gaussians(400)
    kept = np.r_[np.flatnonzero(y == 1)[:300], np.flatnonzero(y == 0)]
    weights = np.random.default_rng(0).lognormal(sigma=1.0, size=kept.size)
    assert leaves_of(X[kept], y[kept], weights) == [{"trees": 20, "shallow": 20}] * 3


def test_rows_of_weight_zero_do_not_choose_members():
    X, y = gaussians(300)
    absent = np.flatnonzero(y == 1)[100:]
    weights = np.ones(y.size)
    weights[absent] = 0
    assert leaves_of(X, y, weights) == [{"trees": 5, "shallow": 5}] * 3
    weights[np.flatnonzero(y == 0)[200:]] = 0  # leaves 300 rows, for which there is one ensemble
    assert leaves_of(X, y, weights) == [{"trees": 20}] * 3


def leaves_of(X, y, weights):
    """Rows of a leaf of boosted trees, by three ways to the default."""
    found = []
    for model in (
        StackedRatio(random_state=0).fit(X, y, sample_weight=weights),
        TableModel(random_state=0).fit(X, y, sample_weight=weights).ratio_,
        audit(X, y, sample_weight=weights, random_state=0).model.ratio_,
    ):
        ratios = {name: getattr(m, "ratio_", m) for name, m in model.estimators_.items()}
        boosted = {name: ratios[name].estimator_ for name in ("trees", "shallow") if name in ratios}
        found.append({name: trees.min_samples_leaf for name, trees in boosted.items()})
    return found


def test_a_changed_stack_keeps_the_members_for_its_rows():
    X, y = gaussians(500)
    kept = np.r_[np.flatnonzero(y == 1)[:50], np.flatnonzero(y == 0)]
    stack = StackedRatio(random_state=0).set_params(rbf="drop").fit(X[kept], y[kept])
    assert "rbf" not in stack.estimators_
    assert stack.estimators_["trees"].estimator_.min_samples_leaf == 5
    assert stack.estimators_["forest"].estimator_.n_estimators == 100


def test_stacks_that_bet_have_the_members_for_all_rows():
    X, y = gaussians(500)
    for positives, names in ((50, 6), (200, 6), (10, 4)):
        kept = np.r_[np.flatnonzero(y == 1)[:positives], np.flatnonzero(y == 0)]
        kept = kept if names == 6 else kept[:300]
        stack = StackedRatio(random_state=0)
        found = certify(stack, X[kept], y[kept], method="betting", random_state=0)
        for model in found.held_out.models:
            trees = model.estimators_["trees"].estimator_
            assert len(model.estimators_) == names
            assert trees.max_iter == (40 if names == 6 else 25)
            assert trees.min_samples_leaf == (5 if positives == 50 else 20)
