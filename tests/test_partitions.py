"""Estimators and audits of Dask collections, and what says that it works in memory only."""

import json
import sys
import warnings

import numpy as np
import pytest
from data_scale import LAW, X, Y, arrays
from numpy.testing import assert_allclose
from scipy import sparse
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
    cli,
    compare,
    curves,
    predict_angle,
    two_sample_test,
)
from rocstar.checks import InputError
from rocstar.scale.cluster import connected
from rocstar.tables.partitions import partitioned_table, prepare_partitions, read_partitions

pytestmark = pytest.mark.dask

# --- estimators that choose, and what works in memory only ---------------------------------------


@pytest.fixture
def no_loading(monkeypatch):
    """Whoever makes NumPy of a whole Dask array, or of a dataframe, fails."""
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")

    def refuse(*_, **__):
        raise AssertionError("a Dask collection was silently loaded")

    for kind in (da.Array, dd.DataFrame, dd.Series):
        monkeypatch.setattr(kind, "__array__", refuse)


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


def test_sampled_rows_bring_their_weights():
    import dask.array as da

    weight = 1.0 + (np.arange(len(Y)) % 3)
    x, y = arrays()
    host = ArctanRatioCV(alphas=[1e-3], random_state=0).fit(X, Y, weight)
    model = ArctanRatioCV(alphas=[1e-3], random_state=0)
    model.fit(x, y, da.from_array(weight, chunks=100))
    # Scales of the columns are weighted; without weights they would be others.
    assert_allclose(model.scaler_.mean_, host.scaler_.mean_)
    assert_allclose(model.predict_angle(x).compute(), host.predict_angle(X), atol=1e-7)


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


IN_MEMORY = {
    "ClassifierRatio": lambda x, y: ClassifierRatio().fit(x, y),
    "NeymanPearsonClassifier": lambda x, y: NeymanPearsonClassifier().fit(x, y),
    "RatioOutlierDetector": lambda x, y: RatioOutlierDetector().fit(x),
    "baseline": lambda x, y: baselines.PairwiseSquaredAUC().fit(x, y),
    "two_sample_test": lambda x, y: two_sample_test(x, y),
    "two_sample_test of labels": lambda x, y: two_sample_test(X, y),
    "compare": lambda x, y: compare(x, x),
    "auc": lambda x, y: curves.auc(y, x[:, 0]),
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


def test_angles_of_a_fitted_model_stay_lazy(no_loading):
    import dask

    assert dask.is_dask_collection(predict_angle(ArctanRatio().fit(X, Y), arrays()[0]))


# --- audits of partitions ------------------------------------------------------------------------


def mixed_table():
    """Numbers with gaps, categories, dates; a score, a weight, a target."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(
        plan=np.where(rng.random(len(Y)) < 0.3 + 0.3 * Y, "plus", "basic"),
        since=pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, len(Y)), unit="D"),
        visits=rng.integers(0, 9, len(Y)),
        old=-X[:, 0],
        weight=rng.integers(1, 4, len(Y)).astype(float),
        left=np.where(Y == 1, "no", "yes"),  # "yes" is the larger label: the class of LAW's zeros
    )
    frame.loc[rng.random(len(Y)) < 0.1, "b"] = np.nan
    return frame


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    """A folder: one file without rows, one of one class, one with other dtypes."""
    folder = tmp_path_factory.mktemp("big")
    frame = mixed_table()
    parts = [frame.iloc[i : i + 300] for i in range(0, len(frame), 300)]
    parts[1] = parts[1].assign(visits=parts[1].visits.astype(float), a=parts[1].a.astype("float32"))
    one_class = frame.iloc[900:].left == "yes"
    parts[3:] = [parts[3][one_class], parts[3][~one_class], parts[3][:0]]
    for i, part in enumerate(parts):
        part.to_parquet(folder / f"{i}.parquet")
    return folder


def test_audit_of_a_dask_dataframe():
    dd = pytest.importorskip("dask.dataframe")
    frame = mixed_table()
    table = dd.from_pandas(frame, npartitions=5)
    features, others = frame.columns[:7].tolist(), ["old", "weight", "left"]
    found = audit(
        table[features],
        table["left"],
        scores={"old": table["old"]},
        sample_weight=table["weight"],
        model="linear",
        random_state=0,
        name="big",
    )
    host = audit(
        frame[features],
        frame["left"],
        scores={"old": frame["old"]},
        sample_weight=frame["weight"],
        model="linear",
        cv="holdout",
        random_state=0,
        name="big",
    )
    ours, theirs = found.summary(), host.summary()
    assert ours.keys() == theirs.keys()
    for part in ("data", "method", "figures", "test"):
        assert ours[part].keys() == theirs[part].keys(), part
    same = ("rows", "positives", "negatives", "features", "positive", "target")
    assert all(ours["data"][key] == theirs["data"][key] for key in same)
    # Every row was in the sample, so that the records of the columns are those of all rows.
    assert ours["data"]["columns"] == theirs["data"]["columns"]
    assert found.certificate.strict
    assert found.auc.value == pytest.approx(host.auc.value, abs=0.03)
    assert found.auc.low == pytest.approx(host.auc.low, abs=0.04)
    assert ours["scores"][0]["headroom"]["low"] > 0.02
    assert [point["rows"] for point in ours["learning_curve"]] == pytest.approx(
        [len(Y) / 4, len(Y) / 2], rel=0.15
    )
    assert "rows at random" in ours["method"]["splits"]
    assert "Audit of big" in found.to_html()
    assert others[0] in found.to_markdown()


def test_audit_of_a_dask_array_stacks_two_members(no_loading, monkeypatch):
    monkeypatch.setattr("rocstar.tables.partitions.SAMPLE_ROWS", 300)
    found = audit(*arrays(), random_state=0)
    summary = found.summary()
    assert [member["name"] for member in summary["members"]] == ["linear", "rbf"]
    assert found.auc.low < LAW.auc < found.auc.value + 0.05
    assert found.pvalue <= 0.05
    assert summary["data"]["columns"][3]["name"] == "x3"
    assert summary["data"]["columns"][3]["distinct"] < 400
    assert any("drawn at random" in caveat for caveat in summary["caveats"])
    assert summary["data"]["rows"] == len(Y)


def test_audit_keeps_no_matrix_that_would_fill_the_memory(monkeypatch):
    x, y = arrays()
    kept = partitioned_table(x, y)
    monkeypatch.setattr("rocstar.tables.partitions.available_memory", lambda: 100.0)
    made_again = partitioned_table(x, y)
    # A persisted array is a handful of finished pieces; a lazy one still knows how to make them.
    assert len(dict(kept.X.__dask_graph__())) < len(dict(made_again.X.__dask_graph__()))
    assert_allclose(kept.X.compute(), made_again.X.compute())
    assert kept.X.dtype == np.float32


def test_a_rare_class_may_be_missing_from_the_sample(monkeypatch):
    import dask.array as da

    monkeypatch.setattr("rocstar.tables.partitions.SAMPLE_ROWS", 20)
    y = np.zeros(len(Y), dtype=int)
    y[:2] = 1
    table = partitioned_table(arrays()[0], da.from_array(y, chunks=100))
    assert (table.rows, table.positives) == (len(Y), 2)
    assert table.y.compute().sum() == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"target": "lift"}, "no column `lift`; did you mean `left`"),
        ({"target": "plan", "positive": "gold"}, "never has the value `gold`"),
        ({"target": "visits"}, "9 classes"),
        ({"target": "b"}, "In partition [12]: The target column `b` has .* missing values"),
        ({"target": "a"}, "more than 1000 classes|classes"),
        ({"weight": "old"}, "In partition [12]: The weight column `old` must not be negative"),
        ({"scores": ["b"]}, "In partition [12]: The score column `b` has .* missing"),
        ({"drop": ["left"]}, "cannot be both target and dropped"),
        ({"drop": [*"abcd", "plan", "since", "visits", "old", "weight"]}, "no column left"),
    ],
)
def test_tables_in_partitions_are_refused_in_one_sentence(change, sentence):
    dd = pytest.importorskip("dask.dataframe")
    table = dd.from_pandas(mixed_table(), npartitions=2)
    with pytest.raises(InputError, match=sentence):
        prepare_partitions(table, **{"target": "left", **change})


def test_partitions_without_rows():
    x, y = arrays(x=X[:0], y=Y[:0])
    with pytest.raises(InputError, match="no rows in any partition"):
        partitioned_table(x, y)


def test_files_that_are_no_partitions(tmp_path, parquet):
    pd = pytest.importorskip("pandas")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "cut.parquet").write_bytes((parquet / "0.parquet").read_bytes()[:2000])
    pd.DataFrame({"z": [1]}).to_parquet(tmp_path / "other.parquet")
    for sources, sentence in [
        (["no.parquet"], "no file `no.parquet`"),
        ([str(tmp_path / "a.csv")], "not a Parquet file.*--cluster"),
        ([str(tmp_path / "cut.parquet")], "not a complete Parquet file"),
        ([str(parquet), str(tmp_path / "other.parquet")], "other.parquet` has no column `a`"),
    ]:
        with pytest.raises(InputError, match=sentence):
            read_partitions(sources)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match=r"holds no \.parquet file"):
        read_partitions([str(empty)])
    assert read_partitions([str(parquet / "*.parquet")]).npartitions > 1


def test_audit_refuses_what_needs_memory():
    x, y = arrays()
    with pytest.raises(ValueError, match="`groups` needs all rows in memory"):
        audit(x, y, groups=y)
    with pytest.raises(ValueError, match="`time` needs all rows in memory"):
        audit(x, y, time=y)
    with pytest.raises(ValueError, match="trees needs LightGBM or XGBoost"):
        audit(x, y, model="trees")
    with pytest.raises(TypeError, match="ArctanRatio"):
        audit(x, y, model=LogisticRegression())


def command(capsys, monkeypatch, *arguments):
    """Exit code and output of one command in this process."""
    monkeypatch.setattr(sys, "argv", ["rocstar", *map(str, arguments)])
    monkeypatch.setattr("warnings.showwarning", warnings.showwarning)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


@pytest.mark.filterwarnings("ignore")  # of sockets, when a cluster is closed
def test_command_on_a_cluster(parquet, tmp_path, capsys, monkeypatch):
    distributed = pytest.importorskip("distributed")
    report = tmp_path / "a.html"
    options = ["-t", "left", "--score", "old", "--weight", "weight", "--drop", "since", "--json"]
    options += ["--model", "linear", "--positive", "yes", "--level", "0.9", "-q"]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        address = ["--cluster", cluster.scheduler_address]
        files = sorted(map(str, parquet.glob("*.parquet")))
        code, out, err = command(
            capsys, monkeypatch, "audit", *files, *options, *address, "-o", report
        )
    assert (code, err) == (0, "")
    summary = json.loads(out)
    assert summary["level"] == 0.9
    assert summary["data"]["rows"] == len(Y)
    assert summary["data"]["positives"] == int((Y == 0).sum())
    assert summary["data"]["source"] == "0.parquet and 5 more"
    assert summary["scores"][0]["name"] == "old"
    assert {c["name"]: c["type"] for c in summary["data"]["columns"]}["since"] == "dropped"
    assert 0.7 < summary["auc"]["low"] < 0.9
    assert "<html" in report.read_text()
    # The same seed, in processes of its own: the same numbers.
    local = ["--cluster", "local:1", "--max-memory", "2GB"]
    code, out, err = command(capsys, monkeypatch, "audit", parquet, *options, *local)
    assert (code, err) == (0, "")
    assert json.loads(out)["auc"]["low"] == pytest.approx(summary["auc"]["low"], abs=1e-6)


def test_workers_of_our_own_do_not_watch_themselves():
    dask, _ = pytest.importorskip("dask"), pytest.importorskip("distributed")
    key = "distributed.worker.profile.enabled"
    usual = dask.config.get(key)
    with connected("local:1") as client:
        assert list(client.run(dask.config.get, key).values()) == [False]
        assert dask.config.get(key) == usual  # for clusters that are not ours


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--cluster", "local", "--group", "plan"], "--group does not go with --cluster"),
        (["--cluster", "local", "--time", "since"], "--time does not go with --cluster"),
        (["--cluster", "local:none"], "must be local, local:WORKERS"),
        (["--cluster", "tcp://a:1", "--max-memory", "1GB"], "--max-memory is for --cluster local"),
        (["--cluster", "local:²"], "must be local, local:WORKERS"),
        (["--cluster", "local:2", "--max-memory", "100MB"], "each of 2 workers 150 MB at least"),
        (["--cluster", "what://127.0.0.1:9"], "No scheduler answers"),
        (["--cluster", "tcp://127.0.0.1:9"], "No scheduler answers"),
        (["1.parquet"], "add --cluster local"),
    ],
)
def test_command_refusals_on_a_cluster(arguments, sentence, parquet, capsys, monkeypatch):
    if "tcp://127.0.0.1:9" in arguments:
        monkeypatch.setattr("rocstar.scale.cluster.PATIENCE", 0.5)
    code, out, err = command(
        capsys, monkeypatch, "audit", parquet / "0.parquet", "-t", "left", *arguments
    )
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    # No half-made client is left as the default.
    assert pytest.importorskip("dask").config.get("scheduler", None) is None


# --- boosted trees of other libraries -------------------------------------------------------------


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as workers,
        distributed.Client(workers) as active,
    ):
        yield active


def dask_classifier(library):
    package = pytest.importorskip(library)
    if library == "lightgbm":
        return package.DaskLGBMClassifier(n_estimators=20, random_state=0, verbose=-1)
    dask_side = pytest.importorskip("xgboost.dask")
    return dask_side.DaskXGBClassifier(n_estimators=20, random_state=0, verbosity=0)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_boosted_trees_train_on_the_workers(library, client, no_loading):
    import pickle

    model = ClassifierRatio(dask_classifier(library))
    assert model.takes_collections
    assert not ClassifierRatio(dask_classifier(library), calibration="isotonic").takes_collections
    x, y = arrays()
    model.fit(x, y)
    angle = model.predict_angle(x).compute()
    assert_allclose(model.predict_angle(X), angle, atol=1e-6)
    assert_allclose(pickle.loads(pickle.dumps(model)).predict_angle(X), angle, atol=1e-6)
    assert model.arc_length_ == pytest.approx(arc_length_score(Y, angle), abs=1e-9)
    held, labels = LAW.sample(2000, 2000, random_state=5)
    assert LAW.arc_length - 0.1 < model.score(held, labels) < LAW.arc_length + 0.05
    # Rows without weight teach nothing, although their labels are turned.
    import dask.array as da

    weight = (np.arange(len(Y)) % 2).astype(float)
    turned = np.where(weight > 0, Y, 1 - Y)
    weights = da.from_array(weight, chunks=x.chunks[0])
    first = ClassifierRatio(dask_classifier(library)).fit(x, y, weights)
    second = ClassifierRatio(dask_classifier(library))
    second.fit(x, da.from_array(turned, chunks=x.chunks[0]), weights)
    if library == "xgboost":  # LightGBM's trees depend on who holds which rows
        assert_allclose(first.predict_angle(X), second.predict_angle(X), atol=1e-6)
    assert second.score(held, labels) == pytest.approx(first.score(held, labels), abs=0.05)
    assert second.score(held, labels) > LAW.arc_length - 0.15


def test_auto_takes_the_trees_that_are_there(client, monkeypatch):
    from rocstar.audits import partitions as lazy_judging
    from rocstar.scale import trees as lazy_trees

    pytest.importorskip("xgboost")
    x, y = arrays()
    found = audit(x, y, random_state=0).summary()
    assert [member["name"] for member in found["members"]] == ["linear", "rbf", "trees"]
    monkeypatch.setattr(lazy_trees, "LIBRARIES", ())
    names = [name for name, _ in lazy_judging.collection_model().estimators]
    assert names == ["linear", "rbf"]
    with pytest.raises(InputError, match="trees needs LightGBM or XGBoost"):
        lazy_judging.collection_model("trees")


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_a_worker_that_holds_one_class_only(library, client):
    """LightGBM's own classifier would number the classes anew there."""
    import dask
    import dask.array as da

    positives_first = np.split(np.argsort(-Y, kind="stable"), [600])
    workers = list(client.scheduler_info()["workers"])

    def placed(values):
        parts = [values[rows] for rows in positives_first]
        there = [
            client.scatter(part, workers=[at]) for part, at in zip(parts, workers, strict=True)
        ]
        return da.concatenate(
            [
                da.from_delayed(dask.delayed(future), part.shape, part.dtype)
                for future, part in zip(there, parts, strict=True)
            ]
        )

    model = ClassifierRatio(dask_classifier(library)).fit(placed(X), placed(Y))
    held, labels = LAW.sample(2000, 2000, random_state=5)
    assert model.score(held, labels) > LAW.arc_length - 0.15


def test_trees_of_arrays_beside_frames(client):
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    x, y = arrays()
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), chunksize=100)
    series = dd.from_pandas(pd.Series(Y), chunksize=100)
    plain = ClassifierRatio(dask_classifier("xgboost")).fit(x, y)
    for features, labels in ((x, series), (frame, y), (frame, series)):
        mixed = ClassifierRatio(dask_classifier("xgboost")).fit(features, labels)
        assert mixed.arc_length_ == pytest.approx(plain.arc_length_, abs=0.02)


def test_trees_that_move_the_prior_say_which(client):
    package = pytest.importorskip("xgboost.dask")
    heavy = package.DaskXGBClassifier(scale_pos_weight=10.0)
    assert not ClassifierRatio(heavy).takes_collections
    assert ClassifierRatio(heavy, prior=0.9).takes_collections
    gaps = ClassifierRatio(package.DaskXGBClassifier(missing=0.0, n_estimators=5))
    x, y = arrays()
    gaps.fit(x, y)
    nothing = np.zeros((100, X.shape[1]))
    share = gaps.estimator_.predict_proba(arrays(x=nothing)[0].rechunk({1: -1})).compute()[:, 1]
    expected = np.arctan2(share * (1 - gaps.prior_), (1 - share) * gaps.prior_)
    assert_allclose(gaps.predict_angle(nothing), expected, atol=1e-6)
    assert_allclose(gaps.predict_angle(sparse.csr_array(nothing)), expected, atol=1e-6)
