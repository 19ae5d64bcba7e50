"""Paths as users write them, which may be none that the system knows."""

from __future__ import annotations

from pathlib import Path


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder; a name that none can have is of nothing.

    >>> is_there(Path("x" * 10_000)), is_there(Path("a\\0b")), is_there(Path("."))
    (False, False, True)
    """
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
