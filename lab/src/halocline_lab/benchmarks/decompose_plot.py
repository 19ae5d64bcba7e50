"""The picture of a study of cuts: patches and tiles, and the time of a step with each cut.

As Figures 8 and 13 of Porter et al. (2010), on whatever grid and ranks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle as Frame
from numpy.typing import NDArray

from halocline.analysis import looks
from halocline.analysis.series import plain_axes
from halocline.runtime.fields.blocks import Rectangle

dots = 130.0
most_bars = 24
tints = ("#cfe0ef", "#f5dcc8", "#d3eadf", "#e2d7ec")

Row = Mapping[str, Any]


def draw(
    title: str,
    rows: Sequence[Row],
    sea: NDArray[np.bool_],
    blocks: Sequence[Rectangle],
    path: Path,
) -> None:
    """Draw the best cut and all times; a cut without rectangles has no map."""
    with looks.style():
        figure(title, rows, sea, blocks).savefig(path, dpi=dots)


def figure(
    title: str, rows: Sequence[Row], sea: NDArray[np.bool_], blocks: Sequence[Rectangle]
) -> Figure:
    """A map of the ranks' patches with their tiles, if there is one; bars of times."""
    shown = [row for row in rows if not row["problem"]][:most_bars]
    sheet = Figure(figsize=(10.4 if blocks else 6.4, 1.6 + 0.2 * max(len(shown), 12)))
    sheet.set_layout_engine("constrained")
    panels: Any = sheet.subplots(1, 2 if blocks else 1, squeeze=False)[0]
    if blocks:
        _map(panels[0], sea, blocks)
    _bars(panels[-1], shown)
    sheet.suptitle(title)
    return sheet


def _map(panel: Axes, sea: NDArray[np.bool_], blocks: Sequence[Rectangle]) -> None:
    """Patches bold, in a tint for each rank, their tiles dashed; grey where nothing is computed."""
    rows, columns = sea.shape
    owner = np.full(sea.shape, -1)
    for block in blocks:
        owner[block.j0 : block.j1, block.i0 : block.i1] = block.rank
        size = block.i1 - block.i0, block.j1 - block.j0
        colour = tints[block.rank % len(tints)]
        panel.add_patch(
            Frame((block.i0, block.j0), *size, facecolor=colour, edgecolor="0.3", linestyle="--")
        )
    land = np.ma.masked_where(sea, np.ones(sea.shape))
    panel.imshow(
        land, origin="lower", extent=(0, columns, 0, rows), cmap="Greys", vmin=0, vmax=3, zorder=2
    )
    for edges, across in (
        (np.diff(owner, axis=1) != 0, True),
        (np.diff(owner, axis=0) != 0, False),
    ):
        j, i = np.nonzero(edges)
        if across:
            panel.vlines(i + 1, j, j + 1, color="black", linewidth=1.6, zorder=3)
        else:
            panel.hlines(j + 1, i, i + 1, color="black", linewidth=1.6, zorder=3)
    panel.set(xlim=(0, columns), ylim=(0, rows), aspect="equal", xlabel="i", ylabel="j")
    ranks = len({block.rank for block in blocks})
    panel.set_title(f"The cut to take: {ranks} patches (bold), {len(blocks)} tiles (dashed)")


def _bars(panel: Axes, shown: Sequence[Row]) -> None:
    """Time of a step with each cut: measured, or faint as rated, in the pace of the first one."""
    plain_axes(panel)
    pace = shown[0]["measured"] / shown[0]["rated"] if shown[0]["measured"] else 1.0
    for place, row in enumerate(shown):
        measured = row["measured"] is not None
        seconds = row["measured"] if measured else pace * row["rated"]
        panel.barh(place, 1e3 * seconds, color=looks.BLUE if measured else "0.8", height=0.7)
    several = len({(row["ranks"], row["threads"]) for row in shown}) > 1
    on = [f"{row['ranks']} x {row['threads']}: " if several else "" for row in shown]
    names = [f"{where}{row['cut']}" for where, row in zip(on, shown, strict=True)]
    panel.set_yticks(range(len(shown)), names, fontsize=7.5)
    panel.invert_yaxis()
    panel.set_xlabel("time of a step, ms")
    panel.set_title("Measured (blue); rated by a rule (grey)")
    if several:
        panel.set_ylabel("ranks x threads: cut")
