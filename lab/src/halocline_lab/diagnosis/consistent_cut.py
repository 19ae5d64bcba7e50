"""Where to cut the ranks of a record so that no message and no collective operation is cut apart.

Of a message both the send and the receive, of a collective operation and of a step all ranks are on
one side. Each rank is cut at the wanted time or, as little as it takes, further inside.
"""

from __future__ import annotations

import numpy as np

from halocline_lab.diagnosis.matching import Matching, collective_groups
from halocline_lab.diagnosis.timeline import Integers, communicating_kinds

most_rounds = 1000
"""Of moving the cuts; a cut that takes more is left where it is."""


def begins_after(matching: Matching, time: int) -> Integers:
    """When each rank's part begins that is after a time [ns]."""
    group, rank, begin = _members(matching)
    return _cut(matching, time, group, rank, begin, forward=True)


def ends_before(matching: Matching, time: int) -> Integers:
    """When each rank's part ends that is before a time [ns]."""
    group, rank, begin = _members(matching)
    return _cut(matching, time, group, rank, begin, forward=False)


def _members(matching: Matching) -> tuple[Integers, Integers, Integers]:
    """What belongs together: a group, its rank and its begin, of each member."""
    events, steps = matching.timeline.events, matching.timeline.record.steps
    pairs = np.arange(len(matching.sends))
    together, of_all = collective_groups(matching.timeline)
    number = np.unique(steps["step"], return_inverse=True)[1].reshape(-1)
    first, second = len(pairs), len(pairs) + int(of_all.max(initial=-1)) + 1
    places = np.concatenate([matching.sends, matching.receives, together])
    return (
        np.concatenate([pairs, pairs, first + of_all, second + number]).astype(np.int64),
        np.concatenate([events["rank"][places], steps["rank"]]).astype(np.int64),
        np.concatenate([events["begin"][places], steps["begin"]]).astype(np.int64),
    )


def _cut(
    matching: Matching,
    time: int,
    group: Integers,
    rank: Integers,
    begin: Integers,
    *,
    forward: bool,
) -> Integers:
    """The cut of each rank [ns]; what begins at it is after it."""
    cut = np.full(matching.timeline.record.size, time, np.int64)
    count = np.bincount(group)
    for _ in range(most_rounds):
        moved = _beside_calls(matching, cut, forward=forward)
        inside = begin >= moved[rank] if forward else begin < moved[rank]
        inner = np.bincount(group, inside, minlength=len(count))
        apart = inside & (inner < count)[group]
        if forward:
            np.maximum.at(moved, rank[apart], begin[apart] + 1)
        else:
            np.minimum.at(moved, rank[apart], begin[apart])
        if (moved == cut).all():
            return cut
        cut = moved
    return np.full(len(cut), time, np.int64)


def _beside_calls(matching: Matching, cut: Integers, *, forward: bool) -> Integers:
    """Cuts that lie in calls, moved to their end or begin."""
    timeline = matching.timeline
    events = timeline.events
    outer = timeline.is_kind(*communicating_kinds) & (events["begin"] < cut[events["rank"]])
    outer &= events["end"] > cut[events["rank"]]
    found = cut.copy()
    if forward:
        np.maximum.at(found, events["rank"][outer], events["end"][outer])
    else:
        np.minimum.at(found, events["rank"][outer], events["begin"][outer])
    return found
