"""A writer that is killed in the middle of a write leaves a file with complete records only."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import xarray

from halocline.component.streams.field_stream import FieldStream
from halocline.core.clock import Clock, date, duration
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.writing.writers import Writers
from halocline.runtime.writing.writing_options import WritingOptions
from halocline.waves.output import WaveMapOptions

writer = """
import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from test_output_crash import height, make_stream

from halocline.core.clock import date, duration

folder, fatal = Path(sys.argv[2]), int(sys.argv[3])
stream, put, puts = make_stream(folder), os.pwrite, 0


def deadly(handle, data, offset):
    global puts
    puts += 1
    if puts == fatal:
        put(handle, data[: len(data) // 2], offset)
        os.kill(os.getpid(), 9)
    return put(handle, data, offset)


os.pwrite = deadly
for hour in range(100):
    time = date("2011-01-15") + duration(f"{hour}h")
    stream.write(time, {"significant_height": height(hour)})
"""


def height(hour):
    return np.arange(12.0).reshape(3, 4) + hour


def make_stream(folder, *, resumed=False):
    mask = np.ones((3, 4), bool)
    grid = Grid(x=np.arange(4.0), y=np.arange(3.0), depth=np.ones((3, 4)), mask=mask)
    start = date("2011-01-15")
    clock = Clock(start, start + duration("100h"), duration("1h"))
    options = WaveMapOptions()
    stream = FieldStream("maps", options, grid, clock, folder, resumed=resumed)
    stream.open(Writers(Alone(), WritingOptions(way="gathered")))
    return stream


def assert_complete(path, records):
    with xarray.open_dataset(path) as data:
        assert data.sizes["time"] == records
        for hour in range(records):
            assert np.array_equal(data.significant_height[hour], height(hour))


# Three puts per record: values, checksum, count. Half a count is the old one, for
# its upper half does not change.
@pytest.mark.parametrize("fatal", [2, 7, 8, 9])
def test_a_killed_writer_leaves_complete_records_only(tmp_path, fatal):
    command = [sys.executable, "-c", writer, os.path.dirname(__file__), str(tmp_path), str(fatal)]
    done = subprocess.run(command, capture_output=True, timeout=300)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    records = (fatal - 1) // 3
    assert_complete(tmp_path / "maps.nc", records)
    stream = make_stream(tmp_path, resumed=True)
    stream.close()
    assert_complete(tmp_path / "maps.nc", min(records, 1))
