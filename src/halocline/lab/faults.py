"""`halocline lab faults`: is each planted fault named first, and is its gain what mending it gains?

Every program of `planted` runs with its fault under the recorder, and mended, in turns. The advice
on the record is compared with the medians of the measured times.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.lab.advice import advise
from halocline.lab.findings import Finding, faults
from halocline.lab.interposer_build import find_mpicc
from halocline.lab.record import record
from halocline.runtime.launch import mpi_environment, mpiexec_command
from halocline.runtime.run_record import RunRecord

ranks_of = {"blocking all-to-one": 3, "input by every rank": 4}
"""Ranks of the programs that need more than two; those have their cores for themselves."""


@dataclass(frozen=True)
class Trial:
    """What became of one planted fault; seconds of whole runs, medians.

    `expected`, `low` and `high` are the gain that the advice of the median run gives the fault.
    """

    fault: str
    ranks: int
    first: str
    seconds: float
    mended_seconds: float
    measured: float
    expected: float
    low: float
    high: float

    @property
    def named(self) -> bool:
        """Whether the fault is the first finding."""
        return self.first == self.fault

    @property
    def right(self) -> bool:
        """Whether the measured gain lies where the advice says."""
        return self.low <= self.measured <= self.high


def program_of(fault: str) -> str:
    """The module of a planted fault.

    >>> program_of("slow rank")
    'halocline.lab.planted.slow_rank'
    """
    return "halocline.lab.planted." + fault.replace(" ", "_").replace("-", "_")


def run_planted(fault: str, folder: Path, *, mended: bool) -> RunRecord:
    """The record of a planted fault, or of the same program mended."""
    ranks = ranks_of.get(fault, 2)
    command = [*mpiexec_command(ranks), sys.executable, "-m", program_of(fault)]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    if fault == "input by every rank":
        environment["LD_PRELOAD"] = str(slow_disk(folder))
    former = dict(os.environ)
    os.environ.update(environment)
    try:
        code, found = record([*command, *(["--fixed"] if mended else [])], folder / "a.record")
    finally:
        os.environ.clear()
        os.environ.update(former)
    if code != 0 or len(found) != 1:
        raise UserError(f"The planted fault '{fault}' ended with code {code}.")
    return found[0]


def slow_disk(folder: Path) -> Path:
    """The library that makes files named *.slow lie on a slow disk."""
    library = folder / "slow_disk.so"
    source = Path(__file__).with_name("planted") / "slow_disk.c"
    compiler = find_mpicc(mpiexec_command(1))
    words = [compiler, "-shared", "-fPIC", "-O2", "-o", library, source]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise UserError(f"The slow disk cannot be compiled:\n{done.stderr}")
    return library


def trial(fault: str, repeats: int = 3) -> Trial:
    """Run a planted fault and its mended program in turns."""
    broken: list[RunRecord] = []
    mended: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeats):
            broken.append(run_planted(fault, Path(folder), mended=False))
            mended.append(run_planted(fault, Path(folder), mended=True).seconds)
    middle = sorted(broken, key=lambda one: one.seconds)[len(broken) // 2]
    found = advise(middle)
    own: Finding | None = next((one for one in found if one.fault == fault), None)
    seconds, later = middle.seconds, statistics.median(mended)
    return Trial(
        fault=fault,
        ranks=middle.size,
        first=found[0].fault if found else "nothing",
        seconds=seconds,
        mended_seconds=later,
        measured=seconds - later,
        expected=own.gain.seconds if own else 0.0,
        low=own.gain.low if own else 0.0,
        high=own.gain.high if own else 0.0,
    )


def line(one: Trial) -> str:
    """A trial in a line."""
    named = "named first" if one.named else f"named {one.first}"
    verdict = "holds" if one.right else "does not hold"
    return (
        f"{one.fault:<26}{named:<14}{one.seconds:>8.3f} s; predicted gain {one.expected:.3f} s"
        f" ({one.low:.3f} to {one.high:.3f}), measured {one.measured:.3f} s: {verdict}"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab faults`."""
    parser.add_argument(
        "faults", nargs="*", metavar="FAULT", help=f"all, or some of: {', '.join(faults)}"
    )
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program (3)")
    parser.add_argument("--json", metavar="FILE", help="write all numbers")


def main(options: Any) -> int:
    """Run the command; its exit code is 1 where a fault is not named first, or a gain is wrong."""
    wanted = options.faults or list(faults)
    for fault in wanted:
        if fault not in faults:
            raise UserError(f"There is no fault '{fault}'. Faults are: {', '.join(faults)}.")
    trials = []
    for fault in wanted:
        trials.append(trial(fault, max(1, options.repeat)))
        print(line(trials[-1]), flush=True)
    if options.json:
        words = [{**asdict(one), "named": one.named, "right": one.right} for one in trials]
        Path(options.json).write_text(json.dumps(words, indent=1), encoding="utf-8")
    return 0 if all(one.named and one.right for one in trials) else 1
