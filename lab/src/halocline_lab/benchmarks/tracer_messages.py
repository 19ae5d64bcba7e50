"""Messages of a step of OPATM-BFM: 51 tracers on a chain of ranks (Cheptsov et al. 2009).

The paper prints, per step and inner rank, 816 messages of advection, 7,242 of horizontal diffusion
(one per tracer and level) and 102 of time integration: 8,160, and half of it at both ends of the
chain. Its messages of 72 kB and 1 kB are those of a section of 125 columns and 72 levels in double
precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, takewhile

import numpy as np

from halocline.runtime.fields.blocks import Block, Rectangle, World
from halocline.runtime.fields.decomposition import Layout
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.halos.choices import HaloChoice
from halocline.runtime.halos.patterns import Pattern
from halocline.runtime.halos.traffic import Item, Traffic
from halocline.runtime.ranks.communicator import Communicator
from halocline_lab.benchmarks.exchanges import Exchange, GivenBlocks

tracers, levels, columns, rows_per_rank = 51, 72, 125, 2
variable_bytes = levels * columns * 8
per_variable, per_level = HaloChoice(grouping="per-field"), HaloChoice("messages", "segments", 1)
aggregated = HaloChoice()


@dataclass(frozen=True)
class Routine:
    """One routine that exchanges all tracers `calls` times in a step."""

    name: str
    calls: int
    levels: int
    printed: HaloChoice  # how the paper's code does it


routines = (
    Routine("trcadv", 8, levels, per_variable),
    Routine("trchdf", 1, levels - 1, per_level),
    Routine("trcnxt", 1, levels, per_variable),
)


def segments() -> list[int]:
    """Variables per message, from one to all of them."""
    return [*takewhile(lambda n: n < tracers, (2**n for n in count())), tracers]


def segmented(variables: int) -> HaloChoice:
    """Messages of up to so many variables."""
    if variables == tracers:
        return aggregated
    return HaloChoice("messages", "mixed", variables * variable_bytes)


def _pieces(ranks: int) -> tuple[Rectangle, ...]:
    height = rows_per_rank
    return tuple(Rectangle(n, n, height * n, height * (n + 1), 0, columns) for n in range(ranks))


def chain(communicator: Communicator, routine: Routine) -> Exchange:
    """The exchange of one routine on these ranks."""
    shape = (rows_per_rank * communicator.size, columns)
    decomposition = GivenBlocks(
        np.ones(shape, bool),
        Topology(*shape),
        _pieces(communicator.size),
        halo=1,
        communicator=communicator,
    )
    return Exchange(
        routine.name, decomposition, fields=tracers, axes=(routine.levels,), dtype=np.float64
    )


@dataclass(frozen=True)
class Sent:
    """What one rank sends in a step in one routine."""

    routine: str
    rank: int
    messages: int
    bytes: int


def patterns(ranks: int) -> list[Pattern]:
    """The pattern of every rank of a chain, without starting any."""
    shape = (rows_per_rank * ranks, columns)
    world = World(Topology(*shape), np.ones(shape, bool), 1, _pieces(ranks))
    layouts = [Layout("blocks", [Block(world, piece)], None) for piece in world.rectangles]
    return [
        Pattern(layout, Place.center, all_around(1), ranks, rank)
        for rank, layout in enumerate(layouts)
    ]


def sent_in_step(everyone: Sequence[Pattern], choice: HaloChoice | None = None) -> list[Sent]:
    """What every rank of a chain sends in a step: as printed, or in one way for all routines."""
    found = []
    for rank, pattern in enumerate(everyone):
        for routine in routines:
            items = [
                Item(Place.center, all_around(1), np.dtype(np.float64), routine.levels)
            ] * tracers
            traffic = Traffic(items, [pattern] * tracers, choice or routine.printed)
            found.append(
                Sent(
                    routine.name, rank, routine.calls * traffic.count, routine.calls * traffic.bytes
                )
            )
    return found
