"""Which seas the flow joins on a grid with velocities at corners, and where straits are closed.

Water passes corners that have water all around. A strait one cell wide has none: cells along it
are lakes of their own, where water only rises and mixes.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from halocline.core.counting import amount
from halocline.grids.horizontal.grid import Grid
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


def described(grid: Grid) -> list[tuple[str, str]]:
    """What `halocline check` says of seas that no flow joins; nothing where there is one."""
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
    return lines + _unreached(grid)


def _unreached(grid: Grid) -> list[tuple[str, str]]:
    """How many cells no flow reaches, and where the first ones are."""
    alone = grid.mask & ~reached_cells(grid)
    if not alone.any():
        return []
    found = np.argwhere(alone).tolist()
    told = "; ".join(_place(grid, j, i, Place.center) for j, i in found[:few_told])
    more = f" and {len(found) - few_told:,} more" if len(found) > few_told else ""
    are = "is" if len(found) == 1 else "are"
    words = f"{amount(len(found), 'cell')} {are} not reached by any flow: {told}{more}"
    return [("cells", f"{words}. Water only rises and mixes there: make them land, or wider")]


def _place(grid: Grid, j: int, i: int, place: Place = Place.corner) -> str:
    there = grid.on_both_sides(place)
    x, y = (float(np.broadcast_to(some, there.dx.shape)[j, i]) for some in (there.x, there.y))
    if is_cartesian(grid):
        return f"x {x:g} m, y {y:g} m"
    return f"{x % 360.0:.2f} E, {abs(y):.2f} {'N' if y >= 0.0 else 'S'}"
