"""The picture of the study of tiles: six panels, as Figure 10 of Porter et al. (2010).

Where the processor counts nothing there are three: times, and the sizes of tiles beside caches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os.path import commonprefix
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


def draw(case: str, rows: Sequence[Row], caches: Mapping[str, int], path: Path) -> None:
    """Draw times and counters, or sizes, against the number of tiles."""
    with looks.style():
        figure(case, rows, caches).savefig(path, dpi=130.0)


def figure(case: str, rows: Sequence[Row], caches: Mapping[str, int]) -> Figure:
    """Panels with a line for each of some kernels: those that load most, or take longest."""
    from halocline_lab.benchmarks.tiles import together

    shown = [row for row in rows if row.tile_bytes == rows[0].tile_bytes]
    counted = bool(together(rows[0]))
    sheet = Figure(figsize=(10.4, 6.2 if counted else 3.9), layout="constrained")
    panels: Any = sheet.subplots(2 if counted else 1, 3).flatten()
    _time(panels[0], shown)
    if counted:
        _counters(panels[1:], shown)
    else:
        _sizes(panels[1:], shown, caches)
    handles, names = panels[1].get_legend_handles_labels()
    if handles:
        common = commonprefix(names).rpartition("_")
        plain = [name.removeprefix(common[0] + common[1]) for name in names]
        sheet.legend(handles, plain, loc="outside lower center", ncols=len(names), fontsize=8.0)
    sheet.suptitle(f"Tiles and caches: {case}" if counted else f"Tiles: {case}")
    return sheet


def _counters(panels: Sequence[Axes], shown: Sequence[Row]) -> None:
    """What the processor counted: hits and fills of the caches."""
    from halocline_lab.benchmarks.tiles import ratio

    loads = {name: counts.get("D1 loads", 0.0) for name, counts in (shown[0].counts or {}).items()}
    kernels = sorted(loads, key=lambda name: (-loads[name], name))[:most_kernels]

    def counts(row: Row, kernel: str) -> dict[str, float]:
        return (row.counts or {}).get(kernel, {})

    def share(hits: str, misses: str, *, of_all: bool) -> Callable[[Row, str], float | None]:
        return lambda row, kernel: ratio(counts(row, kernel), hits, misses, of_all=of_all)

    def millions(name: str) -> Callable[[Row, str], float | None]:
        return lambda row, kernel: (
            counts(row, kernel)[name] / 1e6 if name in counts(row, kernel) else None
        )

    for panel, title, value in (
        (panels[0], "hit ratio of the first cache", share("D1 loads", "D1 misses", of_all=True)),
        (panels[1], "hit ratio of the second cache", share("L2 hits", "L2 misses", of_all=False)),
        (panels[2], "loads, millions a step", millions("D1 loads")),
        (panels[3], "first cache filled from the second, millions", millions("D1 refills from L2")),
        (panels[4], "first cache filled from memory, millions", millions("D1 refills from memory")),
    ):
        _lines(panel, title, shown, kernels, value)


def _sizes(panels: Sequence[Axes], shown: Sequence[Row], caches: Mapping[str, int]) -> None:
    """Times of the longest kernels over those with the first cut; their tiles beside caches."""
    first = shown[0].kernels
    kernels = sorted(first, key=lambda name: -first[name]["seconds"])[:most_kernels]

    def over(row: Row, kernel: str) -> float | None:
        known = row.kernels.get(kernel)
        return known["seconds"] / first[kernel]["seconds"] if known else None

    def size(row: Row, kernel: str) -> float | None:
        known = row.kernels.get(kernel)
        return known["bytes"] / 2**20 if known else None

    _lines(panels[0], "least time of a kernel, over the first", shown, kernels, over)
    _lines(panels[1], "a call must move in a tile, MiB", shown, kernels, size)
    panels[1].set_yscale("log")
    for level, bytes_ in caches.items():
        panels[1].axhline(bytes_ / 2**20, color="0.5", linewidth=0.8, linestyle="--")
        panels[1].annotate(
            level, (0.0, bytes_ / 2**20), xycoords=("axes fraction", "data"), fontsize=8.0,
            xytext=(3, 2), textcoords="offset points", color="0.35",
        )  # fmt: skip


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
