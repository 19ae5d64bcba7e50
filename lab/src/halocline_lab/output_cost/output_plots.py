"""Figures of `halocline lab output`, as SVG that takes the colour of the page's text."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline_lab.output_cost.output_results import Curve, Panel
from halocline_lab.scaling.pictures import write_picture

ink = "#123456"
"""Stands for the colour of the page's text in a drawing."""

colours = ("#3b8fd6", "#e07b2e", "#43a87f", "#a274c9", "#c9a227", "#d2607a")
"""Clear on white and on black."""

few_curves = 3
"""So many have their names within a panel of lines, more below it."""

style: dict[str, Any] = {
    "font.family": "sans-serif",
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "axes.grid": True,
    "grid.color": ink,
    "grid.alpha": 0.15,
    "grid.linewidth": 0.6,
    **dict.fromkeys(
        (
            "text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color",
            "xtick.labelcolor", "ytick.labelcolor",
        ),
        ink,
    ),
}  # fmt: skip


def drawing(panels: Sequence[Panel], name: str) -> str:
    """Panels side by side as an SVG element; `name` makes its ids its own."""
    context: Any = matplotlib.rc_context
    with looks.style(), context({**style, "svg.hashsalt": name}):
        figure, target = sheet(panels), io.StringIO()
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    return _element(target.getvalue(), name, figure.get_figwidth())


def save_picture(panels: Sequence[Panel], path: Path) -> None:
    """Panels side by side as a picture on white: PNG, PDF or SVG by its name."""
    context: Any = matplotlib.rc_context
    with looks.style(), context(style):
        figure = sheet(panels)
        write_picture(lambda place: figure.savefig(place, dpi=130, facecolor="white"), path)


def sheet(panels: Sequence[Panel]) -> Figure:
    """Panels side by side."""
    size = 4.6 * len(panels) + (1.6 if panels[0].forest else 0.0)
    height = max(_height(panel) for panel in panels)
    figure = Figure(figsize=(max(size, 6.4), height), layout="constrained")
    axes: Any = figure.subplots(1, len(panels), squeeze=False)[0]
    for panel, place in zip(panels, axes, strict=True):
        (_forest if panel.forest else _lines)(place, panel)
    return figure


def _height(panel: Panel) -> float:
    count = len(panel.curves[0].names) if panel.forest else 0
    rows = -(-len(panel.curves) // _columns(panel)) if len(panel.curves) > few_curves else 0
    return 1.2 + 0.26 * count if panel.forest else 3.4 + 0.2 * rows


def _columns(panel: Panel) -> int:
    """How many names of curves stand beside each other below a panel."""
    return max(1, 60 // (6 + max(len(curve.name) for curve in panel.curves)))


def _element(text: str, name: str, inches: float) -> str:
    """The drawing itself, without the head of a file, with ids that no other drawing has."""
    text = text[text.index("<svg") :].replace(ink, "currentColor")
    text = re.sub(r'\b(id="|xlink:href="#|url\(#)', rf"\g<1>{name}-", text)
    width = f'<svg style="max-width: {inches:.1f}in"'
    return re.sub(r' (width|height)="[^"]*pt"', "", text, count=2).replace("<svg", width, 1)


def _plain(axes: Axes, panel: Panel) -> None:
    axes.set_title(panel.title)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _lines(axes: Axes, panel: Panel) -> None:
    """Values by x, with bounds; the paper's in the colour of the text."""
    _plain(axes, panel)
    for number, curve in enumerate(panel.curves):
        colour = ink if curve.old else colours[number % len(colours)]
        axes.errorbar(
            curve.x, curve.y, yerr=_spread(curve), fmt="s--" if curve.old else "o-", color=colour,
            markersize=4.0, linewidth=1.3, capsize=2.0, label=curve.name,
        )  # fmt: skip
    if panel.logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    marks = sorted({x for curve in panel.curves for x in curve.x})
    axes.set_xscale("log", base=2)
    axes.set_xticks(marks, [f"{x:g}" for x in marks])
    axes.minorticks_off()
    if len(panel.curves) > few_curves:
        below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16)}
        axes.legend(fontsize=7.5, ncols=_columns(panel), **below)
    else:
        axes.legend(fontsize=7.5)


def _forest(axes: Axes, panel: Panel) -> None:
    """Names down, values with bounds across, one colour per curve."""
    _plain(axes, panel)
    axes.grid(visible=False, axis="y")
    apart = 0.24
    for number, curve in enumerate(panel.curves):
        colour = ink if curve.old else colours[number % len(colours)]
        shift = apart * (number - (len(panel.curves) - 1) / 2.0)
        axes.errorbar(
            curve.y, [place + shift for place in range(len(curve.y))], xerr=_spread(curve), fmt="o",
            color=colour, markersize=4.0, linewidth=1.5, label=curve.name,
            alpha=0.55 if curve.old else 1.0,
        )  # fmt: skip
    if panel.logarithmic:
        axes.set_xscale("log")
    else:
        axes.axvline(0.0, color=ink, linewidth=0.8)
    axes.set_yticks(range(len(panel.curves[0].names)), panel.curves[0].names)
    axes.invert_yaxis()
    axes.legend(fontsize=7.5)


def _spread(curve: Curve) -> list[list[float]] | None:
    if not curve.low:
        return None
    below = [y - low for y, low in zip(curve.y, curve.low, strict=True)]
    return [below, [high - y for y, high in zip(curve.y, curve.high, strict=True)]]
