"""How far the divergence of merged cells is from that of their fine cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.merged_files import MergedVariable, flux_variables
from halocline.biogeochemistry.merging import Merging
from halocline.component.forcing.field_records import RecordSource

Array = NDArray[np.float64]
allowed = 1e-12
"""The largest residual that is round-off."""


class MergedDivergence:
    """Compares merged fluxes, given at their faces, with those through all fine faces."""

    def __init__(self, source: RecordSource, places: str, merging: Merging) -> None:
        self.merging = merging
        self.fine = flux_variables(source, places, replace(merging, ratio=1))

    def residual(
        self, number: int, merged: Sequence[Array], where: Sequence[MergedVariable]
    ) -> float:
        """The greatest difference of a record, over the sizes of fine fluxes of its cell.

        `merged` are the fluxes along x and y at the cells of `where`.
        """
        r, grid = self.merging.ratio, self.merging.grid
        joined = grid.topology.is_joined("east")
        coarse = divergence(*_on_faces(merged, where, grid.shape, periodic=joined))
        shape = self.merging.fine.horizontal.shape
        fine = [one.at(number) for one in self.fine]
        each = _on_faces(fine, self.fine, shape, periodic=joined)
        difference = np.abs(coarse - _blocks(divergence(*each), r))
        x, y = (np.abs(one) for one in each)
        size = _blocks(x[..., 1:] + x[..., :-1] + y[..., 1:, :] + y[..., :-1, :], r)
        found = float((difference / np.where(size > 0.0, size, 1.0)).max(initial=0.0))
        assert found < allowed, f"merged fluxes miss the divergence of fine cells by {found:.1e}"
        return found


def divergence(x: Array, y: Array) -> Array:
    """What leaves each cell, of fluxes through its faces: one column or one row more than cells."""
    return np.asarray(x[..., 1:] - x[..., :-1] + y[..., 1:, :] - y[..., :-1, :])


def _on_faces(
    values: Sequence[Array],
    where: Sequence[MergedVariable],
    shape: tuple[int, int],
    *,
    periodic: bool,
) -> tuple[Array, Array]:
    """Fluxes (levels, n) at western and southern faces of cells, on all faces of a grid."""
    nj, ni = shape
    levels = values[0].shape[0]
    x, y = np.zeros((levels, nj, ni + 1)), np.zeros((levels, nj + 1, ni))
    for plane, some, one in zip((x, y), values, where, strict=True):
        plane[..., one.cells[0], one.cells[1]] = some
    if periodic:
        x[..., -1] = x[..., 0]
    return x, y


def _blocks(values: Array, ratio: int) -> Array:
    """Sums over `ratio` x `ratio` cells."""
    *outer, nj, ni = values.shape
    parts = values.reshape(*outer, nj // ratio, ratio, ni // ratio, ratio)
    return np.asarray(parts.sum(axis=(-1, -3)))
