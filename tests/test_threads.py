"""BLAS is limited by the main thread alone, and only for a while."""

import threading

from rocstar.fitting.threads import blas, one_blas_thread


def threads_of_blas():
    return [library["num_threads"] for library in blas().info()]


def test_the_main_thread_limits_blas_for_a_while():
    before = threads_of_blas()
    with one_blas_thread():
        assert set(threads_of_blas()) <= {1}
    assert threads_of_blas() == before


def test_another_thread_leaves_the_limit_alone():
    seen = []

    def look():
        with one_blas_thread():
            seen.append(threads_of_blas())

    with blas().limit(limits=2):
        before = threads_of_blas()
        other = threading.Thread(target=look)
        other.start()
        other.join()
    assert seen == [before]
