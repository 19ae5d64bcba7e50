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
from halocline.runtime.restart import read_restart, restart_path, verified, write_restart
from halocline.runtime.restart_layout import range_length
from halocline.runtime.topology import Topology

pytestmark = pytest.mark.skipif(under_mpi(), reason="starts ranks itself")
components, rows, columns = 600, 100, 120


def spectrum():
    mask = np.ones((rows, columns), bool)
    decomposition = Decomposition(
        mask, Topology(rows, columns), halo=1, communicator=world(), components=components
    )
    return Field("spectrum", "m2 s rad-1", decomposition, outer=(components,), by_component=True,
                 dtype=np.float32)  # fmt: skip


def write(folder, hour):
    """Write a restart of 29 MB, no number of which is zero; its path."""
    field, time = spectrum(), date(f"2003-08-11 {hour}")
    values = np.arange(1, components * rows * columns + 1, dtype=np.float32)
    field.set_global(values.reshape(components, -1))
    path = restart_path(folder, time)
    write_restart(path, [field], time, {})
    return path


def written_by_ranks(folder, hour, page):
    """The same on 4 ranks, to a file system with pages of `page` bytes."""
    environment = mpi_environment({**os.environ, variable: f"incoherent:page={page}"})
    command = [*mpiexec_command(4, threads=1), sys.executable, __file__, str(folder), str(hour)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return restart_path(folder, date(f"2003-08-11 {hour}"))


def test_ranks_that_share_no_page_write_what_one_process_writes(tmp_path):
    whole = write(tmp_path, 6).read_bytes()
    assert len(whole) > 6 * range_length
    path = written_by_ranks(tmp_path, 6, page=4096)
    verified(path, Alone())
    assert path.read_bytes() == whole


def test_ranks_that_share_pages_damage_the_file_and_reading_tells(tmp_path, capsys):
    """As in 2003, but for the checksums: the file is named, with the place of the damage."""
    whole = write(tmp_path, 6).read_bytes()
    path = written_by_ranks(tmp_path, 6, page=65536)
    found = path.read_bytes()
    assert len(found) == len(whole)
    wrong = np.flatnonzero(np.frombuffer(found, np.uint8) != np.frombuffer(whole, np.uint8))
    assert set(wrong // 65536 * 65536 % range_length) == {0}, "only where two ranges share a page"
    with pytest.raises(DamagedFile, match="is damaged: range .* has the checksum") as caught:
        verified(path, Alone())
    begin, end = map(int, re.search(r"bytes (\d+) to (\d+)", str(caught.value)).groups())
    assert ((begin <= wrong) & (wrong <= end)).any()
    with pytest.raises(DamagedFile):
        read_restart(path, [spectrum()], {}, "standard")
    assert verify([str(path)]) == exit_codes.damaged
    assert str(path) in capsys.readouterr().err


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
