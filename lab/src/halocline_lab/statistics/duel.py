"""`halocline lab duel "A" "B"`: two commands in turns, and whether one can tell which is faster.

Each round runs both, one after the other, first one first, then the other; a change of the
machine's pace meets both. The verdict is from the ratios of all rounds: faster, slower or cannot
tell, with bounds, wider where rounds depend on each other; nothing is dropped, outliers are named.
--number takes the time from what the commands print, for example --number 'elapsed: ([0-9.]+)';
else it is that of the whole command.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline_lab.benchmarks.machine_load import load_words
from halocline_lab.statistics.comparison import Comparison, compare_pairs, outliers
from halocline_lab.statistics.run_progress import RunProgress

chance = 0.9
"""With which a number of runs is to find a difference."""

keys = {
    "commands": "A and B",
    "seconds": "of all rounds, of A and of B",
    "outliers": "rounds (from 0) whose times lie far outside the others, of A and of B",
    "ratio": "median over rounds of the time of B over that of A",
    "low": "bound of it, with about 95 % confidence",
    "high": "the other bound",
    "verdict": "of B: faster, slower or cannot tell",
    "correlation": "of the ratio of a round with that of the one before, by ranks",
    "widening": "how many times as wide the bounds are as those of rounds that do not depend so",
    "runs_needed": "runs of each that would find the difference of --find with a chance of 90 %",
}


def fight(
    commands: Sequence[str], rounds: int, warm_up: int, pattern: str = ""
) -> NDArray[np.float64]:
    """Seconds [round, command] of both commands in turns."""
    seconds = np.zeros((rounds, 2))
    for command in commands:
        for _ in range(warm_up):
            run_once(command, pattern)
    with RunProgress(rounds, {"A": 1.0, "B": 1.0}) as progress:
        for turn in range(rounds):
            for at in (0, 1) if turn % 2 == 0 else (1, 0):
                began = time.monotonic()
                seconds[turn, at] = run_once(commands[at], pattern)
                progress.done("AB"[at], time.monotonic() - began)
    return seconds


def run_once(command: str, pattern: str = "") -> float:
    """Seconds of a command of the shell; what it prints is not shown, unless it fails."""
    began = time.perf_counter()
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    passed = time.perf_counter() - began
    if done.returncode:
        words = (done.stderr or done.stdout).strip()[-2000:]
        raise UserError(
            f"'{command}' ended with code {done.returncode}, so there is no duel.\n{words}"
        )
    if not pattern:
        return passed
    found = re.findall(pattern, done.stdout + done.stderr)
    try:
        value = float(found[-1])
    except (IndexError, ValueError, TypeError):
        raise UserError(
            f"'{command}' printed no number as --number '{pattern}' says. It takes the last match"
            " of the pattern, whose only group in parentheses is the number."
        ) from None
    if value <= 0.0:
        raise UserError(f"'{command}' printed a time of {value:g}; a time is more than 0.")
    return value


def result_of(
    commands: Sequence[str], seconds: NDArray[np.float64], find: float
) -> tuple[Comparison, dict[str, Any]]:
    """The comparison and all plain values; see `keys`."""
    found = compare_pairs(seconds[:, 0], seconds[:, 1])
    values = {
        "commands": list(commands),
        "seconds": seconds.T.tolist(),
        "outliers": [outliers(seconds[:, at]) for at in (0, 1)],
        "ratio": found.ratio,
        "low": found.low,
        "high": found.high,
        "verdict": found.verdict,
        "correlation": found.dependence.correlation if found.dependence else 0.0,
        "widening": found.dependence.widening if found.dependence else 1.0,
        "runs_needed": found.runs_needed(find / 100.0, chance),
    }
    return found, values


def report(found: Comparison, values: dict[str, Any], find: float) -> str:
    """Times of both, the verdict, and how many runs would find how little."""
    lines = []
    for name, command, times, late in zip(
        "AB", values["commands"], values["seconds"], values["outliers"], strict=True
    ):
        lines.append(f"{name}: {command}")
        lines.append(
            f"   {len(times)} runs: min {min(times):.4g}, median {np.median(times):.4g}, mean"
            f" {np.mean(times):.4g}, max {max(times):.4g} s"
        )
        if late:
            some = ", ".join(f"round {at + 1}: {times[at]:.4g} s" for at in late)
            lines.append(f"   outliers, which count as all others do: {some}")
    lines.append(
        f"B is {found.words}" if found.verdict != "cannot tell" else f"{found.words}: B / A"
    )
    if found.dependence and found.dependence.words:
        lines.append(found.dependence.words)
    runs = values["runs_needed"]
    needed = f"{runs:,} runs of each" if runs else "more runs than anybody makes"
    lines.append(f"to find a difference of {find:g} % in {chance:.0%} of duels: {needed}")
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab duel`."""
    parser.add_argument("commands", metavar="COMMAND", nargs=2, help="commands of the shell")
    parser.add_argument("--repeat", type=int, default=20, help="rounds (20)")
    parser.add_argument("--warm-up", type=int, default=1, help="runs before, not counted (1)")
    parser.add_argument(
        "--number", default="", metavar="PATTERN", help="the time in what is printed"
    )
    parser.add_argument(
        "--find", type=float, default=3.0, help="difference to plan for, percent (3)"
    )
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.repeat < 1 or options.warm_up < 0:
        raise UserError("--repeat is 1 or more, --warm-up 0 or more.")
    if options.find <= 0.0:
        raise UserError(f"--find {options.find:g}: a difference is more than 0 percent.")
    try:
        groups = re.compile(options.number).groups
    except re.error as error:
        raise UserError(f"--number '{options.number}' is no pattern: {error}.") from None
    if options.number and groups != 1:
        raise UserError(
            f"--number '{options.number}' has {groups} groups; one pair of parentheses must hold"
            " the number, as in 'elapsed: ([0-9.]+)'."
        )
    busy = load_words()
    seconds = fight(options.commands, options.repeat, options.warm_up, options.number)
    found, values = result_of(options.commands, seconds, options.find)
    print(report(found, values, options.find))
    if busy:
        print(busy)
    if options.json:
        result = {**values, "keys": keys}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    sys.stdout.flush()
    return 0
