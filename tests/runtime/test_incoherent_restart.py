"""Restarts that 4 ranks write to a file system without coherent shared writes, by every way.

Where every page has one writer the file is right; where ranks write their own parts it is not, and
the checksums tell.

As a program, `test_incoherent_restart.py FOLDER WAY...` writes a restart by each way, hour by hour.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from halocline.core.clock import date
from halocline.experiment import exit_codes
from halocline.experiment.verifying import verify
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.topology import Topology
from halocline.runtime.files.checksums import DamagedFile
from halocline.runtime.files.disk import variable
from halocline.runtime.files.restart_layout import range_length
from halocline.runtime.ranks.communicator import Alone, world
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.ranks.launched import under_mpi
from halocline.runtime.writing.restart import read_restart, restart_path, verified
from halocline.runtime.writing.writers import write_restart

pytestmark = pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
components, rows, columns = 600, 100, 120
ways = ("shared", "buffered", "separate", "gathered", "parts")


def spectrum():
    mask = np.ones((rows, columns), bool)
    decomposition = Decomposition(
        mask, Topology(rows, columns), halo=1, communicator=world(), components=components
    )
    return Field("spectrum", "m2 s rad-1", decomposition, axes=(decomposition.component_axis,),
                 dtype=np.float32)  # fmt: skip


def time_of(hour):
    return date(f"2003-08-11 {hour}")


def write(folder, hour, way="gathered"):
    """Write a restart of 29 MB, no number of which is zero."""
    field = spectrum()
    values = np.arange(1, components * rows * columns + 1, dtype=np.float32)
    field.set_global(values.reshape(components, -1))
    write_restart(restart_path(folder, time_of(hour)), [field], time_of(hour), {}, way)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Restarts by all ways, on a file system with pages of 64 KiB."""
    path = tmp_path_factory.mktemp("incoherent")
    environment = mpi_environment({**os.environ, variable: "incoherent:page=65536"})
    command = [*mpiexec_command(4, threads=1), sys.executable, __file__, str(path), *ways]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return path


@pytest.mark.parametrize("way", [way for way in ways if way != "parts"])
def test_ranks_that_share_no_page_write_what_one_process_writes(tmp_path, folder, way):
    hour = ways.index(way)
    write(tmp_path, hour)
    whole = restart_path(tmp_path, time_of(hour)).read_bytes()
    assert len(whole) > 6 * range_length
    path = restart_path(folder, time_of(hour))
    verified(path, Alone())
    assert path.read_bytes() == whole


def test_ranks_that_share_pages_damage_the_file_and_reading_tells(tmp_path, folder, capsys):
    """As in 2003, but for the checksums: the file is named, with the place of the damage."""
    hour = ways.index("parts")
    write(tmp_path, hour)
    path = restart_path(folder, time_of(hour))
    whole, found = restart_path(tmp_path, time_of(hour)).read_bytes(), path.read_bytes()
    assert len(found) == len(whole)
    wrong = np.flatnonzero(np.frombuffer(found, np.uint8) != np.frombuffer(whole, np.uint8))
    assert wrong.size > len(whole) / 100
    with pytest.raises(DamagedFile, match="is damaged: range .* has the checksum") as caught:
        verified(path, Alone())
    begin, end = map(int, re.search(r"bytes (\d+) to (\d+)", str(caught.value)).groups())
    assert ((begin <= wrong) & (wrong <= end)).any()
    with pytest.raises(DamagedFile):
        read_restart(path, [spectrum()], {}, "standard")
    assert verify([str(path)]) == exit_codes.damaged
    assert str(path) in capsys.readouterr().err


if __name__ == "__main__":
    for number, some in enumerate(sys.argv[2:]):
        write(Path(sys.argv[1]), number, some)
