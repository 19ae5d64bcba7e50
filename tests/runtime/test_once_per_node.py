"""Things made once on a node: the same everywhere, in one memory, whatever ranks may see."""

import os
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.grids.files.sources import Unreadable
from halocline.runtime.ranks import once_per_node as module
from halocline.runtime.ranks.communicator import Alone, world
from halocline.runtime.ranks.once_per_node import once_per_node


@dataclass(frozen=True)
class Thing:
    """Arrays of all sorts, two of them one."""

    name: str
    planes: dict[str, np.ndarray]
    same: np.ndarray


def thing() -> Thing:
    plane = np.arange(35.0).reshape(5, 7) + np.random.default_rng(os.getpid()).random()
    planes = {
        "plane": plane,
        "turned": plane[::-1, ::2],
        "fortran": np.asfortranarray(plane),
        "constant": np.broadcast_to(plane[:, :1], (5, 1000)),
        "one": np.broadcast_to(plane[:1, :1], (1, 1)),
        "empty": np.empty((0, 3)),
        "number": np.array(3.0),
        "marks": plane > 12.0,
        "words": np.array(["a", None], dtype=object),
        "big endian": plane.astype(">f4"),
    }
    return Thing("a thing", planes, plane)


def test_a_rank_alone_gets_what_is_made():
    made = thing()
    assert once_per_node(Alone(), lambda: made) is made


def test_arrays_packed_and_unpacked_are_the_same():
    given = thing()
    head, file = module._packed(given)
    path = f"/proc/self/fd/{file}"
    for values in (module._mapped(path), Path(path).read_bytes()):
        found = module._unpacked(head, values)
        for name, plane in given.planes.items():
            np.testing.assert_array_equal(found.planes[name], plane, strict=True)
        assert found.same is found.planes["plane"]
        assert found.planes["constant"].strides[1] == 0
        assert found.planes["plane"].ctypes.data % 8 == 0
        with pytest.raises(ValueError, match="read-only"):
            found.same[0, 0] = 1.0
    assert len(head) < 3000 < len(pickle.dumps(given))
    os.close(file)


@pytest.mark.parametrize("seen", [True, False])
def test_all_ranks_have_what_the_first_of_their_node_made(monkeypatch, seen):
    """Ranks that cannot see the memory of others have copies."""
    if not seen and world().rank == world().size - 1:
        monkeypatch.setattr(module, "_mapped", lambda path: None)
    calls = []
    made = once_per_node(world(), lambda: calls.append(1) or thing())
    everyone = world().gather((made.planes["plane"], len(calls)))
    if everyone is not None:
        for plane, _ in everyone:
            np.testing.assert_array_equal(plane, everyone[0][0])
        assert [count for _, count in everyone] == [1] + [0] * (world().size - 1)


def test_memory_is_one_and_goes_with_the_last_array():
    def maps() -> int:
        with open("/proc/self/maps") as lines:
            return sum("memfd:halocline" in line for line in lines)

    before = maps()
    made = once_per_node(world(), thing)
    kept = made.planes["plane"]
    del made
    assert maps() == before + (world().size > 1)
    del kept
    assert maps() == before


def test_a_mistake_is_that_of_all_ranks():
    def fails():
        raise Unreadable("depth", "grid.nc", OSError("NetCDF: HDF error"))

    with pytest.raises(UserError, match="Cannot read 'depth' from 'grid.nc': NetCDF: HDF error"):
        once_per_node(world(), fails)
