"""Damaged and hostile files, and any arguments: one sentence, no traceback, bounded memory.

``ROCSTAR_FUZZ=20000`` makes the long run.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from rocstar import cli
from rocstar.checks import InputError
from rocstar.tables.memory import at_most
from rocstar.tables.model import TableModel
from rocstar.tables.model_files import load, save
from rocstar.tables.reading import read_table
from rocstar.tables.table import prepare

CASES = int(os.environ.get("ROCSTAR_FUZZ", "150"))
LIMIT = 2e9
fuzzed = settings(
    max_examples=CASES,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def table(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return pd.DataFrame(
        {
            "age": rng.normal(40 + 10 * y, 10),
            "plan": np.where(rng.random(n) < 0.5, "plus", "básic"),
            "joined": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), "D"),
            "left": y,
        }
    )


def csv_bytes() -> bytes:
    return table().to_csv(index=False).encode()


def parquet_bytes(**options) -> bytes:
    buffer = io.BytesIO()
    table().to_parquet(buffer, **options)
    return buffer.getvalue()


def arrow_bytes(*, stream: bool, compression: str | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    content = pa.Table.from_pandas(table())
    options = pa.ipc.IpcWriteOptions(compression=compression)
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(sink, content.schema, options=options) as writer:
        writer.write_table(content, max_chunksize=25)
    return sink.getvalue().to_pybytes()


def excel_bytes() -> bytes:
    pytest.importorskip("openpyxl")
    buffer = io.BytesIO()
    table().to_excel(buffer, index=False)
    return buffer.getvalue()


FILES = {
    "csv": csv_bytes,
    "utf-16.csv": lambda: csv_bytes().decode().encode("utf-16"),
    "jsonl": lambda: table().to_json(orient="records", lines=True, date_format="iso").encode(),
    "xlsx": excel_bytes,
    "csv.gz": lambda: gzip.compress(csv_bytes()),
    "snappy.parquet": parquet_bytes,
    "zstd.parquet": lambda: parquet_bytes(compression="zstd"),
    "arrow": lambda: arrow_bytes(stream=False),
    "lz4.feather": lambda: arrow_bytes(stream=False, compression="lz4"),
    "zstd.feather": lambda: arrow_bytes(stream=False, compression="zstd"),
    "stream": lambda: arrow_bytes(stream=True),
}


@st.composite
def damages(draw):
    """Some cuts, moves, flips and overwritten lengths, as a function of the bytes they befall."""
    kinds = st.sampled_from(["truncate", "flip", "zero", "large", "swap", "repeat", "insert"])
    steps = draw(
        st.lists(
            st.tuples(kinds, st.floats(0, 1), st.floats(0, 1), st.binary(min_size=1, max_size=8)),
            min_size=1,
            max_size=4,
        )
    )

    def damaged(content: bytes) -> bytes:
        for kind, first, second, noise in steps:
            a, b = sorted(int(share * len(content)) for share in (first, second))
            near = min(b, a + 8)
            if kind == "truncate":
                content = content[: max(b, 1)]
            elif kind == "flip" and content:
                at = min(a, len(content) - 1)
                content = content[:at] + bytes([content[at] ^ (noise[0] or 1)]) + content[at + 1 :]
            elif kind == "zero":
                content = content[:a] + bytes(near - a) + content[near:]
            elif kind == "large":  # a length field, if we are lucky
                content = content[:a] + b"\xff\xff\xff\x7f"[: near - a] + content[a + 4 :]
            elif kind == "swap":
                middle = (a + b) // 2
                content = content[:a] + content[middle:b] + content[a:middle] + content[b:]
            elif kind == "repeat":
                content = content[:b] + content[a:b] + content[b:]
            else:
                content = content[:a] + noise + content[a:]
        return content

    return damaged


def assert_clear(sentence: str) -> None:
    assert "\n" not in sentence.strip(), sentence
    assert len(sentence) < 500, sentence
    assert "Traceback" not in sentence
    assert "Unexpected failure" not in sentence


# Files


@pytest.mark.parametrize("kind", FILES)
@fuzzed
@given(damaged=damages())
def test_a_damaged_table_is_read_or_refused(kind, damaged, tmp_path):
    path = tmp_path / f"table.{kind}"
    path.write_bytes(damaged(FILES[kind]()))
    try:
        frame = read_table(path, max_memory=LIMIT)
    except InputError as error:
        assert_clear(str(error))
    else:
        assert len(frame) > 0
        # Whatever was read can be prepared, or is refused as clearly.
        try:
            prepare(frame, target="left")
        except InputError as error:
            assert_clear(str(error))


@fuzzed
@given(content=st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_are_read_or_refused(content, tmp_path):
    path = tmp_path / "table"
    path.write_bytes(content)
    try:
        assert len(read_table(path, max_memory=LIMIT)) > 0
    except InputError as error:
        assert_clear(str(error))


@pytest.fixture(scope="module")
def model_bytes(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "model.skops"
    save(TableModel("linear").fit_table(prepare(table(), target="left")), path)
    return path.read_bytes()


def tried(path: Path) -> None:
    """Load a model and score with it, or be refused in one sentence."""
    try:
        load(path, max_memory=LIMIT)
    except InputError as error:
        assert_clear(str(error))


@fuzzed
@given(damaged=damages())
def test_a_damaged_model_is_loaded_or_refused(damaged, model_bytes, tmp_path):
    path = tmp_path / "model.skops"
    path.write_bytes(damaged(model_bytes))
    tried(path)


@fuzzed
@given(damaged=damages(), schema=st.booleans())
def test_a_model_with_damaged_parts_is_loaded_or_refused(damaged, schema, model_bytes, tmp_path):
    """The archive is whole, so the damage reaches what is inside."""
    path = tmp_path / "model.skops"
    rewritten(model_bytes, path, lambda name, part: damaged(part), schema=schema)
    tried(path)


def rewritten(model: bytes, path: Path, change, *, schema: bool) -> None:
    with (
        zipfile.ZipFile(io.BytesIO(model)) as source,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            part = source.read(name)
            target.writestr(name, change(name, part) if (name == "schema.json") == schema else part)


# Bombs: small files that ask for much


def gzip_bomb(path: Path) -> None:
    """A gigabyte and a half of rows in a megabyte and a half, said to be 100 bytes long."""
    with gzip.open(path, "wb", compresslevel=9) as text:
        text.write(b"a,left\n")
        for _ in range(1500):
            text.write(b"0,1\n" * 250_000)
    content = bytearray(path.read_bytes())
    content[-4:] = struct.pack("<I", 100)
    path.write_bytes(bytes(content))


def parquet_bomb(path: Path) -> None:
    column = pa.array(np.zeros(50_000_000, dtype=np.int8))
    pq.write_table(pa.table({"a": column, "left": column}), path, compression="zstd")


def arrow_bomb(path: Path) -> None:
    """The second batch is a million times the first."""
    schema = pa.schema([("a", pa.int64())])
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(path, schema, options=options) as writer:
        for n in (100, 100_000_000):
            writer.write_batch(pa.record_batch([pa.array(np.zeros(n, dtype=np.int64))], schema))


BOMBS = {"bomb.csv.gz": gzip_bomb, "bomb.parquet": parquet_bomb, "bomb.stream": arrow_bomb}


def peak_memory(*arguments: str) -> tuple[subprocess.CompletedProcess[str], float]:
    """A command and the most memory it held, in bytes."""
    code = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.exit(done.returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, "-m", "rocstar", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done, 1024 * float(done.stdout.split()[-1])


# What the interpreter and its libraries take before any file is opened.
BYTES_AT_REST = 350e6


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_within_the_memory_allowed(name, tmp_path):
    path = tmp_path / name
    BOMBS[name](path)
    assert path.stat().st_size < 4e6
    done, most = peak_memory("audit", str(path), "-t", "left", "--max-memory", "500MB")
    assert done.returncode == 2, done.stderr
    assert_clear(done.stderr)
    assert "memory" in done.stderr
    assert most < 500e6 + BYTES_AT_REST


def test_a_model_that_unpacks_to_gigabytes_is_refused(model_bytes, tmp_path):
    path = tmp_path / "bomb.skops"
    rewritten(model_bytes, path, lambda name, part: part + b" " * 50_000_000, schema=True)
    assert path.stat().st_size < 1e6
    with pytest.raises(InputError, match=r"^`bomb.skops` is refused: unpacked it would not fit"):
        load(path, max_memory=500e6)


def test_a_gzip_text_longer_than_it_says_is_refused(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    content = bytearray(gzip.compress(b"a,left\n" + b"0,1\n" * 60_000_000, compresslevel=1))
    content[-4:] = struct.pack("<I", 100)
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match=r"^`bomb.csv.gz` needs more memory than the 400 MB"):
        read_table(path, max_memory=4e8)


def test_a_stream_of_growing_batches_is_refused(tmp_path):
    path = tmp_path / "bomb"
    schema = pa.schema([("a", pa.int8())])
    with pa.ipc.new_stream(path, schema) as writer:
        for n in (100, 10_000_000):
            writer.write_batch(pa.record_batch([pa.array(np.zeros(n, dtype=np.int8))], schema))
    with pytest.raises(InputError, match=r"^`bomb` has about 10,000,100 rows"):
        read_table(path, max_memory=5e8)


def test_standard_input_is_never_cut_short(monkeypatch):
    class Pipe:
        buffer = io.BytesIO(b"a,left\n" + b"0,1\n" * 1000)

    monkeypatch.setattr(sys, "stdin", Pipe)
    with pytest.raises(InputError, match=r"^`standard input` needs more memory than"):
        read_table("-", max_memory=2000)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_allocation_is_bounded_and_freed_again():
    with at_most(50e6), pytest.raises(MemoryError):
        np.ones(50_000_000)
    assert np.ones(50_000_000).sum() == 5e7


# The command line


def ran(arguments: list[str], monkeypatch, capsys) -> int:
    monkeypatch.setattr(sys, "argv", ["rocstar", *arguments])
    monkeypatch.setattr("warnings.showwarning", lambda *_, **__: None)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = capsys.readouterr()
    for line in told.err.splitlines():
        assert_clear(line)
    return int(ended.value.code or 0)


WORDS = [
    *("audit", "compare", "fit", "score", "--help", "--version", "--json", "--fast", "--quiet"),
    *("-t", "--target", "--positive", "--score", "--drop", "--weight", "--group", "--time"),
    *("--model", "linear", "forest", "--level", "0.9", "2", "nan", "--seed", "--jobs", "1", "0"),
    *("--max-memory", "1GB", "-1", "lots", "--output", "-o", "out.html", "out.exe", "/no/out.md"),
    *("left", "age", "plan", "nothing", "table.csv", "missing.csv", "."),
]


@settings(fuzzed, max_examples=max(1, CASES // 2))
@given(arguments=st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=8))
def test_any_arguments_end_in_an_answer_or_a_sentence(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table().to_csv("table.csv", index=False)
    # Standard input is somebody else's.
    arguments = [argument for argument in arguments if argument != "-"]
    assert ran(arguments, monkeypatch, capsys) in (0, 2)


@settings(fuzzed, max_examples=max(1, CASES // 10))
@given(kind=st.sampled_from(sorted(FILES)), damaged=damages())
def test_auditing_a_damaged_table_ends_in_an_answer_or_a_sentence(
    kind, damaged, tmp_path, monkeypatch, capsys
):
    path = tmp_path / f"table.{kind}"
    path.write_bytes(damaged(FILES[kind]()))
    arguments = ["audit", str(path), "-t", "left", "--model", "linear", "--fast", "--json"]
    assert ran(arguments, monkeypatch, capsys) in (0, 2)


def test_scoring_another_table_ends_in_a_sentence(model_bytes, tmp_path, monkeypatch, capsys):
    model, data = tmp_path / "model.skops", tmp_path / "table.csv"
    model.write_bytes(model_bytes)
    data.write_text("age,plan,joined\nold,,never\n")
    assert ran(["score", str(model), str(data)], monkeypatch, capsys) in (0, 2)
    data.write_text("age\n1\n")
    assert ran(["score", str(model), str(data)], monkeypatch, capsys) == 2


# Models from strangers


def schema_of(model: bytes) -> dict:
    with zipfile.ZipFile(io.BytesIO(model)) as archive:
        return json.loads(archive.read("schema.json"))


def call(module: str, function: str) -> dict:
    return {
        "__class__": function,
        "__module__": module,
        "__loader__": "FunctionNode",
        "__id__": 1,
        "content": {"module_path": module, "function": function},
    }


PAYLOADS = {
    "function": call("os", "system"),
    "builtin": call("builtins", "exec"),
    "our own writer": call("rocstar.tables.writing", "replace_file"),
    "object": {
        "__class__": "Popen",
        "__module__": "subprocess",
        "__loader__": "ObjectNode",
        "__id__": 1,
        "content": {"__class__": "dict", "__module__": "builtins", "__loader__": "DictNode"},
    },
    "type": {
        "__class__": "Popen",
        "__module__": "subprocess",
        "__loader__": "TypeNode",
        "__id__": 1,
    },
    "method": {
        "__class__": "method",
        "__module__": "builtins",
        "__loader__": "MethodNode",
        "__id__": 1,
        "content": {"func": "system", "obj": call("os", "system")},
    },
    "an unknown loader": {
        "__class__": "system",
        "__module__": "os",
        "__loader__": "PickleNode",
        "__id__": 1,
    },
}


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
@pytest.mark.parametrize("where", ["ratio", "encoder", "target", "version"])
def test_a_stranger_s_model_runs_nothing(payload, where, model_bytes, tmp_path, monkeypatch):
    monkeypatch.setattr("os.system", lambda *_: pytest.fail("it ran"))
    monkeypatch.setattr("subprocess.Popen.__init__", lambda *_, **__: pytest.fail("it ran"))
    schema, path = schema_of(model_bytes), tmp_path / "evil.skops"
    values = schema["content"]
    key = where if where in values else next(iter(values))
    values[key] = payload
    content = json.dumps(schema).encode()
    rewritten(model_bytes, path, lambda *_: content, schema=True)
    with pytest.raises(InputError, match=r"^`evil.skops` is (refused|not a model file)"):
        load(path)


def test_a_pickled_array_inside_a_model_is_refused(model_bytes, tmp_path):
    """``.npy`` files can hold pickles; loading must not read those."""

    class Evil:
        def __reduce__(self):
            return (pytest.fail, ("it ran",))

    buffer = io.BytesIO()
    np.save(buffer, np.array([Evil()], dtype=object), allow_pickle=True)
    path = tmp_path / "evil.skops"
    rewritten(model_bytes, path, lambda *_: buffer.getvalue(), schema=False)
    with pytest.raises(InputError, match=r"^`evil.skops` is not a model file of rocstar\.$"):
        load(path)
