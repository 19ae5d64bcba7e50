"""Restarts that 4 ranks write together to a file system without coherent shared writes.

Ranges of 4 MiB begin at multiples of 4096 bytes, so that writers never share a page of that size.
Where pages are larger they do; then the checksums tell.

As a program, `test_incoherent_restart.py FOLDER HOUR` writes a restart on the ranks that run it.
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
from halocline.runtime.checksums import DamagedFile
from halocline.runtime.communicator import Alone, under_mpi, world
from halocline.runtime.decomposition import Decomposition
from halocline.runtime.disk import variable
from halocline.runtime.fields import Field
from halocline.runtime.launch import mpi_environment, mpiexec_command
from halocline.runtime.restart import read_restart, restart_path, restart_target, verified
from halocline.runtime.restart_layout import range_length
from halocline.runtime.roles import split
from halocline.runtime.serving import Server
from halocline.runtime.topology import Topology
from halocline.runtime.writers import Writers
from halocline.runtime.writing_options import WritingOptions

pytestmark = pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
components, rows, columns = 600, 100, 120


def spectrum(communicator):
    mask = np.ones((rows, columns), bool)
    decomposition = Decomposition(
        mask, Topology(rows, columns), halo=1, communicator=communicator, components=components
    )
    return Field("spectrum", "m2 s rad-1", decomposition, outer=(components,), by_component=True,
                 dtype=np.float32)  # fmt: skip


def write(folder, hour, way="shared"):
    """Write a restart of 29 MB, no number of which is zero; its path."""
    servers = 2 if way == "servers" else 0
    model, roles = split(world(), servers)
    path, time = restart_path(folder, date(f"2003-08-11 {hour}")), date(f"2003-08-11 {hour}")
    options = WritingOptions(way=way, block_size=1 << 20)
    if model is None:
        Server(world(), roles, options, round_robin=True).serve()
        return path
    field = spectrum(model)
    values = np.arange(1, components * rows * columns + 1, dtype=np.float32)
    field.set_global(values.reshape(components, -1))
    writers = Writers(
        model, options, world=world(), roles=roles if servers else None, round_robin=True
    )
    writers.restart(restart_target(path, [field], time, {}), [field])
    writers.close()
    return path


def written_by_ranks(folder, hour, page, way):
    """The same on 4 ranks, to a file system with pages of `page` bytes."""
    environment = mpi_environment({**os.environ, variable: f"incoherent:page={page}"})
    command = [
        *mpiexec_command(4, threads=1),
        sys.executable,
        __file__,
        str(folder),
        str(hour),
        way,
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return restart_path(folder, date(f"2003-08-11 {hour}"))


@pytest.mark.parametrize("page", [4096, 65536])
@pytest.mark.parametrize("way", ["shared", "servers"])
def test_ranks_that_share_no_page_write_what_one_process_writes(tmp_path, way, page):
    whole = write(tmp_path, 6).read_bytes()
    assert len(whole) > 6 * range_length
    path = written_by_ranks(tmp_path, 6, page, way)
    verified(path, Alone())
    assert path.read_bytes() == whole


def test_ranks_that_share_pages_damage_the_file_and_reading_tells(tmp_path, capsys):
    """As in 2003, but for the checksums: the file is named, with the place of the damage."""
    whole = write(tmp_path, 6).read_bytes()
    path = written_by_ranks(tmp_path, 6, page=4096, way="parts")
    found = path.read_bytes()
    assert len(found) == len(whole)
    wrong = np.flatnonzero(np.frombuffer(found, np.uint8) != np.frombuffer(whole, np.uint8))
    assert wrong.size, "ranks that share pages lose each other's bytes"
    with pytest.raises(DamagedFile, match="is damaged: range .* has the checksum") as caught:
        verified(path, Alone())
    begin, end = map(int, re.search(r"bytes (\d+) to (\d+)", str(caught.value)).groups())
    assert ((begin <= wrong) & (wrong <= end)).any()
    with pytest.raises(DamagedFile):
        read_restart(path, [spectrum(Alone())], {}, "standard")
    assert verify([str(path)]) == exit_codes.damaged
    assert str(path) in capsys.readouterr().err


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
