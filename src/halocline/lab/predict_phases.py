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
from dataclasses import asdict
from pathlib import Path

from halocline.core.errors import UserError
from halocline.lab.extrapolation import Wanted, forecast, held_out, text
from halocline.lab.phase_files import read_all

keys = {
    "phases": "one entry per phase",
    "phases.phase": "its name",
    "phases.per": "what it is done once in: run, step or frame",
    "phases.times": "how often",
    "phases.seconds": "in all [s]",
    "phases.low": "bound of it, about 95 %, if one of the laws that were tried holds",
    "phases.high": "the other bound",
    "phases.law": "the law of one time over ranks n and points",
    "phases.error": "median relative error of the law on measurements left out",
    "seconds": "the whole run [s]",
    "low": "bound of it",
    "high": "the other bound",
    "notes": "what to know about it",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab predict phases`."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="records or tables")
    parser.add_argument("--steps", type=float, required=True, help="steps of the run")
    parser.add_argument("--frames", type=float, default=0.0, help="outputs of the run (0)")
    parser.add_argument("--ranks", type=int, help="ranks; the most that were measured")
    parser.add_argument("--points", type=float, help="points; as measured")
    parser.add_argument(
        "--perfect", action="store_true", help="divide perfectly what was measured on one count"
    )
    parser.add_argument("--json", metavar="FILE", help=f"write values; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    for name in ("steps", "frames"):
        if getattr(options, name) < 0.0:
            raise UserError(f"--{name} {getattr(options, name):g}: give 0 or more.")
    if options.ranks is not None and options.ranks < 1:
        raise UserError(f"--ranks {options.ranks}: there must be 1 or more.")
    times = read_all(options.files)
    if not times:
        raise UserError(f"There are no phases in {', '.join(options.files)}.")
    ranks = options.ranks or max(time.ranks for time in times)
    wanted = Wanted(options.steps, options.frames, ranks, options.points)
    found = forecast(times, wanted, perfect=options.perfect)
    print(text(found, wanted))
    test = held_out(times)
    if test is not None:
        most, seconds, measured = test
        print(
            f"test: a step on {most} ranks, predicted from fewer: {seconds:.4g} s, measured"
            f" {measured:.4g} s ({100 * (seconds / measured - 1.0):+.1f} %)"
        )
    if options.json:
        result = {**asdict(found), "keys": keys}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0
