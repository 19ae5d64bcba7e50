"""`halocline lab sites --case CASE`: does a coupled case run faster at two sites than at one?"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from halocline.core.errors import UserError
from halocline.experiment.members import Members, read_members
from halocline_lab.benchmarks import result_files
from halocline_lab.reporting.report_columns import lines_up
from halocline_lab.reporting.report_words import percent, seconds, size
from halocline_lab.scaling.split import most_ranks, records_given
from halocline_lab.scaling.split_costs import MeasuredCosts, costs_of
from halocline_lab.scaling.split_runs import ShortRuns, measured_divisions
from halocline_lab.scaling.split_search import Found, Search
from halocline_lab.scaling.split_timeline import MemberTurns, speed
from halocline_lab.sites.shaper import NetworkPath
from halocline_lab.sites.site_split import Crossing, SiteDivision, crossings, site_divisions
from halocline_lab.sites.slow_start import WindowPath

most_rows = 6
no_difference = 0.02

keys = {
    "interval": "of the schedule [s]",
    "exchanges": "those that could cross: bytes, seconds on the path, and why they may not",
    "two_sites": "ways to put members, the best first: members and ranks of each site, seconds of"
    " an interval, exchanges that cross",
    "one_site": "seconds of an interval with the ranks of either site alone, best division",
}


def predict(options: argparse.Namespace, path: NetworkPath) -> int:
    """Run it."""
    here, there = options.ranks_here, options.ranks_there
    if min(here or 0, there or 0) < 1:
        raise UserError("--case needs --ranks-here N and --ranks-there M, the ranks of both sites.")
    members = read_members(options.case, options.settings)
    if not members.several or len(members.members) < 2:
        raise UserError(f"'{options.case}' has one component: it cannot be at two sites.")
    turns = MemberTurns.of(members)
    shaped = WindowPath.of(path, options.streams, restarts=True)
    ways = crossings(members, shaped)
    costs = _costs(options, members, max(here, there))
    programs = [name for name, some in members.members.items() if some.case.outside_command]
    most = most_ranks(members, here + there)
    search = Search(turns, costs, list(members.members), programs, most)
    alone = [(count, search.best(count)[:1]) for count in sorted({here, there})]
    found = site_divisions(search, ways, shaped, here, there)
    print("\n".join([turns.schedule.text(), "", _crossing_table(ways), "",
                     *_site_words(turns, found, alone)]))  # fmt: skip
    if options.json:
        result_files.write(options.json, _plain(turns, ways, found, alone), keys)
    return 0


def _costs(options: argparse.Namespace, members: Members, ranks: int) -> MeasuredCosts:
    """From records, or from short runs here."""
    coupled, alone = records_given(options.records)
    if not options.records:
        cores = len(os.sched_getaffinity(0))
        counts = [2**power for power in range(8) if 2**power <= min(cores, ranks)]
        intervals = max(8, 2 * MemberTurns.of(members).cycle)
        runs = ShortRuns(members, intervals)
        for division in measured_divisions(members, counts, most_ranks(members, ranks)):
            print(f"measuring: {division.words}", file=sys.stderr, flush=True)
            coupled.append(runs.run(division).record)
    return costs_of(coupled, list(members.members), alone, perfect=options.perfect)


def _crossing_table(ways: Sequence[Crossing]) -> str:
    rows = [["exchange", "from", "to", "size", "on the path", "may cross"]]
    for one in ways:
        may = f"no: {one.why_not}" if one.why_not else "yes, unnoticed" if one.late else "yes"
        rows.append([
            one.exchange, one.source, one.target, size(one.size), seconds(one.seconds), may
        ])  # fmt: skip
    return lines_up(rows, 100)


def _site_words(
    turns: MemberTurns, found: Sequence[SiteDivision], alone: Sequence[tuple[int, Sequence[Found]]]
) -> list[str]:
    """Ways to put members and one site beside them; what follows."""
    if not found:
        return ["No exchange may cross, so that this case has to stay at one site."]
    rows = [["here", "there", "crosses", "an interval", "days a day", "on the path"]]
    for one in found[:most_rows]:
        rows.append([
            one.here.words, one.there.words, ", ".join(one.crossing), seconds(one.seconds),
            f"{speed(turns, one.seconds):,.3g}", percent(one.travel / one.seconds),
        ])  # fmt: skip
    for _, best in alone:
        rows += [
            [one.division.words, "-", "-", seconds(one.seconds),
             f"{speed(turns, one.seconds):,.3g}", ""]
            for one in best
        ]  # fmt: skip
    fastest = min((some[0] for _, some in alone if some), key=lambda one: one.seconds)
    gain = fastest.seconds / found[0].seconds
    if abs(gain - 1.0) < no_difference:
        verdict = f"Two sites are as fast as one alone ({fastest.division.words})."
    elif gain > 1.0:
        verdict = f"Two sites are {gain:.2f} times as fast as the better one alone."
    else:
        verdict = f"One site is {1.0 / gain:.2f} times as fast as both: {fastest.division.words}."
    return [
        lines_up(rows, 100),
        "",
        verdict,
        "Both sites' ranks are taken as equally fast; at the end of an interval each waits for the"
        " other, but a lag hides the way.",
    ]


def _plain(
    turns: MemberTurns,
    ways: Sequence[Crossing],
    found: Sequence[SiteDivision],
    alone: Sequence[tuple[int, Sequence[Found]]],
) -> dict[str, Any]:
    return {
        "interval": turns.schedule.interval.total_seconds(),
        "exchanges": [vars(one) for one in ways],
        "two_sites": [
            {
                "here": one.here.words,
                "there": one.there.words,
                "seconds": one.seconds,
                "crossing": list(one.crossing),
                "travel": one.travel,
            }
            for one in found
        ],
        "one_site": {str(count): best[0].seconds if best else None for count, best in alone},
    }
