"""Streams and restarts through MPI-IO on a full disk; their bytes are compared by `every_way.py`.

Ranks: 1, and 3 through test_ranks.py.
"""

import numpy as np
import pytest

from halocline.core.clock import Clock, date, duration
from halocline.core.errors import UserError
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.topology import Topology
from halocline.runtime.files.classic_files import verify_records
from halocline.runtime.files.disk import using
from halocline.runtime.files.emulated_disks import FullDisk
from halocline.runtime.ranks.communicator import world
from halocline.runtime.writing.restart import restart_target, verified
from halocline.runtime.writing.sources import Columns
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.runtime.writing.streams import Stream, define_time
from halocline.runtime.writing.writers import Writers
from halocline.runtime.writing.writing_options import WritingOptions

start = date("2011-01-15")
rows, columns, components = 11, 17, 5


def content(file):
    define_time(file, "standard")
    for name, length in [("component", components), ("j", rows), ("i", columns)]:
        file.createDimension(name, length)
    file.createVariable("spectrum", "f4", ("time", "component", "j", "i"))


def write(folder, way):
    """Two files of some records, and a restart after each record, until the disk is full."""
    mask = np.random.default_rng(0).random((rows, columns)) < 0.7
    cut = Decomposition(mask, Topology(rows, columns), halo=2, communicator=world())
    field = Field("spectrum", "m2 s rad-1", cut, axes=(components,))
    clock = Clock(start, start + duration("5h"), duration("1h"))
    writers = Writers(world(), WritingOptions(way=way))
    stream = Stream("maps", StreamOptions(interval="1h", split="3h"), clock, folder, content)
    stream.open(writers)
    places = Columns(np.arange(rows), np.arange(columns))
    for hour in range(5):
        time = start + duration(f"{hour}h")
        stream.append(time, {"spectrum": places.source(field)})
        path = folder / f"restart_{hour}.safetensors"
        writers.restart(restart_target(path, [field], time, {"sea points": 1}), [field])
    stream.close()
    return writers


@pytest.mark.parametrize("way", ["mpiio", "mpiio-collective"])
def test_a_full_disk_is_one_message_and_keeps_what_was_complete(tmp_path_factory, way):
    folder = world().broadcast(tmp_path_factory.mktemp("ways"))
    with using(FullDisk(25_000 if world().rank == 0 else 10**9)):
        writers = write(folder, way)
        with pytest.raises(UserError, match="No space left on device"):
            writers.close()
    writers.free()
    world().broadcast(world().gather(None))
    records = [verify_records(path)[0] for path in sorted(folder.glob("*.nc"))]
    assert 0 < sum(records) < 5
    restarts = list(folder.glob("restart_*.safetensors"))
    assert 0 < len(restarts) < 5
    for path in restarts:
        verified(path, world())
    assert not list(folder.glob("*.part"))
