"""Writes records through PnetCDF on several ranks and compares every byte; see test_pnetcdf.py.

Arguments: folder, independent or collective, fake or found.
"""

import os
import sys
from pathlib import Path

import netCDF4
import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.files import pnetcdf_files
from halocline.runtime.files.classic_files import (
    GrowingFile,
    checksum_name,
    create,
    define_checksum,
    make_head,
)
from halocline.runtime.files.disk import File, using
from halocline.runtime.files.emulated_disks import FullDisk
from halocline.runtime.files.pnetcdf_files import PnetcdfFile
from halocline.runtime.files.pnetcdf_library import load, variable
from halocline.runtime.ranks.communicator import world

shapes = {"height": (7, 11), "spectrum": (5, 3, 23), "flag": (9,), "precise": (2, 6)}
types = {"height": "f4", "spectrum": "f4", "flag": "i4", "precise": "f8"}


def make(path):
    def content(file):
        file.createDimension("time", None)
        file.createVariable("time", "f8", ("time",)).units = "s"
        file.createVariable("fixed", "f4", ())[...] = 5.0
        for name, shape in shapes.items():
            for axis, size in enumerate(shape):
                file.createDimension(f"{name}{axis}", size)
            axes = [f"{name}{axis}" for axis in range(len(shape))]
            file.createVariable(name, types[name], ("time", *axes))
        define_checksum(file)

    create(path, make_head(content))


def values(record):
    random = np.random.default_rng(record)
    made = {"time": np.array(3600.0 * record)}
    for name, shape in shapes.items():
        made[name] = (1000 * random.normal(size=shape)).astype(types[name])
    return made


def deal(header, record, content):
    """This rank's runs of a record without its checksum, some of them across variables."""
    size = world().size
    at = header.checksum_at
    element = np.repeat(np.arange(header.record_size // 4), 4)
    random = np.random.default_rng(record)
    owner = np.repeat(random.integers(0, size, header.record_size // 64 + 1), 64)
    owner = owner[: header.record_size] if record else np.zeros(header.record_size, int)
    for name, place in header.growing.items():
        if types.get(name, "f8") == "f8" and name != checksum_name:
            begin = place.offset - header.record_start
            owner[begin : begin + place.size] = record % size
    owner = owner[element * 4]
    owner[at : at + 4] = -1
    mine = owner == world().rank
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mine, [False]])))
    offsets = header.record_start + record * header.record_size + edges[::2]
    return offsets, edges[1::2] - edges[::2], content[mine]


def wait_for_all():
    world().broadcast(world().gather(None))


def count(path):
    return int.from_bytes(path.read_bytes()[4:12], "big")


def main(folder, collective, library):
    path, plain = folder / "through_pnetcdf.nc", folder / "plain.nc"
    if world().rank == 0:
        make(path)
        make(plain)
    wait_for_all()
    missing_on_one_rank(path, collective)
    failing_disk(path, collective)
    file = PnetcdfFile(world(), path, collective=collective)
    no_sieving(plain)
    header = file.header
    growing = GrowingFile(plain) if world().rank == 0 else None
    for record in range(4):
        assert count(path) == record
        if growing:
            growing.append(values(record))
        wait_for_all()
        begin = header.record_start + record * header.record_size
        content = np.fromfile(plain, np.uint8, header.record_size, offset=begin)
        if record == 3:
            pnetcdf_files._at_once = 100
        file.write_runs(*deal(header, record, content))
        wait_for_all()
        assert count(path) == record, "the count is raised by the one who commits"
        wait_for_all()
        if world().rank == 0:
            with path.open("rb+") as commit:
                at = begin + header.checksum_at
                commit.seek(at)
                commit.write(content[header.checksum_at :][:4].tobytes())
                commit.seek(4)
                commit.write((record + 1).to_bytes(8, "big"))
        wait_for_all()
    if library == "fake":
        failing_library(file, header, content)
    file.write_runs(*deal(header, 4, content))
    file.close()
    if world().rank == 0:
        assert count(path) == 4, "a record that nobody committed is not counted"
        assert path.read_bytes()[: growing.path.stat().st_size] == plain.read_bytes()
        with netCDF4.Dataset(path) as read:
            for name, expected in values(2).items():
                np.testing.assert_array_equal(read[name][2], expected)
        print("all bytes are right")


def missing_on_one_rank(path, collective):
    """A library that one rank cannot use is refused by all."""
    right = os.environ[variable]
    if world().rank == 1:
        os.environ[variable] = "/nowhere/libpnetcdf.so"
    expect("'/nowhere/libpnetcdf.so' cannot be used as PnetCDF", PnetcdfFile, world(), path,
           collective=collective)  # fmt: skip
    os.environ[variable] = right
    load.cache_clear()


def no_sieving(path):
    """ROMIO, where it is what this MPI has, does not write back bytes of others."""
    from mpi4py import MPI

    file = MPI.File.Open(MPI.COMM_SELF, str(path), MPI.MODE_RDWR)
    assert dict(file.Get_info().items()).get("romio_ds_write", "disable") == "disable"
    file.Close()


def failing_disk(path, collective):
    """A record that does not fit or does not arrive fails on all ranks and is not counted."""
    with using(FullDisk(100)):
        file = PnetcdfFile(world(), path, collective=collective)
        runs = deal(file.header, 1, np.zeros(file.header.record_size, np.uint8))
        expect("No space left on device", file.write_runs, *runs)
        file.close()
    runs = deal(file.header, 0, np.zeros(file.header.record_size, np.uint8))
    file = PnetcdfFile(world(), path, collective=collective)
    sync, File.sync = File.sync, broken if world().rank == world().size - 1 else File.sync
    expect("Input/output error", file.write_runs, *runs)
    File.sync = sync
    file.close()
    assert count(path) == 0
    wait_for_all()


def broken(file):
    raise OSError(5, "Input/output error")


def failing_library(file, header, content):
    """What the library refuses on one rank, all ranks hear in its words."""
    expect("The fake library refuses", file.write_runs, *deal(header, 1000, content))


def expect(words, call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
    except (OSError, UserError) as error:
        assert words in str(error), str(error)
    else:
        raise AssertionError(f"no '{words}'")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] == "collective", sys.argv[3])
