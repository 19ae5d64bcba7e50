"""From what the ranks of a program left behind to its record: sites, communicators, clocks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from halocline.runtime.record.run_record import RunRecord, Table, nobody
from halocline.runtime.record.run_record_parts import RecordPart, join, read_parts
from halocline_lab.recording.call_sites import resolve_sites
from halocline_lab.recording.salvaging import endings, salvage
from halocline_lab.recording.sampled_functions import profile, samples_of

keys_of_rows = {
    "statistics": ("rank", "thread", "region", "period"),
    "messages": ("rank", "partner", "region", "size_class"),
}
"""What tells the rows of a table apart."""

most_members = 200_000
"""Members of communicators are listed as long as there are not more of them."""


def joined_records(folder: Path, about: dict[str, Any], library: Path) -> list[RunRecord]:
    """The records of all programs whose parts are in a folder, in the order they began.

    They were made by the `library`, which also reads what killed ranks left.
    """
    folders = [one for one in folder.iterdir() if one.is_dir()]
    for one in folders:
        salvage(one, library)
    programs = [read_parts(one) for one in folders]
    records = []
    for parts in sorted((one for one in programs if one), key=lambda one: one[0].about["begin"]):
        resolve_sites(parts)
        for part in parts:
            unite_regions(part)
            forget_cancelled(part)
        members = number_communicators(parts)
        arguments = parts[0].about["about"]["arguments"]
        notes = endings(parts)
        for part in parts:
            own = part.about["about"]
            wrapping = 1e-9 * own.pop("wrapping_ns") * part.about["calls"]
            part.about["recording_seconds"] += wrapping
            part.about["host"] = own.pop("host")
            del own["pid"], own["arguments"], own["communicators_of_rank"]
        sampled = {
            part.about["rank"]: samples_of(part)
            for part in parts
            if "samples" in part.about["about"]
        }
        told = {"program": program_of(arguments), "communicators": members}
        found = join(parts, {**about, **told})
        found.about["notes"] = [*notes, *found.about["notes"]]
        if sampled:
            found.about["samples"] = [asdict(one) for one in profile(found, sampled)]
        records.append(found)
    return records


def program_of(arguments: Sequence[str]) -> str:
    """The name of a program from the words that started it; of Python's, that of the script.

    >>> program_of(["./a.out", "x"]), program_of(["/usr/bin/python3", "-u", "run/it.py", "-v"])
    ('a.out', 'it.py')
    >>> program_of(["python", "-m", "bench"]), program_of([])
    ('bench', 'program')
    """
    if not arguments:
        return "program"
    name = Path(arguments[0]).name
    if name.startswith("python"):
        name = next((Path(one).name for one in arguments[1:] if not one.startswith("-")), name)
    return name


def unite_regions(part: RecordPart) -> None:
    """Make one region of those that are on one line of the source: their addresses differ."""
    regions = [tuple(region) for region in part.about["regions"]]
    first = {region: number for number, region in reversed(list(enumerate(regions)))}
    if len(first) == len(regions):
        return
    numbers = np.array([first[region] for region in regions], np.uint32)
    for table in part.tables.values():
        if "region" in (table.dtype.names or ()):
            table["region"] = numbers[table["region"]]
    for name, keys in keys_of_rows.items():
        part.tables[name] = united_rows(part.tables[name], keys)


def forget_cancelled(part: RecordPart) -> None:
    """Messages that were started and came from nobody, since they were cancelled, are nobody's."""
    kinds = np.array([kind for _, kind, _ in part.about["regions"]] or [""])
    events = part.tables["events"]
    kind = kinds[events["region"]] if len(events) else np.empty(0, "U1")
    ended = events["request"][(kind == "completion") & (events["partner"] == nobody)]
    started = np.isin(kind, ("start send", "start receive")) & (events["partner"] != nobody)
    cancelled = started & np.isin(events["request"], ended)
    events["partner"][cancelled], events["bytes"][cancelled] = nobody, 0


def united_rows(table: Table, keys: Sequence[str]) -> Table:
    """One row for each combination of keys: sums, the shortest and the longest."""
    found, place = np.unique(table[list(keys)], return_inverse=True)
    rows = np.zeros(len(found), table.dtype)
    for column in table.dtype.names or ():
        if column in keys:
            rows[column] = found[column]
        elif column in ("shortest", "longest"):
            take = np.minimum if column == "shortest" else np.maximum
            rows[column] = np.inf if column == "shortest" else 0
            take.at(rows[column], place.reshape(-1), table[column])
        else:
            np.add.at(rows[column], place.reshape(-1), table[column])
    return rows


def ranks_of(runs: Sequence[Sequence[int]]) -> list[int]:
    """Ranks from rows of them: first, step, count.

    >>> ranks_of([[0, 2, 3], [9, 1, 1]])
    [0, 2, 4, 9]
    """
    return [first + step * at for first, step, count in runs for at in range(count)]


def number_communicators(parts: Sequence[RecordPart]) -> list[list[int] | None]:
    """Number communicators alike on all ranks; returns the members of each (None: too many).

    Each rank has numbered its own. Two are the same if they have the same members, and as many
    older ones with these members exist.
    """
    numbers: dict[str, int] = {}
    members: list[list[int] | None] = []
    listed = 0
    for part in parts:
        own = part.about["about"]["communicators_of_rank"]
        table = np.zeros(max((row[0] for row in own), default=0) + 1, np.uint16)
        for number, older, here, there in own:
            key = json.dumps([older, sorted([here, there]) if there else here])
            if key not in numbers:
                numbers[key] = len(numbers)
                ranks = ranks_of([*here, *there])
                listed += len(ranks)
                members.append(ranks if listed <= most_members else None)
            table[number] = min(numbers[key], 65535)
        events = part.tables["events"]
        events["communicator"] = table[events["communicator"]]
    return members
