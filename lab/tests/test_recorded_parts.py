"""Regions on one line of the source become one, with the sums of their rows."""

from __future__ import annotations

import numpy as np

from halocline.runtime.record.run_record import empty
from halocline.runtime.record.run_record_parts import RecordPart
from halocline_lab.recording.recorded_parts import number_communicators, unite_regions


def part_of(regions, **tables):
    names = ("statistics", "messages", "events")
    return RecordPart(
        {"regions": regions, "about": {}}, {n: tables.get(n, empty(n)) for n in names}
    )


def test_rows_of_one_line_are_added():
    statistics = empty("statistics", 3)
    statistics["region"], statistics["calls"] = [0, 1, 2], [5, 7, 9]
    statistics["shortest"], statistics["longest"] = [0.2, 0.1, 0.3], [0.4, 0.6, 0.5]
    events = empty("events", 3)
    events["region"] = [2, 1, 0]
    send = ["MPI_Send", "send", "a.c:7 in main"]
    part = part_of([send, ["MPI_Recv", "receive", ""], send], statistics=statistics, events=events)
    unite_regions(part)
    assert part.tables["events"]["region"].tolist() == [0, 1, 0]
    rows = part.tables["statistics"]
    assert rows["region"].tolist() == [0, 1] and rows["calls"].tolist() == [14, 7]
    np.testing.assert_allclose(rows["shortest"], [0.2, 0.1])
    np.testing.assert_allclose(rows["longest"], [0.5, 0.6])


def test_communicators_are_matched_by_members_and_age():
    parts = [part_of([]), part_of([])]
    world = [0, 0, [[0, 1, 2]], []]
    older, later = [[[0, 1, 2]], []], [[[0, 1, 2]], []]
    parts[0].about["about"]["communicators_of_rank"] = [world, [1, 1, *older], [2, 2, *later]]
    own, both = [[[1, 1, 1]], []], [[[1, 1, 1]], [[0, 1, 1]]]
    parts[1].about["about"]["communicators_of_rank"] = [
        world, [1, 0, *own], [2, 1, *older], [3, 2, *later], [4, 0, *both]
    ]  # fmt: skip
    for part, numbers in zip(parts, ([0, 1, 2], [0, 1, 2, 3, 4]), strict=True):
        part.tables["events"] = empty("events", len(numbers))
        part.tables["events"]["communicator"] = numbers
    members = number_communicators(parts)
    assert parts[0].tables["events"]["communicator"].tolist() == [0, 1, 2]
    assert parts[1].tables["events"]["communicator"].tolist() == [0, 3, 1, 2, 4]
    assert members == [[0, 1], [0, 1], [0, 1], [1], [1, 0]]
