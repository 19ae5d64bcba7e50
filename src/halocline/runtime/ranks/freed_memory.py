"""Memory that is free again goes back to the system."""

from __future__ import annotations

import ctypes

threshold_number = -3  # M_MMAP_THRESHOLD of malloc.h
large = 4 << 20
"""Arrays from which on are given back as soon as they are free [byte]."""


def return_large_arrays() -> None:
    """Let large arrays go back to the system when they are freed, where the C library is glibc.

    Left to itself it keeps arrays of up to 32 MB once one has been freed: what was read from files,
    and what a set-up needed.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(threshold_number, large)
