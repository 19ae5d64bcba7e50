"""What the record of a run costs: calls per step times the cost of a call, over the step.

Runs of the wave benchmark (29,792 points, 600 components) and of the case swell, whose steps are
short, on several numbers of ranks. Calls of each kind are reckoned at what one takes here.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from halocline_lab.benchmarks.rank_programs import answer_of

keys = {
    "case": "the case that ran",
    "ranks": "ranks of the model",
    "steps": "steps of the run",
    "calls_per_step": "calls of the recorder in a step on rank 0, messages among them",
    "step_seconds": "mean wall time of a step, with its share of output [s]",
    "recording_seconds": "what recording took the slowest rank in all [s]",
    "overhead": "share of the run's time that recording took, at most",
    "bytes": "size of the record's file [byte]",
}

lengths = {"waves": "6h", "swell": "6d"}
"""How long each case runs."""


def measure(ranks: list[int], cases: list[str]) -> list[dict[str, Any]]:
    """One row for each case and number of ranks; see `keys`."""
    rows = []
    for case in cases:
        for count in ranks:
            settings = {"case": case, "length": lengths[case]}
            found = json.loads(answer_of("halocline_lab.benchmarks.recorder_run", settings, count))
            rows.append({"case": case, "ranks": count, **found})
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as text."""
    lines = [f"{'case':<8}{'ranks':>6}{'calls/step':>12}{'step ms':>10}{'overhead':>10}{'kB':>8}"]
    for row in rows:
        lines.append(
            f"{row['case']:<8}{row['ranks']:>6}{row['calls_per_step']:>12.0f}"
            f"{1e3 * row['step_seconds']:>10.3g}{row['overhead']:>10.2%}{row['bytes'] / 1e3:>8.0f}"
        )
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab recorder`."""
    parser.add_argument("--ranks", default="1,2,8", metavar="N,N..", help="ranks (1,2,8)")
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: Any) -> int:
    """Run the command."""
    ranks = [int(word) for word in options.ranks.split(",")]
    rows = measure(ranks, list(lengths))
    print(table(rows))
    if options.json:
        Path(options.json).write_text(json.dumps({"rows": rows, "keys": keys}, indent=1) + "\n")
    return 0
