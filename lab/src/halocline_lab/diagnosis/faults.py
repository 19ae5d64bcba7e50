"""`halocline lab faults`: is each planted fault named first, and is its gain what mending it gains?

Every program of `planted` runs with its fault under the recorder, and mended, in turns. The advice
on the record is compared with what mending gains, of pairs of runs (`paired`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.record.run_record_file import read_record, record_name
from halocline_lab.diagnosis.advice import advise
from halocline_lab.diagnosis.findings import Finding, faults
from halocline_lab.diagnosis.phases import kind_mask, period_seconds
from halocline_lab.diagnosis.timeline import sums
from halocline_lab.recording.interposer_build import find_mpicc
from halocline_lab.recording.record import record
from halocline_lab.statistics.paired import Cost, cost, fewest

ranks_of = {"blocking all-to-one": 3, "input by every rank": 4, "unequal members": 3}
"""Ranks of the programs that need more than two; those have their cores for themselves."""


@dataclass(frozen=True)
class Trial:
    """What became of one planted fault.

    `measured` is what mending it gained, of pairs of runs [s]; `expected`, `low` and `high` are the
    gain that the advice gives the fault, of the run of median length. `named` and `healthy` count
    the runs in which the fault was named first, and the mended ones in which it was not named.
    """

    fault: str
    ranks: int
    runs: int
    seconds: float
    measured: Cost
    expected: float
    low: float
    high: float
    named: int
    healthy: int

    @property
    def verdict(self) -> str:
        """Whether the gain is as measured: "holds", "cannot tell", or "does not hold".

        Nobody can tell where the measured gain's own bounds reach into the predicted ones.
        """
        if self.low <= self.measured.value <= self.high:
            return "holds"
        apart = self.measured.high < self.low or self.measured.low > self.high
        return "does not hold" if apart and self.runs >= fewest else "cannot tell"

    @property
    def passed(self) -> bool:
        """Whether most runs named the fault first, and nothing speaks against its gain."""
        return 2 * self.named > self.runs and self.verdict != "does not hold"


on_slow_disk = ("input by every rank", "output in the way")

own_runs = ("unequal members",)
"""Those whose programs are runs of Halocline, which leave their record in the folder given."""


def program_of(fault: str) -> str:
    """The module of a planted fault.

    >>> program_of("slow rank")
    'halocline_lab.diagnosis.planted.slow_rank'
    """
    return "halocline_lab.diagnosis.planted." + fault.replace(" ", "_").replace("-", "_")


def run_planted(fault: str, folder: Path, *, mended: bool) -> RunRecord:
    """The record of a planted fault, or of the same program mended."""
    ranks = ranks_of.get(fault, 2)
    command = [*mpiexec_command(ranks), sys.executable, "-m", program_of(fault)]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    if ranks <= len(os.sched_getaffinity(0)):
        environment["OMPI_MCA_mpi_yield_when_idle"] = "0"  # a rank that waits keeps its core
    if fault in on_slow_disk:
        environment["LD_PRELOAD"] = str(slow_disk(folder))
    words = ["--fixed"] if mended else []
    with _environment(environment):
        if fault in own_runs:
            results = Path(tempfile.mkdtemp(dir=folder))
            code = subprocess.run([*command, str(results), *words]).returncode
            found = [read_record(results / record_name)] if code == 0 else []
        else:
            code, found = record([*command, *words], folder / "a.record")
    if code != 0 or len(found) != 1:
        raise UserError(f"The planted fault '{fault}' ended with code {code}.")
    return found[0]


@contextmanager
def _environment(environment: Mapping[str, str]) -> Iterator[None]:
    """These variables for what is started within."""
    former = dict(os.environ)
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(former)


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
    mended: list[RunRecord] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeats):
            broken.append(run_planted(fault, Path(folder), mended=False))
            mended.append(run_planted(fault, Path(folder), mended=True))
    return judged(fault, broken, mended)


def judged(fault: str, broken: list[RunRecord], mended: list[RunRecord]) -> Trial:
    """What runs with a fault and mended ones, in pairs, tell of the advice."""
    gains = [
        measured_seconds(fault, one) - measured_seconds(fault, other)
        for one, other in zip(broken, mended, strict=True)
    ]
    found = [advise(one) for one in broken]
    order = np.argsort([measured_seconds(fault, one) for one in broken], kind="stable")
    middle = int(order[len(order) // 2])
    own: Finding | None = next((one for one in found[middle] if one.fault == fault), None)
    return Trial(
        fault=fault,
        ranks=broken[middle].size,
        runs=len(broken),
        seconds=measured_seconds(fault, broken[middle]),
        measured=cost(gains),
        expected=own.gain.seconds if own else 0.0,
        low=own.gain.low if own else 0.0,
        high=own.gain.high if own else 0.0,
        named=sum(bool(one) and one[0].fault == fault for one in found),
        healthy=sum(fault not in [two.fault for two in advise(one)] for one in mended),
    )


def measured_seconds(fault: str, record: RunRecord) -> float:
    """The part of a run that a fault is in: its steps, or for input what comes before [s]."""
    if fault != "input by every rank":
        return record.steady_seconds
    init = kind_mask(record, ("other mpi",), record.statistics)
    rows = record.statistics[init & (record.statistics["period"] == 0)]
    library = sums(rows["rank"], rows["own_seconds"], record.size)
    return float((period_seconds(record)[0] - library).max())


def line(one: Trial) -> str:
    """A trial in a line."""
    return (
        f"{one.fault:<26}named first {one.named} of {one.runs}, not when mended {one.healthy} of"
        f" {one.runs}; {one.seconds:.3f} s: gain predicted {one.expected:.3f}"
        f" ({one.low:.3f} to {one.high:.3f}), measured {one.measured.value:.3f}"
        f" ({one.measured.low:.3f} to {one.measured.high:.3f}): {one.verdict}"
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
        words = [{**asdict(one), "verdict": one.verdict} for one in trials]
        Path(options.json).write_text(json.dumps(words, indent=1), encoding="utf-8")
    return 0 if all(one.passed for one in trials) else 1
