"""Weights between the grids of two members, by the method that an exchange asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halocline.component.exchange import Remap
from halocline.core.errors import UserError
from halocline.experiment.exchange_table import ExchangeOptions, ExchangePlan
from halocline.grids.horizontal.grid import Grid
from halocline.grids.remapping.kept import kept_rows
from halocline.grids.remapping.nests import Nest
from halocline.grids.remapping.remap import GridRemap, RemapOptions, SurfaceRemap
from halocline.grids.remapping.rows import Mask, RemapRows
from halocline.grids.remapping.surface import wet_points
from halocline.grids.remapping.vectors import Vector, VectorWeights
from halocline.grids.remapping.weights import Index, RemapWeights
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator

if TYPE_CHECKING:
    from halocline.experiment.members import Member


def nest_between(
    source: Grid, target: Grid, names: tuple[str, str], *, outwards: bool | None = None
) -> tuple[Nest, bool]:
    """How one grid lies in the other, and whether the source is the inner one.

    Equal grids are nests of ratio 1.
    """
    if outwards is None:
        outwards = source.step_x < (1.0 - 1e-6) * target.step_x
    if outwards:
        return Nest.between(target, source, (names[1], names[0])), True
    return Nest.between(source, target, names), False


def refuse_unfit_nests(plans: Sequence[ExchangePlan], members: Mapping[str, Member]) -> None:
    """Refuse members that do not lie in the grid of the one that they are nested in."""
    for plan in plans:
        if plan.kind == "sides":
            names = plan.link.source, plan.link.target
            source, target = (members[name].case.build_grid() for name in names)
            nest_between(source, target, names)


def by_nest(
    name: str, nest: Nest, *, outwards: bool, across: Callable[[Place], Mask] | None = None
) -> Remap:
    """Values between cells of which those of one grid fill those of the other.

    Between unlike places they are linear among the wet points that `across` tells of the source.
    """
    way = nest.outwards if outwards else nest.inwards

    def remap(source: Place, target: Place, j: Index, i: Index) -> RemapWeights:
        if source != target and across is not None:
            return nest.across((source, target), across(source), j, i, outwards=outwards)
        if source != target:
            raise UserError(
                f"The exchange '{name}' gives values at {source.value} to {target.value}. Both"
                " have to lie at the same place of their cells where remapping is 'nest'; 'auto'"
                " is linear between them."
            )
        if not outwards:
            return way(source, j, i)
        there = nest.inside(source, 0)[j, i]
        found = way(source, j[there], i[there])
        counts = np.zeros(j.size, np.int64)
        counts[there] = found.counts
        return RemapWeights.of_rows(counts, found.numbers[found.place], found.weight)

    return remap


def same_cells(source: Grid, target: Grid) -> bool:
    """Whether cells of both lie at the same places, and all that is wanted of the source is sea."""
    if source.shape != target.shape or source.topology != target.topology:
        return False
    if not source.mask[target.mask].all():
        return False
    both = [(source.at(place), target.at(place)) for place in (Place.center, Place.corner)]
    return all(np.array_equal(a.x, b.x) and np.array_equal(a.y, b.y) for a, b in both)


def as_they_are(source: Grid) -> Remap:
    """Values of a place for the same place of the same grid."""

    def remap(place: Place, _: Place, j: Index, i: Index) -> RemapWeights:
        numbers = j * source.topology.shape(place)[1] + i
        return RemapWeights.of(numbers[None], np.ones((1, j.size)))

    return remap


def remap_by(
    options: ExchangeOptions, source: Grid, target: Grid, names: tuple[str, str], name: str
) -> Remap:
    """What the options of an exchange ask for."""
    if options.remapping == "nest":
        nest, outwards = nest_between(source, target, names)
        return by_nest(name, nest, outwards=outwards)
    nest_way: Remap | None = None
    flat = any(not grid.spherical and grid.curvilinear is None for grid in (source, target))
    if options.remapping == "auto" and not flat and same_cells(source, target):
        nest_way = as_they_are(source)
    elif options.remapping == "auto" and (flat or _fills(source, target)):
        nest, outwards = nest_between(source, target, names)
        nest_way = by_nest(
            name, nest, outwards=outwards, across=lambda place: wet_points(source, place)
        )
        if flat:
            return nest_way
    method = "bilinear" if options.remapping == "auto" else options.remapping
    if options.normalisation == "ownarea":
        _refuse_other_spheres(source, target, names, name)
    chosen = RemapOptions(
        method=method,
        normalisation=options.normalisation,
        extrapolation=options.extrapolation,
    )
    return OnSphere(source, target, chosen, names, nest_way)


class OnSphere:
    """Weights on the sphere; at places that cells of nests have in common those of a `nest`.

    Points that no sea of the source surrounds have no terms where nothing is extrapolated.
    """

    def __init__(
        self,
        source: Grid,
        target: Grid,
        options: RemapOptions,
        names: tuple[str, str],
        nest: Remap | None,
    ) -> None:
        self.between = GridRemap(source, target, options, names).between
        self.nest = nest
        self._made: dict[tuple[Place, Place], SurfaceRemap] = {}
        self._kept: dict[tuple[Place, Place], RemapRows] = {}

    def __call__(self, source: Place, target: Place, j: Index, i: Index) -> RemapWeights:
        """Weights from a place of the source for points (j, i) of a place of the target."""
        if self.nest is not None and source == target:
            return self.nest(source, target, j, i)
        return self._rows(source, target, j, i).packed()

    def vectors(
        self, source: Place, target: Place, j: Index, i: Index, vector: Vector
    ) -> VectorWeights | None:
        """The same for vectors, by their components in space; none where a nest has the values."""
        if self.nest is not None and source == target:
            return None
        between = self._of(source, target)
        surfaces = between.source, between.target
        numbers = j * between.target.shape[1] + i
        return VectorWeights.of(self._rows(source, target, j, i), surfaces, numbers, vector)

    def prepare(
        self,
        folder: Path,
        places: Sequence[tuple[Place, Place]],
        communicator: Communicator,
        tell: Callable[[str], None],
    ) -> None:
        """Take weights between places from files in a folder, or keep them there.

        A call for all ranks.
        """
        for source, target in places:
            if self.nest is None or source != target:
                remap = self._of(source, target)
                self._kept[source, target] = kept_rows(remap, folder, communicator, tell)

    def _rows(self, source: Place, target: Place, j: Index, i: Index) -> RemapRows:
        """Rows of points of the target: those that are kept, and made ones where none are."""
        between, kept = self._of(source, target), self._kept.get((source, target))
        if kept is None:
            return between.rows(j, i)
        found = kept.some(j * between.target.shape[1] + i)
        empty = found.counts == 0
        return found.filled(between.rows(j[empty], i[empty])) if empty.any() else found

    def _of(self, source: Place, target: Place) -> SurfaceRemap:
        if (source, target) not in self._made:
            self._made[source, target] = self.between(source, target)
        return self._made[source, target]


def _refuse_other_spheres(source: Grid, target: Grid, names: tuple[str, str], name: str) -> None:
    """Refuse integrals over spheres of unlike sizes."""
    if abs(source.radius / target.radius - 1.0) > 1e-9:
        off = (source.radius / target.radius) ** 2 - 1.0
        raise UserError(
            f"exchanges.{name}: integrals cannot be the same (normalisation = 'ownarea'), as the"
            f" sphere of {names[0]} has a radius of {source.radius:,.0f} m, that of {names[1]} one"
            f" of {target.radius:,.0f} m, and areas differ by {100.0 * off:+.2f} %. Give both the"
            " same grid.radius."
        )


def _fills(source: Grid, target: Grid) -> bool:
    """Whether cells of one fill those of the other, and all that is wanted of the source is sea."""
    if not source.mask.all() and not (
        source.shape == target.shape and np.array_equal(source.mask, target.mask)
    ):
        return False
    try:
        nest_between(source, target, ("source", "target"))
    except UserError:
        return False
    return True
