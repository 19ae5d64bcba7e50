"""Random halo exchanges in every way that applies, compared with what the global field says.

Run by test_halo_choices.py on many ranks: `random_exchanges.py EXCHANGES SEED [DELAY]`. With a
delay [s] every rank sleeps for random times up to it between its calls.
"""

import sys
import time
import traceback
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from halocline.runtime.fields.blocks import Block, Rectangle, World
from halocline.runtime.fields.decomposition import (
    Decomposition,
    DecompositionOptions,
    Layout,
)
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.processor_grid import factorisations
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.exchange import HaloExchange, Request
from halocline.runtime.halos.patterns import is_processor_grid
from halocline.runtime.ranks.communicator import Communicator, world
from halocline.runtime.record.recorder import Recorder
from references.joined_sides import planar, random_topology, surroundings  # after sys.path

Random = np.random.Generator


def random_decomposition(random: Random, communicator: Communicator) -> Decomposition:
    """Any shape, mask, cut and halo; often a full rectangle, where two stages work."""
    while True:
        nj, ni = (int(n) for n in random.integers(3, 26, 2))
        if nj * ni < 8 * communicator.size:
            continue
        full = random.random() < 0.4
        mask = random.random((nj, ni)) < (1.1 if full else random.uniform(0.3, 1.0))
        kind = str(random.choice(["blocks", "blocks", "blocks", "curve", "cards"]))
        if full:
            kind = "blocks"
        if mask.sum() < 2 * communicator.size:
            continue
        blocks_per_rank = 1 if random.random() < 0.5 else int(random.integers(2, 5))
        topology = random_topology(random, nj, ni)
        decomposition = Decomposition(
            mask,
            topology,
            halo=int(random.integers(1, 5)),
            options=DecompositionOptions(kind=kind, blocks_per_rank=blocks_per_rank),
            communicator=communicator,
            components=communicator.size,
        )
        if full:
            cut_into_grid(random, decomposition, blocks_per_rank)
        return decomposition


def cut_into_grid(random: Random, decomposition: Decomposition, blocks_per_rank: int) -> None:
    """Cut into rows and columns anywhere, if there are enough cells."""
    world_ = decomposition.world
    nj, ni = world_.mask.shape
    wanted = decomposition.communicator.size * blocks_per_rank
    possible = [(r, c) for r, c in factorisations(wanted) if r <= nj and c <= ni]
    if not possible:
        return
    rows, columns = possible[random.integers(len(possible))]

    def cut(length: int, parts: int) -> list[tuple[int, int]]:
        inner = np.sort(random.permutation(np.arange(1, length))[: parts - 1]).tolist()
        return list(pairwise([0, *inner, length]))

    across = cut(ni, columns)
    sides = [(j, i) for j in cut(nj, rows) for i in across]
    rectangles = tuple(Rectangle(n, n // blocks_per_rank, *j, *i) for n, (j, i) in enumerate(sides))
    world_ = World(world_.topology, world_.mask, world_.halo, rectangles)
    mine = [r for r in rectangles if r.rank == decomposition.communicator.rank]
    decomposition.world = world_
    decomposition.home = decomposition.planes = Layout(
        "blocks", [Block(world_, r) for r in mine], None
    )


class Case:
    """One field whose halo is to be filled, and what must be there afterwards."""

    def __init__(self, random: Random, decomposition: Decomposition, place: Place) -> None:
        self.decomposition = decomposition
        self.layout = decomposition.planes
        topology, halo = decomposition.world.topology, decomposition.world.halo
        turns = topology.reflects and random.random() < 0.7
        self.direction = str(random.choice(["x", "y"])) if turns else ""
        dtype = random.choice(["float32", "float64", *([] if turns else ["int32"])])
        outer = tuple(int(n) for n in random.integers(1, 5, random.integers(0, 3)))
        self.field = Field("x", "1", decomposition, axes=outer, place=place, dtype=dtype)
        self.storage = self.field.storage(self.layout)
        west, east, south, north = (int(n) for n in random.integers(0, halo + 1, 4))
        if random.random() < 0.5 or not any((west, east, south, north)):
            west = east = south = north = max(west, 1)
        self.depths = west, east, south, north
        total = self.storage.flat[0].shape[0]
        self.rows = int(random.integers(1, total + 1)) if random.random() < 0.3 else total
        flat = [array[: self.rows] for array in self.storage.flat]
        self.request = Request(flat, place, self.depths, self.direction)
        self.stands = surroundings(topology, place, halo, self.direction)
        self.all = [self._around(block) for block in self.layout.blocks]

    def _around(self, block: Block) -> "Around":
        """What stands at the padded cells of a block, and what an exchange fills there."""
        world_, r = self.decomposition.world, block.rectangle
        nj, ni = world_.mask.shape
        rows, columns = block.shape
        inside, cell_j, cell_i, sign = self.stands[:, r.j0 : r.j0 + rows, r.i0 : r.i0 + columns]
        j, i = np.indices(block.shape) + np.array([r.j0, r.i0])[:, None, None] - block.halo
        place, topology = self.field.place, world_.topology
        more_j = place in (Place.y_face, Place.corner) and topology.fold != "centres"
        more_i = place in (Place.x_face, Place.corner) and not topology.periodic_i
        last_j = r.j1 + (r.j1 == nj and more_j and not topology.periodic_j)
        last_i = r.i1 + (r.i1 == ni and more_i)
        held = (j >= r.j0) & (j < last_j) & (i >= r.i0) & (i < last_i)
        there = world_.owner[np.minimum(cell_j, nj - 1), np.minimum(cell_i, ni - 1)]
        there = np.where(inside == 1, there, -1)
        west, east, south, north = self.depths
        near = (j >= r.j0 - south) & (j < last_j + north) & (i >= r.i0 - west) & (i < last_i + east)
        double = held & (sign < 0)
        filled = ((near & ~held) | double) & (there >= 0)
        places = (cell_j, cell_i, sign, held & ~double, filled, there)
        if place == Place.point:
            at = block.point_j, block.point_i
            return Around(*(values[at] for values in places))
        return Around(*places)

    def fill(self, random: Random) -> None:
        """New values, garbage in all halos; remembers what is expected."""
        field = self.field
        shape = self.stands.shape[1:]
        bits = random.integers(0, 256, (*field.outer, *shape, field.dtype.itemsize), np.uint8)
        truth = bits.view(field.dtype)[..., 0]
        self.field.now_in(self.layout)
        garbage = np.array(77, field.dtype)
        self.expected = []
        for array, around in zip(self.storage.arrays, self.all, strict=True):
            values = truth[..., around.j, around.i]
            if self.direction:
                whole = np.ascontiguousarray(values).view(f"u{values.itemsize}")
                top = np.array(1 << (8 * values.itemsize - 1), whole.dtype)
                values = np.where(around.sign < 0, whole ^ top, whole).view(field.dtype)
            array[...] = np.where(around.own, values, garbage)
            wanted = np.where(around.own | around.filled, values, garbage)
            rows = wanted.reshape(-1, *around.own.shape)
            rows[self.rows :] = np.where(around.own, rows[self.rows :], garbage)
            self.expected.append(wanted)

    def remote_values(self) -> dict[int, int]:
        """How many values of a row come from each other rank."""
        world_, values = self.decomposition.world, {}
        if self.layout.components is not None:
            return values
        for block, around in zip(self.layout.blocks, self.all, strict=True):
            for number in around.owner[around.filled]:
                rank = world_.rectangles[number].rank
                if rank != block.rank:
                    values[rank] = values.get(rank, 0) + 1
        return values

    @property
    def right(self) -> bool:
        """Whether halos hold what their owners hold, to the bit, and nothing else was touched."""
        return all(
            np.ascontiguousarray(array).tobytes() == wanted.tobytes()
            for array, wanted in zip(self.storage.arrays, self.expected, strict=True)
        )


@dataclass(frozen=True)
class Around:
    """What stands at each value of a block: the owner's (j, i), sign and block; own or filled."""

    j: Any
    i: Any
    sign: Any
    own: Any
    filled: Any
    owner: Any


def check_record(exchange: HaloExchange, cases: list[Case], choice: HaloChoice) -> None:
    """All ranks together have sent one message per neighbour and group, and the halos' bytes."""
    communicator, recorder = exchange.decomposition.communicator, exchange.recorder
    recorded = np.array([recorder.message_count, recorder.message_bytes], float)
    recorded = communicator.sum(recorded)
    recorder.clear()
    remote = [case.remote_values() for case in cases]
    size = sum(
        sum(values.values()) * case.rows * case.field.dtype.itemsize
        for case, values in zip(cases, remote, strict=True)
    )
    if choice.grouping == "per-field":
        messages = sum(len(values) for values in remote)
    else:
        messages = len({rank for values in remote for rank in values})
    expected = communicator.sum(np.array([messages, size], float))
    assert choice.two_stage or recorded[1] == expected[1], (choice, recorded, expected)
    whole = choice.grouping in ("aggregated", "per-field") and not choice.two_stage
    assert not whole or recorded[0] == expected[0], (choice, recorded, expected)


def exchange_once(
    random: Random, exchange: HaloExchange, cases: list[Case], choice: HaloChoice, nap: float
) -> None:
    """Exchange once, all fields together or two exchanges under way at the same time.

    The fields come in any order, those of unequal shape in each other's places.
    """
    cases = [cases[at] for at in random.permutation(len(cases))]
    layout = cases[0].layout
    for case in cases:
        case.fill(random)
    cut = int(random.integers(0, len(cases))) if random.random() < 0.5 else 0
    own = np.random.default_rng(exchange.decomposition.communicator.rank + cut)

    def sleep() -> None:
        if nap:
            time.sleep(own.random() ** 4 * nap)

    under_way = []
    for part in (cases[:cut], cases[cut:]):
        if part:
            sleep()
            under_way.append(exchange.start(layout, [c.request for c in part], choice))
    for pending in under_way:
        sleep()
        pending.finish()
    for case in cases:
        assert case.right, f"{choice} of {exchange.signature(layout, [c.request for c in cases])}"
    if cut == 0:
        check_record(exchange, cases, choice)
    exchange.recorder.clear()


def random_exchanges(number: int, seed: int, delay: float = 0.0) -> dict[str, int]:
    """Do about `number` exchanges; how often each way was taken."""
    communicator = world()
    random = np.random.default_rng(seed)
    taken: dict[str, int] = {}
    while sum(taken.values()) < number:
        decomposition = random_decomposition(random, communicator)
        both = [*planar, Place.point]
        places = [planar, planar, [Place.point], both][random.integers(4)]
        cases = [
            Case(random, decomposition, Place(random.choice(places)))
            for _ in range(random.integers(1, 5))
        ]
        exchange = HaloExchange(decomposition, Recorder())
        found = exchange.choices(decomposition.planes, [case.request for case in cases])
        on_cells = all(case.field.place.planar for case in cases)
        if on_cells and is_processor_grid(decomposition.world):
            found.append(HaloChoice(two_stage=True))
        found += [HaloChoice("persistent", "mixed", int(random.integers(1, 400)))]
        found += [HaloChoice("put-flags", "segments", int(random.integers(1, 400)))]
        least_used = sorted(
            (found[at] for at in random.permutation(len(found))),
            key=lambda choice: sum(taken[t] for t in taken if t.split()[0] == choice.mechanism),
        )
        for choice in least_used[:8]:
            for _ in range(random.integers(1, 5)):
                exchange_once(random, exchange, cases, choice, delay)
                taken[choice.text] = taken.get(choice.text, 0) + 1
        exchange.free()
    return taken


if __name__ == "__main__":
    try:
        counted = random_exchanges(int(sys.argv[1]), int(sys.argv[2]), *map(float, sys.argv[3:]))
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        world().abort(1)
    if world().rank == 0:
        for text in sorted(counted):
            print(counted[text], text)
        print("exchanges", sum(counted.values()))
