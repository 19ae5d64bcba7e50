"""Fields whose memory is a pretended device's: the same bits, by its operations alone.

Ranks: 1, and 3 through test_ranks.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.memory import Memory, host, memory, using
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.python_kernels import kernel, read, update
from halocline.runtime.fields.topology import Topology
from halocline.runtime.halos.choices import parse_choice
from halocline.runtime.halos.exchange import HaloExchange, Request
from halocline.runtime.ranks.communicator import world
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.running.runner import Runner
from references.pretended_device import PretendedDevice

random = np.random.default_rng(5)
mask = random.random((12, 14)) < 0.8
closed, folded = Topology(12, 14), Topology(12, 14, periodic_i=True, fold="faces")


def cut(where: Memory, topology: Topology = closed, kind: str = "blocks") -> Decomposition:
    with using(where):
        return Decomposition(
            mask if topology is closed else np.ones((12, 14), bool),
            topology,
            halo=2,
            options=DecompositionOptions(kind=kind, blocks_per_rank=1 if kind == "cards" else 2),
            communicator=world(),
            components=6,
        )


def field(cut: Decomposition, name: str = "x", **more: Any) -> Field:
    return Field(name, "1", cut, **({"outer": (3,), "dtype": np.float64} | more))


def on_both(check: Callable[[Decomposition], Any], *of_cut: Any) -> tuple[Any, PretendedDevice]:
    """What a function of a cut gives, which has to be the same on the host and on the device."""
    device = PretendedDevice()
    here, there = check(cut(host, *of_cut)), check(cut(device, *of_cut))
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)
    return here, device


def memory_of(field: Field) -> list[np.ndarray]:
    """All that is in the memory of a field."""
    return [field.memory.read(array) for array in field.storage(field.layout).flat]


def test_who_asks_gets_the_memory_in_use() -> None:
    device = PretendedDevice()
    assert memory() is host
    with using(device):
        assert memory() is device
    assert memory() is host
    assert field(cut(device)).memory is device and field(cut(host)).memory is host


@pytest.mark.parametrize("place", [Place.point, Place.center, Place.none])
def test_plain_fields_hold_the_same(place: Place) -> None:
    def check(cut: Decomposition) -> list[np.ndarray]:
        one, other = field(cut, place=place), field(cut, "y", place=place)
        last = field(cut, "z", place=place, outer=())
        values = np.random.default_rng(1).random(one.shape)
        one.set_global(values)
        other.copy(one)
        with other.change() as owned:
            for array in owned:
                array *= 3.0
        last.copy(other.part(1))
        one.fill(7.0)
        whole = [x for f in (one, other, last) if (x := f.gather()) is not None]
        if whole:
            expected = values[1] * 3.0
            sea = cut.world.owner >= 0 if place is Place.center else np.s_[...]
            np.testing.assert_array_equal(whole[2][sea], expected[sea])
            assert np.all(whole[0][:, sea] == 7.0)
        return [*whole, *(v for f in (one, other, last) for v in f.read())]

    _, device = on_both(check)
    assert {"allocate", "write", "read", "copy", "fill"} <= set(device.done)


def test_the_host_cannot_look_at_the_device() -> None:
    x = field(cut(PretendedDevice()))
    with pytest.raises(TypeError):
        x.owned[0][...] = 1.0
    with pytest.raises(TypeError):
        x.blocks[0][0] += 1.0
    for look in (np.asarray, np.sum, np.isfinite, lambda a: a[np.array([0])], lambda a: 1.0 * a):
        with pytest.raises(TypeError):
            look(x.blocks[0])
    with pytest.raises(ValueError, match="read-only"):
        x.read()[0][...] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        field(cut(host)).read()[0][...] = 1.0


words = [
    "messages", "persistent", "messages per-field", "neighbours", "put-fence", "get-post",
    "put-flags", "messages segments:64",
]  # fmt: skip


@pytest.mark.parametrize("word", words)
@pytest.mark.parametrize("place", [Place.point, Place.center])
def test_halos_are_packed_where_the_fields_are(place: Place, word: str) -> None:
    def check(cut: Decomposition) -> list[np.ndarray]:
        x = field(cut, place=place)
        x.set_global(np.random.default_rng(2).random(x.shape))
        for array, block in zip(x.blocks, x.layout.blocks, strict=True):
            values = np.full(array.shape, np.nan)
            keep = np.s_[..., : block.owned_points] if place is Place.point else block.owned
            keep = keep if place is Place.point else (..., keep)
            values[keep] = x.memory.read(array)[keep]
            x.memory.write(array, values)
        exchange = HaloExchange(cut, Recorder())
        request = Request(x.storage(x.layout).flat, place, all_around(2))
        exchange(x.layout, [request], parse_choice(word))
        exchange.free()
        return memory_of(x)

    here, device = on_both(check)
    assert device.done["move"] and any(np.isfinite(values).any() for values in here)
    if world().size > 1:
        assert device.done["pack"] and device.done["unpack"]


def test_vectors_turn_beyond_a_fold() -> None:
    def check(cut: Decomposition) -> list[np.ndarray]:
        u, v = (field(cut, name, place=Place.center, outer=()) for name in "uv")
        pair(u, v)
        u.set_global(np.random.default_rng(3).random(u.shape))
        before = [values.copy() for values in memory_of(u)]
        u.written()
        exchange = HaloExchange(cut, Recorder())
        exchange(u.layout, [Request(u.storage(u.layout).flat, u.place, all_around(2), True)])
        exchange.free()
        assert any((values < 0).any() for values in before) or world().size > 1
        return memory_of(u)

    on_both(check, folded)


def test_what_reaches_into_the_host_s_memory_is_refused() -> None:
    there = cut(PretendedDevice())
    x = field(there)
    request = Request(x.storage(x.layout).flat, x.place, all_around(1))
    for word in ("messages types", "shared-read"):
        exchange = HaloExchange(there, Recorder())
        with pytest.raises(UserError, match="in that of 'pretended'.*Use one that packs"):
            exchange(x.layout, [request], parse_choice(word))
    ways = HaloExchange(there, Recorder()).choices(x.layout, [request])
    assert ways and not any(way.needs_host for way in ways)
    with pytest.raises(UserError, match="check of halos looks at all values"):
        Runner(there, check_halos=True)


@kernel(x=update(Place.point, "1", "component"), y=read(Place.point, "1", "component"))
def scale(at: Any, x: Any, y: Any, by: float) -> None:
    assert type(x) is np.ndarray
    x *= by + y


def test_kernels_run_where_the_fields_are_and_cards_become_planes() -> None:
    def check(cut: Decomposition) -> list[np.ndarray]:
        x, y = (field(cut, n, outer=(6,), by_component=True) for n in "xy")
        for one in (x, y):
            one.set_global(np.random.default_rng(4).random(one.shape))
        run = Runner(cut)
        run(scale, x=x, y=y, by=2.0)
        from halocline.runtime.fields.transpose import move

        move(x, cut.planes, run.recorder)
        assert x.layout is cut.planes
        whole = x.gather()
        return [*x.read(), *([] if whole is None else [whole])]

    _, device = on_both(check, closed, "cards")
    assert device.done["launch"] == 1
