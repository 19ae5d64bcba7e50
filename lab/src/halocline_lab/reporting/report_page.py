"""The page of a record: one file with everything in it, below five megabytes, for any browser."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from halocline_lab.diagnosis.states import states_of_regions
from halocline_lab.diagnosis.timeline import compute_ranks
from halocline_lab.reporting import report_more_sections as more
from halocline_lab.reporting import report_sections as sections
from halocline_lab.reporting.report_drawn import drawn_events
from halocline_lab.reporting.report_exchanges import exchanges
from halocline_lab.reporting.report_header import header
from halocline_lab.reporting.report_packing import PackedTimeline, packed_timeline
from halocline_lab.reporting.report_steps import typical_step
from halocline_lab.reporting.report_words import Report, heading, seconds
from halocline_lab.reporting.site_logs import site_logs

most_bytes = 4_900_000
"""Of the page."""

scripts = ("unpack", "colours", "timeline", "draw", "controls", "page")
overview_columns = 600


def page(report: Report, assigned: dict[str, str] | None = None, most: int = most_bytes) -> str:
    """The page as HTML, of at most so many bytes; `assigned` gives regions a state (`analyse`)."""
    body = [
        sections.members(report),
        exchanges(report),
        sections.phases(report),
        sections.ranks(report),
        sections.steps(report),
        sections.waits(report),
        more.messages(report),
        more.efficiencies(report),
        more.kernels(report),
        more.noise(report),
        more.cpmip(report),
        site_logs(report),
    ]
    matrix = more.matrix_data(report)
    style = _resource("report_page.css")
    code = "\n".join(_resource(f"report_{name}.js") for name in scripts)
    rest = sum(len(part.encode()) for part in [*body, style, code, json.dumps(matrix)]) + 60_000
    packed = packed_timeline(drawn_events(report.record, report.matching), most - rest)
    data = {"timeline": timeline_data(report, packed, assigned or {}), "matrix": matrix}
    held = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    ranks = f"{report.record.size} rank{'' if report.record.size == 1 else 's'}"
    title = f"{heading(report)} on {ranks}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"{header(report, title)}\n<main>\n{_timeline(report, packed)}\n"
        + "\n".join(part for part in body if part)
        + f'\n</main>\n{_footer}\n<div id="tip" role="status" hidden></div>\n'
        f'<script id="data" type="application/json">{held}</script>\n'
        f"<script>\n{code}</script>\n</body>\n</html>\n"
    )


def _resource(name: str) -> str:
    return files("halocline_lab.reporting").joinpath(name).read_text(encoding="utf-8")


def timeline_data(
    report: Report, packed: PackedTimeline, assigned: dict[str, str]
) -> dict[str, Any]:
    """What the scripts need of the timeline."""
    record, timeline = report.record, report.matching.timeline
    ranks, computing = record.ranks, compute_ranks(record)
    zero, end = int(ranks["begin"].min()), int(ranks["end"].max())
    if record.events.size:
        zero = min(zero, int(record.events["begin"].min()))
        end = max(end, int(record.events["end"].max()))
    roles = record.about.get("roles") or []
    names = [str(roles[role]) if role < len(roles) else "" for role in ranks["role"]]
    return {
        "length": max(end - zero, 1),
        "steady": [
            max(int(ranks["steady_begin"][computing].min(initial=end)) - zero, 0),
            int(ranks["steady_end"][computing].max(initial=zero)) - zero,
        ],
        "regions": [[region.name, region.kind, region.site] for region in record.regions],
        "regionState": states_of_regions(timeline, assigned)[: len(record.regions)].tolist(),
        "typical": _typical(report, zero),
        "roles": names if len(set(names)) > 1 else [""] * len(names),
        "serves": (~np.isin(np.arange(len(names)), computing)).tolist(),
        "overview": overview(report, zero, max(end - zero, 1)),
        "packed": packed.data,
    }


def _typical(report: Report, zero: int) -> list[int]:
    """The number, begin and end of the step that is shown first; empty where there is none."""
    found = typical_step(report.record)
    return [] if found is None else [found[0], found[1] - zero, found[2] - zero]


def overview(report: Report, zero: int, length: int) -> list[int]:
    """Percent of MPI at each part of the run, from its steps; -1 where there are none."""
    rows = report.record.steps
    if not rows.size:
        return [-1] * overview_columns
    shares, weights = np.zeros(overview_columns), np.zeros(overview_columns)
    scale = overview_columns / length
    first = np.clip((rows["begin"] - zero) * scale, 0, overview_columns - 1).astype(np.int64)
    last = (rows["begin"] - zero + rows["seconds"] * 1e9) * scale
    last = np.clip(last, 0, overview_columns - 1).astype(np.int64)
    share = rows["mpi_seconds"] / np.maximum(rows["seconds"], 1e-300)
    for a, b, one in zip(first, last, share, strict=True):
        shares[a : b + 1] += one
        weights[a : b + 1] += 1.0
    found = np.rint(100.0 * shares / np.maximum(weights, 1.0)).clip(0, 100)
    return np.where(weights > 0.0, found, -1).astype(int).tolist()


def _timeline(report: Report, packed: PackedTimeline) -> str:
    """The task Gantt chart and the utilisation count, with their controls."""
    rows = int(np.unique(report.record.events[["rank", "thread"]]).size) or report.record.size
    height = int(np.clip(rows * 58, 150, 600)) + 22
    buttons = "".join(
        f'<button data-action="{name}" title="{words}" aria-label="{words}">{mark}</button>'
        for name, mark, words in (
            ("all", "Whole run", "whole run (0)"),
            ("before", "‹ span", "kept span before (p)"),
            ("next", "span ›", "next kept span (n)"),
            ("left", "←", "earlier"),
            ("right", "→", "later"),
            ("in", "+", "closer (+)"),
            ("out", "−", "farther (−)"),
            ("taller", "↕ +", "taller rows (Page Up)"),
            ("flatter", "↕ −", "flatter rows (Page Down)"),
        )
    )
    pixels = "".join(
        f'<button data-pixel="{nanoseconds}" title="a pixel is {words}">{words}</button>'
        for nanoseconds, words in (
            (2_000_000, "2 ms"),
            (1_000_000, "1 ms"),
            (500_000, "0.5 ms"),
            (1_000, "1 µs"),
        )
    )
    return (
        '<section id="timeline"><h2>What every process does, and when</h2>'
        '<p class="sees">Each row is a process, colours are what it does. Good is one colour of'
        " computing in all rows; where some rows wait, look for the row that still computes: the"
        " others wait for it. Below, how many processes compute (busy), are active in MPI"
        " (overhead) or wait for others (idle): good is a full blue area.</p>"
        '<noscript><p class="none">The charts of this section need JavaScript.</p></noscript>'
        '<div class="needs-unpacking"><p class="controls">'
        '<label>Colour <select id="colour"><option value="task">task</option>'
        '<option value="kind">kind</option><option value="region">region</option>'
        '<option value="state">busy, overhead, idle</option></select></label>'
        f'{buttons}<span class="pixels">per pixel {pixels}</span>'
        '<label><input type="checkbox" id="lines" checked> messages</label>'
        '<label><input type="checkbox" id="threads"> threads</label></p>'
        '<canvas id="overview" role="img" aria-label="The whole run: share of MPI, kept spans, and'
        ' the part shown"></canvas>'
        f'<canvas id="gantt" tabindex="0" style="height:{height}px" role="img" aria-label="Task'
        ' Gantt chart: processes against time"></canvas>'
        '<p id="view" class="method"></p><div id="legend" class="legend"></div>'
        '<p id="chosen" aria-live="polite"></p>'
        '<h3>Utilisation count</h3><canvas id="utilisation" tabindex="0" role="img"'
        ' aria-label="Number of processes busy, in overhead and idle against time"></canvas>'
        + sections.key(
            ("busy", "busy"),
            ("overhead", "overhead"),
            ("idle", "idle"),
            ("not kept, or not running", "hatched"),
        )
        + f'<p id="counted" class="method"></p>{_detail(packed)}'
        '<p class="method">Drag to move, click the chart and turn the wheel to zoom (or hold'
        " Ctrl), Shift and wheel to move, Alt and wheel for taller rows, two fingers to pinch;"
        " keys: arrows, + and −, 0, n and p, Page Up and Page Down. Click a name of the legend to"
        " hide it, a piece of the chart to keep its words.</p></div></section>"
    )


def _detail(packed: PackedTimeline) -> str:
    """What of the events is in the page."""
    if not packed.shortest:
        return f'<p class="method">All {packed.events:,} kept events are in this page.</p>'
    return (
        f'<p class="method">The record keeps {packed.events:,} events; for this page those shorter'
        f" than {seconds(packed.shortest / 1e9)} were put together, so that their times are right"
        f" and their order is not, except in {len(packed.windows)} windows at the begin, middle and"
        " end of what was kept, where each is there.</p>"
    )


_footer = (
    "<footer><p>Busy, overhead and idle as Worley and Levesque (2004) count them; USER, MPI and"
    " MPI_SYNC as Porter et al. (2010) do; waiting for late senders, late receivers and at"
    " collectives as Scalasca does. Times are of the record's own clock, alike on all ranks.</p>"
    "</footer>"
)
