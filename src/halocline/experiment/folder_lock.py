"""One run at a time in a folder of results."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from halocline.core.errors import UserError
from halocline.runtime.files.file_names import own_prefix, refuse_links
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.restart import on_first_rank


@contextmanager
def holding(folder: Path | None, communicator: Communicator) -> Iterator[Callable[[], str]]:
    """Keep other runs out of a folder, which is made where it is missing; a call for all ranks.

    The lock lies on the folder itself and ends with the process that holds it, however that ends.
    File systems without locks go without. Yields what says, on rank 0, that the folder is gone.
    """
    held: list[int] = []
    if folder is not None:
        on_first_rank(communicator, lambda: _take(folder, held))
    try:
        yield lambda: _gone(folder, held[0]) if folder is not None and held else ""
    finally:
        for handle in held:
            os.close(handle)


def _take(folder: Path, held: list[int]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        refuse_links(folder, folder.glob(f"{own_prefix}*"))
        held.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY))
    except OSError as error:
        raise UserError(
            f"Cannot write '{folder}': {error.strerror}. Choose another folder (--output)."
        ) from None
    try:
        fcntl.flock(held[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held.pop())
        raise UserError(
            f"Another run writes to '{folder}'. Wait for its end, or choose another folder"
            " (--output)."
        ) from None
    except OSError:
        pass


def _gone(folder: Path, handle: int) -> str:
    """What to say where the folder has not the name any more under which it was opened."""
    try:
        there = os.path.samestat(folder.stat(), os.fstat(handle))
    except OSError:
        there = False
    if there:
        return ""
    return (
        f"The folder of results '{folder}' was removed or renamed while the run wrote to it. The"
        " run ends: its files cannot be finished. Run the case again, or, where the folder has"
        " another name, go on with 'halocline resume' and that name."
    )
