"""What ranks that were killed have left: their parts are made of the files that outlive them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from halocline.runtime.record.run_record_parts import RecordPart

exits = -1
"""What stands for a signal where a process called _exit."""

patience = 5.0
"""Until a rank that outlives its launcher has ended [s]."""

program = """
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1])
for left, part in zip(sys.argv[2::2], sys.argv[3::2]):
    child = os.fork()
    if child == 0:
        os._exit(library.halocline_salvage(left.encode(), part.encode()))
    os.waitpid(child, 0)
"""
"""One process for each: what a rank left when it died within a change may be unreadable."""


def salvage(folder: Path, library: Path) -> None:
    """Make the parts of those ranks of a program that left a file but no part."""
    pairs = []
    for left in sorted(folder.glob("rank-*.left")):
        rank, process, _ = left.name.split(".")
        part = folder / f"{rank}.part"
        if not part.exists():
            _await_end(int(process))
            pairs += [str(left), f"{part}.growing"]
    if not pairs:
        return
    subprocess.run([sys.executable, "-c", program, str(library), *pairs], check=False)
    for name in pairs[1::2]:
        if Path(name).exists():
            Path(name).rename(name.removesuffix(".growing"))


def _await_end(process: int) -> None:
    """Wait for the end of a process, if it is one of this machine."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            os.kill(process, 0)
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(0.02)


def endings(parts: Iterable[RecordPart]) -> list[str]:
    """Sentences on the ranks that did not come to MPI_Finalize and could not say so."""
    found: dict[int, list[int]] = defaultdict(list)
    for part in parts:
        own: dict[str, Any] = part.about["about"]
        number = int(own.pop("signal", 0))
        if part.about["ended"]:
            found[number].append(part.about["rank"])
    return [
        f"{_ranks(ranks)} ended by {signal_words(number)}; the record has what they did until then."
        if number
        else f"{_ranks(ranks)} ended without MPI_Finalize and without a word, as SIGKILL does it;"
        " the record ends there with the last call of MPI."
        for number, ranks in sorted(found.items())
    ]


def _ranks(ranks: Sequence[int]) -> str:
    """Who.

    >>> _ranks([3]), _ranks([0, 2])
    ('Rank 3 was', 'Ranks 0, 2 were')
    """
    words = ", ".join(map(str, ranks[:8])) + (" ..." if len(ranks) > 8 else "")
    return f"Rank {words} was" if len(ranks) == 1 else f"Ranks {words} were"


def signal_words(number: int) -> str:
    """The name of a signal, and what it means.

    >>> signal_words(11), signal_words(9)
    ('SIGSEGV (segmentation fault)', 'SIGKILL (killed)')
    """
    if number == exits:
        return "_exit"
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    return f"{name} ({(signal.strsignal(number) or '').lower()})"


def ending_words(code: int) -> str:
    """How a command ended, by its exit code.

    >>> ending_words(3), ending_words(139)
    ('ended with code 3', 'ended with code 139: SIGSEGV (segmentation fault)')
    """
    known = code - 128 in {one.value for one in signal.Signals}
    return f"ended with code {code}" + (f": {signal_words(code - 128)}" if known else "")
