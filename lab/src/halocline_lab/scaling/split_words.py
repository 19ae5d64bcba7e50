"""What `halocline lab split` says: costs over ranks, divisions, lines for the case, confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from halocline_lab.reporting.report_columns import lines_up
from halocline_lab.reporting.report_words import percent, seconds
from halocline_lab.scaling.split_costs import MeasuredCosts
from halocline_lab.scaling.split_search import Found
from halocline_lab.scaling.split_timeline import Division, MemberTurns, speed

much_off = 0.1
"""Of a prediction: where it errs by more, it decides nothing."""

most_rows = 8
"""Divisions in a table."""


def cost_table(
    turns: MemberTurns, costs: MeasuredCosts, members: Sequence[str], counts: Sequence[int]
) -> str:
    """Members and exchanges against ranks: seconds of an interval; * was not measured."""
    rows = [["an interval of", *(f"{count} ranks" if count > 1 else "1 rank" for count in counts)]]
    for name in members:
        times = turns.steps(name)
        cells = [
            f"{seconds(times * costs.step(name, n))}{'' if n in costs.counts(name) else '*'}"
            for n in counts
        ]
        rows.append([name, *cells])
    for name, giving in turns.exchanges.items():
        often = turns.schedule.interval / giving.every if giving.every else 1.0
        for words, cost in ((giving.source, costs.gives), (giving.target, costs.takes)):
            rows.append(
                [f"exchange {name}: {words}", *(seconds(often * cost(name, n)) for n in counts)]
            )
    return lines_up(rows)


def division_table(
    turns: MemberTurns, found: Sequence[Found], measured: Mapping[Division, float]
) -> str:
    """Divisions, the best first: interval, speed, and of each crew its work and waiting."""
    told = any(one.division in measured for one in found)
    rows = [
        [
            "ranks",
            "an interval",
            *(["measured"] if told else []),
            "days a day",
            "steps",
            "exchanges",
            "waiting",
        ]
    ]
    for one in found[:most_rows] if not told else found:
        here, last = one.interval, measured.get(one.division)
        rows.append([
            one.division.words,
            seconds(one.seconds),
            *([seconds(last) if last is not None else "-"] if told else []),
            f"{speed(turns, last if last is not None else one.seconds):,.3g}",
            ", ".join(percent(part / one.seconds) for part in here.steps),
            ", ".join(percent(part / one.seconds) for part in here.exchanges),
            ", ".join(percent(part / one.seconds) for part in here.waiting),
        ])  # fmt: skip
    return lines_up(rows)


def case_lines(division: Division) -> str:
    """What a case says to seat its members so, on this number of ranks and on others.

    >>> print(case_lines(Division((("air", "waves"), ("ocean",)), (3, 1))))
    [members.air]
    ranks = 3           # on any number of ranks: share = 0.75
    [members.waves]
    on_ranks_of = "air"
    [members.ocean]
    ranks = 1           # on any number of ranks: share = 0.25
    """
    lines = []
    for crew, count in zip(division.crews, division.ranks, strict=True):
        share = math.floor(1000 * count / division.total) / 1000
        words = f"ranks = {count}"
        if len(division.crews) > 1:
            words = f"{words.ljust(20)}# on any number of ranks: share = {share:g}"
        lines += [f"[members.{crew[0]}]", words]
        for name in crew[1:]:
            lines += [f"[members.{name}]", f'on_ranks_of = "{crew[0]}"']
    return "\n".join(lines)


def confidence(
    costs: MeasuredCosts, best: Found, *, cores: int, measured_on: Sequence[int], here: bool
) -> list[str]:
    """What to know of a recommendation before one trusts it."""
    said = []
    for crew, count in zip(best.division.crews, best.division.ranks, strict=True):
        for name in crew:
            known = costs.counts(name)
            if costs.perfect and len(known) == 1:
                said.append(f"{name} was measured on {known[0]} only: perfect scaling is assumed.")
            elif count > known[-1] or count < known[0]:
                said.append(
                    f"{name} on {count} lies outside of what was measured ({known[0]} to"
                    f" {known[-1]} ranks): its law is extrapolated."
                )
            elif count not in known and len(known) < 3:
                said.append(f"{name} was measured on two numbers of ranks: its law is a guess.")
            if not math.isnan(error := costs.error(name)) and error > 0.1 and count not in known:
                said.append(f"The law of {name} errs by {percent(error)} where it had to predict.")
    if here and max(measured_on, default=0) > cores:
        said.append(
            f"Runs on {max(measured_on)} ranks shared {cores} cores: ranks that compute took turns,"
            " so that times of more ranks than cores are too long. Measure where there are as many."
        )
    return said


def trust_in_predictions(off: float) -> list[str]:
    """What to know where what was run came out otherwise than predicted, by such a share at most.

    >>> trust_in_predictions(0.05), len(trust_in_predictions(0.39))
    ([], 1)
    """
    if off <= much_off:
        return []
    return [
        f"What was run took up to {percent(off)} more or less than predicted, so that divisions"
        " that were not run may be better: give records of several runs (--records), of a quiet"
        " machine."
    ]


def result(
    turns: MemberTurns,
    best: Found,
    others: Sequence[Found],
    measured: Mapping[Division, float],
    notes: Sequence[str],
) -> dict[str, Any]:
    """All of it as plain values; see `keys`."""
    return {
        "interval": turns.schedule.interval.total_seconds(),
        "best": _plain(turns, best, measured),
        "rows": [_plain(turns, one, measured) for one in others],
        "notes": list(notes),
        "keys": keys,
    }


def _plain(turns: MemberTurns, one: Found, measured: Mapping[Division, float]) -> dict[str, Any]:
    return {
        "crews": [list(crew) for crew in one.division.crews],
        "ranks": list(one.division.ranks),
        "seconds": one.seconds,
        "measured": measured.get(one.division),
        "days_per_day": speed(turns, one.seconds),
        "waiting": list(one.interval.waiting),
        "exchanges": list(one.interval.exchanges),
    }


keys = {
    "interval": "of the schedule [s]",
    "best": "the division that is recommended",
    "rows": "one entry per division",
    "rows.crews": "members that share ranks",
    "rows.ranks": "ranks of each crew",
    "rows.seconds": "an interval as it is predicted [s]",
    "rows.measured": "as it was measured [s], where it was",
    "rows.days_per_day": "simulated days per day, as predicted",
    "rows.waiting": "of each crew, in an interval [s]",
    "rows.exchanges": "of each crew, in an interval [s]",
    "notes": "what to know before one trusts it",
}


def head(turns: MemberTurns, ranks: int) -> str:
    """What was asked."""
    return f"{ranks} rank{'s' * (ranks > 1)}; {turns.schedule.text()}"
