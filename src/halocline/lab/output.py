"""`halocline lab output`: what output, restarts and input cost, beside the papers' numbers.

Regenerates, on this machine, tables 5.1 to 5.3 of Tolman (2003), figures 14 to 19 of Porter &
Ashworth (2010), and the input times of Cheptsov et al. (2009). Runs with and without an output are
made in pairs and take turns; medians are bounded; where the noise wins, the page says so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import halocline
from halocline.core.errors import UserError
from halocline.lab import output_costs, output_runs, waves
from halocline.lab.output_page import page
from halocline.lab.output_results import Report, Section
from halocline.lab.output_tables import tables
from halocline.lab.starting import on_ranks


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    `ranks` are the model's in tables 5.2 and 5.3, `rounds` how often all arrangements take turns,
    `length` the hourly steps of a block.
    """

    folder: Path
    ranks: int
    rounds: int = 24
    length: int = 1
    writers: Sequence[str] = tuple(output_costs.names)


def full(plan: Plan) -> Plan:
    """As in the papers: 99 whole runs of a day of each set-up (hours)."""
    return Plan(plan.folder, plan.ranks, rounds=99, length=24, writers=plan.writers)


def runs(plan: Plan) -> list[Section]:
    """Tables 5.2 and 5.3."""
    sections = []
    spun = waves.spin_up("ST2", plan.folder, len(os.sched_getaffinity(0)))
    for writers in plan.writers:
        with tempfile.TemporaryDirectory(dir=plan.folder) as folder:
            print(f"runs with outputs: {output_costs.names[writers]}")
            settings = output_runs.settings_of(str(spun), folder, writers, plan.rounds, plan.length)
            result = on_ranks(output_runs.__name__, settings, plan.ranks)
        sections.append(output_costs.section(result))
    return sections


benchmarks: dict[str, Callable[[Plan], list[Section]]] = {"runs": runs}
"""What can be measured, by the names of `--what`."""


def measure(plan: Plan, what: Sequence[str]) -> Report:
    """Measure some of the benchmarks."""
    begin = time.perf_counter()
    sections = [section for name in what for section in benchmarks[name](plan)]
    return Report({**machine(), "took": f"{time.perf_counter() - begin:.0f} s"}, sections)


def machine() -> dict[str, str]:
    """Where this is."""
    return {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "system": f"{platform.system()} {platform.release()}",
        "Halocline": halocline.__version__,
        "measured": time.strftime("%Y-%m-%d %H:%M"),
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab output`."""
    parser.add_argument(
        "--what",
        type=lambda words: words.split(","),
        default=list(benchmarks),
        metavar="NAMES",
        help=f"some of {','.join(benchmarks)}",
    )
    cores = len(os.sched_getaffinity(0))
    parser.add_argument(
        "-n", "--ranks", type=int, default=cores, help=f"ranks of the wave model ({cores})"
    )
    parser.add_argument("--rounds", type=int, default=Plan.rounds, help="pairs of each kind (24)")
    parser.add_argument(
        "--writers",
        type=lambda words: words.split(","),
        default=list(output_costs.names),
        metavar="NAMES",
        help=f"who writes the outputs of the runs: some of {','.join(output_costs.names)}",
    )
    parser.add_argument(
        "--full", action="store_true", help="as in the papers: 99 runs of a day each (hours)"
    )
    parser.add_argument(
        "--folder", metavar="FOLDER", help="where it writes, so which disk is measured; here"
    )
    parser.add_argument(
        "--page", metavar="FILE", default="results/lab/output.html", help="the page to write"
    )
    parser.add_argument("--json", metavar="FILE", help="write all numbers")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    _refuse_unknown("--what", options.what, benchmarks)
    _refuse_unknown("--writers", options.writers, output_costs.names)
    if options.rounds < 1 or options.ranks < 1:
        raise UserError("--rounds and --ranks: 1 or more.")
    with tempfile.TemporaryDirectory(dir=options.folder or Path.cwd()) as folder:
        plan = Plan(Path(folder), options.ranks, options.rounds, writers=tuple(options.writers))
        report = measure(full(plan) if options.full else plan, options.what)
    print(tables(report))
    path = Path(options.page)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(report), encoding="utf-8")
    print(f"page: {path}")
    if options.json:
        Path(options.json).write_text(json.dumps(report.to_table(), indent=1) + "\n")
    return 0


def _refuse_unknown(option: str, names: Sequence[str], known: Any) -> None:
    for name in names:
        if name not in known:
            raise UserError(f"{option} {name} is not known. Known are {', '.join(known)}.")
