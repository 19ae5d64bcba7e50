"""Joins what single processes recorded (`cpp/base/recording_part.hpp`) into the record of a run."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import (
    Region,
    RunRecord,
    Table,
    beside_thread,
    empty,
    of_member,
    table_types,
)

magic = b"HALOREC1"

own_words = ("role", "clock", "work", "recording_seconds")
"""What the "about" of a part says of its rank only."""


@dataclass
class RecordPart:
    """What one process recorded: the JSON text, and its tables."""

    about: dict[str, Any]
    tables: dict[str, Table]


def read_part(content: bytes, name: str = "") -> RecordPart:
    """A part from its bytes."""
    if content[:8] != magic:
        raise UserError(f"'{name}' is no part of a record. Name what 'halocline' recorded.")
    (length,) = struct.unpack_from("<I", content, 8)
    try:
        about = json.loads(content[12 : 12 + length].decode(errors="replace"))
        offset, tables = 12 + length, {}
        for table, rows in about["tables"]:
            tables[table] = np.frombuffer(content, table_types[table], rows, offset).copy()
            offset += tables[table].nbytes
    except (ValueError, KeyError) as error:
        raise UserError(f"'{name}' is a broken part of a record ({error}). Record again.") from None
    return RecordPart(about, tables)


def of_server(part: RecordPart, member: str, world: Sequence[int], size: int) -> RecordPart:
    """The part of an output server of a member, as one of the record of all members.

    `world` are the numbers that the ranks of the member, its servers among them, have in all.
    """
    numbers = np.asarray(world, np.int64)
    rank = int(numbers[part.about["rank"]])
    tables = {name: table.copy() for name, table in part.tables.items()}
    for table in tables.values():
        if "rank" in (table.dtype.names or ()):
            table["rank"] = rank
        if "partner" in (table.dtype.names or ()):
            some = table["partner"] >= 0
            table["partner"][some] = numbers[table["partner"][some]]
    regions = [[f"{member}{of_member}{name}", *rest] for name, *rest in part.about["regions"]]
    own = {**part.about["about"], "role": f"{part.about['about']['role']} of {member}"}
    about = {**part.about, "rank": rank, "size": size, "regions": regions, "about": own}
    return RecordPart(about, tables)


def read_parts(folder: str | Path) -> list[RecordPart]:
    """All parts in a folder (files `*.part`), by name."""
    return [read_part(path.read_bytes(), str(path)) for path in sorted(Path(folder).glob("*.part"))]


def join(parts: Iterable[RecordPart], about: dict[str, Any] | None = None) -> RunRecord:
    """The record of all ranks whose parts are given; times count from the earliest begin.

    What a part's own "about" says is taken from the lowest rank, except "role" (a word, of each
    rank), "notes" (of all) and "clock": [[time, offset], [time, offset]] [ns], what has to be added
    to a rank's clock at two times to get that of rank 0.
    """
    ordered = sorted(parts, key=lambda part: part.about["rank"])
    if not ordered:
        raise UserError("No process left a part of a record: nothing can be joined.")
    for part in ordered:
        _set_clock(part)
    zero = min(part.about["begin"] for part in ordered)
    record = RunRecord(_about(ordered, about or {}), [])
    numbers: dict[Region, int] = {}
    tables: dict[str, list[Table]] = {name: [empty(name)] for name in table_types}
    roles: list[str] = []
    for part in ordered:
        regions = np.array(
            [numbers.setdefault(Region(*words), len(numbers)) for words in part.about["regions"]],
            np.uint32,
        )
        for name, table in part.tables.items():
            if "region" in (table.dtype.names or ()):
                table["region"] = regions[table["region"]] if table.size else table["region"]
            if "thread" in (table.dtype.names or ()):
                beside = table["thread"] >= beside_thread
                table["thread"][beside] = (
                    beside_thread + regions[table["thread"][beside] - beside_thread]
                )
            for column in {"begin", "end"} & set(table.dtype.names or ()):
                table[column] -= zero
            tables[name].append(table)
        for name, table in zip(("work", "counters"), _work(part, regions), strict=True):
            tables[name].append(table)
        role = part.about["about"].get("role", "")
        if role not in roles:
            roles.append(role)
        tables["ranks"].append(_rank_row(part, record, roles.index(role), zero))
    record.about["roles"] = roles
    record.regions = list(numbers)
    for name, pieces in tables.items():
        setattr(record, name, np.concatenate(pieces))
    events = record.events
    order = np.lexsort((-events["end"], events["begin"], events["thread"], events["rank"]))
    record.events = events[order]
    return record


def _work(part: RecordPart, regions: NDArray[np.uint32]) -> tuple[Table, Table]:
    """What the kernels of a part had to move and what was counted: tables "work", "counters"."""
    work = part.about["about"].get("work", {})
    counted = part.about["about"].get("counters", [])
    rows, counts = empty("work", len(work)), empty("counters", len(work) * len(counted))
    names = [words[0] if words[1] == "kernel" else "" for words in part.about["regions"]]
    statistics = part.tables["statistics"]
    for at, (name, (size, values)) in enumerate(work.items()):
        region = regions[names.index(name)]
        calls = statistics["calls"][statistics["region"] == region].sum()
        operations = values.get("operations", np.nan)
        rows[at] = (part.about["rank"], region, calls, size, operations)
        for number, what in enumerate(counted):
            value = values.get(what, np.nan)
            counts[at * len(counted) + number] = (part.about["rank"], region, number, value)
    return rows, counts


def _set_clock(part: RecordPart) -> None:
    """Turn all times of a part into times of rank 0's clock."""
    clock = part.about["about"].get("clock")
    if not clock:
        return
    (first, offset), (last, other) = clock
    slope = (other - offset) / (last - first) if last > first else 0.0

    def shifted(time: Any) -> Any:
        return time + np.rint(offset + slope * (np.asarray(time) - first)).astype(np.int64)

    for name in ("begin", "end", "steady_begin", "steady_end"):
        part.about[name] = int(shifted(part.about[name]))
    for table in part.tables.values():
        for column in {"begin", "end"} & set(table.dtype.names or ()):
            table[column] = shifted(table[column])


def _about(parts: list[RecordPart], more: dict[str, Any]) -> dict[str, Any]:
    about = {k: v for k, v in parts[0].about["about"].items() if k not in own_words}
    notes = [note for part in parts for note in part.about["about"].get("notes", [])]
    size = max(part.about["size"] for part in parts)
    present = {part.about["rank"] for part in parts}
    missing = [rank for rank in range(size) if rank not in present]
    if missing:
        words = ", ".join(map(str, missing[:8])) + (" ..." if len(missing) > 8 else "")
        notes.append(f"{len(missing)} of {size} ranks left no part of the record: {words}.")
    changing = [part for part in parts if part.about["patterns"] > 1]
    if changing:
        part = changing[0].about
        notes.append(
            f"The pattern of messages and regions differs between steps ({part['patterns']} or more"
            f" patterns on rank {part['rank']}; the commonest in {part['commonest_pattern']} of"
            f" {part['steps']} steps): kept steps may not stand for all."
        )
    lost = sum(part.about["not_kept"] for part in parts)
    if lost:
        notes.append(f"{lost} spans had more events than fit into memory and were not kept.")
    hosts = sorted({part.about["host"] for part in parts})
    cores: dict[str, set[int]] = {host: set() for host in hosts}
    for one in parts:
        cores[one.about["host"]].update(one.about["processors"])
    told = {"hosts": hosts, "cores": [len(cores[host]) for host in hosts]}
    return {**about, **more, **told, "notes": list(dict.fromkeys(notes))}


def _rank_row(part: RecordPart, record: RunRecord, role: int, zero: int) -> Table:
    row = empty("ranks", 1)
    row["role"], row["host"] = role, record.about["hosts"].index(part.about["host"])
    same = ("rank", "threads", "cpu_seconds", "peak_memory", "recording_seconds")
    for name in (*same, "steady_processor_seconds"):
        row[name] = part.about[name]
    if part.about["steps"]:  # those of kernels leave no events
        row["threads"] = max(int(part.about["threads"]), int(record.about.get("threads", 1)))
    if "recording_seconds" in part.about["about"]:
        row["recording_seconds"] = part.about["about"]["recording_seconds"]
    for name in ("begin", "end", "steady_begin", "steady_end"):
        row[name] = part.about[name] - zero
    return row
