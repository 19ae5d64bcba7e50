"""Titles that fit: smaller letters for long ones, more lines for the longest, nothing cut."""

from __future__ import annotations

from typing import cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import TextPath

HEADLINE_SIZES = (13.5, 12.0, 10.5, 9.0, 8.0)
PANEL_SIZES = (10.5, 9.5, 8.5, 7.5)


def headline(
    figure: Figure, title: str, x: float, y: float, right: float, time: str = ""
) -> tuple[Text, Text]:
    """Write the title of a figure and, at its right end, a time.

    `x` and `y` are where the title begins (left, middle of its height), `right` where the line
    ends, as parts of the figure.
    """
    across = figure.get_size_inches()[0]
    room = (right - x) * across - (width_of(time, 11.0) + 0.3 if time else 0.0)
    text, size = fitting(title, room, HEADLINE_SIZES)
    drawn = figure.text(
        x, y, text, fontsize=size, fontweight="bold", va="center", linespacing=1.1, parse_math=False
    )
    return drawn, figure.text(right, y, time, fontsize=11.0, ha="right", va="center")


def panel_title(axes: Axes, title: str) -> Text:
    """Write the title of a panel, as wide as the panel at most."""
    across = axes.get_position(original=True).width * cast(Figure, axes.figure).get_size_inches()[0]
    text, size = fitting(title, across, PANEL_SIZES)
    return axes.set_title(text, fontsize=size, parse_math=False)


def fitting(text: str, room: float, sizes: tuple[float, ...]) -> tuple[str, float]:
    """The text and the largest size of letters that put it on one line of `room` [inch].

    At the smallest size it is broken into as many lines as it needs.
    """
    for size in sizes:
        if width_of(text, size) <= room:
            return text, size
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, sizes[-1]) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines), sizes[-1]


def width_of(text: str, size: float) -> float:
    """Width of bold text on one line [inch], its letters of so many points."""
    if not text.strip():
        return 0.0
    letters = FontProperties(family="DejaVu Sans", weight="bold")
    path = TextPath((0.0, 0.0), text.replace("$", r"\$"), size=size, prop=letters)
    return float(path.get_extents().width) / 72.0
