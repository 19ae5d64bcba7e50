"""A picture of a coupled run: its members in a ring, and arrows with what they give each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from halocline.analysis import looks
from halocline.analysis.titles import fitting, headline

COLOURS = (looks.BLUE, looks.ORANGE, looks.GREEN, looks.PURPLE)
LINE_HEIGHT = 0.17
"""Of words below the ring [inch]."""
ACROSS = 7.2
RING = 3.6
"""Width of the picture, and height of the ring in it [inch]."""
BEND = 0.22
"""By which arrows bow, so that both ways can be told, as a share of their length."""


@dataclass(frozen=True)
class Arrow:
    """What one member gives another one: a name, and lines that say how."""

    name: str
    source: str
    target: str
    words: Sequence[str]


def exchange_sheet(
    members: Mapping[str, Sequence[str]], arrows: Sequence[Arrow], title: str
) -> Figure:
    """A figure of members, by name with lines about each, and of the arrows between them.

    Arrows have numbers, and below the ring each has its lines.
    """
    lines = [(n, line) for n, arrow in enumerate(arrows) for line in _lines(n, arrow)]
    up = 0.5 + RING + LINE_HEIGHT * (len(lines) + 1)
    figure = Figure(figsize=(ACROSS, up))
    axes = figure.add_axes((0.0, 1.0 - (0.5 + RING) / up, 1.0, RING / up))
    axes.set(xlim=(-ACROSS / 2, ACROSS / 2), ylim=(-RING / 2, RING / 2))
    axes.set_axis_off()
    headline(figure, title, 0.3 / ACROSS, 1.0 - 0.24 / up, 1.0 - 0.6 / ACROSS)
    places = _ring(list(members))
    for name, about in members.items():
        _box(axes, places[name], name, about)
    together: dict[frozenset[str], int] = {}
    for number, arrow in enumerate(arrows):
        pair = frozenset((arrow.source, arrow.target))
        together[pair] = together.get(pair, 0) + 1
        _arrow(axes, places[arrow.source], places[arrow.target], number, together[pair])
    for row, (number, line) in enumerate(lines):
        words, size = fitting(line, ACROSS - 0.6, (8.5, 7.5, 6.5))
        height = RING + 0.5 + LINE_HEIGHT * (row + 0.5)
        figure.text(
            0.3 / ACROSS, 1.0 - height / up, words, fontsize=size, va="center",
            color=COLOURS[number % len(COLOURS)],
        )  # fmt: skip
    return figure


def _lines(number: int, arrow: Arrow) -> list[str]:
    first = f"{number + 1}  {arrow.name}: {arrow.source} to {arrow.target}"
    return [first, *(f"    {line}" for line in arrow.words)]


def _ring(names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Places of members [inch]: two stand side by side, more around an ellipse from the top."""
    count = len(names)
    turn = np.pi if count == 2 else np.pi / 2
    angles = turn - 2.0 * np.pi * np.arange(count) / count
    return {
        name: (float(2.4 * np.cos(angle)), float(1.25 * np.sin(angle)))
        for name, angle in zip(names, angles, strict=True)
    }


def _box(axes: Axes, place: tuple[float, float], name: str, about: Sequence[str]) -> None:
    axes.text(
        place[0],
        place[1],
        "\n".join([name, *about]),
        ha="center",
        va="center",
        fontsize=8.5,
        zorder=3,
        bbox={"boxstyle": "round,pad=0.6", "facecolor": "white", "edgecolor": "#1d2329"},
    )


def _arrow(
    axes: Axes, begin: tuple[float, float], end: tuple[float, float], number: int, which: int
) -> None:
    """An arrow that bows to its right, the more the more there are between the two."""
    colour, bend = COLOURS[number % len(COLOURS)], BEND * (0.5 + which)
    patch = FancyArrowPatch(
        begin,
        end,
        connectionstyle=f"arc3,rad={bend}",
        arrowstyle="-|>",
        mutation_scale=14,
        shrinkA=42,
        shrinkB=42,
        color=colour,
        linewidth=1.4,
        zorder=2,
    )
    axes.add_patch(patch)
    along = np.subtract(end, begin)
    middle = np.add(begin, end) / 2.0 + 0.5 * bend * np.array([along[1], -along[0]])
    axes.text(
        middle[0],
        middle[1],
        str(number + 1),
        ha="center",
        va="center",
        fontsize=9,
        color=colour,
        zorder=4,
        bbox={"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": colour},
    )
