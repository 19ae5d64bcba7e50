"""Figures of `halocline lab communication`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.series import plain_axes
from halocline_lab.benchmarks import ghex_rival
from halocline_lab.benchmarks.communication_rows import Row

families = {
    "shared memory": ("shared", looks.BLUE),
    "one-sided": ("put- get-", looks.GREEN),
    "neighbourhood collectives": ("neighbours", looks.PURPLE),
    "messages": ("", looks.ORANGE),
}
rival_colour = "#1d2329"
dots = 130.0


def draw(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Draw what the rows hold, one figure per benchmark, into a folder; the files."""
    made = {"halo": halo_figure, "sum": bars, "ninept": bars, "aggregation": segment_figure}
    files = []
    with looks.style():
        for benchmark, make in made.items():
            mine = [row for row in rows if row.benchmark == benchmark]
            if mine:
                files.append(folder / f"{benchmark}.png")
                make(mine).savefig(files[-1], dpi=dots)
    return files


def _family(choice: str) -> tuple[str, str]:
    if choice == ghex_rival.name:
        return choice, rival_colour
    for name, (words, colour) in families.items():
        if any(word in choice for word in words.split(" ")):
            return name, colour
    raise AssertionError(choice)


def _panels(rows: Sequence[Row], height: float) -> tuple[Figure, list[tuple[int, Axes]]]:
    """A figure with one panel per number of ranks."""
    ranks = list(dict.fromkeys(row.ranks for row in rows))
    figure = Figure(figsize=(4.6 * len(ranks) + 0.6, height), layout="constrained")
    axes: Any = figure.subplots(1, len(ranks), squeeze=False, sharey=True)[0]
    for number, panel in zip(ranks, axes, strict=True):
        plain_axes(panel)
        panel.set_title(f"{number} ranks on {rows[0].cores} cores")
    return figure, list(zip(ranks, axes, strict=True))


def halo_figure(rows: Sequence[Row]) -> Figure:
    """Time of a halo against its words, like figure 8.1 of Worley & Levesque (2004)."""
    figure, panels = _panels(rows, 4.6)
    for ranks, axes in panels:
        mine = [row for row in rows if row.ranks == ranks]
        for choice in dict.fromkeys(row.choice for row in mine):
            line = [row for row in mine if row.choice == choice]
            _, colour = _family(choice)
            strong = choice in ("messages aggregated", ghex_rival.name)
            axes.plot(
                [row.size for row in line],
                [row.microseconds for row in line],
                color=colour,
                linewidth=2.0 if strong else 0.8,
                alpha=1.0 if strong else 0.55,
            )
        _mark_best(axes, mine)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("4-byte words on each side of a block")
    panels[0][1].set_ylabel("time of a halo exchange [µs]")
    drawn = dict.fromkeys(_family(row.choice) for row in rows)
    for name, colour in drawn:
        panels[0][1].plot([], [], color=colour, linewidth=1.6, label=name)
    panels[0][1].plot([], [], "o", color="#1d2329", markersize=4.0, label="fastest")
    panels[0][1].legend(loc="upper left", fontsize=8.0)
    return figure


def _mark_best(axes: Axes, rows: Sequence[Row]) -> None:
    for size in dict.fromkeys(row.size for row in rows):
        best = min((row for row in rows if row.size == size), key=lambda row: row.microseconds)
        axes.plot(size, best.microseconds, "o", color=_family(best.choice)[1], markersize=4.0)


def bars(rows: Sequence[Row]) -> Figure:
    """All choices of the first exchange, by name, with the bounds of their medians."""
    names = list(dict.fromkeys(row.choice for row in rows))
    exchanges = list(dict.fromkeys(row.exchange for row in rows))
    figure, panels = _panels(rows, 1.4 + 0.24 * len(names))
    for ranks, axes in panels:
        for number, exchange in enumerate(exchanges):
            mine = [row for row in rows if (row.ranks, row.exchange) == (ranks, exchange)]
            colour = (looks.BLUE, looks.ORANGE, looks.GREEN)[number % 3]
            places = [names.index(row.choice) for row in mine]
            times = [row.microseconds for row in mine]
            spread = [
                [r.microseconds - r.low for r in mine],
                [r.high - r.microseconds for r in mine],
            ]
            axes.errorbar(
                times, places, xerr=spread, fmt="o", color=colour, markersize=4.0, linewidth=1.0,
                label=exchange,
            )  # fmt: skip
        axes.set_xscale("log")
        axes.set_xlabel("time [µs]")
        axes.set_yticks(range(len(names)), names)
    panels[0][1].invert_yaxis()
    figure.legend(
        *panels[0][1].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8.0
    )
    return figure


def segment_figure(rows: Sequence[Row]) -> Figure:
    """Time of the exchange of 51 tracers against variables per message."""
    figure, panels = _panels(rows, 4.2)
    for ranks, axes in panels:
        names = {"trcnxt": "trcnxt", "trchdf": "trchdf (first: one level per message)"}
        for exchange, colour in (("trcnxt", looks.BLUE), ("trchdf", looks.ORANGE)):
            mine = [row for row in rows if (row.ranks, row.exchange) == (ranks, exchange)]
            line = [row for row in mine if row.choice.startswith("messages")]
            axes.errorbar(
                [row.size for row in line],
                [row.ratio for row in line],
                yerr=[
                    [row.ratio - row.ratio_low for row in line],
                    [row.ratio_high - row.ratio for row in line],
                ],
                fmt="o-", color=colour, markersize=4.0, linewidth=1.2,
                label=names[exchange],
            )  # fmt: skip
        axes.axhline(0.5, color="#555555", linewidth=0.8, linestyle="--")
        axes.set_xscale("log", base=2)
        axes.set_xlabel("variables per message")
        axes.set_ylim(bottom=0.0)
    panels[0][1].set_ylabel("time over that of the paper's messages")
    panels[0][1].legend(fontsize=8.0)
    return figure
