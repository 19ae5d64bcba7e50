"""The picture of the study of tiles: six panels, as Figure 10 of Porter et al. (2010)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.series import plain_axes

if TYPE_CHECKING:
    from halocline_lab.benchmarks.tiles import Row

colours = (looks.BLUE, looks.ORANGE, looks.GREEN, looks.PURPLE, "#8a6d1a")
most_kernels = 5


def draw(case: str, rows: Sequence[Row], path: Path) -> None:
    """Draw time and counters against the number of tiles."""
    with looks.style():
        figure(case, rows).savefig(path, dpi=130.0)


def figure(case: str, rows: Sequence[Row]) -> Figure:
    """Six panels; a line for each of the kernels that load most."""
    from halocline_lab.benchmarks.tiles import ratio

    sheet = Figure(figsize=(10.4, 6.2), layout="constrained")
    panels: Any = sheet.subplots(2, 3).flatten()
    shown = [row for row in rows if row.tile_bytes == rows[0].tile_bytes]
    kernels = _kernels(rows[0])

    def counts(row: Row, kernel: str) -> dict[str, float]:
        return (row.counts or {}).get(kernel, {})

    def share(hits: str, misses: str, *, of_all: bool) -> Callable[[Row, str], float | None]:
        return lambda row, kernel: ratio(counts(row, kernel), hits, misses, of_all=of_all)

    def millions(name: str) -> Callable[[Row, str], float | None]:
        return lambda row, kernel: (
            counts(row, kernel)[name] / 1e6 if name in counts(row, kernel) else None
        )

    _time(panels[0], shown)
    for panel, title, value in (
        (panels[1], "hit ratio of the first cache", share("D1 loads", "D1 misses", of_all=True)),
        (panels[2], "hit ratio of the second cache", share("L2 hits", "L2 misses", of_all=False)),
        (panels[3], "loads, millions a step", millions("D1 loads")),
        (panels[4], "first cache filled from the second, millions", millions("D1 refills from L2")),
        (panels[5], "first cache filled from memory, millions", millions("D1 refills from memory")),
    ):
        _lines(panel, title, shown, kernels, value)
    handles, names = panels[1].get_legend_handles_labels()
    if handles:
        sheet.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    sheet.suptitle(f"Tiles and caches: {case}")
    return sheet


def _kernels(row: Row) -> list[str]:
    """Kernels that load most, or whose names are first where nobody counts loads."""
    loads = {name: counts.get("D1 loads", 0.0) for name, counts in (row.counts or {}).items()}
    return sorted(loads, key=lambda name: (-loads[name], name))[:most_kernels]


def _time(panel: Axes, rows: Sequence[Row]) -> None:
    places = [row.blocks_per_rank for row in rows]
    panel.plot(places, [1e3 * row.seconds for row in rows], color=looks.BLUE, marker="o")
    panel.fill_between(
        places,
        [1e3 * row.least for row in rows],
        [1e3 * row.most for row in rows],
        color=looks.BLUE,
        alpha=0.2,
        linewidth=0.0,
    )
    _finish(panel, "time of a step, ms: median, least, most", places)


def _lines(
    panel: Axes,
    title: str,
    rows: Sequence[Row],
    kernels: Sequence[str],
    value: Callable[[Row, str], float | None],
) -> None:
    places = [row.blocks_per_rank for row in rows]
    for colour, kernel in zip(colours, kernels, strict=False):
        found = [value(row, kernel) for row in rows]
        values = [one for one in found if one is not None]
        if len(values) == len(places):
            panel.plot(places, values, color=colour, marker="o", markersize=4, label=kernel)
    if not panel.lines:
        panel.text(0.5, 0.5, "not counted here", transform=panel.transAxes, ha="center")
    _finish(panel, title, places)


def _finish(panel: Axes, title: str, places: Sequence[int]) -> None:
    plain_axes(panel)
    panel.set_title(title, fontsize=9.5)
    panel.set_xscale("log", base=2)
    panel.set_xticks(places, [str(place) for place in places])
    panel.set_xlabel("tiles per patch")
