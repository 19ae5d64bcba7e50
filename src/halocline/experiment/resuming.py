"""What a run leaves in its folder so that it can be resumed, and finding it again.

`halocline.toml` holds every option of the run, written before its first step; `halocline.end` the
date at which it ended, written when all else is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import tomli_w

from halocline.component.case.case import Case
from halocline.core.clock import Date, text
from halocline.core.errors import UserError
from halocline.runtime.files.classic_files import unwritable
from halocline.runtime.files.disk import disk
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.restart import on_first_rank
from halocline.runtime.writing.stream_options import StreamOptions


class Tabled(Protocol):
    """What a run is made from: a case, or its members."""

    def to_table(self) -> dict[str, Any]:
        """Every option, nested."""


case_file, end_file = "halocline.toml", "halocline.end"


@contextmanager
def taking_over(
    folder: Path | None,
    case: Tabled | None,
    communicator: Communicator,
) -> Iterator[None]:
    """Make a folder that of a run while its output files are opened; for all ranks.

    A run that begins leaves its `case`; one that is resumed has none. Killed within, nothing can be
    resumed; where a file is refused, the folder stays that of the run before.
    """
    if folder is None:
        yield
        return
    path = folder / case_file
    aside = path.with_name(case_file + ".old")

    def begin() -> None:
        if case is not None:
            _rename(path, aside)
        else:
            (folder / end_file).unlink(missing_ok=True)

    on_first_rank(communicator, begin)
    try:
        yield
    except UserError:
        if case is not None:
            on_first_rank(communicator, lambda: _rename(aside, path))
        raise

    def leave() -> None:
        if case is not None:
            (folder / end_file).unlink(missing_ok=True)
            write_small(path, tomli_w.dumps(case.to_table()))
            aside.unlink(missing_ok=True)

    on_first_rank(communicator, leave)


def _rename(path: Path, other: Path) -> None:
    """Give a file the other name; where there is no such file, nothing has that name."""
    if not path.exists():
        other.unlink(missing_ok=True)
    else:
        path.replace(other)


def leave_end(folder: Path, time: Date) -> None:
    """Say that the run has reached its end and all its files are complete."""
    write_small(folder / end_file, f"{text(time)}\n")


def write_small(path: Path, content: str) -> None:
    """Write a small file that appears when it is on disk."""
    part = path.with_name(path.name + ".part")
    try:
        with disk().open(part, create=True) as file:
            file.write(content.encode(), 0)
        disk().publish(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise unwritable(path, error) from None


def ended(folder: Path) -> str:
    """The date at which the run in a folder reached its end; empty where it has not."""
    path = folder / end_file
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""


def find_run(folder: Path) -> Path:
    """The options of the run in a folder, as a case file."""
    path = folder / case_file
    if not path.exists():
        raise UserError(
            f"There is no run to resume in '{folder}': a run leaves its options there"
            f" ('{case_file}') before its first step. Name the folder of its results, or begin with"
            " 'halocline run'."
        )
    return path


def never_refusing(case: Case) -> Case:
    """The case with streams that move earlier files aside where they would refuse to write."""
    output: Any = getattr(case, "output", None)
    if output is None:
        return case
    changed = {
        kind: {name: _moving(stream) for name, stream in streams.items()}
        for kind, streams in vars(output).items()
        if isinstance(streams, dict)
    }
    options: dict[str, Any] = {"output": replace(output, **changed)}
    return replace(case, **options)


def _moving(stream: StreamOptions) -> StreamOptions:
    return replace(stream, existing="move") if stream.existing == "refuse" else stream
