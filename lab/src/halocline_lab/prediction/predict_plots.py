"""Figures of `halocline lab predict whatif`: time of a step and efficiency against ranks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.series import plain_axes

if TYPE_CHECKING:
    from halocline_lab.prediction.predict_whatif import Row

colours = (looks.BLUE, looks.ORANGE, looks.GREEN, looks.PURPLE)
marks = "os^Dv"
dots = 130.0


def draw(rows: Sequence[Row], path: Path, title: str, *, weak: bool) -> None:
    """Draw predictions into a file; one line for each choice, process grids as single marks."""
    with looks.style():
        figure = Figure(figsize=(9.0, 3.9), layout="constrained")
        axes: Any = figure.subplots(1, 2)
        figure.suptitle(title)
        for number, choice in enumerate(dict.fromkeys(row.choice for row in rows)):
            mine = sorted((row for row in rows if row.choice == choice), key=lambda row: row.ranks)
            ranks = [row.ranks for row in mine]
            line = "-" if len(set(ranks)) == len(ranks) else ""
            look = {
                "color": colours[number % len(colours)],
                "marker": marks[number % len(marks)],
                "linestyle": line or "none",
                "label": choice or None,
            }
            axes[0].plot(ranks, [1e3 * row.seconds for row in mine], **look)
            axes[1].plot(ranks, [100.0 * row.efficiency for row in mine], **look)
        if not weak:
            _draw_ideal(axes[0], rows)
        for panel, label in zip(axes, ("time of a step [ms]", "efficiency [%]"), strict=True):
            plain_axes(panel)
            panel.set_xscale("log")
            panel.set_xlabel("ranks")
            panel.set_ylabel(label)
        axes[0].set_yscale("log")
        axes[1].set_ylim(0.0, None)
        if axes[0].get_legend_handles_labels()[1]:
            axes[0].legend(frameon=False, fontsize="small")
        figure.savefig(path, dpi=dots)


def _draw_ideal(axes: Any, rows: Sequence[Row]) -> None:
    first = min(rows, key=lambda row: (row.ranks, row.seconds))
    ranks = sorted({row.ranks for row in rows})
    times = [1e3 * first.seconds * first.ranks / n for n in ranks]
    axes.plot(ranks, times, color="0.6", linestyle=":", linewidth=1.0, label="in proportion")
