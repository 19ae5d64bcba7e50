"""Pictures of divisions of ranks: what is fastest over ranks, and how crews spend an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.series import plain_axes
from halocline_lab.output_cost.output_plots import colours
from halocline_lab.scaling.split_search import Found
from halocline_lab.scaling.split_timeline import Division, MemberTurns, speed

dots = 130.0


def draw(
    turns: MemberTurns,
    side_by_side: Sequence[Found],
    in_sequence: Sequence[Found],
    shown: Sequence[Found],
    measured: Mapping[Division, float],
    path: Path,
) -> None:
    """Draw what `figure` shows."""
    with looks.style():
        figure(turns, side_by_side, in_sequence, shown, measured).savefig(path, dpi=dots)


def figure(
    turns: MemberTurns,
    side_by_side: Sequence[Found],
    in_sequence: Sequence[Found],
    shown: Sequence[Found],
    measured: Mapping[Division, float],
) -> Figure:
    """Speed over ranks left, of the best of both kinds; right how crews spend an interval."""
    sheet = Figure(figsize=(11.0, 4.2), layout="constrained")
    panels: Any = sheet.subplots(1, 2, gridspec_kw={"width_ratios": [1.0, 1.35]})
    left, right = panels
    plain_axes(left)
    for found, words, mark, colour in (
        (side_by_side, "side by side, best division", "o-", colours[0]),
        (in_sequence, "all in sequence", "s--", colours[1]),
    ):
        x = [one.division.total for one in found]
        left.plot(x, [speed(turns, one.seconds) for one in found], mark, color=colour, label=words,
                  markersize=4.0)  # fmt: skip
    known = [(one, measured[one.division]) for one in shown if one.division in measured]
    if known:
        left.plot([one.division.total for one, _ in known], [speed(turns, s) for _, s in known],
                  "x", color="#5c6670", label="measured", markersize=7.0)  # fmt: skip
    left.set_xlabel("ranks")
    left.set_ylabel("simulated days per day")
    left.set_ylim(bottom=0.0)
    left.xaxis.get_major_locator().set_params(integer=True)
    left.set_title("Speed")
    left.legend(fontsize=8.0)
    _bars(right, shown, measured)
    return sheet


def _bars(panel: Any, shown: Sequence[Found], measured: Mapping[Division, float]) -> None:
    """A bar for each crew: steps, exchanges, waiting."""
    plain_axes(panel)
    panel.grid(visible=False)
    at, names, places = 0.0, [], []
    kinds = (("steps", colours[2]), ("exchanges", colours[3]), ("waiting", "#c3cbd3"))
    for number, one in enumerate(shown):
        here = one.interval
        first = at
        for crew, count, *parts in zip(
            one.division.crews, one.division.ranks, here.steps, here.exchanges, here.waiting,
            strict=True,
        ):  # fmt: skip
            begin = 0.0
            for (words, colour), value in zip(kinds, parts, strict=True):
                panel.barh(at, value, left=begin, height=0.8, color=colour,
                           label=words if at == 0.0 else None)  # fmt: skip
                begin += value
            names.append(f"{', '.join(crew)}: {count}")
            places.append(at)
            at += 1.0
        if one.division in measured:
            told = "measured" if number == 0 else None
            x = [measured[one.division]] * 2
            panel.plot(x, [first - 0.45, at - 0.55], color="#5c6670", linewidth=2.0, label=told)
        at += 0.6
    panel.set_yticks(places, names, fontsize=8.0)
    panel.invert_yaxis()
    panel.set_xlabel("seconds of an interval of the schedule, predicted")
    panel.set_title("How crews spend an interval")
    panel.legend(fontsize=8.0, loc="upper left", bbox_to_anchor=(1.0, 1.0))
