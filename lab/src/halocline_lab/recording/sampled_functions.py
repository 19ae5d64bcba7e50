"""Functions that a program was in when it was asked, in its start and after it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.record.run_record_parts import RecordPart
from halocline_lab.diagnosis.startup import end_of_start
from halocline_lab.recording.call_sites import address, named, readable, source_lines
from halocline_lab.recording.function_names import demangled


@dataclass(frozen=True)
class Function:
    """A function, its file (or the program or library that it is in), and its samples."""

    name: str
    file: str
    start: int
    steady: int
    own: bool
    """Whether its source is known or it is part of the program itself, so that it can be traced."""


@dataclass(frozen=True)
class Samples:
    """Of one rank: times from the begin of its recording [ns]; counts by place and slice."""

    begin: int
    end: int
    counts: Mapping[str, Mapping[int, int]]


slices = 200
"""Pieces of a rank's time in which samples are counted (`interposer/sampling.hpp`)."""


def samples_of(part: RecordPart) -> Samples:
    """Take the samples out of what a rank tells of itself."""
    begin, end, rows = part.about["about"].pop("samples")
    zero = part.about["begin"]
    counts = {place: {int(at): int(n) for at, n in some} for place, some in rows}
    return Samples(begin - zero, end - zero, counts)


def profile(record: RunRecord, ranks: Mapping[int, Samples]) -> list[Function]:
    """All functions that were seen on any rank, most samples after the start first.

    The start ends at the first step, or where the run becomes like its second half; where neither
    is known, what is not seen in the second half belongs to it.
    """
    start_ends = end_of_start(record)
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    late: Counter[str] = Counter()
    for rank, some in ranks.items():
        middles = some.begin + (some.end - some.begin) * (np.arange(slices) + 0.5) / slices
        middles += float(record.ranks["begin"][rank])
        border = start_ends if start_ends is not None else int(record.ranks["begin"][rank])
        for place, counts in some.counts.items():
            for at, count in counts.items():
                (before if middles[at] < border else after)[place] += count
                late[place] += count * (at >= slices // 2)
    return _by_function(record, before, after, late, known=start_ends is not None)


def _by_function(
    record: RunRecord,
    before: Counter[str],
    after: Counter[str],
    late: Counter[str],
    *,
    known: bool,
) -> list[Function]:
    names = _names({*before, *after}, str(record.about.get("program", "")))
    sums: dict[tuple[str, str, bool], list[int]] = defaultdict(lambda: [0, 0, 0])
    for place, key in names.items():
        for at, counts in enumerate((before, after, late)):
            sums[key][at] += counts[place]
    found = []
    for (name, file, own), (start, steady, seen_late) in sums.items():
        if not known and not seen_late:
            start, steady = start + steady, 0
        found.append(Function(name, file, start, steady, own))
    return sorted(found, key=lambda one: (-one.steady, -one.start, one.name))


def _names(places: set[str], program: str) -> dict[str, tuple[str, str, bool]]:
    """Function, file and whether it can be traced, of every place."""
    wanted: dict[str, set[str]] = defaultdict(set)
    parts = {place: found for place in places if (found := address.match(place))}
    for found in parts.values():
        wanted[found["path"]].add(found["offset"])
    lines = {
        (path, offset): line
        for path, offsets in wanted.items()
        for offset, line in source_lines(path, sorted(offsets)).items()
    }
    symbols = demangled(found["symbol"] or "" for found in parts.values())
    names = {}
    for place in places:
        name, where = named(readable(place, lines, symbols))
        file, _, line = where.rpartition(":")
        object_ = Path(parts[place]["path"]).name if place in parts else ""
        own = bool(file and line.isdigit()) or object_ == program
        known = where or "+0x" not in name
        names[place] = (name, file or where, own) if known else (f"code of {object_}", "", False)
    return names
