"""The recorder of one process: statistics of everything, events of representative spans."""

import threading

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime import _native
from halocline.runtime.record.recorder import Partners, Recorder, recorder_here
from halocline.runtime.record.run_record import beside_thread, periods
from halocline.runtime.record.run_record_file import write_record
from halocline.runtime.record.run_record_parts import join, of_server, read_part


def recording(**limits):
    bounds = _native.RecordingLimits()
    for name, value in limits.items():
        setattr(bounds, name, value)
    return _native.Recording(bounds)


def joined(*some, about="{}"):
    return join(
        [read_part(one.part(rank, len(some), about)) for rank, one in enumerate(some)], {"x": 1}
    )


def step(one, kernel, wait, partner=1):
    one.step_begin()
    begin = _native.now_ns()
    one.add(kernel, begin, begin + 500, 0, -1)
    one.add(wait, begin + 500, begin + 700, 64, partner)
    one.step_end()


def rows_of(record, name, region):
    table = getattr(record, name)
    return table[table["region"] == [r.name for r in record.regions].index(region)]


def test_nested_regions_have_time_of_their_own():
    one = recording()
    outer, inner = one.region("outer", "phase", ""), one.region("inner", "kernel", "")
    assert one.region("inner", "kernel", "") == inner
    one.begin(outer)
    begin = _native.now_ns()
    one.begin(inner)
    while _native.now_ns() < begin + 1_000_000:
        pass
    one.end()
    one.add(inner, begin, begin + 1000, 0, -1)
    one.end()
    record = joined(one)
    (outside,) = rows_of(record, "statistics", "outer")
    (inside,) = rows_of(record, "statistics", "inner")
    assert inside["calls"] == 2 and inside["seconds"] >= 1e-3
    np.testing.assert_allclose(inside["shortest"], 1e-6)
    np.testing.assert_allclose(outside["own_seconds"], outside["seconds"] - inside["seconds"])
    assert record.events["region"].tolist() == [0, 1, 1]


def test_periods_and_what_comes_between_steps():
    one = recording()
    kernel, wait = one.region("kernel", "kernel", ""), one.region("recv", "receive", "")
    output = one.region("output", "output", "")
    now = _native.now_ns()
    one.add(output, now, now + 10, 0, -1)
    for _ in range(3):
        step(one, kernel, wait)
        one.add(output, now, now + 10, 0, -1)
    record = joined(one)
    calls = {
        periods[row["period"]]: int(row["calls"]) for row in rows_of(record, "statistics", "output")
    }
    assert calls == {"start-up": 1, "steady": 2, "end": 1}
    assert record.steps["step"].tolist() == [0, 1, 2]
    assert record.spans["step"].tolist() == [-1, 0, 1, 2]
    assert record.about["notes"] == []


def test_a_long_run_stays_small_and_counts_everything(tmp_path):
    ranks, steps = 8, 100_000
    some = [_native.Recording(_native.limits_of(ranks)) for _ in range(ranks)]
    for rank, one in enumerate(some):
        kernel, wait = one.region("kernel", "kernel", ""), one.region("recv", "receive", "")
        for _ in range(steps):
            step(one, kernel, wait, (rank + 1) % ranks)
    record = joined(*some)
    assert record.steps["count"].sum() == ranks * steps
    assert rows_of(record, "statistics", "recv")["calls"].tolist() == [steps] * ranks
    message = rows_of(record, "messages", "recv")[0]
    assert (message["partner"], message["count"], message["bytes"]) == (1, steps, 64 * steps)
    assert message["size_class"] == 6
    kept = record.spans[record.spans["rank"] == 0]["step"].tolist()
    assert kept[:6] == [-1, 0, 1, 2, 3, 4] and kept[-8:] == list(range(steps - 8, steps))
    assert 2**15 in kept and 2**15 + 1 in kept
    assert all(kept == record.spans[record.spans["rank"] == r]["step"].tolist() for r in range(8))
    path = tmp_path / "record.nc"
    write_record(path, record)
    assert path.stat().st_size < 50e6


@pytest.mark.parametrize(("ranks", "kept"), [(1, 65_536), (8, 65_536), (64, 16_384), (4096, 2048)])
def test_more_ranks_keep_less_each(ranks, kept):
    assert _native.limits_of(ranks).kept == kept


def test_rows_of_steps_are_joined_where_they_are_too_many():
    one = recording(step_rows=64)
    kernel, wait = one.region("kernel", "kernel", ""), one.region("recv", "receive", "")
    for _ in range(1000):
        step(one, kernel, wait)
    rows = joined(one).steps
    assert len(rows) <= 64 and rows["count"].sum() == 1000
    assert rows["step"].tolist() == [0, *np.cumsum(rows["count"])[:-1].tolist()]
    assert (rows["longest"] * rows["count"] >= rows["seconds"] * 0.999999).all()


def test_a_pattern_that_changes_is_told():
    one = recording()
    kernel, wait = one.region("kernel", "kernel", ""), one.region("recv", "receive", "")
    for at in range(10):
        step(one, kernel, wait, partner=2 if at == 7 else 1)
    (note,) = joined(one).about["notes"]
    assert "2 or more patterns on rank 0" in note and "9 of 10 steps" in note


def test_without_steps_head_windows_and_tail_are_kept():
    one = recording(window=100, first_window=1_000_000, ring=1000)
    call = one.region("MPI_Barrier", "collective", "")
    begin = _native.now_ns()
    for now in range(begin, begin + 20_000_000, 1000):
        one.add(call, now, now + 5, 0, -1)
    record = joined(one)
    (all_calls,) = record.statistics
    assert periods[all_calls["period"]] == "steady"
    assert 300 <= len(record.events) <= 1000 < all_calls["calls"]
    begins = record.spans["begin"]
    assert begins[0] == 0 and len(begins) >= 5
    assert np.all(np.diff(record.events["begin"]) >= 0)


def test_threads_have_stacks_of_their_own():
    one = recording()
    work = one.region("work", "threads", "")
    one.begin(work)

    def other():
        one.begin(work)
        one.end()

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    one.end()
    record = joined(one)
    assert sorted(record.statistics["thread"].tolist()) == [0, 1]
    assert record.ranks["threads"].tolist() == [2]


def test_threads_beside_are_named_by_what_they_do():
    first, second = recording(), recording()
    first.region("other", "kernel", "")
    regions = [one.region("input: reading", "input", "") for one in (first, second)]
    first.region("more", "kernel", "")
    for one, region in zip((first, second), regions, strict=True):
        for at in range(3):
            one.add_beside(region, 100 * at, 100 * at + 50)
    record = joined(first, second)
    number = [region.name for region in record.regions].index("input: reading")
    assert set(record.events["thread"].tolist()) == {beside_thread + number}
    assert record.statistics["thread"].tolist() == [beside_thread + number] * 2


def test_all_messages_of_an_exchange():
    one = recording()
    sends = one.region("halo: send", "start send", "")
    receives = one.region("halo: receive", "start receive", "")
    ends = one.region("halo: done", "completion", "")
    numbers = [np.array(values, np.int64) for values in ([1, 2], [8, 16], [1], [32])]
    now = _native.now_ns()
    one.exchange(sends, receives, ends, *numbers, now, now + 100, 7, 1)
    events = joined(one).events
    assert sorted(events["request"].tolist()) == [1, 1, 2, 2, 3, 3]
    assert sorted(rows["bytes"] for rows in events if rows["region"] == sends) == [8, 16]


def test_clocks_of_nodes_are_brought_together():
    parts = []
    for rank, clock in enumerate((None, [[0, 1000], [10**15, 1000]])):
        one = recording()
        call = one.region("MPI_Barrier", "collective", "")
        one.add(call, 5_000 - 1000 * rank, 6_000 - 1000 * rank, 0, -1)
        about = "{}" if clock is None else f'{{"clock": {clock}}}'
        parts.append(read_part(one.part(rank, 2, about)))
    events = join(parts).events
    assert events["begin"][0] == events["begin"][1]


def test_missing_ranks_and_broken_parts_are_told():
    part = recording().part(1, 4, "{}")
    assert "3 of 4 ranks left no part" in join([read_part(part)]).about["notes"][0]
    with pytest.raises(UserError, match="no part of a record"):
        read_part(b"something else", "x.part")
    with pytest.raises(UserError, match="broken part"):
        read_part(part[:40], "x.part")
    with pytest.raises(UserError, match="No process left a part"):
        join([])


def test_a_thread_that_records_elsewhere_meanwhile_keeps_its_number():
    one, other = recording(), recording()
    for some in (one, other, one, other):
        kernel = some.region("kernel", "kernel", "")
        begin = _native.now_ns()
        some.add(kernel, begin, begin + 1000, 0, -1)
    record = joined(one)
    assert set(record.statistics["thread"][record.statistics["calls"] > 0]) == {0}
    assert set(record.events["thread"]) == {0}


def test_recorders_of_members_make_one_record():
    """Names have their member before them, requests are of the rank, sums of a communicator."""
    whole = Recorder()
    with whole.records_member("a", 1) as first:
        assert recorder_here(1) is first
    assert recorder_here(1) is not first
    with whole.records_member("b", 2) as second:
        pass
    one = Partners.of([(0, 8)], [(0, 8)])
    with whole.step():
        for some in (first, second):
            with some.step():
                some.exchange("halo", one, _native.now_ns())
                some.reduce("all-reduce", 1e-6, 8)
                some.add_sum("global sum", 1e-6)
                some.kernel_ends("kernel", some.kernel_begins(), 100)
    record = join([read_part(whole.part(0, 1, {}))])
    assert len(record.steps) == 1
    for name in ("a: step", "b: step", "step", "a: kernel", "b: kernel"):
        assert rows_of(record, "statistics", name)["calls"].sum() == 1
    assert rows_of(record, "work", "b: kernel")["bytes"].tolist() == [100.0]
    kinds = record.kinds_of(record.events["region"])
    starts = np.isin(kinds, ["start send", "start receive"])
    assert sorted(record.events["request"][starts].tolist()) == [1, 2, 3, 4]
    together = np.isin(kinds, ["collective", "sum"])
    assert sorted(record.events["communicator"][together].tolist()) == [1, 1, 2, 2]
    assert first.seconds("step") > 0.0 and first.counters["step"].calls == 1


def test_the_part_of_a_server_gets_the_numbers_of_the_whole_run():
    server = Recorder()
    server.sent("answer", 0, 8)
    with server.time("writing", "output"):
        pass
    part = of_server(read_part(server.part(2, 3, {"role": "output server"})), "a", (4, 5, 7), 9)
    record = join([part])
    assert record.ranks["rank"].tolist() == [7] and record.about["roles"] == ["output server of a"]
    assert set(record.events["rank"].tolist()) == set(record.statistics["rank"].tolist()) == {7}
    assert rows_of(record, "messages", "a: answer")["partner"].tolist() == [4]
