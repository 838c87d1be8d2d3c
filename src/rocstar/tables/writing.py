"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from rocstar.checks import InputError


def replace_file(path: str | Path, content: bytes) -> None:
    """Write beside the path, then rename: a reader sees the old file or the whole new one."""
    path = Path(path)
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as beside:
            try:
                beside.write(content)
                beside.close()
                # Temporary files are private; a result is for whoever may read the folder.
                os.chmod(beside.name, 0o666 & ~_umask())
                os.replace(beside.name, path)
            except BaseException:
                Path(beside.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise InputError(f"`{path}` cannot be written: {error.strerror}.") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
