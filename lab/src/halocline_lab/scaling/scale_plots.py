"""Figures 4.1 to 4.4 of Tolman (2003) from the result of `halocline lab scale`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.series import plain_axes
from halocline_lab.output_cost.output_plots import colours
from halocline_lab.scaling.scale_setups import Series
from halocline_lab.scaling.scale_table import series_of

dots = 130.0
line_styles = ("-", "--", "-.", ":")
blue, orange = colours[:2]

Row = Mapping[str, Any]


def style_of(place: int) -> dict[str, Any]:
    """Line of the curve at this place in the list."""
    return {
        "color": colours[place % len(colours)],
        "linestyle": line_styles[place % len(line_styles)],
        "linewidth": 1.4,
    }


def draw(result: Mapping[str, Any], path: Path) -> None:
    """Draw all figures on one sheet."""
    with looks.style():
        figure(result["rows"]).savefig(path, dpi=dots)


def curves(rows: Sequence[Row]) -> dict[Series, list[Row]]:
    """Rows by what those of a curve share."""
    found: dict[Series, list[Row]] = {}
    for row in rows:
        found.setdefault(series_of(row), []).append(row)
    return found


def label(series: Series) -> str:
    """Name of a curve.

    >>> label((2, 1, "", "")), label((1, 2, "on", "grid.nx=8"))
    ('m = 2', 'm = 1, 2 threads, smt on, grid.nx=8')
    """
    per_node, threads, smt, setting = series
    more = f", {threads} threads" if threads > 1 else ""
    more += f", smt {smt}" if smt else ""
    return f"m = {per_node}{more}" + (f", {setting}" if setting else "")


def figure(rows: Sequence[Row]) -> Figure:
    """A panel per curve with its spread (4.1); then all means, fractions, efficiencies."""
    found = curves(rows)
    kinds = list(dict.fromkeys(series[1:] for series in found))
    groups = list(dict.fromkeys(series[0] for series in found))
    sheet = Figure(
        figsize=(max(9.6, 4.8 * len(kinds)), 2.9 * len(groups) + 3.4 + 2.9), layout="constrained"
    )
    parts: Any = sheet.subfigures(2, 1, height_ratios=[2.9 * len(groups), 6.3])
    panels: Any = parts[0].subplots(
        len(groups), len(kinds), squeeze=False, sharex=True, sharey=True
    )
    for series, mine in found.items():
        _spread(panels[groups.index(series[0])][kinds.index(series[1:])], mine, label(series))
    panels[0][0].set_ylim(0.0, 1.05 * max(row["most"] for row in rows))  # of all, which share it
    below: Any = parts[1].subplots(2, 2)
    _together(below[0][0], found, "mean", "Mean run times", "t [s]")
    _together(below[0][1], found, "parallel", "Effective parallel fraction", "p_e")
    _together(below[1][0], found, "efficiency", "Bulk parallel efficiency", "zeta")
    _gain(below[1][1], found)
    return sheet


def _spread(panel: Axes, rows: Sequence[Row], title: str) -> None:
    """Mean thick, least and largest thin, every run a dot; what the model predicts dotted."""
    plain_axes(panel)
    n = [row["processes"] for row in rows]
    for name in ("least", "most"):
        panel.plot(n, [row[name] for row in rows], color=blue, linewidth=0.7)
    panel.plot(n, [row["mean"] for row in rows], color=blue, linewidth=2.2, label="mean")
    for row in rows:
        x = [row["processes"]] * len(row["seconds"])
        panel.plot(x, row["seconds"], ".", color=blue, markersize=2.5, alpha=0.5)
        late = [row["seconds"][at] for at in row["outliers"]]
        panel.plot(x[: len(late)], late, "x", color=orange, markersize=5.0)
    known = [row for row in rows if row["predicted"] is not None]
    if known:
        panel.plot(
            [row["processes"] for row in known],
            [row["predicted"] for row in known],
            ":",
            color=orange,
            linewidth=1.6,
            label="predicted",
        )
    if any(row["outliers"] for row in rows):
        panel.plot([], [], "x", color=orange, markersize=5.0, label="outlier")
    panel.set_title(f"Run time, {title}")
    panel.set_ylabel("t [s]")
    panel.set_xlabel("ranks n")
    panel.legend(fontsize=7.5)
    _whole_ranks(panel, n)


def _whole_ranks(panel: Axes, n: Sequence[int]) -> None:
    step = max(1, (max(n) + 8) // 9)
    panel.set_xticks(list(range(step if step > 1 else 1, max(n) + 1, step)))


def _cores(rows: Sequence[Row]) -> list[int]:
    """Ranks times threads, so that curves of other numbers of threads can be compared."""
    return [row["processes"] * row["threads"] for row in rows]


def _of_cores(panel: Axes, found: Mapping[Series, list[Row]]) -> None:
    threads = any(series[1] > 1 for series in found)
    panel.set_xlabel("ranks n times threads" if threads else "ranks n")
    _whole_ranks(panel, [n for rows in found.values() for n in _cores(rows)])


def _together(
    panel: Axes, found: Mapping[Series, list[Row]], name: str, title: str, y: str
) -> None:
    plain_axes(panel)
    for place, (series, rows) in enumerate(found.items()):
        known = [row for row in rows if row[name] is not None]
        n = _cores(known)
        values = [row[name] for row in known]
        panel.plot(n, values, marker="o", markersize=3.0, label=label(series), **style_of(place))
    _of_cores(panel, found)
    panel.set_title(title)
    panel.set_ylabel(y)
    if name != "parallel":
        panel.set_ylim(bottom=0.0)
    panel.legend(fontsize=7.5)


def _gain(panel: Axes, found: Mapping[Series, list[Row]]) -> None:
    """Speed-up with its bounds, beside the ideal."""
    plain_axes(panel)
    for place, (series, rows) in enumerate(found.items()):
        n = _cores(rows)
        gain = [row["speed_up"] for row in rows]
        below = [row["speed_up"] - row["speed_up_low"] for row in rows]
        above = [row["speed_up_high"] - row["speed_up"] for row in rows]
        panel.errorbar(
            n, gain, yerr=[below, above], capsize=2.0, label=label(series), **style_of(place)
        )
    _of_cores(panel, found)
    panel.set_title("Speed-up, with its bounds")
    panel.set_ylabel("t(1) / t(n)")
    panel.set_ylim(bottom=0.0)
    panel.legend(fontsize=7.5)
