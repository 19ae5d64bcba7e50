"""Where one rank computes longer than the others: everywhere, or in some places only.

A slow processor takes longer for all that it does; work, reading or waiting of one rank's own is
longer in some places. A place is a kernel or other named region, or what follows a call of MPI.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline_lab.diagnosis.matching import Matching, group_numbers
from halocline_lab.diagnosis.timeline import (
    Floats,
    Integers,
    communicating_kinds,
    file_kinds,
    sums,
)

large_place = 0.1
"""Share of the others' time from which on a place tells of the pace of a rank."""

same_pace = 0.25
"""Of a rank's whole excess: what takes less of it in a place has the others' pace there."""


@dataclass(frozen=True)
class Excess:
    """Where a rank takes longer than the median of the others.

    `spread` is "everywhere" (in two places or more, and all that are large), "in places", or "one
    place" (the program has one only, so that nothing can be compared). `place` is where most of the
    excess is: `seconds` there, and `others` take, within the spans of the record.
    """

    spread: str
    place: str
    seconds: float
    others: float


def excess_of(matching: Matching, ranks: Integers, slowest: int) -> Excess:
    """Where the rank at place `slowest` of `ranks` takes longer than the others."""
    names, seconds = _places(matching, ranks)
    if not names:
        return Excess("one place", "", 0.0, 0.0)
    own = seconds[:, slowest]
    others = np.median(np.delete(seconds, slowest, axis=1), axis=1)
    more = own - others
    whole = max(float(more.sum()), 1e-300)
    most = int(np.argmax(more))
    large = others > large_place * others.sum()
    pace = more[large] / np.maximum(others[large], 1e-300)
    overall = whole / max(float(others.sum()), 1e-300)
    if (pace < same_pace * overall).any() or float(more[large].sum()) < 0.5 * whole:
        spread = "in places"
    else:
        spread = "everywhere" if large.sum() > 1 else "one place"
    return Excess(spread, names[most], float(own[most]), float(others[most]))


def _places(matching: Matching, ranks: Integers) -> tuple[list[str], Floats]:
    """Names of places, and seconds [place, rank] that are spent there."""
    timeline = matching.timeline
    segments = timeline.segments[np.isin(timeline.segments["rank"], ranks)]
    kinds = np.array([region.kind for region in timeline.regions])[segments["region"]]
    busy = ~np.isin(kinds, (*communicating_kinds, *file_kinds))
    starts = np.ones(len(segments), np.bool_)
    starts[1:] = segments["rank"][1:] != segments["rank"][:-1]
    at = np.arange(len(segments))
    last = np.maximum.accumulate(np.where(~busy | starts, at, 0))
    before = np.where(busy[last], -1, segments["region"][last].astype(np.int64))[busy]
    region = segments["region"][busy].astype(np.int64)
    if not len(region):
        return [], np.empty((0, len(ranks)))
    place = group_numbers([before, region])
    lengths = (segments["end"] - segments["begin"])[busy] / 1e9
    rank = np.searchsorted(ranks, segments["rank"][busy])
    count = int(place.max()) + 1
    seconds = sums(place * len(ranks) + rank, lengths, count * len(ranks))
    _, first = np.unique(place, return_index=True)
    regions = timeline.regions
    names = []
    for b, r in zip(before[first].tolist(), region[first].tolist(), strict=True):
        what = "" if r == len(regions) - 1 else f"'{regions[r].name}'"
        after = f"after {regions[b].name}" if b >= 0 else "at the begin"
        names.append(f"{what} {after}".strip())
    return names, seconds.reshape(count, len(ranks))
