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
from halocline.runtime.fields.freshness import all_around, nowhere
from halocline.runtime.fields.memory import Memory, host, memory, using
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.python_kernels import kernel, read, update, write
from halocline.runtime.fields.sides import move_values, side_of
from halocline.runtime.fields.topology import Topology
from halocline.runtime.halos.choices import parse_choice
from halocline.runtime.halos.exchange import HaloExchange, Request
from halocline.runtime.ranks.communicator import world
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.running.runner import Runner
from halocline.runtime.transfer.transfer import Transfer
from references.pretended_device import PretendedDevice

random = np.random.default_rng(5)
mask = random.random((12, 14)) < 0.8
closed, folded = Topology(12, 14), Topology(12, 14, periodic_i=True, fold="faces")
torus = Topology(12, 14, periodic_j=True, periodic_i=True)


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
    return Field(name, "1", cut, **({"axes": (3,), "dtype": np.float64} | more))


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
        last = field(cut, "z", place=place, axes=())
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
        u, v = (field(cut, name, place=Place.center, axes=()) for name in "uv")
        pair(u, v)
        u.set_global(np.random.default_rng(3).random(u.shape))
        before = [values.copy() for values in memory_of(u)]
        u.written()
        exchange = HaloExchange(cut, Recorder())
        exchange(u.layout, [Request(u.storage(u.layout).flat, u.place, all_around(2), "x")])
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
        x, y = (field(cut, n, axes=(cut.component_axis,)) for n in "xy")
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


around = dict.fromkeys(("west", "east", "south", "north"), 1)


@kernel(mean=write(Place.center, "1", "level"), x=read(Place.center, "1", "level", **around))
def average(at: Any, mean: Any, x: Any) -> None:
    at(mean)[...] = (at(x, i=-1) + at(x, i=1)) + (at(x, j=-1) + at(x, j=1))


@kernel(x=update(Place.center, "1", "level"))
def double(at: Any, x: Any) -> None:
    at(x)[...] *= 2.0


@kernel(x=write(Place.center, "1", "level"), y=read(Place.center, "1", "level", west=1))
def from_the_west(at: Any, x: Any, y: Any) -> None:
    at(x)[...] = at(y, i=-1)


def averaged(values: np.ndarray) -> np.ndarray:
    west, east, south, north = (np.roll(values, n, axis) for axis in (-1, -2) for n in (1, -1))
    return (west + east) + (south + north)


class Told:
    """Fields x and y on the device, and what they hold as plain arrays."""

    def __init__(self, **of_runner: Any) -> None:
        self.device = PretendedDevice()
        self.cut = cut(self.device, torus)
        self.run = Runner(self.cut, **of_runner)
        self.x, self.y, self.mean = (field(self.cut, n, place=Place.center) for n in "xym")
        self.of_x, self.of_y = random.random((2, *self.x.shape))
        self.x.set_global(self.of_x)
        self.y.set_global(self.of_y)

    @property
    def exchanges(self) -> int:
        """How many exchanges there were: there are blocks beside each other on every rank."""
        return self.device.done["move"]

    def look(self) -> int:
        """Look at the neighbours of all cells of x; the exchanges that it took."""
        before = self.exchanges
        self.run(average, mean=self.mean, x=self.x)
        found = self.mean.gather()
        if found is not None:
            np.testing.assert_array_equal(found, averaged(self.of_x))
        return self.exchanges - before


def change(told: Told) -> None:
    with told.x.change() as owned:
        for array in owned:
            array *= 3.0
    told.of_x *= 3.0


def copy(told: Told) -> None:
    told.y.written()
    told.x.copy(told.y)
    told.of_x = told.of_y


def copy_a_part(told: Told) -> None:
    told.y.written()
    told.x.copy(told.y.part(slice(0, 3)))
    told.of_x = told.of_y


def set_owned(told: Told) -> None:
    def owned(block: Any) -> np.ndarray:
        r = block.rectangle
        return told.of_y[:, r.j0 : r.j1, r.i0 : r.i1]

    told.x.set_from(owned)
    told.of_x = told.of_y


def move_from_another_cut(told: Told) -> None:
    with using(told.device):
        other = Decomposition(
            np.ones((12, 14), bool), torus, halo=1, communicator=world(),
            options=DecompositionOptions(kind="curve", blocks_per_rank=3),
        )  # fmt: skip
    given = field(other, place=Place.center)
    given.set_global(told.of_y)
    move_values(Transfer(side_of(given), side_of(told.x), world()), [given], [told.x])
    told.of_x = told.of_y


def run_a_kernel(told: Told) -> None:
    told.run(double, x=told.x)
    told.of_x *= 2.0


def run_a_kernel_on_a_part(told: Told) -> None:
    told.run(double, x=told.x.part(slice(1, 2)))
    told.of_x[1] *= 2.0


def run_a_kernel_that_exchanges(told: Told) -> None:
    told.y.written()
    told.run(from_the_west, x=told.x, y=told.y)
    told.of_x = np.roll(told.of_y, 1, -1)


def swap(told: Told) -> None:
    told.y.written()
    told.x.swap(told.y)
    told.of_x = told.of_y


changes = [
    change, copy, copy_a_part, set_owned, move_from_another_cut, run_a_kernel,
    run_a_kernel_on_a_part, run_a_kernel_that_exchanges, swap,
]  # fmt: skip


@pytest.mark.parametrize("done", changes)
def test_halos_are_stale_after_a_change_of_what_is_owned(done: Callable[[Told], None]) -> None:
    """Whoever reads them gets the new values, whatever the halos held before."""
    told = Told()
    told.x.written()
    assert told.look() == 1
    done(told)
    assert told.look() == 1


def fill(told: Told) -> None:
    told.x.fill(7.0)
    told.of_x[...] = 7.0


def set_global(told: Told) -> None:
    told.x.set_global(told.of_y)
    told.of_x = told.of_y


def set_cells(told: Told) -> None:
    told.x.set_cells(lambda j, i: told.of_y[:, j, i])
    told.of_x = told.of_y


def set_each_level(told: Told) -> None:
    for k in range(3):
        told.x.set_cells(lambda j, i, k=k: told.of_y[k, j, i], at=k)
    told.of_x = told.of_y


def look_once(told: Told) -> None:
    told.look()


@pytest.mark.parametrize("done", [fill, set_global, set_cells, set_each_level, look_once])
def test_halos_are_fresh_after_what_sets_them_too(done: Callable[[Told], None]) -> None:
    told = Told()
    told.x.written()
    done(told)
    assert told.look() == 0


def test_the_halos_of_one_level_are_fresh_after_it_is_set() -> None:
    told = Told()
    change(told)
    told.x.set_cells(lambda j, i: told.of_y[1, j, i], at=1)
    told.of_x[1] = told.of_y[1]
    assert told.x.storage(told.x.layout).fresh.of(slice(1, 2)) == all_around(2)
    assert told.x.storage(told.x.layout).fresh.of() == nowhere
    assert told.look() == 1


def test_levels_that_a_kernel_does_not_write_stay_fresh() -> None:
    told = Told()
    told.look()
    run_a_kernel_on_a_part(told)
    before, first = told.exchanges, slice(0, 1)
    told.run(average, mean=told.mean.part(first), x=told.x.part(first))
    assert told.exchanges == before
    assert told.look() == 1


def test_kernels_that_compute_into_halos_say_how_deep() -> None:
    told = Told(recompute_halos=True)
    run_a_kernel(told)  # as deep as x was set
    assert told.look() == 0
    run_a_kernel_that_exchanges(told)  # one cell less deep than y
    assert told.look() == 0
    told.run(from_the_west, x=told.y, y=told.x)
    told.x.swap(told.y)
    told.of_x = np.roll(told.of_x, 1, -1)
    assert told.look() == 1
