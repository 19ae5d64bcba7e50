"""Threads of kernels."""

from __future__ import annotations

import os

from halocline.runtime import _native


def set_threads(threads: int) -> None:
    """Threads of the kernels of this process from now on; all rooms share one OpenMP runtime."""
    _native.set_threads(threads)


def set_threads_of_ranks(threads: int) -> None:
    """Threads of the kernels of this process, and of the processes that it starts.

    The environment alone is too late for this one: OpenMP looks there when the first module of C++
    is loaded.
    """
    os.environ["OMP_NUM_THREADS"] = str(threads)
    set_threads(threads)
