"""Runs of bytes written through MPI-IO: the right bytes, no others, failures known to all ranks.

Ranks: 1, and 3 and 5 through test_ranks.py.
"""

import resource

import numpy as np
import pytest

from halocline.runtime.files import mpi_files
from halocline.runtime.files.disk import File, using
from halocline.runtime.files.emulated_disks import FullDisk
from halocline.runtime.ranks.communicator import world

ways = pytest.mark.parametrize("collective", [False, True], ids=["independent", "collective"])


def shared(tmp_path_factory):
    """One folder for all ranks."""
    folder = tmp_path_factory.mktemp("mpi") if world().rank == 0 else None
    return world().broadcast(folder)


def old_file(path, content):
    if world().rank == 0:
        path.write_bytes(content.tobytes())
    world().broadcast(None)


def deal(seed, size=40_000, longest=40):
    """This rank's part of runs of random owners, shuffled, and which bytes have an owner."""
    random = np.random.default_rng(seed)
    ends = np.cumsum(random.integers(0, longest, size))
    ends = np.append(ends[ends < size], size)
    lengths = np.diff(ends, prepend=0)
    owners = random.integers(-1, 5, ends.size)
    content = random.integers(0, 256, size, dtype=np.uint8)
    mine = np.flatnonzero((owners >= 0) & (owners % world().size == world().rank))
    mine = random.permutation(mine)
    offsets = (ends - lengths)[mine]
    parts = [content[o : o + n] for o, n in zip(offsets, lengths[mine], strict=True)]
    data = np.concatenate([*parts, np.empty(0, np.uint8)])
    return offsets, lengths[mine], data, content, np.repeat(owners >= 0, lengths)


@ways
@pytest.mark.parametrize("seed", range(3))
def test_runs_lie_where_they_belong_and_other_bytes_stay(tmp_path_factory, collective, seed):
    path = shared(tmp_path_factory) / "file"
    offsets, lengths, data, content, written = deal(seed)
    old = np.random.default_rng(99).integers(0, 256, content.size, dtype=np.uint8)
    old_file(path, old)
    mpi_files.write_runs(world(), path, offsets, lengths, data, collective=collective)
    np.testing.assert_array_equal(np.fromfile(path, np.uint8), np.where(written, content, old))


@ways
def test_a_file_grows_and_idle_ranks_take_part(tmp_path_factory, collective):
    path = shared(tmp_path_factory) / "file"
    old_file(path, np.zeros(3, np.uint8))
    own = world().rank == world().size - 1
    offsets, lengths = np.array([5000][:own], np.int64), np.array([2][:own], np.int64)
    data = np.array([7, 9][: 2 * own], np.uint8)
    mpi_files.write_runs(world(), path, offsets, lengths, data, collective=collective)
    expected = np.zeros(5002, np.uint8)
    expected[5000:] = 7, 9
    np.testing.assert_array_equal(np.fromfile(path, np.uint8), expected)


@ways
def test_many_bytes_go_in_several_calls(tmp_path_factory, collective, monkeypatch):
    monkeypatch.setattr(mpi_files, "_at_once", 1001)
    path = shared(tmp_path_factory) / "file"
    offsets, lengths, data, content, written = deal(7, longest=4000)
    old_file(path, np.zeros(content.size, np.uint8))
    mpi_files.write_runs(world(), path, offsets, lengths, data, collective=collective)
    np.testing.assert_array_equal(np.fromfile(path, np.uint8), np.where(written, content, 0))


def test_joined_runs_have_the_same_bytes():
    offsets, lengths, data, _, _ = deal(3)
    starts, sizes, joined = mpi_files.in_file_order(offsets, lengths, data)
    assert starts.size < offsets.size
    assert (np.diff(starts) > sizes[:-1]).all() and (sizes > 0).all()
    places = np.concatenate([np.arange(s, s + n) for s, n in zip(starts, sizes, strict=True)])
    old = np.concatenate([np.arange(s, s + n) for s, n in zip(offsets, lengths, strict=True)])
    np.testing.assert_array_equal(joined, data[np.argsort(old)])
    np.testing.assert_array_equal(places, np.sort(old))


@ways
def test_a_full_disk_is_found_before_anything_is_written(tmp_path_factory, collective):
    path = shared(tmp_path_factory) / "file"
    old_file(path, np.zeros(5, np.uint8))
    offsets, lengths, data, _, _ = deal(1)
    with using(FullDisk(30_000)), pytest.raises(OSError, match="No space left on device"):
        mpi_files.write_runs(world(), path, offsets, lengths, data, collective=collective)
    assert path.read_bytes() == bytes(5)


@ways
def test_all_ranks_wait_for_the_disk(tmp_path_factory, collective, monkeypatch):
    def broken(file):
        raise OSError(5, "Input/output error")

    path = shared(tmp_path_factory) / "file"
    old_file(path, np.zeros(5, np.uint8))
    if world().rank == world().size - 1:
        monkeypatch.setattr(File, "sync", broken)
    with pytest.raises(OSError, match="Input/output error"):
        mpi_files.write_runs(world(), path, *deal(4)[:3], collective=collective)


def test_all_ranks_learn_that_one_could_not_write(tmp_path_factory, monkeypatch):
    monkeypatch.setattr(mpi_files, "reserve", lambda *arguments: None)
    path = shared(tmp_path_factory) / "file"
    old_file(path, np.zeros(5, np.uint8))
    offsets, lengths, data, _, _ = deal(2)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if world().rank == world().size - 1:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large|rror"):
            mpi_files.write_runs(world(), path, offsets, lengths, data, collective=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@ways
def test_a_missing_file_is_named_on_all_ranks(tmp_path_factory, collective):
    path = shared(tmp_path_factory) / "nothing"
    none = np.empty(0, np.int64)
    with pytest.raises(OSError, match="No such file"):
        mpi_files.write_runs(
            world(), path, none, none, np.empty(0, np.uint8), collective=collective
        )
