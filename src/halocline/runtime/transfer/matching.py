"""Finding who gives what to whom, without a table of all points on any rank.

Every global number has a rank that keeps its entry, like a directory in volumes: the sources tell
it where they have the number, the targets where they want it, and it answers both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.transfer.side import Index, Side

Index32 = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PointLink:
    """Points that go from one block to one block: their places at this end, in one order."""

    rank: int  # of the other end
    source: int  # number of the block among those of its rank
    target: int
    places: Index32


@dataclass(frozen=True)
class Match:
    """The links that begin and end on this rank, in the same order at both of their ends.

    `missing` are (block, place) of what this rank wants and nobody has, shape (points, 2).
    """

    give: list[PointLink]
    take: list[PointLink]
    missing: Index


def match(source: Side, target: Side, communicator: Communicator, *, every: bool) -> Match:
    """Match what ranks have with what ranks want; a call for all ranks.

    Of several that have a point the wanting rank itself gives it, else the first; with `every`
    all of them do, each its own components.
    """
    ranks = communicator.size
    have, want = source.table, target.table
    last = max((int(t[:, 0].max(initial=-1)) for t in (have, want)), default=-1)
    count = int(communicator.maximum(np.array([last + 1.0]))[0])
    volume = max(1, -(-count // ranks))
    givers, have = _post(communicator, have[:, 0] // volume, have)
    takers, want = _post(communicator, want[:, 0] // volume, want)
    of_have, of_want = _joined(givers, have[:, 0], takers, want[:, 0], ranks, every)
    lost = np.ones(takers.size, bool)
    lost[of_want] = False
    _, missing = _post(communicator, takers[lost], want[lost, 1:])
    givers, have, takers, want = givers[of_have], have[of_have], takers[of_want], want[of_want]
    ends = have[:, 1], want[:, 1]
    _, give = _post(communicator, givers, np.stack([takers, *ends, have[:, 2]], axis=1))
    _, take = _post(communicator, takers, np.stack([givers, *ends, want[:, 2]], axis=1))
    return Match(_links(give), _links(take), missing)


def _post(communicator: Communicator, to: Index, table: Index) -> tuple[Index, Index]:
    """Send each row of a table to a rank; who sent it and the rows that came, by rank."""
    me, ranks = communicator.rank, communicator.size
    sent = np.bincount(to, minlength=ranks)
    came = communicator.one_to_each(sent)
    leaving = np.ascontiguousarray(table[np.argsort(to, kind="stable")])
    arriving = np.empty((int(came.sum()), table.shape[1]), np.int64)
    out = np.split(leaving, np.cumsum(sent)[:-1])
    back = np.split(arriving, np.cumsum(came)[:-1])
    back[me][...] = out[me]
    communicator.exchange(
        [(n, part.reshape(-1)) for n, part in enumerate(out) if part.size and n != me],
        [(n, part.reshape(-1)) for n, part in enumerate(back) if part.size and n != me],
    )
    return np.repeat(np.arange(ranks), came), arriving


def _joined(
    givers: Index, have: Index, takers: Index, want: Index, ranks: int, every: bool
) -> tuple[Index, Index]:
    """Pairs of entries of one number, ascending by it: places in `have` and in `want`."""
    by_key = np.argsort(have * ranks + givers, kind="stable")
    keys = (have * ranks + givers)[by_key]
    by_number = np.argsort(want, kind="stable")
    low = np.searchsorted(keys, want[by_number] * ranks)
    high = np.searchsorted(keys, (want[by_number] + 1) * ranks)
    if every:
        count = high - low
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return by_key[np.repeat(low, count) + within], np.repeat(by_number, count)
    found = high > low
    by_number, low = by_number[found], low[found]
    mine = want[by_number] * ranks + takers[by_number]
    own = np.searchsorted(keys, mine)
    chosen = np.where(keys[np.minimum(own, keys.size - 1)] == mine, own, low) if low.size else low
    return by_key[chosen], by_number


def _links(table: Index) -> list[PointLink]:
    """Links from rows of (rank, source block, target block, place)."""
    if not table.size:
        return []
    table = table[np.lexsort(table[:, 2::-1].T)]
    breaks = np.flatnonzero((np.diff(table[:, :3], axis=0) != 0).any(axis=1)) + 1
    links = []
    for part in np.split(table, breaks):
        rank, source, target = (int(n) for n in part[0, :3])
        links.append(PointLink(rank, source, target, np.ascontiguousarray(part[:, 3], np.int32)))
    return links
