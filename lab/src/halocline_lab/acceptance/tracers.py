"""`halocline lab tracers`: tables 1, 3, 4 and figure 5 of Cheptsov et al. (2009), measured here.

The paper's OPATM-BFM carries 51 tracers on 32 and 64 nodes. Here the case mediterranean-bloom (its
grid and its biology; the flow and the water by formulas, so that no ocean has to be run before) is
read, stepped and stored in the paper's way, with the paper's gains, and in Halocline's, in turns,
on two numbers of ranks that share this machine. What is compared are ratios; the 816 steps of the
real case are put together from phases, unless they are to be run (--whole).
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline_lab.acceptance import golden_cheptsov as golden
from halocline_lab.acceptance import tracers_run
from halocline_lab.acceptance.phase_table import scalability_text
from halocline_lab.acceptance.phase_table import text as phase_text
from halocline_lab.acceptance.tracers_tables import (
    Times,
    figure_5_panels,
    figure_5_section,
    messages_section,
    segments_section,
    stores,
    table_1_section,
    table_3_section,
    table_4_section,
    ways,
)
from halocline_lab.benchmarks.rank_programs import answer_of
from halocline_lab.output_cost.output import machine, tell
from halocline_lab.output_cost.output_page import page
from halocline_lab.output_cost.output_plots import save_picture
from halocline_lab.output_cost.output_results import Report
from halocline_lab.output_cost.output_tables import tables
from halocline_lab.scaling.pictures import kinds

title = "51 tracers, their messages and files"
lead = (
    "Tables 1, 3, 4 and figure 5 of Cheptsov et al. (2009) on OPATM-BFM, measured again on this"
    " machine: the paper's number, the number here, their ratio."
)


def measure(
    ranks: Sequence[int],
    folder: Path,
    *,
    rounds: int,
    turns: int = 1,
    quick: bool = False,
    levels: int | None = None,
    whole: bool = False,
) -> list[dict[str, Any]]:
    """What `tracers_run` finds on each number of ranks, which take `turns`."""
    found: dict[int, dict[str, Any]] = {}
    for turn in range(turns):
        for number in ranks:
            tell(f"turn {turn + 1} of {turns}: {number} ranks")
            with tempfile.TemporaryDirectory(dir=folder) as place:
                settings = {
                    "quick": quick,
                    "levels": levels,
                    "rounds": rounds,
                    "whole": int(golden.real_steps) if whole and turn == 0 else None,
                    "stores": stores,
                    "folder": place,
                }
                one = json.loads(answer_of(tracers_run.__name__, settings, number))
            if number in found:
                found[number]["seconds"] += one["seconds"]
                found[number]["built"] = min(one["built"], found[number]["built"])
            else:
                found[number] = one
    return [found[number] for number in ranks]


def report(found: Sequence[dict[str, Any]], *, least: bool = False) -> Report:
    """All sections, from two numbers of ranks."""
    few, more = (Times(one, least) for one in found)
    sections = [
        table_1_section(few),
        table_3_section(few, more),
        table_4_section(few, more),
        figure_5_section(few, more),
        messages_section(few, more),
        segments_section([few, more]),
    ]
    cores = len(os.sched_getaffinity(0))
    about = {
        **machine(),
        "ranks": f"{few.ranks} and {more.ranks}",
        "grid": " x ".join(str(n) for n in reversed(found[0]["cells"])),
        "rounds": str(len(found[0]["seconds"])) + ", the least counts" * least,
    }
    if more.ranks > cores:
        about["shared"] = f"{more.ranks} ranks share {cores} cores: their loop cannot be faster"
    return Report(about, sections)


def text(found: Sequence[dict[str, Any]], made: Report, *, least: bool = False) -> str:
    """The tables in the paper's shape, then all numbers of the report beside the printed ones."""
    few, more = (Times(one, least) for one in found)
    shapes = [phase_text(few.table(way)) for way in ways]
    shapes.append(scalability_text(few.table(ways[0]), more.table(ways[0])))
    return "\n\n".join([*shapes, tables(made)])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab tracers`."""
    parser.add_argument(
        "-n",
        "--ranks",
        type=int,
        nargs=2,
        default=[2, 4],
        metavar=("FEW", "MORE"),
        help="two numbers of ranks, in place of the paper's 32 and 64 nodes (2 4)",
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds of a turn (3)")
    parser.add_argument(
        "--turns", type=int, default=2, help="how often the numbers of ranks take turns (2)"
    )
    parser.add_argument(
        "--levels", type=int, help="upper levels of the grid only: shorter messages, less time"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a grid of 48 x 16 x 4 cells: a look, no result"
    )
    parser.add_argument(
        "--whole", action="store_true", help="run the 816 steps too, beside their forecast (hours)"
    )
    parser.add_argument(
        "--least", action="store_true", help="the least of all rounds, where others compute too"
    )
    parser.add_argument(
        "--folder", metavar="FOLDER", help="where it reads and writes, so which disk counts; here"
    )
    parser.add_argument(
        "--page", metavar="FILE", default="results/lab/tracers.html", help="the page to write"
    )
    parser.add_argument("--picture", metavar="FILE", help="draw figure 5: PNG, PDF, SVG")
    parser.add_argument("--json", metavar="FILE", help="write all numbers")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    _check(options)
    found = measure(
        options.ranks,
        Path(options.folder or Path.cwd()),
        rounds=options.rounds,
        turns=options.turns,
        quick=options.quick,
        levels=options.levels,
        whole=options.whole,
    )
    made = report(found, least=options.least)
    print(text(found, made, least=options.least))
    path = Path(options.page)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(made, title, lead), encoding="utf-8")
    print(f"page: {path}")
    if options.picture:
        few, more = (Times(one, options.least) for one in found)
        save_picture(figure_5_panels(few, more), Path(options.picture))
    if options.json:
        result = {"measured": found, **made.to_table()}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


def _check(options: argparse.Namespace) -> None:
    """Refuse what cannot be measured, before anything is."""
    few, more = options.ranks
    if not 2 <= few < more:
        raise UserError(
            f"-n {few} {more}: give two numbers of ranks, the smaller one first and at least 2,"
            " since a rank alone sends no messages."
        )
    for name in ("rounds", "turns"):
        if getattr(options, name) < 1:
            raise UserError(f"--{name} {getattr(options, name)}: give 1 or more.")
    if options.levels is not None and (options.levels < 2 or options.quick):
        raise UserError(
            f"--levels {options.levels}: 2 or more, of the Mediterranean's 72; the grid of --quick"
            " keeps its own."
        )
    if options.picture and Path(options.picture).suffix.lower() not in kinds:
        raise UserError(f"--picture {options.picture}: the name must end in {', '.join(kinds)}.")
    if options.folder and not Path(options.folder).is_dir():
        raise UserError(f"--folder {options.folder}: there is no such folder. Make it first.")
