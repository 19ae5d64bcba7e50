"""The time of a case over the values of an option, beside what is in proportion to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.series import plain_axes
from halocline_lab.scaling.scale_plots import dots, style_of


def draw_growth(growth: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw all numbers of ranks on one sheet."""
    with looks.style():
        figure(growth).savefig(path, dpi=dots)


def figure(growth: Sequence[Mapping[str, Any]]) -> Figure:
    """Medians, and dotted what is in proportion to the value from the least one on."""
    sheet = Figure(figsize=(6.0, 4.0), layout="constrained")
    panel: Any = sheet.subplots()
    plain_axes(panel)
    for place, found in enumerate(growth):
        values, median = found["values"], found["median"]
        look = style_of(place)
        panel.plot(values, median, marker="o", markersize=4.0, label=found["name"], **look)
        ideal = [median[0] * value / values[0] for value in values] if values[0] > 0.0 else []
        panel.plot(values[: len(ideal)], ideal, ":", color=look["color"], linewidth=1.0)
    panel.plot([], [], ":", color="#5c6670", label="in proportion")
    panel.set_title("Run time of the steps")
    panel.set_xlabel(growth[0]["words"].split()[0])
    panel.set_ylabel("t [s]")
    panel.set_xlim(left=0.0)
    panel.set_ylim(bottom=0.0)
    panel.legend(fontsize=7.5)
    return sheet
