"""The record of a run: its tables from events, its file."""

import numpy as np
import pytest
import xarray

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import Region, empty, nobody, table_types
from halocline.runtime.record.run_record_file import read_record, record_name, write_record
from halocline.runtime.record.run_record_tables import own_seconds, record_of_events

regions = [
    Region("step", "phase"),
    Region("advection", "kernel"),
    Region("MPI_Isend", "start send", "solver.c:12 in exchange"),
    Region("MPI_Waitall", "wait", "solver.c:14 in exchange"),
]


def two_ranks(steps=3):
    """Steps of 100 ns: 60 advection, 5 to start a send of 1000 bytes, 20 waiting."""
    rows = []
    for rank in range(2):
        for step in range(steps):
            zero = 1000 + 100 * step
            for region, begin, length in [(0, 0, 100), (1, 5, 60), (2, 70, 5), (3, 75, 20)]:
                event = empty("events", 1)[0]
                event["rank"], event["region"], event["partner"] = rank, region, nobody
                event["begin"], event["end"] = zero + begin, zero + begin + length
                if region == 2:
                    event["partner"], event["bytes"], event["request"] = 1 - rank, 1000, step + 1
                rows.append(event)
    events = np.array(rows[::-1], rows[0].dtype)
    return record_of_events({"program": "test"}, regions, events, 2, step="step")


def test_own_time_is_without_what_lies_inside():
    record = two_ranks(1)
    own = own_seconds(record.of_rank(1))
    assert np.rint(own * 1e9).tolist() == [15, 60, 5, 20]


def test_statistics_messages_and_steps():
    record = two_ranks()
    advection = record.statistics[record.statistics["region"] == 1]
    assert advection["calls"].tolist() == [3, 3]
    np.testing.assert_allclose(advection["seconds"], 180e-9)
    np.testing.assert_allclose(advection["squares"], 3 * 60e-9**2)
    assert record.messages[["partner", "count", "bytes", "size_class"]].tolist() == [
        (1, 3, 3000, 10),
        (0, 3, 3000, 10),
    ]
    assert record.steps["step"].tolist() == [0, 1, 2, 0, 1, 2]
    np.testing.assert_allclose(record.steps["mpi_seconds"], 25e-9)
    assert len(set(record.steps["signature"][:3].tolist())) == 1
    assert record.common_spans() == [(1000, 1300)]


def test_file_keeps_everything_and_opens_with_xarray(tmp_path):
    record = two_ranks()
    write_record(tmp_path / record_name, record)
    again = read_record(tmp_path)
    assert again.about == record.about and again.regions == record.regions
    for name in table_types:
        for column in table_types[name].names:
            np.testing.assert_array_equal(
                getattr(again, name)[column], getattr(record, name)[column]
            )
    events = xarray.open_dataset(tmp_path / record_name, group="events")
    assert events["begin"].values.tolist() == record.events["begin"].tolist()


def test_what_is_no_record_is_refused(tmp_path):
    with pytest.raises(UserError, match="There is no record"):
        read_record(tmp_path)
    (tmp_path / "text.nc").write_text("no netCDF")
    with pytest.raises(UserError, match="no netCDF-4 file"):
        read_record(tmp_path / "text.nc")
    xarray.Dataset({"a": 1}).to_netcdf(tmp_path / "other.nc")
    with pytest.raises(UserError, match="no record of a run"):
        read_record(tmp_path / "other.nc")
