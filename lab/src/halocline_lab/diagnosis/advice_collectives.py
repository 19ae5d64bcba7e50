"""Advice on collectives: many small ones where one would do, and barriers that nothing needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline_lab.diagnosis.advice_case import AdviceCase
from halocline_lab.diagnosis.bursts import between_seconds, memory_rates
from halocline_lab.diagnosis.findings import Finding
from halocline_lab.diagnosis.matching import collective_groups, dependence, group_numbers
from halocline_lab.diagnosis.timeline import Flags, Floats, Integers, sums

fewest_to_combine = 3
"""Collectives in a row that are worth combining."""

fewest_barriers = 6
"""Fewer barriers are no habit."""

one_way = ("root", "to root")
"""Whom ranks wait for in collectives in which nobody learns what the others gave to the next."""


@dataclass(frozen=True)
class _Row:
    """Collectives that follow each other on all their ranks: each call of a rank is one element.

    `call` is the call, `operation` the number of the collective, `burst` that of the row of
    collectives it is in, `later` whether it is not the first of it, `pause` whether its rank works
    before it. `size` are the bytes that a rank gives or gets, `moved` those of all ranks.
    """

    call: Integers
    operation: Integers
    burst: Integers
    later: Flags
    pause: Flags
    size: Floats
    moved: Floats

    def only(self, some: Flags) -> _Row:
        return _Row(**{name: column[some] for name, column in vars(self).items()})


def find_small_collectives(case: AdviceCase) -> Finding | None:
    """N collectives of one kind in a row, where one of all their data would do."""
    row = _rows(case)
    count = _operations_of_bursts(row)[row.burst]
    row, count = row.only(count >= fewest_to_combine), count[count >= fewest_to_combine]
    if not len(row.call):
        return None
    timing = case.timing
    pauses = np.where(row.later & ~row.pause, case.typical[row.call], 0.0)
    each = float(np.mean(timing.cost[row.call] + pauses))
    size = float(np.median(row.size))
    shares = [
        max(0.1, 1.0 - float(np.mean(row.moved)) / r / max(each, 1e-300)) for r in memory_rates
    ]
    saved = [
        _combined(case, row, count, share, share * pause)
        for share, pause in zip(shares, (0.6, 0.95, 1.0), strict=True)
    ]
    region = int(np.bincount(timing.region[row.call]).argmax())
    name, site = timing.timeline.regions[region].name, timing.timeline.regions[region].site
    independent = all(
        dependence(timing.timeline.regions[number].name) in one_way
        for number in np.unique(timing.region[row.call])
    )
    works = bool(row.pause.any())
    operations, bursts = len(np.unique(row.operation)), len(np.unique(row.burst))
    return Finding(
        fault="many small collectives",
        what=f"Many small collectives: {operations} calls of {name}{f' at {site}' if site else ''}"
        f" of {size:.0f} bytes, {operations / bursts:.0f} in a row, where one would do.",
        evidence=[
            f"they stand in {bursts} rows in which no rank sends or receives anything else",
            f"each costs its rank {1e6 * each:.2f} us without waiting, {100 * shares[1]:.0f} % of"
            " it whatever its size",
            _between(independent, works),
        ],
        gain=case.gain(saved[1], 0.8 * saved[0], 1.15 * saved[2]),
        sure=_sure(independent, works, shares[0]),
        advice=[
            f"Collect what {operations / bursts:.0f} calls move in one buffer and call {name} once"
            " (of all variables, of many points or records at a time).",
            "Of reductions, combine those that do not need each other: several numbers in one"
            " MPI_Allreduce, a test of convergence only every few iterations. Halocline sums any"
            " number of fields in one reduction.",
        ],
    )


def _between(independent: bool, works: bool) -> str:
    """What is known of how far these collectives depend on each other."""
    if not independent:
        return (
            "they can be combined only if none needs what the one before gave, which the record"
            " does not tell; hardly anything is computed between them"
        )
    if works:
        return (
            "none gives what the next could need; but some rank works or reads between them, which"
            " has to be done for all of them first"
        )
    return "none gives what the next could need, and nothing is computed between them"


def _sure(independent: bool, works: bool, share: float) -> str:
    if not independent:
        return "possible"
    return "likely" if works or share < 0.5 else "certain"


def _rows(case: AdviceCase) -> _Row:
    """Blocking collectives (no barriers), and which are in a row with those before."""
    timing, timeline = case.timing, case.matching.timeline
    events, group = collective_groups(timeline)
    call = timing.call_of[events]
    names = np.array([region.name.lower() for region in timeline.regions])
    wanted = np.array([region.kind == "collective" for region in timeline.regions])
    wanted &= np.char.find(names, "barrier") < 0
    rows = timeline.events[events]
    some = wanted[rows["region"]] & (call >= 0)
    some[some] &= timing.event[call[some]] == events[some]
    rows, group, call = rows[some], group[some], call[some]
    same = group_numbers(
        [
            np.unique(names, return_inverse=True)[1][rows["region"]],
            rows["communicator"].astype(np.int64),
            rows["partner"].astype(np.int64),
        ]
    )
    order = np.argsort(call, kind="stable")
    group, call, same, size = group[order], call[order], same[order], rows["bytes"][order]
    operation = group_numbers([group])
    ranks = np.bincount(operation)
    follows = np.zeros(len(call), np.bool_)
    follows[1:] = (call[1:] == call[:-1] + 1) & (same[1:] == same[:-1])
    follows[1:] &= timing.rank[call[1:]] == timing.rank[call[:-1]]
    follows &= ~_begins_step(case, call)
    before = np.where(follows, np.concatenate([[-1], operation[:-1]]), -1)
    pause = follows & (case.typical[call] > between_seconds)
    joined = np.bincount(operation, follows) == ranks
    joined &= np.bincount(operation, pause) <= 0.5 * (ranks - 1)
    previous = np.full(len(ranks), -1, np.int64)
    previous[operation] = before
    mixed = np.zeros(len(ranks), np.bool_)
    mixed[operation[previous[operation] != before]] = True
    joined &= ~mixed
    first = np.where(joined, previous, np.arange(len(ranks)))
    while (first != first[first]).any():
        first = first[first]
    total = sums(operation, size, len(ranks))
    largest = np.zeros(len(ranks))
    np.maximum.at(largest, operation, size)
    broadcast = np.char.find(names[timing.region[call]], "bcast") >= 0
    return _Row(
        call=call,
        operation=operation,
        burst=first[operation],
        later=joined[operation],
        pause=pause & joined[operation],
        size=np.where(broadcast, largest[operation], (total / np.maximum(ranks, 1))[operation]),
        moved=np.asarray(total[operation], np.float64),
    )


def _begins_step(case: AdviceCase, call: Integers) -> Flags:
    """Before which of these calls a step begins, after the call before."""
    timing = case.timing
    events, steps = case.matching.timeline.events, case.record.steps
    found = np.zeros(len(call), np.bool_)
    for rank in np.unique(steps["rank"]):
        begins = np.sort(steps["begin"][steps["rank"] == rank])
        mine = np.flatnonzero(timing.rank[call] == rank)
        passed = np.searchsorted(begins, events["begin"][timing.event[call[mine]]], side="right")
        found[mine[1:]] = passed[1:] > passed[:-1]
    return found


def _operations_of_bursts(row: _Row) -> Floats:
    """How many collectives each row of them has."""
    _, first = np.unique(row.operation, return_index=True)
    number = int(row.burst.max(initial=-1)) + 1
    return sums(row.burst[first], np.ones(len(first)), number)


def _combined(case: AdviceCase, row: _Row, count: Floats, share: float, between: float) -> float:
    """Seconds saved if each row of collectives is one, and these shares of the time in and between
    the calls go with their number."""
    timing = case.timing
    cost, before, free = (
        timing.cost.copy(),
        case.typical.copy(),
        np.zeros(len(timing.cost), np.bool_),
    )
    gone = 1.0 - 1.0 / count
    cost[row.call] *= 1.0 - share * gone
    packs = row.later & ~row.pause
    before[row.call[packs]] *= 1.0 - between * gone[packs]
    free[row.call[row.later]] = True
    then = timing.seconds(before=before, cost=cost, free=free)
    return timing.seconds(before=case.typical) - then


def find_barriers(case: AdviceCase) -> Finding | None:
    """Barriers in the steps: what would be saved without, all else waiting as it does.

    Messages and collectives order ranks by themselves; what is left of the ranks' waiting then is
    what those need.
    """
    timing, timeline = case.timing, case.matching.timeline
    is_barrier = np.array(
        [r.kind == "collective" and "barrier" in r.name.lower() for r in timeline.regions]
    )[timing.region]
    number = sums(timing.rank[is_barrier], np.ones(int(is_barrier.sum())), case.record.size)
    if number.max(initial=0.0) < fewest_barriers:
        return None
    cost = np.where(is_barrier, 0.0, timing.cost)
    saved = timing.seconds(before=case.typical) - timing.seconds(
        before=case.typical, cost=cost, free=is_barrier
    )
    sites = np.unique(timing.region[is_barrier])
    where = sorted({timeline.regions[one].site for one in sites} - {""})
    kinds = {region.kind for region in case.record.regions}
    shared = sorted(
        {"one-sided": "windows", "file": "files"}[k] for k in kinds & {"one-sided", "file"}
    )
    spent = sums(timing.rank[is_barrier], timing.cost[is_barrier], case.record.size)
    return Finding(
        fault="barriers in every step",
        what=f"Barriers: each rank calls MPI_Barrier {number.max():.0f} times in the events kept"
        f"{', at ' + ', '.join(where[:4]) if where else ''}, and all wait for the last one each"
        " time.",
        evidence=[
            f"the calls alone take {spent.max():.3g} s of a rank, without waiting; the rest of the"
            " gain is that ranks who come late at one place are early at another",
            "messages and other collectives were left to wait as they do",
            f"the program also uses {' and '.join(shared)}: where ranks read what others put there,"
            " a barrier may be needed"
            if shared
            else "the record has no windows and no files of MPI that a barrier could protect",
        ],
        gain=case.gain(saved, 0.7 * saved, 1.1 * saved),
        sure="possible" if shared else "likely",
        advice=[
            "Take the barriers out, unless one protects memory or files that ranks share:"
            " messages and collectives wait for their data by themselves. Keep those around"
            " measurements behind a switch.",
            "Where one rank must know that another is ready, send it a message of no bytes.",
        ],
    )
