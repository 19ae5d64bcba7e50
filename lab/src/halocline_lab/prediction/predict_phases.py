"""`halocline lab predict phases`: other lengths, sizes and rank counts, from measured phases

Each phase is extrapolated by itself: what is done once in a run, in every step, or at every output;
over ranks and points by a law of scaling that is chosen by what it predicts, with bounds. Files are
records of runs (halocline.record or its folder), scale.json of `halocline lab scale`, or tables of
your own (CSV or JSON) with the columns phase,per,seconds,ranks and, if you like, count and points;
per is run, step or frame, and seconds are those of `count` times.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from halocline.core.errors import UserError
from halocline_lab.scaling.extrapolation import Forecast, Wanted, forecast, held_out, text
from halocline_lab.scaling.phase_files import read_all
from halocline_lab.scaling.pictures import write_picture
from halocline_lab.statistics.number_lists import whole_numbers

keys = {
    "rows": "one entry per number of ranks",
    "rows.ranks": "ranks",
    "rows.phases": "one entry per phase",
    "rows.phases.phase": "its name",
    "rows.phases.per": "what it is done once in: run, step or frame",
    "rows.phases.times": "how often",
    "rows.phases.seconds": "in all [s]",
    "rows.phases.low": "bound of it, about 95 %, if one of the laws that were tried holds",
    "rows.phases.high": "the other bound",
    "rows.phases.law": "the law of one time over ranks n and points",
    "rows.phases.error": "median relative error of the law on measurements left out",
    "rows.seconds": "the whole run [s]",
    "rows.low": "bound of it",
    "rows.high": "the other bound",
    "rows.notes": "what to know about it",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab predict phases`."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="records or tables")
    parser.add_argument("--steps", type=float, required=True, help="steps of the run")
    parser.add_argument("--frames", type=float, default=0.0, help="outputs of the run (0)")
    parser.add_argument(
        "--ranks", metavar="LIST", help="ranks, one number or several; the most that were measured"
    )
    parser.add_argument("--points", type=float, help="points; as measured")
    parser.add_argument(
        "--perfect", action="store_true", help="divide perfectly what was measured on one count"
    )
    parser.add_argument("--output", metavar="FILE", help="draw times over ranks: PNG, PDF, SVG")
    parser.add_argument("--json", metavar="FILE", help=f"write values; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    for name in ("steps", "frames"):
        if getattr(options, name) < 0.0:
            raise UserError(f"--{name} {getattr(options, name):g}: give 0 or more.")
    chosen = whole_numbers(options.ranks, "--ranks") if options.ranks else []
    if options.output and len(chosen) < 2:
        raise UserError("--output draws times over ranks: give several, for example --ranks 1-64.")
    times = read_all(options.files)
    if not times:
        raise UserError(f"There are no phases in {', '.join(options.files)}.")
    most = max(time.ranks for time in times)
    wanted = [
        Wanted(options.steps, options.frames, ranks, options.points) for ranks in chosen or [most]
    ]
    found = [forecast(times, one, perfect=options.perfect) for one in wanted]
    if len(found) == 1:
        print(text(found[0], wanted[0]))
    else:
        print(several(wanted, found, most))
    test = held_out(times)
    if test is not None:
        ranks, seconds, measured = test
        print(
            f"test: a step on {ranks} ranks, predicted from fewer: {seconds:.4g} s, measured"
            f" {measured:.4g} s ({100 * (seconds / measured - 1.0):+.1f} %)"
        )
    if options.output:
        from halocline_lab.scaling.forecast_plots import draw

        write_picture(lambda path: draw(chosen, found, most, path), Path(options.output))
    if options.json:
        rows = [{"ranks": one.ranks, **asdict(run)} for one, run in zip(wanted, found, strict=True)]
        result = {"rows": rows, "keys": keys}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


def several(wanted: Sequence[Wanted], found: Sequence[Forecast], most: int) -> str:
    """Runs on several numbers of ranks, with their largest phase."""
    first = wanted[0]
    lines = [
        f"{first.steps:g} steps, {first.frames:g} outputs; * more ranks than were measured",
        f"{'ranks':>8}{'seconds':>12}{'(bounds)':>25}{'speed-up':>10}  largest phase",
    ]
    for one, run in zip(wanted, found, strict=True):
        bounds = f"({run.low:.4g} to {run.high:.4g})" if run.high > run.low else ""
        phase = max(run.phases, key=lambda p: p.seconds)
        mark = "*" if one.ranks > most else " "
        gain = found[0].seconds / run.seconds if run.seconds > 0.0 else 1.0
        share = 100.0 * phase.seconds / run.seconds if run.seconds > 0.0 else 0.0
        lines.append(
            f"{one.ranks:>7}{mark}{run.seconds:>12.4g}{bounds:>25}{gain:>10.2f}"
            f"  {phase.phase} {share:.0f} %"
        )
    return "\n".join(lines)
