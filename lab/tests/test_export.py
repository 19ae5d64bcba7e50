"""Exports of a record: what other tools read is what was recorded."""

import argparse
import gzip
import importlib.util
import json

import numpy as np
import otf2
import pandas
import pytest

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import Region, empty, nobody
from halocline.runtime.record.run_record_file import record_name, write_record
from halocline.runtime.record.run_record_tables import record_of_events
from halocline_lab.recording.export import add_arguments, formats, main
from halocline_lab.recording.export_callgrind import write_callgrind
from halocline_lab.recording.export_otf2 import walk, write_otf2
from halocline_lab.recording.export_tables import tables, write_csv, write_parquet

regions = [
    Region("step", "phase"),
    Region("MPI_Irecv", "start receive", "solver.c:12 in exchange"),
    Region("MPI_Send", "send", "solver.c:13 in exchange"),
    Region("MPI_Wait", "wait"),
    Region("received", "completion"),
    Region("MPI_Allreduce", "collective"),
]
#        region, begin, end, partner, bytes, request
pattern = [
    (0, 0, 1000, nobody, 0, 0),
    (1, 100, 110, 1, 800, 1),
    (2, 110, 200, 1, 800, 0),
    (3, 200, 300, nobody, 0, 0),
    (4, 300, 300, 1, 800, 1),
    (5, 400, 500, nobody, 8, 0),
]


def record():
    events = empty("events", 2 * len(pattern))
    for at, (region, begin, end, partner, size, request) in enumerate(pattern * 2):
        rank = at // len(pattern)
        events[at] = (
            begin + rank, end + rank, size, region, rank,
            partner if partner == nobody else 1 - rank, 7, request, 0, 0,
        )  # fmt: skip
    return record_of_events({"program": "test"}, regions, events, 2, step="step")


def test_walk_is_nested_and_in_order():
    events = record().of_rank(0)
    steps = [(time, regions[event["region"]].name, enters) for time, event, enters in walk(events)]
    assert [time for time, _, _ in steps] == sorted(time for time, _, _ in steps)
    entered = []
    for _, name, enters in steps:
        if enters:
            entered.append(name)
        else:
            assert entered.pop() == name
    assert not entered and len(steps) == 2 * len(pattern)
    inside = [name for _, name, enters in steps if enters]
    assert inside == [region.name for region in regions]


def test_perfetto(tmp_path):
    write_record(tmp_path / record_name, record())
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert main(parser.parse_args([str(tmp_path), "--to", "perfetto"])) == 0
    events = json.loads(gzip.decompress((tmp_path / "trace.json.gz").read_bytes()))["traceEvents"]
    complete = [event for event in events if event["ph"] == "X"]
    assert len(complete) == 2 * len(pattern)
    (send,) = [event for event in complete if event["name"] == "MPI_Send" and event["pid"] == 1]
    assert send["ts"] == 0.111 and send["dur"] == pytest.approx(0.09)
    assert send["args"] == {
        "partner": 0, "bytes": 800, "tag": 7, "site": "solver.c:13 in exchange",
    }  # fmt: skip


def test_otf2_holds_messages_and_collectives(tmp_path):
    write_otf2(tmp_path / "trace", record())
    found = []
    with otf2.reader.open(str(tmp_path / "trace" / "traces.otf2")) as trace:
        names = {region.name for region in trace.definitions.regions}
        for location, event in trace.events:
            found.append((location.group.name, type(event).__name__, event))
    assert names == {region.name for region in regions}
    kinds = [kind for rank, kind, _ in found if rank == "rank 0"]
    assert kinds.count("Enter") == kinds.count("Leave") == len(pattern)
    (send,) = [event for rank, kind, event in found if (rank, kind) == ("rank 0", "MpiSend")]
    assert (send.receiver, send.msg_tag, send.msg_length, send.time) == (1, 7, 800, 110)
    (received,) = [event for rank, kind, event in found if (rank, kind) == ("rank 1", "MpiIrecv")]
    assert (received.sender, received.msg_length, received.request_id) == (0, 800, 1)
    (summed,) = [e for rank, kind, e in found if (rank, kind) == ("rank 0", "MpiCollectiveEnd")]
    assert summed.collective_op == otf2.CollectiveOp.ALLREDUCE
    with pytest.raises(UserError, match="is there already"):
        write_otf2(tmp_path / "trace", record())


def test_tables_have_names(tmp_path):
    write_csv(tmp_path, record())
    statistics = pandas.read_csv(tmp_path / "statistics.csv")
    sends = statistics[statistics["name"] == "MPI_Send"]
    assert sends["bytes"].tolist() == [800, 800] and set(sends["period"]) == {"steady"}
    np.testing.assert_allclose(sends["seconds"], 90e-9)
    assert set(tables(record())) >= {"ranks", "events", "steps", "messages"}


def test_parquet_or_a_clear_word(tmp_path):
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(UserError, match="pip install pyarrow"):
            write_parquet(tmp_path, record())
    else:
        write_parquet(tmp_path, record())
        assert len(pandas.read_parquet(tmp_path / "events.parquet")) == 2 * len(pattern)


def test_every_format_has_a_target():
    assert all(name and callable(write) for name, write in formats.values())


class CallGraph:
    """A profile in the Callgrind format: own costs by function, calls and costs by pair.

    A function is its file, object and name. Names are written out, positions are lines.
    """

    def __init__(self, text):
        first, *lines = text.splitlines()
        assert first == "# callgrind format" and "events: ns" in lines
        self.own, self.calls, self.totals = {}, {}, None
        at, callee = dict.fromkeys(("fl", "ob", "fn")), {}
        lines = iter(lines)
        for line in lines:
            key, equals, value = line.partition("=")
            if line.startswith("totals:"):
                self.totals = int(line.split()[1])
            elif key in at and equals:
                at[key] = value
            elif key in ("cob", "cfn"):
                callee[key] = value
            elif key == "calls":
                caller = (at["fl"], at["ob"], at["fn"])
                called = (at["fl"], callee["cob"], callee["cfn"])
                assert (caller, called) not in self.calls
                cost = int(next(lines).split()[1])
                self.calls[caller, called] = (int(value.split()[0]), cost)
            elif line[:1].isdigit():
                function = (at["fl"], at["ob"], at["fn"])
                self.own[function] = self.own.get(function, 0) + int(line.split()[1])


def test_callgrind_says_who_called_whom(tmp_path):
    write_callgrind(tmp_path / "callgrind.out.test", record())
    graph = CallGraph((tmp_path / "callgrind.out.test").read_text())
    assert graph.totals == sum(graph.own.values()) == 2 * 1000
    for rank in ("rank 0", "rank 1"):
        step, wait = (rank, "phase", "step"), (rank, "wait", "MPI_Wait")
        send = (rank, "send", "MPI_Send (solver.c:13 in exchange)")
        assert graph.own[step] == 1000 - 10 - 90 - 100 - 100
        assert graph.own[send] == 90 and graph.own[wait] == 100
        assert graph.calls[(rank, "thread", "thread 0"), step] == (1, 1000)
        assert graph.calls[step, send] == (1, 90)
        assert graph.calls[step, wait] == (1, 100)
    assert not [name for _, kind, name in graph.own if kind == "completion"]


def test_callgrind_shares_calls_among_callers(tmp_path):
    """Calls and times of the whole run, among callers as events that were kept have them."""
    run = record()
    rows = run.statistics
    waits = (rows["rank"] == 0) & (rows["region"] == 3)
    rows["calls"][waits] = 30
    rows["seconds"][waits] = rows["own_seconds"][waits] = 3e-6
    run.regions.append(Region("unseen", "kernel"))
    more = rows[:1].copy()
    more["region"], more["calls"], more["own_seconds"], more["seconds"] = 6, 4, 5e-8, 5e-8
    run.statistics = np.concatenate([rows, more])
    outside = run.events[(run.events["rank"] == 0) & (run.events["region"] == 3)].copy()
    outside["begin"], outside["end"] = 2000, 2300
    run.events = np.sort(np.concatenate([run.events, outside]), order=["rank", "begin"])
    run.ranks["end"][0] = 9000
    write_callgrind(tmp_path / "callgrind.out.test", run)
    graph = CallGraph((tmp_path / "callgrind.out.test").read_text())
    thread, step = ("rank 0", "thread", "thread 0"), ("rank 0", "phase", "step")
    wait = ("rank 0", "wait", "MPI_Wait")
    assert graph.own[wait] == 3000
    assert graph.calls[step, wait] == (15, 750)
    assert graph.calls[thread, wait] == (15, 2250)
    assert graph.calls[thread, ("rank 0", "kernel", "unseen")] == (4, 50)
    assert graph.calls[thread, step] == (1, 1000)
    assert graph.own[thread] == 9000 - 900 - 3000 - 50
    assert graph.totals == 9000 + 1000
