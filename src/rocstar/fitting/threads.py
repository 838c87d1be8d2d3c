"""How many threads BLAS may use."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def blas() -> ThreadpoolController:
    """The BLAS libraries of this process."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS by one thread for a while, if this is the main thread."""
    # The limit is one for the whole process: threads that set it and put it back in turns would
    # leave the process with one thread for good.
    if threading.current_thread() is threading.main_thread():
        with blas().limit(limits=1):
            yield
    else:
        yield
