"""What the ocean holds, and its extremes with their places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.geography import position_words
from halocline.grids.horizontal.grid import Grid
from halocline.ocean.bottom_cells import shares_of_blocks
from halocline.ocean.rotation import is_cartesian
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.sums.field_sums import FieldSums

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Contents:
    """Volume [m3], and what it holds of temperature [m3 K] and salinity [m3 1e-3]."""

    volume: float
    heat: float
    salt: float

    def since(self, start: Contents) -> str:
        """In words: means, and what they have changed by since `start`.

        >>> Contents(2.0, 20.5, 70.0).since(Contents(2.0, 20.0, 70.0))
        'volume 2 m3 (+0.0e+00 of it), mean temperature 10.25 degree C (+2.5e-01), mean salinity \
35 (+0.0e+00)'
        """
        warm, salty = self.heat / self.volume, self.salt / self.volume
        return (
            f"volume {self.volume:.6g} m3 ({self.volume / start.volume - 1.0:+.1e} of it), mean"
            f" temperature {warm:.6g} degree C ({warm - start.heat / start.volume:+.1e}), mean"
            f" salinity {salty:.6g} ({salty - start.salt / start.volume:+.1e})"
        )


@dataclass(frozen=True)
class Gain:
    """What one content has gained, and what of it came in by which way, in one unit."""

    content: str
    unit: str
    gained: float
    ways: dict[str, float]
    of_mean: str  # what the rest is called once it is divided by `whole`
    whole: float

    def words(self) -> str:
        """In words.

        >>> Gain("heat", "J", -3.0, {"the surface": -5.0, "freezing": 1.0}, "K", 2.0).words()
        'heat gained -3.000e+00 J: by the surface -5.000e+00, freezing +1.000e+00; left over \
+1.0e+00 J (5.0e-01 K)'
        """
        rest = self.gained - math.fsum(self.ways.values())
        ways = ", ".join(f"{way} {value:+.3e}" for way, value in self.ways.items())
        return (
            f"{self.content} gained {self.gained:+.3e} {self.unit}: by {ways}; left over"
            f" {rest:+.1e} {self.unit} ({rest / self.whole:.1e} {self.of_mean})"
        )


class Budget:
    """Adds up what a state holds, and what has entered: the same bits on any number of ranks."""

    def __init__(self, state: OceanState) -> None:
        self.state = state
        self.sums = FieldSums(state.surface, 3)
        self.ways = state.entered.axes[0].entries
        self.entered_sums = FieldSums(state.surface, len(self.ways) + 1)

    def entered(self) -> dict[str, float]:
        """What has come in since the start, and heat lent by freezing; a call for all ranks.

        Volume [m3], heat [K m3] and salt [1e-3 m3], by their ways.
        """
        s = self.state
        terms: list[list[Array]] = [[] for _ in range(len(self.ways) + 1)]
        areas = [area.astype(np.float64) for area in s.area.read()]
        for area, come, lent in zip(areas, s.entered.read(), s.heat_store.read(), strict=True):
            for term, plane in zip(terms, [*come, lent], strict=True):
                term.append(plane * area)
        values = (float(value) for value in self.entered_sums(terms))
        return dict(zip((*self.ways, "freezing"), values, strict=True))

    def contents(self, inside: Field | None = None) -> Contents:
        """Those of the present level, of cells where `inside` is 1; a call for all ranks."""
        s = self.state
        thickness = s.thickness.read()[0].astype(np.float64)[:, None, None]
        shares = shares_of_blocks(s.floor_level, s.bottom_share, thickness.size)
        terms: list[list[Array]] = [[], [], []]
        areas = [area.astype(np.float64) for area in s.area.read()]
        if inside is not None:
            areas = [area * some for area, some in zip(areas, inside.read(), strict=True)]
        blocks = zip(areas, s.layer.read(), s.tracer.read(), shares, s.density.counted, strict=True)
        for area, layer, tracer, share, counted in blocks:
            height = np.where(counted, thickness * share, 0.0)
            height[-1] = np.where(counted[-1], layer, 0.0)
            terms[0].append(area * height.sum(axis=0))
            for number in (0, 1):
                terms[number + 1].append(area * _in_columns(height, tracer[number]))
        return Contents(*(float(value) for value in self.sums(terms)))


def _in_columns(height: Array, tracer: NDArray[Any]) -> Array:
    """Sum of height times a tracer over all levels, from the deepest up."""
    total = np.zeros(height.shape[1:])
    for thick, values in zip(height, tracer, strict=True):
        total += thick * values
    return total


@dataclass(frozen=True)
class Extreme:
    """A value, and the level, row and column where it is."""

    value: float
    level: int
    j: int
    i: int

    def words(self, grid: Grid, place: Place, depth: Array, form: str) -> str:
        """The value, and where it is: the depth too where there are levels."""
        there = grid.at(place)
        x, y = float(there.x[self.j, self.i]), float(there.y[self.j, self.i])
        point = f"x {x / 1e3:g} km, y {y / 1e3:g} km"
        if not is_cartesian(grid):
            point = position_words(x % 360.0, y, ".1f")
        if self.level >= 0:
            meters = float(depth[self.level])
            point += f", {meters:{'.0f' if meters >= 10.0 else '.3g'}} m"
        return f"{self.value:{form}} ({point})"


def extremes(field: Field, arrays: Sequence[Array]) -> tuple[Extreme, Extreme]:
    """The least and the greatest wet value, the first place of equal ones; for all ranks.

    `arrays` are values of a place of `field`, one for each block, (k, j, i) or (j, i).
    """
    least, greatest = (_extreme(field, [sign * a for a in arrays]) for sign in (-1.0, 1.0))
    return Extreme(-least.value, least.level, least.j, least.i), greatest


def _extreme(field: Field, arrays: Sequence[Array]) -> Extreme:
    """The greatest value."""
    communicator = field.decomposition.communicator
    blocks = [block for block in field.layout.blocks if isinstance(block, Block)]
    rows, columns = field.decomposition.world.topology.shape(field.place)
    best, first = -np.inf, np.inf
    for block, values, counted in zip(blocks, arrays, field.counted, strict=True):
        masked = np.where(counted, values, -np.inf)
        if not masked.size or masked.max() < best:
            continue
        j0, j1, i0, i1, _ = block.box_of(field.place)
        points, here = block.points_of(field.place), np.s_[j0:j1, i0:i1]
        number = points.j[here] * columns + points.i[here]
        level = np.arange(masked.shape[0])[:, None, None] if masked.ndim == 3 else 0
        numbers = level * rows * columns + number
        most = float(masked.max())
        lowest = int(np.broadcast_to(numbers, masked.shape)[masked == most].min())
        first = min(first, lowest) if most == best else lowest
        best = most
    value = float(communicator.maximum(np.array([best]))[0])
    mine = first if best == value else np.inf
    at = int(-communicator.maximum(np.array([-float(mine)]))[0])
    level, at = divmod(at, rows * columns)
    return Extreme(value, level if arrays and arrays[0].ndim == 3 else -1, *divmod(at, columns))
