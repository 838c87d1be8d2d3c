"""The members of a stack: those by default, what a list of them must be, and what they answer."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from rocstar.checks import BoolArray, IntArray
from rocstar.estimators.classifier import ClassifierRatio
from rocstar.estimators.cv import ArctanRatioCV
from rocstar.estimators.discriminant import QuadraticRatio
from rocstar.estimators.forest import RandomlyCutForest
from rocstar.estimators.guided import GuidedTrees
from rocstar.estimators.protocol import AnglePredictor, declared, stand_in
from rocstar.estimators.unwrap import predict_angle, unwrap
from rocstar.fitting.arrays import Array
from rocstar.fitting.losses import HALF_PI
from rocstar.sklearn_private import safe_indexing

# Kernels of the members beside trees, and their losses. Linear in the log ratio is right for
# Gaussians that differ in their means, and on real tables its J is above that of a linear angle.
SMOOTH_MEMBERS = {"linear": "log", "rbf": "tangent"}
# More columns than this make a linear member slower than trees, and so many principal components
# serve it as well.
MAX_COLUMNS = 300


# Fewer rows than these bear one small ensemble of trees and no more, and the search of a kernel
# costs hardly more than its stand-in.
FEW_ROWS = 400
# More rows bear more steps of boosting: large trees two and a half times as many, small ones, which
# learn slowly, twice as many over a longer way.
SOME_ROWS, MANY_ROWS = 2_000, 10_000
# Trees with guides need fewer steps: 100 in place of 60 add nothing. With fewer rows they add
# nothing to the other members; with more, they add half as much to the AUC and cost more time than
# an audit has.
GUIDED, MOST_GUIDED_ROWS, LONGER_WITH_GUIDES = "guided", 25_000, 1.5
# With a linear score beside these two, the AUC on seven tables was the same.
GUIDES = ("rbf", "quadratic")
# Columns of which a tree of a forest chooses its cut, unless the root of a wide table's is more.
MOST_LOOKED_AT = 40
# A tree of a forest sees no more rows than these: others see others.
MOST_FOREST_ROWS = 20_000
# Leaves of twenty rows are a large part of a rarer class with fewer rows than these, so that trees
# of FEW_ROWS or more have small ones. Such trees differ more: a forest needs more of them, and the
# steps of shallow ones must be shorter.
FEW_RARE_ROWS = 200
SMALL_LEAVES = {"min_samples_leaf": 5}
FOREST_OF_FEW = {"n_estimators": 100, "min_samples_leaf": 2}
# A stand-in with less than this keeps its place, and what it stands for is not tuned.
LEAST_SHARE = 0.05


def default_members(
    seed: int | None = None,
    rows: int | None = None,
    columns: int = 1,
    rarer: int | None = None,
    without: Collection[str] = (),
) -> list[tuple[str, Any]]:
    """Linear, smooth, normal laws, boosted in large and small trees, a forest: ways to be wrong."""
    shape = rows, columns, rarer
    smooth: dict[str, Any] = {
        kernel: ArctanRatioCV(kernel, loss=loss, cv=3, max_columns=MAX_COLUMNS, random_state=seed)
        for kernel, loss in SMOOTH_MEMBERS.items()
    }
    if columns <= MAX_COLUMNS:
        smooth["quadratic"] = QuadraticRatio(random_state=seed)
    trees = {
        name: ClassifierRatio(boosted_trees(name, *shape, random_state=seed))
        for name in ("trees", "shallow")
    }
    if rows is not None and rows < FEW_ROWS:
        return [*smooth.items(), ("trees", trees["trees"])]
    # Members that are dropped or replaced are no guides.
    guides = [smooth[name] for name in GUIDES if name in smooth and name not in without]
    if guides and (rows is None or suits_guides(rows)):
        trees[GUIDED] = guided_trees(guides, *shape, random_state=seed)
    forest = member_forest(*shape, max_rows=MOST_FOREST_ROWS, random_state=seed)
    return [*smooth.items(), *trees.items(), ("forest", ClassifierRatio(forest))]


def boosted_trees(
    name: str = "trees",
    rows: int | None = None,
    columns: int = 1,
    rarer: int | None = None,
    *,
    fast: bool = False,
    **settings: Any,
) -> Any:
    """Histogram gradient boosting for the member of this name, "trees", "guided" or "shallow"."""
    # Early stopping would set aside a tenth of the rows, and by default scikit-learn begins with it
    # at ten thousand, where the AUC then falls.
    n = MANY_ROWS if rows is None else rows
    few = n >= FEW_ROWS and rarer is not None and rarer < FEW_RARE_ROWS
    penalty = 10.0 if few and name == "shallow" else 1.0
    if name == "shallow":
        # A fifth of the columns per cut make these differ most from the large trees, which see
        # all: one column may need many cuts.
        longer = float(np.clip(np.sqrt(n / MANY_ROWS), 1.0, 2.0))
        steps = {"learning_rate": 0.12, "max_iter": round(80 * longer), "max_leaf_nodes": 8}
        steps["max_features"] = 0.2
    elif n < FEW_ROWS and not fast:
        steps = {"learning_rate": 0.15, "max_iter": 25, "max_leaf_nodes": 15}
    else:
        # Of more columns than rows, large trees are slower than all else and worse than small ones.
        leaves = 8 if columns > n else 15 if fast and n < SOME_ROWS else 24
        longer = float(np.clip(n / SOME_ROWS, 1.0, LONGER_WITH_GUIDES if name == GUIDED else 2.5))
        steps = {"learning_rate": 0.12, "max_iter": round(40 * longer), "max_leaf_nodes": leaves}
    steps |= SMALL_LEAVES if few else {}
    return HistGradientBoostingClassifier(
        l2_regularization=penalty, early_stopping=False, **steps, **settings
    )


def suits_guides(rows: int) -> bool:
    """Whether trees that see the scores of smooth models are worth their time."""
    return MANY_ROWS < rows <= MOST_GUIDED_ROWS


def guided_trees(
    guides: list[Any], *shape: Any, dense: Any = None, **settings: Any
) -> ClassifierRatio:
    """Boosted trees that also see the scores of these models, untuned."""
    cheap = [(guide, stand_in(guide)) for guide in guides]
    untuned = [guide if quick is None else quick for guide, quick in cheap]
    trees = boosted_trees(GUIDED, *shape, **settings)
    return ClassifierRatio(GuidedTrees(trees, untuned, transformer=dense))


def member_forest(
    rows: int | None = None, columns: int = 1, rarer: int | None = None, **settings: Any
) -> RandomlyCutForest:
    """Trees cut at random, which look at more columns where rows are neither few nor many."""
    # Few rows do not tell more columns apart, and of many rows boosted trees have the say.
    looked_at: Any = "sqrt"
    if rows is not None and SOME_ROWS <= rows < MANY_ROWS and columns <= MOST_LOOKED_AT**2:
        looked_at = min(0.4, MOST_LOOKED_AT / columns)
    few = FOREST_OF_FEW if rarer is not None and rarer < FEW_RARE_ROWS else {}
    return RandomlyCutForest(**few, max_features=looked_at, **settings)


def class_rows(positive: BoolArray | IntArray, weights: Any = None) -> tuple[int, int]:
    """Rows of both classes, and of the rarer one; those of weight zero are absent."""
    # Leaves hold rows, whatever these weigh.
    up = np.asarray(positive, dtype=bool)
    if weights is not None:
        up = up[np.asarray(weights) > 0]
    positives = int(np.count_nonzero(up))
    return up.size, min(positives, up.size - positives)


def stand_ins(members: dict[str, Any], rows: int) -> dict[str, Any]:
    """Cheap estimators for members whose tuning must earn a share first."""
    found = {name: stand_in(model) for name, model in members.items()}
    # One member alone has all of the share.
    if rows < FEW_ROWS or len(members) == 1:
        return {}
    return {name: cheap for name, cheap in found.items() if cheap is not None}


def checked_pairs(given: list[Any]) -> list[tuple[str, Any]]:
    """The members of a list, each of which must be a pair."""
    if not all(isinstance(item, (tuple, list)) and len(item) == 2 for item in given):
        raise TypeError(
            "`estimators` must be a list of pairs of a name and an estimator; got "
            f"{given!r}: use [('linear', ArctanRatio())]."
        )
    return given


def checked_members(given: list[tuple[str, Any]], reserved: set[str]) -> list[tuple[str, Any]]:
    """The members that are not dropped, all of whose names must be of use in `set_params`."""
    names = [name for name, _ in given]
    taken = len(set(names)) < len(names) or reserved & set(names)
    if taken or any("__" in name for name in names):
        raise ValueError(
            "`estimators` must be a list of distinct names, without '__' and other than the "
            f"stack's own parameters, with their estimators; got the names {names}."
        )
    kept = [(name, estimator) for name, estimator in given if estimator != "drop"]
    if not kept:
        raise ValueError("`estimators` must name one member that is not dropped; got none.")
    return kept


def judge(model: Any, split: Any, *, fit: Any, X: Any) -> NDArray[Any]:
    """Angles of a fold's held-out rows by a model of the others."""
    train, test = split
    return predict_angle(fit(model, rows=train), safe_indexing(X, test))


def overshoot(model: Any, X: Any) -> Array:
    """How far unclipped scores lie outside [0, π/2]; nothing for a model on another scale."""
    if not declared(model).scores_are_angles:
        return 0.0
    z = model.decision_function(X) + unwrap(model)._even_angle()
    return z - np.clip(z, 0.0, HALF_PI)


def takes_collections(model: Any) -> bool:
    return isinstance(model, AnglePredictor) and model.takes_collections


def collection_members(members: dict[str, Any], *, given: bool) -> dict[str, Any]:
    """Those that leave the rows of a Dask collection where they are: all, if they were given."""
    able = {name: model for name, model in members.items() if takes_collections(model)}
    if given and len(able) < len(members):
        name = next(name for name in members if name not in able)
        raise TypeError(
            f"`estimators` must leave the rows of a Dask collection where they are; `{name}` "
            "cannot: leave it out, or pass X.compute()."
        )
    for model in able.values():
        model.check_collections()
    return able
