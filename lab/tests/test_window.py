"""A part of a record is a record: between two times, and without the start."""

import argparse

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.record.run_record_file import write_record
from halocline_lab.diagnosis.analysis import analyse
from halocline_lab.diagnosis.startup import end_of_start
from halocline_lab.diagnosis.window import between, record_in_window
from halocline_lab.reporting import report
from halocline_lab.reporting.report_words import notes
from records.made import made_record
from records.small import Events, two_ranks


def started(start, steps, *, ranks=2, step_name=""):
    """Ranks that read and scatter for `start` ms, then do equal steps of 1 ms."""
    found = Events(ranks)
    for rank in range(ranks):
        for at in range(start):
            found.add(rank, 1000 * at, 1000 * at + 700, "read", "kernel")
            found.add(rank, 1000 * at + 700, 1000 * at + 1000, "MPI_Bcast", "collective", size=8)
        for step in range(steps):
            at = 1000.0 * (start + step)
            other = 1 - rank
            found.add(rank, at, at + 400, "work", "kernel")
            found.add(rank, at + 400, at + 420, "MPI_Send", "send", partner=other, size=100)
            found.add(rank, at + 420, at + 500, "MPI_Recv", "receive", partner=other, size=100)
            found.add(rank, at + 900, at + 1000, "MPI_Allreduce", "collective", size=8)
    return found.record(step=step_name)


@pytest.mark.parametrize("start", [20, 60, 90])
def test_the_start_is_what_is_unlike_the_rest(start):
    cut = end_of_start(started(start, 110))
    assert cut / 1e6 == pytest.approx(start, abs=1.5)


def test_a_run_of_equal_steps_has_no_start():
    assert end_of_start(started(0, 100)) is None


def test_the_start_of_a_record_with_steps_ends_at_the_first():
    record = made_record(4, 5)
    assert end_of_start(record) == record.ranks["steady_begin"].max()


def test_without_its_start_all_numbers_are_of_the_steps():
    whole, steps = started(50, 100), started(0, 100)
    part = analyse(between(whole, 50_000_000, 150_000_000))
    alone = analyse(steps)
    assert part.seconds == pytest.approx(alone.seconds)
    assert part.messages.count == alone.messages.count == 200
    assert part.states.busy == pytest.approx(alone.states.busy)
    assert part.accounting.waiting == pytest.approx(alone.accounting.waiting, abs=1e-9)
    for here, there in zip(part.phases, alone.phases, strict=True):
        assert here.total.mean == pytest.approx(there.total.mean)
        assert here.mpi.mean == pytest.approx(there.mpi.mean)
    names = {site.name: site.calls for site in part.messages.sites}
    assert names == {"MPI_Send": 200, "MPI_Recv": 200, "MPI_Allreduce": 200}
    assert part.efficiency.parallel.value == pytest.approx(alone.efficiency.parallel.value)
    assert "Only what is between 0.05 and 0.15 s" in part.notes[0]


def test_no_message_is_cut_apart():
    """Rank 1 is late by half a step: its receives in a window belong to sends before it."""
    late = started(0, 40)
    for table in (late.events, late.spans, late.ranks):
        of_one = table["rank"] == 1
        for name in {"begin", "end", "steady_begin", "steady_end"} & set(table.dtype.names):
            table[name][of_one] += 450_000
    whole = analyse(late)
    for begin in np.arange(5_000_000, 6_000_000, 50_000):
        part = analyse(between(late, int(begin), int(begin) + 20_000_000))
        per_step = part.accounting.waiting[0] / whole.accounting.waiting[0]
        steps = {site.name: site.calls for site in part.messages.sites}["MPI_Allreduce"] / 80
        assert per_step == pytest.approx(steps, abs=0.03)
        assert part.messages.count == pytest.approx(2 * 20, abs=3)


def test_the_parts_of_a_record_add_up_to_it():
    record = made_record(4, 6)
    length = int(record.ranks["end"].max())
    middle = int(record.ranks["steady_begin"].max()) + length // 3
    pieces = [between(record, 0, middle), between(record, middle, length)]
    seconds = sum(piece.statistics["own_seconds"].sum() for piece in pieces)
    main = record.statistics["own_seconds"].sum()
    kept = (record.spans["end"] - record.spans["begin"]).sum()
    whole = (record.ranks["end"] - record.ranks["begin"]).sum()
    assert kept / whole > 0.95
    assert seconds == pytest.approx(main, rel=0.06)
    assert sum(analyse(piece).steps for piece in pieces) in (5, 6)


def test_numbers_of_what_was_not_kept_are_reckoned():
    record = started(0, 100)
    record.spans["end"] = 50_000_000
    record.events = record.events[record.events["end"] <= 50_000_000]
    part = between(record, 20_000_000, 80_000_000)
    found = analyse(part)
    assert found.messages.count == pytest.approx(120)
    assert "events of 50 % of the time were kept" in found.notes[0]
    (steady,) = found.phases
    assert steady.total.mean == pytest.approx(0.06)
    assert steady.computation_share == pytest.approx(0.8, abs=0.01)
    with pytest.raises(UserError, match="No events were kept between 0.06 and 0.08 s"):
        between(record, 60_000_000, 80_000_000)


def test_periods_that_are_whole_stay_exact():
    """The end was not kept: its statistics are those of the record."""
    record = started(0, 100)
    record.ranks["steady_end"] = 90_000_000
    late = record.statistics.copy()
    late["period"], late["calls"] = 2, 10
    for name in ("seconds", "own_seconds"):
        late[name] *= 0.1
        record.statistics[name] *= 0.9
    record.statistics = np.concatenate([record.statistics, late])
    record.spans["end"] = 50_000_000
    record.events = record.events[record.events["end"] <= 50_000_000]
    found = analyse(between(record, 20_000_000, 200_000_000))
    (end,) = [row for row in found.phases if row.name == "end"]
    assert end.computation_share == pytest.approx(0.8) and end.total.mean == pytest.approx(0.01)
    shown = report.report_of(between(record, 20_000_000, 200_000_000))
    assert not any("statistics are of all" in note for note in notes(shown))


def options(*words):
    parser = argparse.ArgumentParser()
    report.add_arguments(parser)
    return parser.parse_args([str(word) for word in words])


def test_the_command_takes_a_part(tmp_path, capsys):
    write_record(tmp_path / "a.record", started(60, 110))
    given = options(tmp_path / "a.record", "--without-start", "--text")
    assert report.main(given) == 0
    said = capsys.readouterr().out
    assert "Only what is between 0.0" in said and "MPI_Bcast" not in said
    assert report.main(options(tmp_path / "a.record", "--until", "0.05", "--text")) == 0
    said = capsys.readouterr().out
    assert "MPI_Bcast" in said and "MPI_Send" not in said


def test_a_start_within_the_steady_part_is_named():
    shown = report.report_of(started(60, 110))
    assert any("are unlike the rest" in note and "60" in note for note in notes(shown))
    assert not any("unlike" in note for note in notes(report.report_of(started(0, 100))))


def test_mistakes_are_said(tmp_path):
    path = tmp_path / "a.record"
    write_record(path, two_ranks())
    for words, message in (
        (("--since", "1"), "Nothing is between 1 and 0.0002 s"),
        (("--since", "-1"), "is no time of a record"),
        (("--since", "nan"), "is no time of a record"),
    ):
        with pytest.raises(UserError, match=message):
            record_in_window(path, options(path, *words))
    write_record(tmp_path / "even.record", started(0, 100))
    with pytest.raises(UserError, match="No start that is unlike the rest"):
        record_in_window(tmp_path / "even.record", options(path, "--without-start"))
    assert np.array_equal(record_in_window(path, options(path)).events, two_ranks().events)
