"""GHEX (PyPI 'ghex') as a rival, where it is installed: the same halo of the same arrays."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from halocline.runtime.fields.blocks import Block
from halocline.runtime.halos.choices import simplest
from halocline.runtime.ranks.communicator import Ranks
from halocline.runtime.running.contest import Trial
from halocline_lab.benchmarks.exchanges import Exchange

name = "GHEX"
how_to_install = (
    "GHEX is not installed. Its source on PyPI needs the headers of Boost and of libnuma, for"
    " example 'apt install libboost-dev libnuma-dev', then 'pip install ghex'."
)


def installed() -> bool:
    """Whether GHEX can be imported."""
    return find_spec("ghex") is not None


def trial(exchange: Exchange) -> Trial | None:
    """A call that fills the halos of a torus by GHEX; None where it is not installed.

    That GHEX fills the same cells with the same values is checked first. A call for all ranks.
    """
    communicator = exchange.decomposition.communicator
    if not installed() or not isinstance(communicator, Ranks):
        return None
    rival = GhexHalo(communicator, exchange)
    (block,), (array,) = exchange.layout.blocks, exchange.fields[0].blocks
    assert isinstance(block, Block)
    numbers = block.cell_j * block.world.topology.ni + block.cell_i
    array[...] = np.where(block.owned, numbers, -1)
    rival()
    filled = array.copy()
    array[...] = np.where(block.owned, numbers, -1)
    exchange.trial(simplest)()
    assert np.array_equal(filled, array), "GHEX fills other halos"
    return rival


class GhexHalo:
    """One halo exchange by GHEX; everything that its calls refer to lives as long."""

    def __init__(self, communicator: Ranks, exchange: Exchange) -> None:
        from ghex import context
        from ghex.structured import regular

        (block,), (array,) = exchange.layout.blocks, exchange.fields[0].blocks
        assert isinstance(block, Block)
        r, topology, halo = block.rectangle, block.world.topology, block.halo
        levels = array.shape[0]
        # GHEX counts the contiguous axis first; it wants no third axis of one level.
        axes, values = (3, array.T) if levels > 1 else (2, array[0].T)
        halos, periodic = (halo, halo, 0)[:axes], (True, True, False)[:axes]
        sides = [(r.i0, r.i1), (r.j0, r.j1), (0, levels)][:axes]
        sizes = [(0, topology.ni), (0, topology.nj), (0, levels)][:axes]
        self.context = context.make_context(communicator.comm, True)
        self.domain = regular.DomainDescriptor(communicator.rank, _cells(sides))
        self.halos = regular.HaloGenerator(_cells(sizes), halos, periodic)
        self.pattern = regular.make_pattern(self.context, self.halos, [self.domain])
        self.field = regular.make_field_descriptor(self.domain, values, halos, values.shape)
        self.carrier = regular.make_communication_object(self.context)
        self.wanted = [self.pattern(self.field)]

    def __call__(self) -> None:
        self.carrier.exchange(self.wanted).wait()


def _cells(sides: list[tuple[int, int]]) -> Any:
    """A box of cells, from the first index up to before the last along every axis."""
    from ghex.structured import cartesian_sets as sets

    return sets.ProductSet(*[sets.UnitRange(*side) for side in sides])
