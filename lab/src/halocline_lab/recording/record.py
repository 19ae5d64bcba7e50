"""`halocline lab record -- COMMAND`: the record of any MPI program, as it is, without a rebuild.

Give the command as it is always given, for example 'mpiexec -n 8 ./model'. Every call of MPI of
every rank is counted and timed, from C, Fortran (mpif.h, mpi, mpi_f08) and Python. What was made
of it is read by 'halocline lab report'.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline.core.programs import find_program, search_path
from halocline.experiment import exit_codes
from halocline.runtime.ranks.launch import mpi_environment
from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.record.run_record_file import record_name, write_record
from halocline_lab.diagnosis.messages import sent_messages
from halocline_lab.diagnosis.phases import communication_seconds, rank_seconds
from halocline_lab.recording.interposer_build import (
    find_library,
    interposer,
    launcher_in,
    sources,
)
from halocline_lab.recording.recorded_parts import joined_records
from halocline_lab.recording.salvaging import ending_words
from halocline_lab.recording.traced_functions import compiler_flags, proposal
from halocline_lab.recording.unrecorded import why_nothing

PATIENCE = 1.0
"""Time for a command to end that was sent a signal together with its recorder [s].

mpiexec that is told twice kills its ranks, which then cannot say when they ended.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab record`."""
    parser.usage = "%(prog)s [options] -- COMMAND..."
    parser.add_argument(
        "--output", default=record_name, metavar="FILE", help=f"file of the record ({record_name})"
    )
    parser.add_argument("--mpicc", help="of the program's MPI; else the one beside mpiexec")
    parser.add_argument(
        "--events",
        type=int,
        metavar="N",
        help="events kept of each rank at most (65536; fewer on more than 64 ranks): the whole run"
        " if it has no more, else parts of it; statistics count everything",
    )  # fmt: skip
    parser.add_argument(
        "--threads",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="what each thread does of the parallel regions of OpenMP (of GCC's)",
    )
    parser.add_argument(
        "--sample",
        type=int,
        metavar="MICROSECONDS",
        help="ask at such intervals of processor time where the program is (10000 is good), and"
        " write beside the record which functions are worth tracing (FILE.functions, to be edited)",
    )
    parser.add_argument(
        "--flags",
        metavar="FUNCTIONS",
        help="print the flags with which GCC makes a program tell of the functions that such a file"
        " has a + for; what is recorded of it then has them as regions",
    )
    parser.add_argument(
        "--headers", action="store_true",
        help="say which files let a program name its regions and steps (C, Fortran, Python)",
    )  # fmt: skip
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND")


def main(options: Any) -> int:
    """Run the command; its exit code is ours."""
    if options.headers:
        print(headers())
        return exit_codes.done
    if options.flags:
        print(compiler_flags(Path(options.flags)))
        return exit_codes.done
    if options.sample is not None and options.sample < 1:
        raise UserError(f"--sample {options.sample}: must be 1 or more; 10000 is good.")
    command = options.words[1:] if options.words[:1] == ["--"] else options.words
    if not command:
        raise UserError(
            "What is to be recorded? Say 'halocline lab record -- mpiexec -n 4 ./model'."
        )
    output = Path(options.output)
    settings = {
        "HALOCLINE_RECORD_EVENTS": str(options.events or ""),
        "HALOCLINE_RECORD_THREADS": str(int(options.threads)),
        "HALOCLINE_RECORD_SAMPLE": str(options.sample or ""),
    }
    code, records = record(command, output, mpicc=options.mpicc, settings=settings)
    if not records:
        reason = why_nothing(command, code)
        if code == 0:
            raise UserError(reason)
        print(f"halocline: the command {ending_words(code)}. {reason}")
        return code
    for path, one in zip(paths(output, len(records)), records, strict=True):
        write_record(path, one)
        print(summary(one, path))
        if "samples" in one.about:
            list_of = path.with_suffix(".functions")
            list_of.write_text(proposal(one), encoding="utf-8")
            print(f"what to trace: {list_of}")
    if code != 0:
        print(f"halocline: the command {ending_words(code)}.")
    return code


def headers() -> str:
    """The files that a program can use to name its regions."""
    folder = sources / "regions"
    return "\n".join(
        f"{words:<8} {folder / f'halocline_regions.{ending}'}"
        for words, ending in (("C, C++", "h"), ("Fortran", "f90"), ("Python", "py"))
    )


def record(
    command: Sequence[str],
    output: Path,
    *,
    mpicc: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> tuple[int, list[RunRecord]]:
    """Run a command; its exit code, and the records of the MPI programs that it ran."""
    if command[0] == "halocline":
        command = [sys.executable, "-m", "halocline", *command[1:]]
    library = interposer(find_library(command, mpicc))
    if any(letter in str(library) for letter in " :"):
        raise UserError(
            f"'{library}' cannot be loaded before a program: its path has a space or a colon. Set"
            " XDG_CACHE_HOME to a folder without."
        )
    began = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{output.name}-", dir=output.parent))
    except OSError as error:
        raise UserError(
            f"No folder can be made in '{output.parent}' for what ranks record ({error.strerror})."
            " Name a file with --output in a folder that all nodes can write."
        ) from None
    try:
        around = {
            "LD_PRELOAD": " ".join([str(library), os.environ.get("LD_PRELOAD", "")]).strip(),
            "HALOCLINE_RECORDING": str(folder.resolve()),
            **(settings or {}),
        }
        code = _run(
            with_settings(command, around),
            {**_environment(command), "PATH": search_path(own_first=False), **around},
        )
        about = {"command": list(command), "began": began}
        return code, joined_records(folder, about, library)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _environment(command: Sequence[str]) -> dict[str, str]:
    """That of this process, with what the MPI beside this Python needs if it starts the ranks."""
    launcher = launcher_in(command)
    own = launcher is not None and Path(launcher).parent == Path(sys.executable).parent
    return mpi_environment() if own else dict(os.environ)


def with_settings(command: Sequence[str], settings: Mapping[str, str]) -> list[str]:
    """The command, with what Open MPI's launcher needs to carry settings to other nodes."""
    launcher = launcher_in(command)
    if launcher is None:
        return list(command)
    words = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False)
    if not any(name in words.stdout for name in ("Open MPI", "OpenRTE", "prte", "PRRTE")):
        return list(command)
    at = next(
        at for at, word in enumerate(command) if find_program(word, own_first=False) == launcher
    )
    carried = [word for name in settings for word in ("-x", name)]
    return [*command[: at + 1], *carried, *command[at + 1 :]]


def _run(command: Sequence[str], environment: dict[str, str]) -> int:
    try:
        process = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise UserError(f"'{command[0]}' cannot be run ({error.strerror}).") from None

    def pass_on(number: int, frame: object) -> None:
        late = threading.Timer(PATIENCE, process.send_signal, [number])
        late.daemon = True
        late.start()

    # What is recorded is joined after the command has ended, whatever ends it.
    former = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGHUP)}
    former[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells all
    try:
        code = process.wait()
    finally:
        for number, way in former.items():
            signal.signal(number, way)
    return code if code >= 0 else 128 - code


def paths(output: Path, count: int) -> list[Path]:
    """Names for several records.

    >>> [path.name for path in paths(Path("a.record"), 3)]
    ['a.record', 'a-2.record', 'a-3.record']
    """
    more = [output.with_stem(f"{output.stem}-{number}") for number in range(2, count + 1)]
    return [output, *more]


def summary(record: RunRecord, path: Path) -> str:
    """A record in a few lines."""
    kinds = record.kinds_of(record.statistics["region"])
    in_mpi = communication_seconds(record).sum()
    total = rank_seconds(record).sum()
    collectives = np.isin(kinds, ("collective", "start collective"))
    rows = sent_messages(record)
    recording = record.ranks["recording_seconds"].sum() / max(total, 1e-9)
    program = Path(record.about.get("program") or "program").name
    size = path.stat().st_size / 1e6
    lines = [
        f"{program}: {record.size} ranks, {record.seconds:.3g} s,"
        f" {in_mpi / max(total, 1e-9):.1%} of it in MPI",
        f"  messages     {rows['count'].sum():,} with {_bytes(rows['bytes'].sum())}",
        f"  collectives  {record.statistics['calls'][collectives].sum():,} calls",
        f"  overhead     {recording:.2%} of the time, as the recorder reckons",
        f"  record       {path} ({size:.2g} MB)",
        *[f"  note: {note}" for note in record.about.get("notes", [])],
        f"next: halocline lab report {path}",
    ]
    return "\n".join(lines)


def _bytes(number: float) -> str:
    """A number of bytes for people.

    >>> _bytes(80), _bytes(3.2e7)
    ('80 bytes', '32 MB')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number} bytes"
