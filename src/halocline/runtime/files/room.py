"""Whether what a run will write has room: on its disks, and below the system's limit of a file."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from halocline.core.errors import UserError


@dataclass(frozen=True)
class Need:
    """What an output will take, `size` in all and `largest` its largest file [byte].

    `what` says of what is named `name` how much it needs; `path` is its first file, or its last.
    """

    name: str
    what: str
    path: Path
    size: int
    largest: int


def check_room(needs: Sequence[Need]) -> None:
    """Refuse to start a run whose output does not fit."""
    disks: dict[int, list[Need]] = {}
    for need in needs:
        _check_limit(need)
        disks.setdefault(nearest(need.path).stat().st_dev, []).append(need)
    for some in disks.values():
        _check_disk(some)


def named_needs(needs: Sequence[Need], owner: str) -> list[Need]:
    """Needs that say whose they are; as they are where nobody is named.

    >>> named_needs([Need("maps", "", Path("a.nc"), 1, 1)], "waves")[0].name
    'waves: maps'
    """
    return [replace(need, name=f"{owner}: {need.name}" if owner else need.name) for need in needs]


def nearest(path: Path) -> Path:
    """The folder of a file, or the nearest one above it that is there."""
    return next(folder for folder in path.absolute().parents if folder.is_dir())


def _check_disk(needs: Sequence[Need]) -> None:
    total = sum(need.size for need in needs)
    free = shutil.disk_usage(nearest(needs[0].path)).free
    if total <= free:
        return
    if len(needs) == 1:
        words = f"{needs[0].what} in '{needs[0].path}'"
    else:
        each = ", ".join(f"'{need.name}' {size_words(need.size)}" for need in needs)
        words = f"The output needs {size_words(total)} ({each})"
    raise UserError(
        f"{words}, but the disk has {size_words(free)} left. Free some space, choose another"
        " folder, or write less."
    )


def _check_limit(need: Need) -> None:
    limit = file_limit()
    if limit is not None and need.largest > limit:
        raise UserError(
            f"The file '{need.path}' will need {size_words(need.largest)}, but a file may have"
            f" {size_words(limit)} at most here (ulimit -f). Raise the limit, or write less."
        )


def file_limit() -> int | None:
    """Bytes that a file of this process may have at most; None without a limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    return None if soft == resource.RLIM_INFINITY else soft


def size_words(size: float) -> str:
    """A number of bytes in words.

    >>> size_words(336), size_words(72_500_000)
    ('336 bytes', '72.5 MB')
    """
    if size < 1000:
        return f"{size:.0f} bytes"
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 1000:
            return f"{size:.3g} {unit}"
    return f"{size / 1000:,.1f} TB"
