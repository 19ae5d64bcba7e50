"""Forecasts over ranks: the time of a run with its bounds, and what of it each phase takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.series import plain_axes
from halocline_lab.output_cost.output_plots import colours
from halocline_lab.scaling.extrapolation import Forecast

dots = 130.0
most_phases = 6
"""Phases with a colour of their own; the others are put together."""


def draw(ranks: Sequence[int], forecasts: Sequence[Forecast], most: int, path: Path) -> None:
    """Draw forecasts by numbers of ranks; beyond `most` nothing was measured."""
    with looks.style():
        figure(ranks, forecasts, most).savefig(path, dpi=dots)


def apart(ranks: Sequence[int]) -> list[int]:
    """Those of rising numbers that stand apart on a logarithmic axis.

    >>> apart(range(1, 17))
    [1, 2, 3, 4, 6, 8, 11, 15]
    """
    found: list[int] = []
    for number in ranks:
        if not found or number >= 1.3 * found[-1]:
            found.append(number)
    return found


def figure(ranks: Sequence[int], forecasts: Sequence[Forecast], most: int) -> Figure:
    """The run left, its phases right."""
    sheet = Figure(figsize=(10.6, 3.6), layout="constrained")
    panels: Any = sheet.subplots(1, 2)
    whole, parts = panels
    for panel in panels:
        plain_axes(panel)
        panel.set_xscale("log", base=2)
        panel.set_xlabel("ranks n")
        marks = apart(ranks)
        panel.set_xticks(marks, [f"{n}" for n in marks])
        panel.minorticks_off()
        if ranks[0] <= most < ranks[-1]:
            panel.axvspan(most, ranks[-1], color="#9aa5b0", alpha=0.15, linewidth=0.0)
    seconds = [found.seconds for found in forecasts]
    low, high = ([getattr(f, name) for f in forecasts] for name in ("low", "high"))
    whole.fill_between(ranks, low, high, color=colours[0], alpha=0.25, label="bounds, about 95 %")
    whole.plot(ranks, seconds, "o-", color=colours[0], markersize=3.5, label="the run")
    ideal = [seconds[0] * ranks[0] / n for n in ranks]
    whole.plot(ranks, ideal, ":", color="#5c6670", label="perfect scaling")
    whole.set_yscale("log")
    whole.set_ylabel("t [s]")
    whole.set_title("The run (grey: not measured)")
    whole.legend(fontsize=7.5)
    names, heights = shares(forecasts)
    labels = ["outside all phases" if name == "other" else name for name in names]
    parts.stackplot(ranks, heights, labels=labels, colors=[*colours[: len(names) - 1], "#9aa5b0"])
    parts.set_title("Shares of phases")
    parts.set_ylabel("%")
    parts.set_ylim(0.0, 100.0)
    parts.legend(fontsize=7.5, loc="upper left", bbox_to_anchor=(1.0, 1.0), reverse=True)
    return sheet


def shares(forecasts: Sequence[Forecast]) -> tuple[list[str], list[list[float]]]:
    """Names and percentages [phase][ranks] of the largest phases, and of all others."""
    names = list(dict.fromkeys(p.phase for found in forecasts for p in found.phases))
    largest = {name: max(found.share(name) for found in forecasts) for name in names}
    chosen = sorted(names, key=lambda name: -largest[name])[:most_phases]
    rows = [[100.0 * found.share(name) for found in forecasts] for name in chosen]
    rest = [100.0 - sum(column) for column in zip(*rows, strict=True)]
    return [*chosen, "all other phases"], [*rows, rest]
