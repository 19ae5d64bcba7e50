"""What a step of the air asks of the sides of a limited area; each kind answers what it has to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.calls import BoundCall

Index = NDArray[np.int64]


class AirSideStage:
    """What sides do in one stage of a step, in the order in which a stage asks."""

    def draw(self) -> None:
        """Add to tendencies."""

    def push(self, dt: float) -> None:
        """Momentum through sides, before an acoustic step of dt [s]."""

    def follow(self, passed: float, ahead: float) -> None:
        """Cells after acoustic steps of so many seconds; pressure looks ahead [s]."""

    def settle(self) -> None:
        """What acoustic steps have led to, before the new state."""

    def wind(self, passed: float) -> None:
        """Wind at the end of a stage of so many seconds."""

    def water_shares(self) -> None:
        """How much limited water moves, before it does."""

    def water(self, passed: float) -> None:
        """Mixing ratios `next_water` at the end of a stage of so many seconds."""


class AirSides(ABC):
    """Sides of one atmosphere that are neither joined nor mirrors."""

    @abstractmethod
    def of_stage(self, begun: Mapping[str, Field]) -> AirSideStage:
        """The sides of a stage that begins with the state `begun`."""

    @abstractmethod
    def wind_planes(self, prefix: str) -> Sequence[Field]:
        """Planes of faces along `x_` or `y_` whose wind the sides make, 0 elsewhere."""

    def force_water(self, fresh: Callable[[], int]) -> Callable[[], None] | None:
        """What draws water throughout a step; `fresh` makes its forcing. None: nothing does."""
        return None

    def energy(self, stage_energy: Field) -> BoundCall | None:
        """What makes the energy of eddies, `next_energy`, after one of a stage; None: nothing."""
        return None


def rows_from_sides(topology: Topology, place: Place) -> Index:
    """How far points of a place lie from the nearest side of their own, 0 on it.

    >>> rows_from_sides(Topology(3, 4, periodic_j=True), Place.x_face)[0].tolist()
    [0, 1, 2, 1, 0]
    """
    nj, ni = topology.shape(place)
    far = np.full((nj, ni), max(nj, ni), np.int64)
    j, i = np.indices((nj, ni))
    away = {"west": i, "east": ni - 1 - i, "south": j, "north": nj - 1 - j}
    for side, rows in away.items():
        if topology.is_closed(side):
            far = np.minimum(far, rows)
    return far


def inward(topology: Topology, place: Place, rows: int) -> tuple[Index, Index]:
    """Points along x, shape (1, ni), and y, (nj, 1), to the nearest one that is not in so many
    outer rows of a side.

    >>> inward(Topology(4, 8, periodic_j=True), Place.center, 2)[0].tolist()
    [[2, 1, 0, 0, 0, 0, -1, -2]]
    """
    nj, ni = topology.shape(place)

    def along(count: int, low: str, high: str) -> Index:
        line = np.arange(count)
        first = rows if topology.is_closed(low) else 0
        last = count - 1 - (rows if topology.is_closed(high) else 0)
        return np.asarray(np.clip(line, first, last) - line)

    return along(ni, "west", "east")[None, :], along(nj, "south", "north")[:, None]
