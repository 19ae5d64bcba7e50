import netCDF4
import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.files.hdf5_heaps import (
    looked_through,
    refuse_broken_heaps,
    refuse_cut,
    signature,
)


@pytest.fixture
def good(tmp_path):
    """A netCDF-4 file with dimensions, which lie in a heap."""
    path = tmp_path / "good.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 20)
        for name in ("x", "height", "period"):
            file.createVariable(name, "f4", ("x",))[:] = np.arange(20)
    return path


def objects(content):
    """Where the objects of the first heap begin, and the number of each."""
    at = content.index(signature) + 16
    found = []
    while True:
        number = int.from_bytes(content[at : at + 2], "little")
        length = int.from_bytes(content[at + 8 : at + 16], "little")
        found.append((at, number))
        if number == 0:
            return found
        at += 16 + -(-length // 8) * 8


def changed(good, at, length):
    content = bytearray(good.read_bytes())
    content[at + 8 : at + 16] = length.to_bytes(8, "little")
    path = good.with_name("changed.nc")
    path.write_bytes(content)
    return path


def test_good_files_pass(good, tmp_path):
    refuse_broken_heaps(good)
    long = tmp_path / "long.nc"
    long.write_bytes(good.read_bytes() + bytes(2 * looked_through))
    refuse_broken_heaps(long)
    (tmp_path / "other").write_bytes(b"no HDF5" + signature)
    refuse_broken_heaps(tmp_path / "other")


def superblock(version):
    """The begin of a file of 80 bytes that says so, as superblocks of a version do."""
    end = (80).to_bytes(8, "little")
    if version > 1:
        return b"\x89HDF\r\n\x1a\n" + bytes([version, 8, 8, 0]) + bytes(16) + end
    head = b"\x89HDF\r\n\x1a\n" + bytes([version, 0, 0, 0, 0, 8, 8, 0]) + bytes(8 + 4 * version)
    return head + bytes(16) + end


def test_a_file_that_was_cut_is_refused(good, tmp_path):
    """By the length in superblocks of any version; one byte less is enough."""
    whole = [superblock(version).ljust(80, b"\0") for version in range(4)]
    for content in (good.read_bytes(), *whole):
        path = tmp_path / "some.nc"
        path.write_bytes(content)
        refuse_cut(path)
        path.write_bytes(content[:-1])
        with pytest.raises(UserError, match=f"has {len(content) - 1} bytes, .*{len(content)}. Ma"):
            refuse_cut(path)


def test_values_that_look_like_a_heap_by_name_only_pass(tmp_path):
    path = tmp_path / "values.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 400)
        file.createVariable("x", "S1", ("x",))[:] = np.frombuffer(b"GCOL" * 100, "S1")
    refuse_broken_heaps(path)


@pytest.mark.parametrize("length", [0, 1 << 62])
def test_a_free_part_without_its_length_is_refused(good, length):
    at, number = objects(good.read_bytes())[-1]
    assert number == 0
    with pytest.raises(UserError, match=r"damaged: the heap at byte \d+"):
        refuse_broken_heaps(changed(good, at, length))


def test_an_object_beyond_the_end_is_refused(good):
    at, number = objects(good.read_bytes())[0]
    assert number > 0
    with pytest.raises(UserError, match="damaged: the heap"):
        refuse_broken_heaps(changed(good, at, 5000))
