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
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import halocline
from halocline.core.errors import UserError
from halocline.runtime.files.disk import variable
from halocline_lab.benchmarks import waves
from halocline_lab.benchmarks.rank_programs import answer_of
from halocline_lab.benchmarks.wave_run import benchmark_case
from halocline_lab.output_cost import (
    output_costs,
    output_frames,
    output_frames_run,
    output_input,
    output_restart,
    output_restart_run,
    output_runs,
)
from halocline_lab.output_cost import output_papers as papers
from halocline_lab.output_cost.output_page import page
from halocline_lab.output_cost.output_results import Report, Section
from halocline_lab.output_cost.output_tables import tables
from halocline_lab.statistics.number_lists import whole_numbers

title = "What output costs"
lead = (
    "The papers' tables and figures on output and input, measured again on this machine: old"
    " number, new number, ratio."
)


@dataclass(frozen=True)
class Plan:
    """How much is measured, and where: files go into `folder`.

    Tables 5.2 and 5.3: `ranks` of the model, all arrangements of outputs in turns `rounds` times,
    in blocks of `length` hourly steps. Table 5.1: `restarts` of every way, also on emulated
    `disks`. Figures 14 to 19: `frames` of every way for each number in `frame_ranks` and `servers`,
    on grids of the paper's size if `whole`, some `ways` alone if wanted. Input: `records` of
    `winds` for each of `frame_ranks`.
    """

    folder: Path
    ranks: int
    rounds: int = 24
    length: int = 1
    writers: Sequence[str] = tuple(output_costs.names)
    restarts: int = 12
    restart_ranks: int = 8
    disks: Sequence[str] = tuple(output_restart.disks)
    frames: int = 6
    frame_ranks: Sequence[int] = (1, 2, 4, 8)
    ways: Sequence[str] = tuple(output_frames.ways)
    servers: Sequence[int] = (1, 2, 3, 4)
    whole: bool = False
    winds: tuple[int, int] = (721, 1440)
    records: int = 9


def full(plan: Plan) -> Plan:
    """As in the papers: 99 runs of a whole day of each set-up, frames of 1.63 GB (hours)."""
    return replace(plan, rounds=papers.paper_runs, length=papers.day, whole=True)


def runs(plan: Plan) -> list[Section]:
    """Tables 5.2 and 5.3."""
    results = []
    spun = waves.spin_up("ST2", plan.folder, len(os.sched_getaffinity(0)))
    for writers in plan.writers:
        with tempfile.TemporaryDirectory(dir=plan.folder) as folder:
            tell(f"runs with outputs, {output_costs.names[writers]}")
            settings = output_runs.settings_of(str(spun), folder, writers, plan.rounds, plan.length)
            beside = writers == "servers"
            ranks = plan.ranks + 1 if beside else max(plan.ranks, 1 + settings["servers"])
            results.append(on_ranks(output_runs.__name__, settings, ranks))
    first, *others = (output_costs.section(result) for result in results)
    return [replace(first, headline=output_costs.headline(results)), *others]


def restart(plan: Plan) -> list[Section]:
    """Table 5.1."""
    settings = {
        "case": benchmark_case("ST2", "", "1h"),
        "folder": str(plan.folder),
        "servers": 1,
        "rounds": plan.restarts,
        "rehearse": True,
        "ways": list(output_restart.words),
    }
    tell("restarts in every way")
    plain = on_ranks(output_restart_run.__name__, settings, plan.restart_ranks + 1)
    emulated = []
    for disk in plan.disks:
        tell(f"restarts on {output_restart.disks[disk].name}")
        ways = [way for way in output_restart.disks[disk].ways if way in plain["ways"]]
        settings |= {"rounds": 2, "rehearse": False, "ways": ways}
        settings["servers"] = int("servers" in ways)
        result = on_ranks(
            output_restart_run.__name__, settings, plan.restart_ranks + 1, {variable: disk}
        )
        emulated.append({**result, "disk": disk})
    return [output_restart.section(plain, emulated)]


def frames(plan: Plan) -> list[Section]:
    """Figures 14 to 19; 17 to 19 hold servers against the first rank, and need both."""
    few = ["first", "servers"]
    both = set(few) <= set(plan.ways)
    middle = sorted(plan.frame_ranks)[len(plan.frame_ranks) // 2]
    starts: list[tuple[str, int, dict[str, Any]]] = []
    for ranks in plan.frame_ranks:
        starts.append(("ranks", ranks, {}))
    for servers in plan.servers if both else ():
        starts.append(("servers", middle, {"servers": servers, "ways": few}))
    for placement in ("packed", [1, 3]) if both else ():
        for assignment in ("consecutive", "round-robin"):
            some = {"placement": placement, "assignment": assignment, "servers": 2, "ways": few}
            starts.append(("layout", middle, some))
    results = []
    for kind, ranks, more in starts:
        settings = {
            "kind": kind,
            "servers": 1,
            "placement": "packed",
            "assignment": "consecutive",
            "ways": list(plan.ways),
            "levels": output_frames.levels,
            "grids": output_frames.grids(whole=plan.whole),
            "whole": plan.whole,
            "frames": plan.frames,
            "folder": str(plan.folder),
            **more,
        }
        servers = settings["servers"]
        tell(f"frames on {ranks} ranks of the model and {servers} of servers, by {kind}")
        results.append(on_ranks(output_frames_run.__name__, settings, ranks + servers))
    return output_frames.sections(results)


def inputs(plan: Plan) -> list[Section]:
    """Tables 3 and 4 of Cheptsov et al. (2009)."""
    settings = {"shape": plan.winds, "records": plan.records}
    found: list[dict[str, Any]] = []
    for ranks in [n for n in plan.frame_ranks if n > 1] or [1]:
        tell(f"input on {ranks} ranks")
        found += json.loads(answer_of(output_input.__name__, settings, ranks))
    return [output_input.section(found, settings)]


def on_ranks(
    module: str, settings: dict[str, Any], ranks: int, environment: dict[str, str] | None = None
) -> dict[str, Any]:
    """What a program of the laboratory finds on ranks of one thread each."""
    found: dict[str, Any] = json.loads(answer_of(module, settings, ranks, environment=environment))
    return found


def tell(words: str) -> None:
    """What is going on."""
    print(words, file=sys.stderr, flush=True)


benchmarks: dict[str, Callable[[Plan], list[Section]]] = {
    "restart": restart,
    "runs": runs,
    "frames": frames,
    "input": inputs,
}
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
    parser.add_argument("--frames", type=int, default=Plan.frames, help="frames of each way (6)")
    parser.add_argument(
        "--ways",
        type=lambda words: words.split(","),
        default=list(output_frames.ways),
        metavar="NAMES",
        help=f"ways of frames: some of {','.join(output_frames.ways)}",
    )
    parser.add_argument(
        "--frame-ranks", metavar="LIST", default="1,2,4,8", help="ranks of frames and input"
    )
    parser.add_argument(
        "--restarts", type=int, default=Plan.restarts, help="restarts of each way (12)"
    )
    parser.add_argument(
        "--writers",
        type=lambda words: words.split(","),
        default=list(output_costs.names),
        metavar="NAMES",
        help=f"who writes the outputs of the runs: some of {','.join(output_costs.names)}",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="as in the papers: 99 runs of a day each, frames of 1.63 GB (hours)",
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
    _refuse_unknown("--ways", options.ways, output_frames.ways)
    if min(options.rounds, options.ranks, options.frames, options.restarts) < 1:
        raise UserError("--rounds, --ranks, --frames and --restarts: 1 or more each.")
    frame_ranks = whole_numbers(options.frame_ranks, "--frame-ranks")
    with tempfile.TemporaryDirectory(dir=options.folder or Path.cwd()) as folder:
        plan = Plan(
            Path(folder),
            options.ranks,
            options.rounds,
            writers=tuple(options.writers),
            restarts=options.restarts,
            frames=options.frames,
            frame_ranks=tuple(frame_ranks),
            ways=tuple(options.ways),
        )
        report = measure(full(plan) if options.full else plan, options.what)
    print(tables(report))
    path = Path(options.page)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(report, title, lead), encoding="utf-8")
    print(f"page: {path}")
    if options.json:
        Path(options.json).write_text(json.dumps(report.to_table(), indent=1) + "\n")
    return 0


def _refuse_unknown(option: str, names: Sequence[str], known: Any) -> None:
    for name in names:
        if name not in known:
            raise UserError(f"{option} {name} is not known. Known are {', '.join(known)}.")
