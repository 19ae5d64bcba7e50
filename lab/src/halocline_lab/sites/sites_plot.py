"""The picture of `halocline lab sites`: cases beside the paper's, and how windows let bytes out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.series import plain_axes
from halocline_lab.sites.field_exchange import measured, sizes
from halocline_lab.sites.shaper import NetworkPath
from halocline_lab.sites.site_cases import CaseResult, floors, parts

dots = 130.0
shades = {"send": "#98a1a9", "wait": looks.ORANGE, "transfer": looks.BLUE}
lines = (looks.BLUE, looks.ORANGE, looks.GREEN, looks.PURPLE, "#1d2329")


def draw(results: Sequence[CaseResult], path: NetworkPath, place: Path) -> None:
    """Draw what `figure` shows."""
    with looks.style():
        figure(results, path).savefig(place, dpi=dots)


def figure(results: Sequence[CaseResult], path: NetworkPath) -> Figure:
    """Left both sides' times of four exchanges; right the bytes of one exchange over time."""
    sheet = Figure(figsize=(11.0, 4.4), layout="constrained")
    panels: Any = sheet.subplots(1, 2, gridspec_kw={"width_ratios": [1.35, 1.0]})
    _bars(panels[0], results, floors(path, trips=False))
    _bytes(panels[1], results)
    return sheet


def _bars(axes: Any, results: Sequence[CaseResult], least: dict[str, float]) -> None:
    plain_axes(axes)
    names = {"air": "air (WRF)", "ocean": "ocean (ROMS)"}
    places: list[float] = []
    labels: list[str] = []
    for number, one in enumerate(results):
        for at, side in enumerate(sizes):
            y, begin = number + 0.36 * at, 0.0
            for part in parts:
                value = one.spent[side][part]
                axes.barh(y, value, 0.3, begin, color=shades[part],
                          label=part if not places else None)  # fmt: skip
                begin += value
            if one.case.published:
                axes.plot(one.case.published[at], y, "D", color="#1d2329", markersize=5.0,
                          label="paper" if not places else None)  # fmt: skip
            if one.case.over_path:
                axes.plot([least[side]] * 2, [y - 0.16, y + 0.16], color=looks.GREEN,
                          linewidth=2.0, label="floor" if not places else None)  # fmt: skip
            places.append(y)
            labels.append(f"{one.case.name}, {names[side]}" if not at else names[side])
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.set_xlim(left=0.0)
    axes.set_xlabel("s")
    axes.set_title(f"{measured} exchanges")
    axes.legend(loc="lower right")


def _bytes(axes: Any, results: Sequence[CaseResult]) -> None:
    plain_axes(axes)
    drawn = [one for one in results if one.curve]
    for one, colour in zip(drawn, lines, strict=False):
        full = [at for at, (_, total) in enumerate(one.curve) if total >= sizes["air"]]
        some = one.curve[: full[0] + 1 if full else None]
        axes.step([1e3 * time for time, _ in some], [1e-3 * total for _, total in some],
                  where="post", color=colour, label=one.case.name)  # fmt: skip
    axes.set_xlabel("ms since the exchange began")
    axes.set_ylabel("kB of winds that entered the path")
    axes.set_ylim(bottom=0.0)
    axes.set_title("Why: windows let them out in rounds")
    if drawn:
        axes.legend(loc="lower right")
