"""The statistics of a record whose events are all known: of simulated runs, and of tests.

The recorder keeps statistics while the program runs; these are the same numbers from the events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.record.run_record import (
    Region,
    RunRecord,
    Table,
    empty,
    message_kinds,
    mpi_kinds,
    periods,
    size_class,
)


def record_of_events(
    about: dict[str, Any], regions: Sequence[Region], events: Table, size: int, *, step: str = ""
) -> RunRecord:
    """A record of `size` ranks with all its tables, from the events of the whole run.

    Steps are the events of the phase called `step`, the same number on each rank.
    """
    order = np.lexsort((-events["end"], events["begin"], events["thread"], events["rank"]))
    record = RunRecord(dict(about), list(regions), events=events[order])
    record.ranks = empty("ranks", size)
    record.ranks["rank"] = np.arange(size)
    record.ranks["threads"] = 1
    record.ranks["cpu_seconds"] = np.nan
    record.ranks["steady_processor_seconds"] = np.nan
    record.ranks["peak_memory"] = -1
    record.spans = empty("spans", size)
    record.spans["rank"] = np.arange(size)
    record.spans["step"] = -1
    own, statistics, messages, steps = [], [], [], []
    for rank in range(size):
        mine = record.of_rank(rank)
        own.append(own_seconds(mine))
        row = record.ranks[rank]
        row["begin"], row["end"] = (mine["begin"].min(), mine["end"].max()) if mine.size else (0, 0)
        row["steady_begin"], row["steady_end"] = row["begin"], row["end"]
        is_step = np.array([r.name == step and r.kind == "phase" for r in regions] or [False])
        stepping = mine[is_step[mine["region"]]]
        if stepping.size:
            row["steady_begin"], row["steady_end"] = stepping["begin"][0], stepping["end"][-1]
            steps.append(_steps(record, mine, own[-1], stepping))
            record.spans["step"][rank], record.spans["steps"][rank] = 0, stepping.size
        record.spans["begin"][rank], record.spans["end"][rank] = row["begin"], row["end"]
        statistics.append(_statistics(mine, own[-1], row))
        messages.append(_messages(record, mine))
    record.statistics = np.concatenate([empty("statistics"), *statistics])
    record.messages = np.concatenate([empty("messages"), *messages])
    record.steps = np.concatenate([empty("steps"), *steps])
    return record


def own_seconds(events: Table) -> NDArray[np.float64]:
    """Time of each event of a rank without that of the events inside it [s].

    `events` are in order: by thread, by begin, those that enclose others first.
    """
    own = (events["end"] - events["begin"]) / 1e9
    open_events: list[int] = []
    for at in range(len(events)):
        while open_events and not _inside(events[at], events[open_events[-1]]):
            open_events.pop()
        if open_events:
            own[open_events[-1]] -= (events["end"][at] - events["begin"][at]) / 1e9
        open_events.append(at)
    return own


def _inside(event: Any, other: Any) -> bool:
    return bool(
        event["thread"] == other["thread"]
        and event["begin"] >= other["begin"]
        and event["end"] <= other["end"]
    )


def statistics_of_rank(
    record: RunRecord, events: Table, own: NDArray[np.float64], row: Any
) -> tuple[Table, Table]:
    """Statistics and messages of one rank: from its events, their own time, and its row."""
    return _statistics(events, own, row), _messages(record, events)


def _statistics(events: Table, own: NDArray[np.float64], row: Any) -> Table:
    """Statistics of one rank."""
    period = np.where(
        events["begin"] < row["steady_begin"],
        periods.index("start-up"),
        np.where(
            events["begin"] < max(row["steady_end"], row["steady_begin"] + 1),
            periods.index("steady"),
            periods.index("end"),
        ),
    )
    keys = np.stack([events["thread"], events["region"], period], axis=1)
    found, place = np.unique(keys, axis=0, return_inverse=True)
    place = place.reshape(-1)
    rows = empty("statistics", len(found))
    seconds = (events["end"] - events["begin"]) / 1e9
    rows["rank"] = row["rank"]
    for name, column in zip(("thread", "region", "period"), found.T, strict=True):
        rows[name] = column
    rows["shortest"] = np.inf
    np.add.at(rows["calls"], place, 1)
    np.add.at(rows["seconds"], place, seconds)
    np.add.at(rows["own_seconds"], place, own)
    np.add.at(rows["squares"], place, seconds**2)
    np.add.at(rows["bytes"], place, events["bytes"])
    np.minimum.at(rows["shortest"], place, seconds)
    np.maximum.at(rows["longest"], place, seconds)
    return rows


def _messages(record: RunRecord, events: Table) -> Table:
    """Messages and collectives of one rank, by partner, region and size."""
    with_partners = {*message_kinds, "collective", "start collective", "one-sided"} - {
        "send receive"
    }
    some = events[np.isin(record.kinds_of(events["region"]), sorted(with_partners))]
    classes = np.array([size_class(size) for size in some["bytes"]], np.int64)
    keys = np.stack([some["partner"].astype(np.int64), some["region"], classes], axis=1)
    found, place = np.unique(keys, axis=0, return_inverse=True)
    place = place.reshape(-1)
    rows = empty("messages", len(found))
    rows["rank"] = some["rank"][0] if some.size else 0
    for name, column in zip(("partner", "region", "size_class"), found.T, strict=True):
        rows[name] = column
    np.add.at(rows["count"], place, 1)
    np.add.at(rows["bytes"], place, some["bytes"])
    np.add.at(rows["seconds"], place, (some["end"] - some["begin"]) / 1e9)
    return rows


def _steps(record: RunRecord, events: Table, own: NDArray[np.float64], stepping: Table) -> Table:
    """One row per step of one rank."""
    rows = empty("steps", len(stepping))
    communicating = np.isin(record.kinds_of(events["region"]), [*mpi_kinds, "halo", "sum"])
    for at, one in enumerate(stepping):
        inside = (events["begin"] >= one["begin"]) & (events["end"] <= one["end"])
        inside &= events["end"] > one["begin"]  # what ends as the step begins is not of it
        seconds = (one["end"] - one["begin"]) / 1e9
        pattern = events[["region", "partner", "bytes"]][inside].tolist()
        rows[at] = (
            one["rank"],
            at,
            1,
            one["begin"],
            seconds,
            seconds,
            own[inside & communicating].sum(),
            hash(tuple(pattern)) & (2**64 - 1),
        )
    return rows
