"""Every moment of a rank belongs to one event; spans are those that all ranks have."""

import numpy as np
import pytest

from halocline.runtime.record.run_record import empty
from halocline_lab.diagnosis.timeline import aligned, timeline
from records.small import Events, two_ranks


def test_segments_fill_the_spans():
    lines = timeline(two_ranks())
    for rank in range(2):
        own = lines.segments[lines.segments["rank"] == rank]
        assert own["begin"][0] == 0 and own["end"][-1] == 200_000
        np.testing.assert_array_equal(own["begin"][1:], own["end"][:-1])
    names = np.array([region.name for region in lines.regions])
    for name, expected in (("step", 120_000), ("work", 200_000), ("MPI_Recv", 46_000)):
        some = lines.segments[names[lines.segments["region"]] == name]
        assert (some["end"] - some["begin"]).sum() == expected


def test_own_seconds_are_without_what_lies_inside():
    found = Events(1)
    found.add(0, 0, 100, "outer", "phase")
    found.add(0, 10, 60, "middle", "phase")
    found.add(0, 20, 30, "inner", "kernel")
    found.add(0, 60, 90, "next", "kernel")
    lines = timeline(found.record())
    assert lines.own_seconds == pytest.approx([20e-6, 40e-6, 10e-6, 30e-6])
    assert lines.parents.tolist() == [-1, 0, 1, 0]


def test_time_between_events_has_no_name():
    found = Events(1)
    found.add(0, 0, 10, "MPI_Send", "send", partner=0)
    found.add(0, 50, 60, "MPI_Send", "send", partner=0)
    lines = timeline(found.record())
    assert [lines.regions[s["region"]].name for s in lines.segments] == [
        "MPI_Send",
        "computation",
        "MPI_Send",
    ]
    assert lines.segments["event"].tolist() == [0, -1, 1]


def spans(record, rows):
    table = empty("spans", len(rows))
    for at, row in enumerate(rows):
        table[at] = row
    record.spans = table
    return [tuple(int(v) for v in row) for row in aligned(record)]


def test_spans_of_steps_are_those_of_all_ranks():
    record = two_ranks()
    rows = [(0, 0, 10, 0, 1), (1, 2, 12, 0, 1), (0, 50, 60, 5, 1), (1, 80, 90, 8, 1)]
    assert spans(record, rows) == [(0, 0, 10, 0, 1), (1, 2, 12, 0, 1)]


def test_spans_that_touch_on_all_ranks_are_one():
    record = two_ranks()
    rows = [(0, 0, 10, 0, 1), (0, 10, 20, 1, 1), (0, 20, 30, 2, 1)]
    rows += [(1, 1, 11, 0, 1), (1, 11, 21, 1, 1), (1, 25, 35, 2, 1)]
    assert spans(record, rows) == [
        (0, 0, 20, 0, 2),
        (0, 20, 30, 2, 1),
        (1, 1, 21, 0, 2),
        (1, 25, 35, 2, 1),
    ]


def test_spans_without_steps_are_cut_to_the_same_time():
    record = two_ranks()
    rows = [(0, 0, 40, -1, 0), (0, 60, 90, -1, 0), (1, 10, 70, -1, 0)]
    assert [row[:3] for row in spans(record, rows)] == [
        (0, 10, 40),
        (0, 60, 70),
        (1, 10, 40),
        (1, 60, 70),
    ]
