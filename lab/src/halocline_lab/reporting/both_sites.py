"""The records of both sites of a run as one: all ranks on one time axis.

Each site's record says when it began by that site's clock, and how the two clocks were apart at the
start and at the end (`experiment.sites`). Times of the second site are turned into those of the
first, its ranks come after the first one's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord, beside_thread, table_types

sums = ("output_bytes", "points", "state_bytes", "prognostic_variables", "ranks")
longest = ("simulated_seconds", "loop_seconds", "output_seconds", "precision", "steps")


def both_sites(one: RunRecord, other: RunRecord, paths: Sequence[str]) -> RunRecord:
    """One record of two; refused where they are not the two sites of one run."""
    first, second = (_site(some, path) for some, path in zip((one, other), paths, strict=True))
    if (first["name"], first["other"]) != (second["other"], second["name"]):
        raise UserError(
            f"'{paths[0]}' is of the site '{first['name']}' of a run with '{first['other']}', and"
            f" '{paths[1]}' of '{second['name']}' with '{second['other']}': they are not the two"
            " sites of one run."
        )
    later = _later(first, second, one)
    if abs(later) > 10 * 1e9 * max(one.seconds, other.seconds):
        raise UserError(
            f"'{paths[1]}' began {1e-9 * later:.0f} s after '{paths[0]}': they are of two runs."
            " Give records of one."
        )
    zero = min(0, later)
    regions = list(dict.fromkeys([*one.regions, *other.regions]))
    found = RunRecord(_about(one, other, first, second), regions)
    shifts = ((one, -zero, 0, 0), (other, later - zero, one.size, _count(one)))
    tables: dict[str, list[Any]] = {name: [] for name in table_types}
    for record, shift, ranks, communicators in shifts:
        numbers = np.array([regions.index(some) for some in record.regions], np.uint32)
        for name, some in tables.items():
            table = getattr(record, name).copy()
            _renumber(table, numbers, shift, ranks, communicators)
            some.append(table)
    tables["ranks"][1]["host"] += len(one.about.get("hosts", [""]))
    tables["ranks"][1]["role"] += len(one.about.get("roles", [""]))
    tables["counters"][1]["counter"] += len(one.about.get("counters", []))
    for name, some in tables.items():
        setattr(found, name, np.concatenate(some))
    events = found.events
    order = np.lexsort((-events["end"], events["begin"], events["thread"], events["rank"]))
    found.events = events[order]
    return found


def _site(record: RunRecord, path: str) -> dict[str, Any]:
    found = record.about.get("site")
    if not found or not found.get("clock"):
        raise UserError(
            f"The record '{path}' is not of one of two sites, so that its time cannot be compared."
            " Give one record, or '--against RECORD' to compare runs."
        )
    return dict(found)


def _later(first: Mapping[str, Any], second: Mapping[str, Any], one: RunRecord) -> int:
    """By how much the second record's zero is after the first one's, on the first one's clock [ns].

    Clocks drift: the offset is that in the middle of the run, between those that were compared.
    """
    times = np.array([at for at, _ in first["clock"]], np.float64)
    offsets = np.array([offset for _, offset in first["clock"]], np.float64)
    middle = first["zero"] + 0.5e9 * one.seconds
    return int(second["zero"] - first["zero"] + round(np.interp(middle, times, offsets)))


def _renumber(
    table: Any, regions: NDArray[np.uint32], shift: int, ranks: int, communicators: int
) -> None:
    """Numbers of a table as they are in the record of both."""
    names = table.dtype.names or ()
    if "region" in names and table.size:
        table["region"] = regions[table["region"]]
    if "thread" in names:
        beside = table["thread"] >= beside_thread
        table["thread"][beside] = beside_thread + regions[table["thread"][beside] - beside_thread]
    if "communicator" in names:
        table["communicator"] += np.uint16(communicators)
    if "rank" in names:
        table["rank"] += np.uint32(ranks)
    if "partner" in names:
        some = table["partner"] >= 0
        table["partner"][some] += ranks
    for column in {"begin", "end", "steady_begin", "steady_end"} & set(names):
        table[column] += shift


def _count(record: RunRecord) -> int:
    """One more than the highest number of a communicator."""
    known = [int(number) for number in record.about.get("communicators", {})]
    return 1 + max([*known, *record.events["communicator"].tolist()], default=0)


def _about(
    one: RunRecord, other: RunRecord, first: Mapping[str, Any], second: Mapping[str, Any]
) -> dict[str, Any]:
    """What is known of both, as of one run: sizes are sums, times the longest."""
    mine, theirs = one.about, other.about
    names = (first["name"], second["name"])

    def of_sites(key: str) -> list[str]:
        return [
            f"{some} at {name}"
            for about, name in zip((mine, theirs), names, strict=True)
            for some in about.get(key, [""])
        ]

    communicators, count = dict(mine.get("communicators", {})), _count(one)
    for number, ranks in theirs.get("communicators", {}).items():
        communicators[str(int(number) + count)] = [rank + one.size for rank in ranks]
    uncertain = max(first["uncertainty"], second["uncertainty"])
    note = (
        f"Two sites, {names[0]} and {names[1]}: their clocks were compared over the link, to"
        f" {1e3 * uncertain:.2g} ms."
    )
    members = dict(mine.get("members", {}))
    for name, facts in theirs.get("members", {}).items():
        members[name] = {**facts, "ranks": [rank + one.size for rank in facts["ranks"]]}
    found = {
        **mine,
        "hosts": of_sites("hosts"),
        "roles": of_sites("roles"),
        "cores": [*mine.get("cores", []), *theirs.get("cores", [])],
        "counters": [*mine.get("counters", []), *theirs.get("counters", [])],
        "notes": list(dict.fromkeys([note, *mine.get("notes", []), *theirs.get("notes", [])])),
        "points_of_ranks": [*mine.get("points_of_ranks", []), *theirs.get("points_of_ranks", [])],
        "component": ", ".join(filter(None, (mine.get("component"), theirs.get("component")))),
        "cut": "; ".join(filter(None, (mine.get("cut"), theirs.get("cut")))),
        "communicators": communicators,
        "members": members,
    }
    for keys, joined in ((sums, sum), (longest, max)):
        for key in keys:
            if key in mine and key in theirs:
                found[key] = joined((mine[key], theirs[key]))
    joules = [some for about in (mine, theirs) if (some := about.get("joules")) is not None]
    found["joules"] = sum(joules) if len(joules) == 2 else None
    found.pop("site", None)
    return found
