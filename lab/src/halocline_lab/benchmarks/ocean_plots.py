"""Figures of `halocline lab ocean`, after Worley and Levesque (2004)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, NullLocator

from halocline.analysis import looks
from halocline.analysis.series import plain_axes

dots = 130.0
colours = {"minimal": looks.BLUE, "full": looks.ORANGE}
styles = {"float64": "-", "float32": "--"}
parts = {
    "baroclinic": (("baroclinic", "baroclinic halo"), looks.BLUE),
    "barotropic": (("barotropic", "barotropic halo", "solver"), looks.ORANGE),
    "of it the solver": (("solver",), looks.PURPLE),
    "halos outside of the solver": (("baroclinic halo", "barotropic halo"), looks.GREEN),
}
"""What is drawn of the phases, and in what colour."""

Row = Mapping[str, Any]


def draw(
    result: Mapping[str, Any],
    path: Path,
    published: Mapping[str, Mapping[str, float]],
    cray_x1: tuple[int, float],
    others: Mapping[str, Sequence[Row]] | None = None,
) -> None:
    """Draw years per day (figures 6.1, 10.1) and phases (9.6, 9.7, 10.2) over processors.

    Published figures, which are those of the x1 grid, stand beside that alone. Where several ways
    were timed, or with results of `others` by their names, a panel compares their phases.
    """
    whole = result["grid"] == "x1"
    known = published if whole else {}
    with looks.style():
        sheet = figure(result["rows"], known, cray_x1 if whole else None, others or {})
        sheet.savefig(path, dpi=dots)


def figure(
    rows: Sequence[Row],
    published: Mapping[str, Mapping[str, float]],
    cray_x1: tuple[int, float] | None,
    others: Mapping[str, Sequence[Row]],
) -> Figure:
    """A panel of years per day, one of phases for each physics in the first precision.

    Last one of the phases of all ways and others of the first physics, if there are several.
    """
    kinds = list(dict.fromkeys(row["physics"] for row in rows))
    mine = {kind: next(r["precision"] for r in rows if r["physics"] == kind) for kind in kinds}
    compared = by_way(alike(rows, kinds[0], mine[kinds[0]]))
    first = next(iter(compared))
    others = {
        f"{name}, {way}" if way else name: some
        for name, theirs in others.items()
        for way, some in by_way(theirs).items()
    }
    compared |= {name: alike(some, kinds[0], mine[kinds[0]]) for name, some in others.items()}
    panels = 1 + len(kinds) + (len(compared) > 1)
    sheet = Figure(figsize=(4.8 * panels, 4.4), layout="constrained")
    axes: Any = sheet.subplots(1, panels)
    shown = [row for row in rows if row["way"] == first or _cores(row) == 1]
    _years(axes[0], shown, published, cray_x1, others)
    for panel, kind in zip(axes[1:], kinds, strict=False):
        _phases(panel, alike(shown, kind, mine[kind]))
        panel.set_title(f"Phases, {kind} physics, {mine[kind]}")
    if len(compared) > 1:
        _compare(axes[-1], compared)
        axes[-1].set_title(f"Both parts, {kinds[0]} physics, {mine[kinds[0]]}")
    return sheet


def alike(rows: Sequence[Row], kind: str, precision: str) -> list[Row]:
    """Those of one physics and precision."""
    return [r for r in rows if (r["physics"], r["precision"]) == (kind, precision)]


def by_way(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows of each way of communication; one rank needs none, and belongs to all."""
    ways = dict.fromkeys(row.get("way", "") for row in rows if _cores(row) > 1) or {"": None}
    return {way: [r for r in rows if r.get("way", "") == way or _cores(r) == 1] for way in ways}


def _compare(panel: Axes, compared: Mapping[str, Sequence[Row]]) -> None:
    """Seconds of the barotropic part, drawn through, and of the baroclinic one, of some runs."""
    plain_axes(panel)
    hues = (looks.BLUE, looks.ORANGE, looks.GREEN, looks.PURPLE, "#1d2329")
    for number, (name, rows) in enumerate(compared.items()):
        for part, line in (("barotropic", "-"), ("baroclinic", "--")):
            panel.plot(
                [_cores(row) for row in rows],
                [sum(row["seconds_of_a_day"][phase] for phase in parts[part][0]) for row in rows],
                line,
                color=hues[number % len(hues)],
                marker="o",
                markersize=4.0,
                label=f"{part}, {name or 'this run'}",
            )
    _over_processors(panel, [_cores(row) for rows in compared.values() for row in rows])
    panel.set_ylabel("seconds per simulated day")
    panel.legend(fontsize=7.0, handlelength=3.5)


def _cores(row: Row) -> int:
    return int(row["ranks"]) * int(row["threads"])


def _years(
    panel: Axes,
    rows: Sequence[Row],
    published: Mapping[str, Mapping[str, float]],
    cray_x1: tuple[int, float] | None,
    others: Mapping[str, Sequence[Row]],
) -> None:
    plain_axes(panel)
    for number, (name, some) in enumerate(others.items()):
        for kind, precision in dict.fromkeys((row["physics"], row["precision"]) for row in some):
            mine = alike(some, kind, precision)
            panel.plot(
                [_cores(row) for row in mine],
                [row["years_per_day"] for row in mine],
                styles[precision],
                color=colours[kind],
                marker="^vx+*"[number % 5],
                markersize=5.0,
                label=f"{name}, {kind}, {precision}",
            )
    for kind, precision in dict.fromkeys((row["physics"], row["precision"]) for row in rows):
        mine = [r for r in rows if (r["physics"], r["precision"]) == (kind, precision)]
        panel.plot(
            [_cores(row) for row in mine],
            [row["years_per_day"] for row in mine],
            styles[precision],
            color=colours[kind],
            marker="o",
            markersize=4.0,
            label=f"Halocline, {kind}, {precision}",
        )
    for kind in dict.fromkeys(row["physics"] for row in rows):
        for name, years in published.get(kind, {}).items():
            panel.plot(1, years, "D", color=colours[kind], markersize=5.0, markerfacecolor="white",
                       label=f"{name}, {kind}, one core")  # fmt: skip
    numbers = [_cores(row) for some in (rows, *others.values()) for row in some]
    if cray_x1:
        processors, years = cray_x1
        panel.plot(processors, years, "s", color="#1d2329", markersize=5.0,
                   label=f"POP 1.4.3, Cray X1, {processors} processors")  # fmt: skip
        numbers.append(processors)
    _over_processors(panel, numbers)
    panel.set_title("Speed")
    panel.set_ylabel("simulated years per day")
    panel.legend(fontsize=7.0, loc="upper left", handlelength=3.5)
    low, high = panel.get_ylim()
    panel.set_ylim(low, high * (high / low) ** 0.45)


def _phases(panel: Axes, rows: Sequence[Row]) -> None:
    plain_axes(panel)
    for name, (phases, colour) in parts.items():
        panel.plot(
            [_cores(row) for row in rows],
            [sum(row["seconds_of_a_day"][phase] for phase in phases) for row in rows],
            ":" if name.startswith("of it") else "-",
            color=colour,
            marker="o",
            markersize=4.0,
            label=name,
        )
    _over_processors(panel, [_cores(row) for row in rows])
    panel.set_ylabel("seconds per simulated day")
    panel.legend(fontsize=7.0)


def _over_processors(panel: Axes, numbers: Sequence[int]) -> None:
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_xlabel("ranks x threads")
    panel.xaxis.set_major_locator(FixedLocator(sorted(set(numbers))))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    panel.yaxis.set_minor_formatter(NullFormatter())
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter("{x:g}")
