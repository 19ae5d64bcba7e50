"""`halocline lab split CASE`: how to divide ranks over the members of a coupled case.

Every member is measured on some numbers of ranks, in short runs of the case or from records that
are given; laws of scaling tell what it takes on others. All ways to put members side by side or in
sequence are tried, with all ways to share the ranks, through one interval of the case's schedule
with its exchanges: who waits for whom follows. The division that finishes first is recommended (or,
with --speed, that of fewest ranks which is so fast), and run beside its neighbours.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from halocline.core.errors import UserError
from halocline.experiment.idle_ranks import useful_ranks
from halocline.experiment.members import Members, of_member, read_members
from halocline.experiment.parser import add_settings
from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.benchmarks import result_files
from halocline_lab.benchmarks.machine_load import load_words
from halocline_lab.scaling import split_words
from halocline_lab.scaling.pictures import write_picture
from halocline_lab.scaling.scale import order_of_round
from halocline_lab.scaling.split_costs import MeasuredCosts, costs_of
from halocline_lab.scaling.split_runs import ShortRuns, measured_divisions
from halocline_lab.scaling.split_search import Found, Search, refuse_none
from halocline_lab.scaling.split_timeline import Division, MemberTurns, neighbours
from halocline_lab.statistics import turns as statistics
from halocline_lab.statistics.number_lists import whole_numbers

most_drawn = 24
"""Numbers of ranks in the picture."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab split`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("case", metavar="CASE", help="a case with members")
    parser.add_argument("--ranks", type=int, metavar="N", help="ranks to divide; all cores")
    parser.add_argument(
        "--speed", type=float, metavar="DAYS", help="simulated days per day that are enough, with"
        " as few ranks as do it",
    )  # fmt: skip
    parser.add_argument(
        "--measure", metavar="LIST", help="numbers of ranks to measure members on (1, 2, 4 ... to"
        " the ranks, and no more than cores)",
    )  # fmt: skip
    parser.add_argument(
        "--records", metavar="RECORD", nargs="+", default=[], help="records of runs of the case, or"
        " NAME=RECORD of a member alone, in place of runs",
    )  # fmt: skip
    parser.add_argument(
        "--perfect", action="store_true", help="divide perfectly what was measured on one number"
    )
    parser.add_argument(
        "--intervals", type=int, default=0, metavar="K", help="of the schedule in each run (8, or"
        " what it takes for the rarest exchange to come twice)",
    )  # fmt: skip
    parser.add_argument(
        "--verify", action=argparse.BooleanOptionalAction, help="run what is recommended, and its"
        " neighbours (yes, where there are as many cores or a --launcher)",
    )  # fmt: skip
    parser.add_argument("--rounds", type=int, default=3, help="of these runs, in turns (3)")
    parser.add_argument("--launcher", default="", help="words that start {ranks} ranks elsewhere")
    add_settings(parser)
    parser.add_argument("--output", metavar="FILE", help="draw divisions: PNG, PDF, SVG")
    parser.add_argument("--json", metavar="FILE", help="write values; it explains its keys")


def main(options: argparse.Namespace) -> int:
    """Run the command.

    1. members and their turns  2. costs  3. the best division  4. verified  5. said and drawn
    """
    # 1. members and their turns
    members = read_members(options.case, options.settings)
    _refuse(options, members)
    cores = len(os.sched_getaffinity(0))
    ranks = options.ranks or cores
    turns, most = MemberTurns.of(members), most_ranks(members, ranks)
    runs = ShortRuns(members, options.intervals or max(8, 2 * turns.cycle), options.launcher)
    busy = "" if options.launcher else load_words()

    # 2. costs
    counts = _counts(options, ranks, cores)
    coupled, alone = records_given(options.records)
    if not options.records:
        for division in measured_divisions(members, counts, most):
            _tell(f"measuring: {division.words}")
            coupled.append(runs.run(division).record)
    costs = costs_of(coupled, list(members.members), alone, perfect=options.perfect)

    # 3. the best division
    programs = [name for name, some in members.members.items() if some.case.outside_command]
    search = Search(turns, costs, list(members.members), programs, most)
    found = search.best(ranks)
    refuse_none(found, ranks)
    best = found[0] if options.speed is None else _fast_enough(search, ranks, options.speed, found)
    said = [split_words.head(turns, ranks), "", split_words.cost_table(
        turns, costs, list(members.members), _columns(costs, members, ranks)), ""]  # fmt: skip

    # 4. verified
    shown = _to_compare(search, best)
    verify = options.verify
    if verify is None:
        verify = bool(options.launcher) or best.division.total <= cores
    measured: dict[Division, float] = {}
    if verify:
        measured, verdict = _measured(runs, shown, options.rounds)
        chosen = min(shown, key=lambda one: measured[one.division])
        beside = measured[best.division] / best.seconds - 1.0
        said += [split_words.division_table(turns, shown, measured), "",
                 f"predicted best: {best.division.words}, measured {100 * beside:+.1f} % of its"
                 " prediction", verdict]  # fmt: skip
    else:
        chosen = best
        said += [split_words.division_table(turns, found if options.speed is None else [best], {}),
                 "", _unverified(options, best, cores)]  # fmt: skip

    # 5. said and drawn
    here = not options.records and not options.launcher
    ran = [one.division.total for one in runs.done]
    notes = split_words.confidence(costs, best, cores=cores, measured_on=ran, here=here)
    if verify:
        off = max(abs(measured[one.division] / one.seconds - 1.0) for one in shown)
        notes += split_words.trust_in_predictions(off)
    notes += [busy] if busy else []
    print("\n".join([*said, "", f"recommended on {chosen.division.total} ranks:",
                     split_words.case_lines(chosen.division), "", *notes]).rstrip())  # fmt: skip
    if options.output:
        drawn = _drawn(search, ranks)
        write_picture(lambda path: _draw(turns, drawn, shown, measured, path), Path(options.output))
    if options.json:
        told = split_words.result(turns, chosen, shown if verify else found, measured, notes)
        result_files.write(options.json, told, split_words.keys)
    return 0


def _refuse(options: argparse.Namespace, members: Members) -> None:
    if not members.several or len(members.members) < 2:
        raise UserError(
            f"'{options.case}' has one component: there is nothing to divide. 'halocline lab scale'"
            " tells how it scales."
        )
    for name in ("ranks", "rounds", "intervals"):
        if (value := getattr(options, name)) is not None and value < (name != "intervals"):
            raise UserError(f"--{name} {value}: give 1 or more.")
    if options.speed is not None and options.speed <= 0.0:
        raise UserError(f"--speed {options.speed:g}: give simulated days per day, more than 0.")
    if options.intervals == 1:
        raise UserError("--intervals 1: the first interval is not counted; give 2 or more.")


def _tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def most_ranks(members: Members, ranks: int) -> dict[str, int]:
    """On how many ranks each member has work."""
    found = {}
    for name, member in members.members.items():
        if not member.case.outside_command:
            with of_member(name):
                found[name] = useful_ranks(member.case, member.case.build_grid(), ranks)
    return found


def _counts(options: argparse.Namespace, ranks: int, cores: int) -> list[int]:
    if options.measure:
        return whole_numbers(options.measure, "--measure")
    most = ranks if options.launcher else min(ranks, cores)
    doubled = [2**power for power in range(most.bit_length()) if 2**power <= most]
    return sorted({*doubled, most})


def records_given(given: Sequence[str]) -> tuple[list[RunRecord], dict[str, list[RunRecord]]]:
    """Records of the case, and of members alone."""
    coupled: list[RunRecord] = []
    alone: dict[str, list[RunRecord]] = {}
    for words in given:
        name, equals, path = words.partition("=")
        if equals and not Path(words).exists():
            alone.setdefault(name, []).append(read_record(path))
        else:
            coupled.append(read_record(words))
    return coupled, alone


def _fast_enough(search: Search, ranks: int, days: float, found: Sequence[Found]) -> Found:
    seconds = search.turns.schedule.interval.total_seconds() / days
    best = search.fewest(ranks, seconds)
    if best is None:
        fastest = search.turns.schedule.interval.total_seconds() / found[0].seconds
        raise UserError(
            f"No division of {ranks} ranks reaches {days:g} simulated days per day: the fastest is"
            f" {fastest:.4g} ({found[0].division.words}). Give more ranks (--ranks)."
        )
    return best


def _columns(costs: MeasuredCosts, members: Members, ranks: int) -> list[int]:
    """Numbers of ranks for the table."""
    measured = {count for name in members.members for count in costs.counts(name)}
    doubled = {2**power for power in range(ranks.bit_length())}
    return sorted({*measured, *doubled, ranks})[:10]


def _to_compare(search: Search, best: Found) -> list[Found]:
    """A division, its neighbours, and the best with other crews."""
    near = [search.at(one) for one in neighbours(best.division) if search.fits(one)]
    others = [
        one for one in search.best(best.division.total) if one.division.crews != best.division.crews
    ]
    return [best, *sorted(near, key=lambda one: one.seconds), *others[:2]]


def _measured(
    runs: ShortRuns, shown: Sequence[Found], rounds: int
) -> tuple[dict[Division, float], str]:
    """The least seconds of an interval of each division, run in turns; which is the fastest."""
    seconds = np.zeros((rounds, len(shown)))
    for turn in range(rounds):
        for at in order_of_round(len(shown), turn):
            _tell(f"round {turn + 1} of {rounds}: {shown[at].division.words}")
            seconds[turn, at] = runs.run(shown[at].division).seconds
    found = statistics.Turns(seconds, least=True)
    fastest, tied = found.fastest, found.tied()
    verdict = f"measured fastest: {shown[fastest].division.words}"
    others = [shown[at].division.words for at in tied if at != fastest]
    if others:
        verdict += f"; not to be told apart from it: {' | '.join(others)}"
    if rounds < 3:
        verdict += f"; {rounds} of each tell{'s' * (rounds == 1)} little (--rounds)"
    return {one.division: found.time(at).value for at, one in enumerate(shown)}, f"{verdict}."


def _unverified(options: argparse.Namespace, best: Found, cores: int) -> str:
    if options.verify is False:
        return "Not verified (--no-verify): these are predictions."
    return (
        f"Not verified: {best.division.total} ranks do not fit {cores} cores. Run this where they"
        " do, or with --launcher; --verify runs them here all the same."
    )


def _drawn(search: Search, ranks: int) -> tuple[list[Found], list[Found]]:
    """The best divisions side by side and in sequence over ranks."""
    totals = sorted({*np.unique(np.linspace(1, ranks, min(ranks, most_drawn)).astype(int)), ranks})
    both: tuple[list[Found], list[Found]] = ([], [])
    for total in totals:
        found = search.best(int(total))
        for side, chosen in zip((True, False), both, strict=True):
            some = [one for one in found if (len(one.division.crews) > 1) is side]
            chosen += some[:1]
    return both


def _draw(
    turns: MemberTurns,
    drawn: tuple[Sequence[Found], Sequence[Found]],
    shown: Sequence[Found],
    measured: Mapping[Division, float],
    path: Path,
) -> None:
    from halocline_lab.scaling.split_plots import draw

    draw(turns, *drawn, shown, measured, path)
