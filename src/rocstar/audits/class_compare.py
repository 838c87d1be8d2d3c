"""`compare` of more than two samples: which of them differ, and by how much?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import numpy as np

from rocstar.audits.classes import ClassAudit, audit_classes
from rocstar.audits.stages import Stages
from rocstar.checks import InputError
from rocstar.report.words import listed, plural
from rocstar.tables.class_table import LEAST_ROWS, MOST_CLASSES, ClassTable, class_table_of
from rocstar.tables.frames import as_frame
from rocstar.tables.remarks import Remark

if TYPE_CHECKING:
    from pandas import DataFrame


def compare_many(
    samples: Sequence[Any],
    names: Sequence[str],
    *,
    sample_weight: Any = None,
    groups: Any = None,
    time: Any = None,
    stages: Stages,
    **how: Any,
) -> ClassAudit:
    """One table of all samples, audited with the sample as its target."""
    names = sample_names(names, len(samples))
    with stages("columns"):
        frames = [as_frame(sample, name) for sample, name in zip(samples, names, strict=True)]
        given = {"sample_weight": sample_weight, "groups": groups, "time": time}
        table = joined_table(frames, names, **given)
    return audit_classes(table, stages=stages, **how)


def sample_names(names: Sequence[str], n: int) -> list[str]:
    """What the report calls the samples: the names given, or letters."""
    if tuple(names) == ("A", "B"):
        return list(ascii_uppercase[:n]) if n <= 26 else [f"sample {k + 1}" for k in range(n)]
    if len(set(names)) != n or len(names) != n:
        raise InputError(f"`names` must be {n} different names, one per sample; got {names!r}.")
    return list(names)


def joined_table(frames: list[DataFrame], names: list[str], **given: Any) -> ClassTable:
    """All samples in one table whose classes are the samples, in columns that all of them have."""
    import pandas as pd

    shared = set.intersection(*(set(frame.columns) for frame in frames))
    common = [name for name in frames[0].columns if name in shared]
    if not common:
        raise InputError(f"{listed([f'`{name}`' for name in names])} have no column in common.")
    _check_sizes(frames, names)
    others = dict.fromkeys(c for frame in frames for c in frame.columns if c not in shared)
    left_out = [Remark(f"`{column}` is not in every sample and was left out.") for column in others]
    rows = pd.concat([frame[common] for frame in frames], ignore_index=True)
    rows = rows.drop(columns=rows.columns[rows.isna().all()])
    codes = np.repeat(np.arange(len(frames)), [len(frame) for frame in frames])
    table = class_table_of(
        rows,
        pd.Series(codes, name="sample"),
        source=listed(names),
        leaks=False,
        **{role: _joined(role, values, frames) for role, values in given.items()},
    )
    kept = tuple(names[int(code)] for code in table.classes)
    return replace(table, classes=kept, noun="sample", warnings=(*left_out, *table.warnings))


def _check_sizes(frames: list[DataFrame], names: list[str]) -> None:
    """Refuse more samples, and smaller ones, than can be judged."""
    if len(frames) > MOST_CLASSES:
        raise InputError(
            f"At most {MOST_CLASSES} samples can be compared; got {len(frames)}: join some of them."
        )
    for frame, name in zip(frames, names, strict=True):
        if len(frame) == 0:
            raise InputError(f"`{name}` has no rows.")
        if len(frame) < LEAST_ROWS:
            raise InputError(
                f"`{name}` has {plural(len(frame), 'row')}; a comparison of more than two samples "
                f"needs at least {LEAST_ROWS} of each: add rows, or leave that sample out."
            )


def _joined(role: str, given: Any, frames: list[DataFrame]) -> Any:
    """What was given for the rows of each sample, in one array."""
    if given is None:
        return None
    arrays = [np.asarray(values) for values in given]
    if [array.shape for array in arrays] != [(len(frame),) for frame in frames]:
        raise InputError(
            f"`{role}` must be {len(frames)} arrays, one value for each row of each sample; got "
            f"shapes {listed([str(array.shape) for array in arrays])}."
        )
    return np.concatenate(arrays)
