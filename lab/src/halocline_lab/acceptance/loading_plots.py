"""Figures 3.1 and 3.2 of Tolman (2003) for any cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.series import plain_axes
from halocline_lab.acceptance.loading import Loading
from halocline_lab.output_cost.output_plots import colours
from halocline_lab.scaling.placement import alpha, is_ideal
from halocline_lab.scaling.scale_plots import style_of

dots = 130.0


def draw(loading: Loading, path: Path) -> None:
    """Draw both figures on one sheet."""
    with looks.style():
        figure(loading).savefig(path, dpi=dots)


def figure(loading: Loading) -> Figure:
    """Load above; below it a row per parallel fraction: run time left, efficiency right."""
    count = len(loading.parallel)
    sheet = Figure(figsize=(9.6, 3.0 + 2.6 * count), layout="constrained")
    halves: Any = sheet.subfigures(2, 1, height_ratios=[1.05, max(count, 0.01)])
    above, below = halves
    _loads(above.subplots(1, 1), loading)
    if count:
        panels: Any = below.subplots(count, 2, squeeze=False, sharex=True)
        for pair, parallel in zip(panels, loading.parallel, strict=True):
            _times(pair[0], loading, parallel)
            _efficiencies(pair[1], loading, parallel)
        for panel in panels[-1]:
            panel.set_xlabel("processes n")
    return sheet


def _loads(panel: Axes, loading: Loading) -> None:
    cluster = loading.cluster
    plain_axes(panel)
    for place, m in enumerate(loading.per_node):
        values = [alpha(n, m, cluster) for n in loading.processes]
        panel.plot(loading.processes, values, label=f"m = {m}", **style_of(place))
    _dots(panel, loading, lambda n, m: alpha(n, m, cluster))
    panel.set_title(
        f"Load per processor: {cluster.nodes} nodes of {cluster.processors} processors"
        + (f", {cluster.threads} threads per process" if cluster.threads > 1 else "")
    )
    panel.set_ylabel("alpha")
    panel.set_xlabel("processes n")
    panel.set_ylim(bottom=0.0)
    panel.plot([], [], "o", color="#555555", markersize=3.5, label="ideal loading")
    panel.legend(ncols=len(loading.per_node) + 1, fontsize=8.0, loc="upper left")


def _times(panel: Axes, loading: Loading, parallel: float) -> None:
    plain_axes(panel)
    for place, m in enumerate(loading.per_node):
        values = [loading.time(n, m, parallel) for n in loading.processes]
        panel.plot(loading.processes, values, **style_of(place))
    panel.set_yscale("log")
    ticks = [t for t in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if t > 0.8 * panel.get_ylim()[0]]
    panel.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    panel.set_title(f"Run time, p_e = {parallel:g}")
    panel.set_ylabel("t(n) / t(1)")


def _efficiencies(panel: Axes, loading: Loading, parallel: float) -> None:
    plain_axes(panel)
    for place, m in enumerate(loading.per_node):
        values = [loading.efficiency(n, m, parallel) for n in loading.processes]
        panel.plot(loading.processes, values, **style_of(place))
    _dots(panel, loading, lambda n, m: loading.efficiency(n, m, parallel))
    panel.set_title(f"Efficiency, p_e = {parallel:g}")
    panel.set_ylabel("zeta")
    panel.set_ylim(0.0, 1.05)


def _dots(panel: Axes, loading: Loading, value: Any) -> None:
    """Mark ideal loadings."""
    for place, m in enumerate(loading.per_node):
        ideal = [n for n in loading.processes if is_ideal(n, m, loading.cluster)]
        colour = colours[place % len(colours)]
        panel.plot(ideal, [value(n, m) for n in ideal], "o", color=colour, markersize=3.2)
