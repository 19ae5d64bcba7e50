"""`halocline lab decompose CASE`: the best way to cut a case, rated, then measured.

Every processor grid, number of blocks per rank, curve, dealing of cards, size of tiles (where a
kernel has one that can be set) and split of the cores into ranks and threads is rated; then real
steps of the case are measured, without output, the best rated first and in turns, until the best is
known or time is up. All give the same bits.
"""

from __future__ import annotations

import argparse
import json
import pickle
import shlex
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halocline.component.case.case import Case
from halocline.component.case.reading import read_case
from halocline.component.case.shipped import find_case
from halocline.core.errors import UserError
from halocline.experiment.advice import Advice, Candidate, Expectation
from halocline.experiment.case_editing import setting_words, write_settings
from halocline.experiment.parser import add_settings
from halocline.experiment.start import cores
from halocline_lab.benchmarks.decompose_plot import draw
from halocline_lab.benchmarks.rank_programs import answer_of

turns = 3  # of the last round between numbers of ranks and threads
share_of_candidates = 0.7  # of the time, for the cuts of each; the rest for the last round
clear_gain = 1.05

keys = {
    "rows": "one entry per way to cut, on each number of ranks and threads",
    "rows.ranks": "ranks",
    "rows.threads": "threads per rank",
    "rows.cut": "the cut in words",
    "rows.rated": "expected time of a step [s]; null where the cut cannot be",
    "rows.balance": "largest load of a rank over the mean one",
    "rows.messages": "messages of a step that the most loaded rank sends",
    "rows.bytes": "bytes of these",
    "rows.measured": "median time of a step on the slowest rank [s]; null where not measured",
    "rows.ratio": "time over that of the fastest of as many ranks and threads",
    "rows.low": "lower bound of the ratio, with about 95 % confidence",
    "rows.problem": "why the cut cannot be",
    "best": "ranks, threads, cut and settings of the way to take",
    "reason": "why it is taken, in words",
}


@dataclass
class Setup:
    """A number of ranks and threads, and what was found on it."""

    ranks: int
    threads: int
    advice: Advice
    seconds: list[float] = field(default_factory=list)  # of a step of its best, turn by turn

    @property
    def name(self) -> str:
        return f"{self.ranks} x {self.threads}"


def setups(ranks: int | None, threads: int | None, available: int) -> list[tuple[int, int]]:
    """Ranks and threads to look at: given ones, or all whose product is the number of cores.

    >>> setups(None, None, 4), setups(3, None, 4), setups(None, 2, 4)
    ([(4, 1), (2, 2), (1, 4)], [(3, 1)], [(2, 2)])
    """
    if ranks or threads:
        per_rank = threads or 1
        return [(ranks or max(1, available // per_rank), per_rank)]
    return [(n, available // n) for n in range(available, 0, -1) if available % n == 0]


def decompose(
    case: str,
    settings: Sequence[str] = (),
    *,
    chosen: Sequence[tuple[int, int]],
    steps: int = 4,
    budget: float = 60.0,
) -> tuple[Case, list[Setup], int, str]:
    """Measure; returns the case, what was found, the place of the best and the reason.

    `steps` are those of a turn of the last round, `budget` [s] is for measuring, starts excluded.
    """
    read = read_case(case, settings)
    found = []
    for ranks, threads in chosen:
        print(f"{ranks} ranks of {threads} threads", file=sys.stderr)
        task = {"threads": threads, "budget": share_of_candidates * budget / len(chosen)}
        advice = _start(case, settings, task, ranks, threads)
        found.append(Setup(ranks, threads, advice))
    if len(found) > 1:
        for _ in range(turns):
            for setup in found:
                best = setup.advice.best.settings(read)
                given = [*settings, *(f"{name}={value}" for name, value in best.items())]
                seconds = _start(case, given, {"steps": steps}, setup.ranks, setup.threads)
                setup.seconds.append(seconds)
    place, reason = decide(found)
    return read, found, place, reason


def decide(found: Sequence[Setup]) -> tuple[int, str]:
    """The setup to take and why: the fastest, or of those within noise that with most ranks."""
    only = found[0].advice.words
    if len(found) == 1:
        return 0, only
    fastest = min(found, key=lambda setup: statistics.median(setup.seconds))
    ratios = [
        [a / b for a, b in zip(setup.seconds, fastest.seconds, strict=True)] for setup in found
    ]
    tied = [
        at
        for at, of_one in enumerate(ratios)
        if found[at] is fastest or min(of_one) <= 1.0 or statistics.median(of_one) < clear_gain
    ]
    place = min(tied)
    others = ", ".join(
        f"{setup.name} {statistics.median(of_one):.2f}x ({min(of_one):.2f} to {max(of_one):.2f})"
        for setup, of_one in zip(found, ratios, strict=True)
        if setup is not fastest
    )
    verdict = f"fastest {fastest.name} (ranks x threads), {others}"
    if len(tied) > 1:
        verdict += f": a tie of {len(tied)}, the simplest is taken: {found[place].name}"
    return place, f"{verdict}; on it {found[place].advice.words}"


def _start(
    case: str, settings: Sequence[str], task: dict[str, Any], ranks: int, threads: int
) -> Any:
    """Do a task on so many ranks and threads."""
    asked = {"case": case, "settings": list(settings), **task}
    return pickle.loads(answer_of("halocline_lab.benchmarks.decompose_run", asked, ranks, threads))


def rows(found: Sequence[Setup]) -> list[dict[str, Any]]:
    """The table as plain values, what was measured first, the fastest of it first; see `keys`."""
    table = []
    for setup in found:
        scores = setup.advice.standing.scores
        order = sorted(range(len(setup.advice.rated)), key=lambda at: _rank(setup.advice, at))
        for at in order:
            rating, score = setup.advice.rated[at], scores.get(at)
            table.append(
                {
                    "ranks": setup.ranks,
                    "threads": setup.threads,
                    "cut": rating.candidate.name,
                    "rated": None if rating.problem else rating.seconds,
                    "balance": rating.balance,
                    "messages": rating.messages,
                    "bytes": rating.bytes,
                    "measured": score.seconds if score else None,
                    "ratio": score.ratio if score else None,
                    "low": score.low if score else None,
                    "problem": rating.problem,
                }
            )
    return table


def _rank(advice: Advice, at: int) -> tuple[int, float]:
    """Place of a way in the table."""
    score = advice.standing.scores.get(at)
    return (0, score.ratio) if score else (1, at)


def text(found: Sequence[Setup], reason: str) -> str:
    """What was found, as a table."""
    table = rows(found)
    width = max(len(row["cut"]) for row in table) + 1
    lines = [
        f"{'ranks x':>9}  {'cut':<{width}}{'load':>6}{'messages':>9}{'MB':>8}{'rated':>8}"
        f"{'measured':>9}  ratio to best",
        f"{'threads':>9}  {'':<{width}}{'':>6}{'per step':>9}{'':>8}{'ms':>8}{'ms':>9}",
    ]
    for row in table:
        words = f"{row['ranks']:>5} x {row['threads']:<3}  {row['cut']:<{width}}"
        if row["problem"]:
            lines.append(f"{words}  cannot be: {row['problem']}")
            continue
        words += f"{row['balance']:>6.2f}{row['messages']:>9}{row['bytes'] / 1e6:>8.2f}"
        words += f"{1e3 * row['rated']:>8.2f}"
        if row["measured"] is None:
            lines.append(f"{words}{'-':>9}")
            continue
        lines.append(
            f"{words}{1e3 * row['measured']:>9.2f}  {row['ratio']:.2f} (at least {row['low']:.2f})"
        )
    return "\n".join([*lines, f"best: {reason}"])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab decompose`."""
    parser.add_argument("case", metavar="CASE", help="case file, its folder, or a shipped case")
    parser.add_argument("-n", "--ranks", type=int, help="ranks; all splits of the cores if not")
    parser.add_argument("--threads", type=int, help="threads per rank (1 with --ranks)")
    parser.add_argument("--cores", type=int, help="cores to split into ranks and threads; all")
    parser.add_argument("--steps", type=int, default=4, help="steps per turn of the last round (4)")
    parser.add_argument("--seconds", type=float, default=60.0, help="time for measuring (60)")
    add_settings(parser)
    parser.add_argument("--write", action="store_true", help="put the best cut into the case file")
    parser.add_argument("--picture", metavar="FILE", help="draw the best cut, and times of all")
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    for name in ("ranks", "threads", "cores"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            raise UserError(f"--{name} {getattr(options, name)}: must be 1 or more.")
    case, found, place, reason = decompose(
        options.case,
        options.settings,
        chosen=setups(options.ranks, options.threads, options.cores or cores()),
        steps=options.steps,
        budget=options.seconds,
    )
    best = found[place]
    changes = best.advice.best.settings(case)
    print(text(found, reason))
    given = [word for setting in options.settings for word in ("--set", setting)]
    line = ["halocline", "run", options.case, "-n", str(best.ranks)]
    line += ["--threads", str(best.threads), *given]
    print(" ".join(filter(None, [shlex.join(line), setting_words(changes)])))
    if options.write and changes:
        path = find_case(options.case)
        write_settings(path, changes)
        print(f"{path}: {setting_words(changes).replace('--set ', '')}")
    elif options.write:
        print("the case has these settings already: nothing to write")
    if options.picture:
        _draw(case, found, best, options)
        print(f"picture: {options.picture}")
    if options.json:
        _write_json(Path(options.json), found, best, best.advice.best, changes, reason)
    return 0


def _draw(case: Case, found: Sequence[Setup], best: Setup, options: argparse.Namespace) -> None:
    """Draw the cut to take, where it is one of rectangles, and the times of all."""
    grid, cut = case.build_grid(), best.advice.best
    expectation = Expectation(case, grid, best.ranks, best.threads, cores())
    blocks = [] if cut.kind == "cards" else expectation.cut(cut, 0).world.rectangles
    draw(f"Cuts of {options.case}", rows(found), grid.mask, blocks, Path(options.picture))


def _write_json(
    path: Path,
    found: Sequence[Setup],
    best: Setup,
    candidate: Candidate,
    changes: dict[str, Any],
    reason: str,
) -> None:
    chosen = {
        "ranks": best.ranks,
        "threads": best.threads,
        "cut": candidate.name,
        "settings": changes,
    }
    result = {"rows": rows(found), "best": chosen, "reason": reason, "keys": keys}
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
