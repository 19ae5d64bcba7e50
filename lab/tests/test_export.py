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
