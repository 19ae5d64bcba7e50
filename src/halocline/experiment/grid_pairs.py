"""Weights between the grids of two members, by the method that an exchange asks for."""

from __future__ import annotations

import numpy as np

from halocline.component.exchange import Remap
from halocline.core.errors import UserError
from halocline.experiment.exchange_table import ExchangeOptions
from halocline.grids.horizontal.grid import Grid
from halocline.grids.remapping.nests import Nest
from halocline.grids.remapping.weights import Index, RemapWeights
from halocline.runtime.fields.place import Place


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


def by_nest(name: str, nest: Nest, *, outwards: bool) -> Remap:
    """Values between cells of which those of one grid fill those of the other."""
    way = nest.outwards if outwards else nest.inwards

    def remap(source: Place, target: Place, j: Index, i: Index) -> RemapWeights:
        if source != target:
            raise UserError(
                f"The exchange '{name}' gives values at {source.value} to {target.value}. Both"
                " have to lie at the same place of their cells where remapping is 'nest'."
            )
        if not outwards:
            return way(source, j, i)
        there = nest.inside(source, 0)[j, i]
        found = way(source, np.where(there, j, nest.row), np.where(there, i, nest.column))
        return RemapWeights(found.numbers, found.place, found.weight * there)

    return remap


def remap_by(
    options: ExchangeOptions, source: Grid, target: Grid, names: tuple[str, str], name: str
) -> Remap:
    """What the options of an exchange ask for."""
    if options.remapping == "nest":
        nest, outwards = nest_between(source, target, names)
        return by_nest(name, nest, outwards=outwards)
    nest_way = None
    flat = any(not grid.spherical and grid.curvilinear is None for grid in (source, target))
    if options.remapping == "auto" and (flat or _fills(source, target)):
        nest, outwards = nest_between(source, target, names)
        nest_way = by_nest(name, nest, outwards=outwards)
        if flat:
            return nest_way
    raise NotImplementedError


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
