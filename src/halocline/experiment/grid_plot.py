"""`halocline plot` of a grid before a run: that of a case, of its members, or of a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.domain_picture import Domain, domains_sheet
from halocline.analysis.grid_picture import LINES_ACROSS, GridShown, grid_sheet
from halocline.analysis.map_grid import MapGrid
from halocline.analysis.plot import place_of, save
from halocline.component.case.reading import read_case
from halocline.component.case.shipped import names
from halocline.core.errors import UserError
from halocline.experiment.members import Members, read_members
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.runtime.fields.place import Place


def is_case(name: str) -> bool:
    """Whether a name is that of a case: a case file, a folder with one, or a shipped case."""
    path = Path(name)
    if path.exists():
        return path.suffix == ".toml" or (path / "case.toml").is_file()
    return name in names()


def plot_grid(
    name: str,
    output: str | None = None,
    region: str | None = None,
    lines: int | None = None,
    title: str | None = None,
) -> list[Path]:
    """Draw the grid of a case or a file and return the pictures written.

    `lines` is the distance of the lines in cells, 0 for none. The picture of a shipped case goes to
    the present folder; others as in `plot`.
    """
    if lines is not None and lines < 0:
        raise UserError(f"--lines {lines}: every how many cells a line is drawn, 0 for none.")
    path = Path(name)
    beside = path / path.resolve().name if path.is_dir() else path
    members = read_members(name) if is_case(name) else None
    with looks.style():
        if members and (members.several or members.first.case.over_land):
            figure = _of_members(members, title or members.title or name, region, lines)
        else:
            grid, own = read_grid(name)
            figure = grid_sheet(shown(grid), title or own, region=region, lines=lines)
        return [save(figure, place_of(beside, output)("-grid.png"))]


def _of_members(members: Members, title: str, region: str | None, lines: int | None) -> Figure:
    """The domains of a case as frames, with their sizes; its first member's grid has lines."""
    domains = []
    for name, member in members.members.items():
        grid = member.case.build_grid()
        domains.append(Domain(name, shown(grid), size_words(grid)))
    longer = max(domains[0].grid.depth.shape)
    every = max(1, round(longer / LINES_ACROSS)) if lines is None else lines
    return domains_sheet(domains, title, every, region=region)


def size_words(grid: Grid) -> str:
    """Cells and widths in one line."""
    nj, ni = grid.shape
    widths = np.concatenate([grid.dx.ravel(), grid.dy.ravel()]) * 1e-3
    return f"{ni} x {nj} = {ni * nj:,} cells, {_range(widths)} km wide"


def read_grid(name: str) -> tuple[Grid, str]:
    """The grid of a case as its run has it, or that of a file, and a title."""
    if is_case(name):
        case = read_case(name)
        return case.build_grid(), case.title or name
    failures: list[UserError] = []
    for kind in ("spherical", "cartesian"):
        try:
            grid = build_grid(GridOptions(file=name, kind=kind, closed_edges=False))
        except UserError as error:
            failures.append(error)
        else:
            return grid, grid.title or Path(name).name
    raise failures[0]


def shown(grid: Grid) -> GridShown:
    """A grid as pictures need it."""
    corner = grid.on_both_sides(Place.corner)
    depth = np.where(grid.mask, grid.depth, np.nan)
    rows = ("j", "i")
    if grid.curvilinear is not None:
        center = grid.at(Place.center)
        centers = MapGrid(center.x, center.y, False, rows)
    elif grid.spherical:
        centers = MapGrid(grid.x, grid.y, True, rows)
    else:
        centers = MapGrid(grid.x * 1e-3, grid.y * 1e-3, True, rows, geographic=False)
    scale = 1.0 if centers.geographic else 1e-3
    return GridShown(centers, corner.x * scale, corner.y * scale, depth, facts(grid))


def facts(grid: Grid) -> str:
    """Cells, sea, widths and depths in one line."""
    nj, ni = grid.shape
    count = grid.sea_points
    parts = [f"{ni} x {nj} cells, {count:,} of sea ({100 * count / (ni * nj):.0f} %)"]
    if count:
        widths = np.concatenate([grid.dx[grid.mask], grid.dy[grid.mask]]) * 1e-3
        depths = grid.depth[grid.mask]
        parts += [f"{_range(widths)} km wide", f"{_range(depths)} m deep (colours)"]
    return " · ".join([*parts, *grid.topology.words()])


def _range(values: np.ndarray) -> str:
    """Least and greatest of some numbers.

    >>> _range(np.array([30.0, 5500.0])), _range(np.array([0.25, 0.25]))
    ('30 to 5,500', '0.25')
    """
    ends = [f"{end:,.0f}" if end >= 100 else f"{end:.3g}" for end in (values.min(), values.max())]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)
