"""The layer under all writing, and the disks that misbehave."""

import errno
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.files.disk import Disk, disk, using, variable
from halocline.runtime.files.emulated_disks import FullDisk, SlowDisk, from_name


def test_all_is_written_where_it_belongs_even_in_pieces(tmp_path, monkeypatch):
    """The system may write less than it was given."""
    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda handle, data, at: pwrite(handle, data[:7], at))
    numbers = np.arange(100.0).reshape(10, 10)
    with disk().open(tmp_path / "file", create=True) as file:
        file.write(numbers, 3)
        file.write(b"end", 3 + numbers.nbytes)
        assert file.read(1000, 1) == b"\0\0" + numbers.tobytes() + b"end"
        file.truncate(5)
        file.sync()
    assert (tmp_path / "file").read_bytes() == b"\0\0\0" + numbers.tobytes()[:2]


def test_a_file_is_made_or_emptied_only_when_asked(tmp_path):
    path = tmp_path / "file"
    with pytest.raises(FileNotFoundError):
        disk().open(path)
    path.write_bytes(b"earlier")
    with disk().open(path) as file:
        assert file.read(7, 0) == b"earlier"
    disk().open(path, create=True).close()
    assert path.read_bytes() == b""


def test_a_file_gets_its_name_when_complete(tmp_path):
    part, path = tmp_path / "file.part", tmp_path / "file"
    part.write_bytes(b"new")
    path.write_bytes(b"old")
    disk().publish(part, path)
    assert path.read_bytes() == b"new"
    assert not part.exists()


def test_room_is_made_before_it_is_used(tmp_path):
    with disk().open(tmp_path / "file", create=True) as file:
        file.write(b"kept", 0)
        file.reserve(2, 5000)
    assert (tmp_path / "file").read_bytes() == b"kept".ljust(5002, b"\0")
    with using(FullDisk(10)), disk().open(tmp_path / "file") as file:
        file.reserve(5002, 8)
        with pytest.raises(OSError, match="No space left"):
            file.reserve(5010, 8)
    assert (tmp_path / "file").stat().st_size == 5010


def test_a_full_disk_takes_what_fits_then_refuses(tmp_path):
    with using(FullDisk(10)) as full:
        assert disk() is full
        with disk().open(tmp_path / "one", create=True) as one:
            one.write(b"1234567", 0)
        with disk().open(tmp_path / "two", create=True) as two:
            with pytest.raises(OSError, match="No space left") as caught:
                two.write(b"1234567", 0)
            assert caught.value.errno == errno.ENOSPC
    assert (tmp_path / "one").read_bytes() == b"1234567"
    assert (tmp_path / "two").read_bytes() == b"123"
    assert type(disk()) is Disk


def test_a_slow_disk_takes_its_time(tmp_path):
    with SlowDisk(1e6).open(tmp_path / "file", create=True) as file:
        before = time.perf_counter()
        file.write(bytes(50_000), 0)
        assert time.perf_counter() - before >= 0.05
    assert (tmp_path / "file").stat().st_size == 50_000


def test_the_environment_chooses_the_disk_of_a_process(tmp_path):
    script = (
        "import sys, pathlib; from halocline.runtime.files.disk import disk\n"
        "with disk().open(pathlib.Path(sys.argv[1]), create=True) as file:\n"
        "    file.write(b'12345', 0)"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "file")]
    done = subprocess.run(command, env=os.environ | {variable: "full:3"}, capture_output=True)
    assert b"No space left on device" in done.stderr
    assert (tmp_path / "file").read_bytes() == b"123"
    done = subprocess.run(command, env=os.environ | {variable: ""}, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "file").read_bytes() == b"12345"


@pytest.mark.parametrize("name", ["fool:3", "full:much", "slow:"])
def test_an_unknown_disk_is_refused(name):
    with pytest.raises(UserError, match=f"HALOCLINE_DISK is '{name}'. Set it to 'full:BYTES'"):
        from_name(name)
