"""The files that models of tables are kept in.

Files are written with skops, never pickle: loading one builds objects of the types named here and
of nothing else, whatever the file asks for.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import skops.io

from rocstar import __version__
from rocstar.checks import InputError
from rocstar.tables.columns import TableEncoder
from rocstar.tables.kinds import KINDS
from rocstar.tables.memory import available_memory
from rocstar.tables.model import TableModel, parts
from rocstar.tables.writing import replace_file

FORMAT = 4  # since models predict the labels of their table
# Memory of parsed JSON and the objects made of it: our models take 3 to 5 bytes for each of its
# bytes, a hostile list of empty lists takes 72 for three of them.
BYTES_PER_SCHEMA_BYTE = 24

TRUSTED = (
    # A partial call is only data until it is called; here it calls scikit-learn's check_array.
    "functools.partial",
    "numpy.dtype",
    "rocstar.tables.columns.TableEncoder",
    *(f"{kind.__module__}.{kind.__name__}" for kind in KINDS),
    "rocstar.tables.numerals.Notation",
    "rocstar.estimators.additive.ColumnCurves",
    "rocstar.estimators.classifier.ClassifierRatio",
    "rocstar.estimators.cv.ArctanRatioCV",
    "rocstar.estimators.discriminant.QuadraticRatio",
    "rocstar.estimators.forest.RandomlyCutForest",
    "rocstar.estimators.guided.GuidedTrees",
    "rocstar.estimators.ratio.ArctanRatio",
    "rocstar.estimators.stack.StackedRatio",
    "rocstar.estimators.standardized.StandardizedRatio",
    "rocstar.tables.dense.DenseColumns",
    "rocstar.tables.dense.DenseRatio",
    "rocstar.tables.dense.Squashed",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
    "sklearn.utils.validation.check_array",
    "skrub._datetime_encoder.DatetimeEncoder",
    "skrub._squashing_scaler.SquashingScaler",
    "skrub._squashing_scaler._MinMaxScaler",
    "skrub._string_encoder.StringEncoder",
    "skrub._to_str.ToStr",
)
"""Types beyond those skops trusts itself that a model file may hold."""


def save(model: TableModel, path: str | Path) -> None:
    """Write a model to a compressed skops file, whole or not at all."""
    content = {
        "rocstar_model": FORMAT,
        "encoder": model.encoder_,
        "ratio": deepcopy(model.ratio_),
        "kind": model.kind if isinstance(model.kind, str) else None,
        "classes": model.classes_,
        "target": model.target_,
        "version": __version__,
    }
    for part in parts(content["ratio"]):
        # How the solver got there is of no use in a file.
        vars(part).pop("solution_", None)
        if isinstance(vars(part).get("estimators"), list):
            part.estimators = list(part.estimators)  # what was changed in it counts in a fit only
    replace_file(path, skops.io.dumps(content, compression=zipfile.ZIP_DEFLATED, compresslevel=6))


def load(path: str | Path, *, max_memory: float | None = None) -> TableModel:
    """Read a model that `save` has written; a file that holds anything else is refused."""
    name = Path(path).name
    content = trusted_content(path, TRUSTED, "model", max_memory)
    # Whatever a damaged or hostile file makes the parser raise is one sentence.
    try:
        if content.pop("rocstar_model") != FORMAT:
            raise InputError(f"`{name}` was written by another version of rocstar; fit it again.")
        del content["version"]
        encoder, target = content["encoder"], content["target"]
        if not isinstance(encoder, TableEncoder) or not isinstance(target, str):
            raise InputError(f"`{name}` is not a model file of rocstar.")
        return TableModel.of_parts(**content)
    except InputError:
        raise
    except Exception:
        raise InputError(f"`{name}` is not a model file of rocstar.") from None


def trusted_content(
    path: str | Path, trusted: Sequence[str], what: str, max_memory: float | None = None
) -> Any:
    """What a skops file holds, if it asks for nothing beyond the types that are trusted."""
    name = Path(path).name
    data = _read_bytes(path)
    try:
        if _unpacked(data) > (available_memory() if max_memory is None else max_memory):
            raise InputError(f"`{name}` is refused: unpacked it would not fit into memory.")
        foreign = sorted(set(skops.io.get_untrusted_types(data=data)) - set(trusted))
        if foreign:
            raise InputError(
                f"`{name}` is refused: it asks for {foreign[0]}, which no {what} needs."
            )
        return skops.io.loads(data, trusted=list(trusted))
    except InputError:
        raise
    except Exception:
        raise InputError(f"`{name}` is not a {what} file of rocstar.") from None


def _read_bytes(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no file `{path}`.") from None
    except OSError as error:
        raise InputError(f"`{path}` cannot be read: {error.strerror}.") from None


def _unpacked(data: bytes) -> float:
    """Bytes that a model takes in memory, as its archive states them; no part can exceed that."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = {part.filename: part.file_size for part in archive.infolist()}
    return sum(sizes.values()) + BYTES_PER_SCHEMA_BYTE * sizes.get("schema.json", 0)
