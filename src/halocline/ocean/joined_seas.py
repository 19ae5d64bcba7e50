"""Which seas the flow joins on a grid with velocities at corners, and where straits are closed.

Water passes corners that have water all around. A strait one cell wide has none: cells along it
are lakes of their own, where water only rises and mixes.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halocline.core.counting import amount
from halocline.core.errors import UserError
from halocline.core.geography import position_words
from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.rotation import is_cartesian
from halocline.runtime.fields.place import Place

Mask = NDArray[np.bool_]
Index = NDArray[np.int64]
most_told = 8
"""Seas and straits that are told one by one."""
few_told = 3
"""Cells that no flow reaches, likewise."""


def seas(grid: Grid) -> Index:
    """The number of the sea of every cell, that of its first cell, from 1; 0 on land.

    >>> from halocline.grids.horizontal.regular import GridOptions, regular_grid
    >>> depth = [[9.0, 9.0, 0.0, 9.0], [9.0, 9.0, 9.0, 9.0]]
    >>> channel = GridOptions(nx=4, ny=2, depth=depth, closed_edges=False)
    >>> seas(regular_grid(channel)).tolist()
    [[1, 1, 0, 4], [1, 1, 7, 8]]
    """
    mask = grid.mask
    found = np.where(mask, 1 + np.arange(mask.size).reshape(mask.shape), 0)
    wet = np.logical_and.reduce(_around_corners(grid, mask))
    while True:
        least = np.where(wet, np.minimum.reduce(_around_corners(grid, found)), mask.size + 1)
        corners = least[:-1, :-1], least[:-1, 1:], least[1:, :-1], least[1:, 1:]
        lower = np.where(mask, np.minimum(found, np.minimum.reduce(corners)), 0)
        lower = np.where(mask, lower.ravel()[lower - 1], 0)
        if np.array_equal(lower, found):
            return found
        found = lower


def reached_cells(grid: Grid) -> Mask:
    """Cells of the sea with a corner that has water all around: others the flow never reaches.

    >>> from halocline.grids.horizontal.regular import GridOptions, regular_grid
    >>> bay = [[9.0, 9.0, 9.0, 9.0], [9.0, 9.0, 0.0, 0.0]]
    >>> reached_cells(regular_grid(GridOptions(nx=4, ny=2, depth=bay, closed_edges=False))).tolist()
    [[True, True, False, False], [True, True, False, False]]
    """
    wet = np.logical_and.reduce(_around_corners(grid, grid.mask))
    return np.logical_or.reduce([wet[:-1, :-1], wet[:-1, 1:], wet[1:, :-1], wet[1:, 1:]])


def lone_cells(grid: Grid) -> Mask:
    """Cells of the sea that no flow reaches."""
    return grid.mask & ~reached_cells(grid)


def without_lone_cells(grid: Grid) -> Grid:
    """The grid with its lone cells made land; no corner of the flow changes by that."""
    sea = grid.mask & reached_cells(grid)
    boundary = None if grid.boundary is None else grid.boundary & sea
    return replace(grid, mask=sea, boundary=boundary)


def refuse_lone_cells(grid: Grid) -> None:
    """Refuse cells that no flow reaches, with their places."""
    alone = lone_cells(grid)
    if alone.any():
        one = np.count_nonzero(alone) == 1
        raise UserError(
            f"{amount(int(np.count_nonzero(alone)), 'cell')} of the sea {'has' if one else 'have'}"
            " no corner with water all around, so that no flow reaches"
            f" {'it' if one else 'them'}: {_told(grid, alone)}. Set ocean.lone_cells = 'land' to"
            f" make {'it' if one else 'them'} land, widen what is there in the depths"
            " (grid.straits does in grids made here), or, where water may rise and mix with none"
            " beside it, 'keep'."
        )


def hollows(levels: VerticalGrid) -> Index:
    """How many cells of each reached column lie below all its corners, shape (nj, ni).

    >>> from halocline.grids.horizontal.regular import GridOptions, regular_grid
    >>> from halocline.grids.vertical.levels import layered
    >>> depth = [[9.0, 9.0, 9.0], [9.0, 30.0, 9.0], [9.0, 9.0, 9.0]]
    >>> plane = regular_grid(GridOptions(nx=3, ny=3, depth=depth, closed_edges=False))
    >>> hollows(layered(plane, [10.0, 10.0, 10.0])).tolist()
    [[0, 0, 0], [0, 2, 0], [0, 0, 0]]
    """
    grid = levels.horizontal
    shallow = _around_corners(grid, levels.wet_levels)
    corners = np.minimum.reduce(shallow)
    deepest = np.maximum.reduce(
        [corners[:-1, :-1], corners[:-1, 1:], corners[1:, :-1], corners[1:, 1:]]
    )
    below: Index = np.where(reached_cells(grid), np.maximum(levels.wet_levels - deepest, 0), 0)
    return below


def _around_corners(grid: Grid, plane: NDArray[np.generic]) -> tuple[NDArray[np.generic], ...]:
    """The four cells around each corner, those of the last row and column too."""
    wide = grid.topology.widened(plane, (1, 1, 1, 1))
    return wide[:-1, :-1], wide[:-1, 1:], wide[1:, :-1], wide[1:, 1:]


def closed_straits(grid: Grid, numbers: Index) -> dict[tuple[int, int], tuple[int, int]]:
    """For pairs of seas that meet, the first corner (j, i) where they do."""
    cells = np.stack(_around_corners(grid, numbers))
    most = cells.max(axis=0)
    least = np.where(cells > 0, cells, most).min(axis=0)
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for j, i in np.argwhere(least < most).tolist():
        here = sorted({int(number) for number in cells[:, j, i]} - {0})
        for pair in combinations(here, 2):
            found.setdefault(pair, (j, i))
    return found


remedy = (
    "Water needs two cells side by side: grid.straits opens them in grids made here, deeper cells"
    " of the file in others."
)
"""What can be done about a closed strait."""


def seas_described(grid: Grid) -> list[tuple[str, str]]:
    """What is told of seas that no flow joins, and of straits; nothing where there is one sea."""
    numbers = seas(grid)
    names, sizes = np.unique(numbers[grid.mask], return_counts=True)
    if names.size < 2:
        return []
    size_of = dict(zip(names.tolist(), sizes.tolist(), strict=True))
    told = ", ".join(f"{size:,}" for size in sorted(sizes.tolist(), reverse=True)[:most_told])
    more = ", ..." if names.size > most_told else ""
    lines = [("seas", f"{names.size:,} that no flow joins, of {told}{more} cells")]
    straits = closed_straits(grid, numbers)
    by_size = sorted(straits, key=lambda pair: -min(size_of[pair[0]], size_of[pair[1]]))
    for pair in by_size[:most_told]:
        one, other = (amount(size_of[number], "cell") for number in pair)
        lines.append(("strait", f"closed at {_place(grid, *straits[pair])}: {one}, {other}"))
    if len(straits) > most_told:
        lines.append(("strait", f"and {len(straits) - most_told:,} more"))
    if straits:
        lines.append(("strait", remedy))
    return lines


def cells_described(levels: VerticalGrid) -> list[tuple[str, str]]:
    """What `halocline check` says of cells that no flow reaches, and of hollows in the floor."""
    grid, lines = levels.horizontal, []
    alone, below = lone_cells(grid), hollows(levels)
    if alone.any():
        words = f"not reached by any flow: {_told(grid, alone)}. Water only rises and mixes there"
        lines.append(("cells", f"{int(alone.sum()):,} {words}"))
    if below.any():
        words = f"{int(below.sum()):,} at the floor of {int((below > 0).sum()):,} columns lie below"
        lines.append(("cells", f"{words} all corners around: water only mixes there"))
    return lines


def _told(grid: Grid, cells: Mask) -> str:
    """The places of the first of some cells, and how many more there are."""
    found = np.argwhere(cells).tolist()
    told = "; ".join(
        f"{_place(grid, j, i, Place.center)} (row {j}, column {i})" for j, i in found[:few_told]
    )
    return told + (f" and {len(found) - few_told:,} more" if len(found) > few_told else "")


def _place(grid: Grid, j: int, i: int, place: Place = Place.corner) -> str:
    there = grid.on_both_sides(place)
    x, y = (float(np.broadcast_to(some, there.dx.shape)[j, i]) for some in (there.x, there.y))
    if is_cartesian(grid):
        return f"x {x:g} m, y {y:g} m"
    return position_words(x % 360.0, y, ".2f")
