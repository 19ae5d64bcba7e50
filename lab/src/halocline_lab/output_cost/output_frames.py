"""Figures 14 to 19 of Porter et al. (2010): time lost to a frame of 160 variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from halocline_lab.output_cost import output_papers as papers
from halocline_lab.output_cost.output_results import Curve, Panel, Row, Section, bounded_row
from halocline_lab.statistics.paired import number
from halocline_lab.statistics.turns import Bounded, Turns

variables = 160
levels = 41
deep = 30
"""Variables with levels; the rest have one. A frame on the paper's grids has its size, to 1 %."""

shrink = 24.0
"""A small frame has so many times fewer cells: 68 MB."""

ways = [
    "first", "shared", "parts", "mpiio", "mpiio-collective", "pnetcdf", "pnetcdf-collective",
    "servers",
]  # fmt: skip
"""Through the first rank, by every rank, by servers."""

numbers = ("lost", "on disk", "memory", "processor")
"""Of a frame: seconds that the slowest rank of the model spends in output calls; seconds until it
is on disk; most bytes beyond what any rank held before; seconds that a processor works in the
output calls of a rank at most, which other programs disturb little."""

limit = 0.1
"""What servers should stay below, in times lost through the first rank."""

asked = {False: (0.02, 1.0, "s"), True: (2.0, papers.model_hour / 100.0, "% of an hour's run")}
"""What a frame should cost a rank of the model at most with servers, small or whole: a number, the
seconds that it is of, and its unit. A whole frame is written every hour, which the paper's model
ran in 428 s."""

method = (
    "A frame of {megabytes:.0f} MB: {variables} variables, {deep} of them with {levels} levels, on"
    " the paper's three grids{shrunk}, one file each. All ways of one start of ranks took turns,"
    " {frames} frames each. Time lost is that of the slowest rank of the model in output calls;"
    " the paper's is the mean of four frames or three runs."
)


def grids(*, whole: bool = False) -> list[tuple[int, int]]:
    """Rows and columns of the three grids; of the small frame, if not the `whole`.

    >>> grids(whole=True)[0]
    (196, 356)
    """
    scale = 1.0 if whole else shrink**-0.5
    return [
        (round(rows * scale), round(columns * scale)) for rows, columns in papers.domains.values()
    ]


def frame_size(*, whole: bool = False) -> int:
    """Bytes of a frame.

    >>> round(frame_size(whole=True) / 1e9, 2)
    1.64
    """
    cells = sum(rows * columns for rows, columns in grids(whole=whole))
    return 4 * cells * (deep * levels + variables - deep)


class Start:
    """What one start of ranks found."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        self.result = result
        self.ways: Sequence[str] = result["ways"]
        self.ranks, self.servers = int(result["ranks"]), int(result["servers"])
        self.layout = f"{result['placement']}, {result['assignment']}"
        self.seconds = np.array(result["seconds"])

    def time(self, way: str, what: str = "lost", *, least: bool = False) -> Bounded:
        """Time of a way [s], or its memory [byte]."""
        turns = self._turns(what)
        return (Turns(turns.seconds, least=True) if least else turns).time(self.ways.index(way))

    def ratio(self, way: str, other: str, what: str = "lost") -> Bounded:
        return self._turns(what).ratio(self.ways.index(way), self.ways.index(other))

    def _turns(self, what: str) -> Turns:
        return Turns(self.seconds[:, :, numbers.index(what)])


def sections(results: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Figures 14 and 16 (by ranks), 17 (by servers), 18 and 19 (placement, assignment)."""
    by = {
        kind: [Start(result) for result in results if result["kind"] == kind]
        for kind in ("ranks", "servers", "layout")
    }
    made = []
    if by["ranks"]:
        made.append(_by_ranks(by["ranks"]))
    if by["servers"]:
        made.append(_by_servers(by["servers"]))
    if by["layout"]:
        made.append(_by_layout(by["layout"]))
    return made


def _method(start: Start) -> str:
    whole = bool(start.result["whole"])
    return method.format(
        megabytes=start.result["bytes"] / 1e6,
        variables=variables,
        deep=deep,
        levels=levels,
        shrunk="" if whole else f", {shrink:.0f} times fewer cells (--full: all)",
        frames=start.seconds.shape[0],
    )


def _per_gigabyte(found: Bounded, size: int) -> Bounded:
    scale = 1e9 / size
    return Bounded(found.value * scale, found.low * scale, found.high * scale)


def _more(start: Start, way: str) -> dict[str, str]:
    size, disk = start.result["bytes"], start.time(way, "on disk").value
    return {
        "lost": f"{number(start.time(way).value)} s",
        "least": f"{number(start.time(way, least=True).value)} s",
        "of it processor": f"{number(start.time(way, 'processor').value)} s",
        "until on disk": f"{number(disk)} s",
        "bandwidth": f"{size / disk / 1e6:.0f} MB/s",
        "memory beyond": f"{start.time(way, 'memory').value / 1e6:.0f} MB",
    }


def _by_ranks(starts: Sequence[Start]) -> Section:
    rows: list[Row] = []
    remarks = [_as_asked(start) for start in starts if "servers" in start.ways]
    old = papers.gather_ranks[1024] / (papers.frame_bytes / 1e9)
    for start in starts:
        for way in start.ways:
            found = _per_gigabyte(start.time(way), start.result["bytes"])
            name = f"{way}, {start.ranks} ranks"
            paper = old if way == "first" else None
            rows.append(bounded_row(name, found, paper, "s/GB", **_more(start, way)))
    last = starts[-1]
    headline = ""
    if {"servers", "first"} <= set(last.ways):
        ratio, lost = last.ratio("servers", "first"), last.time("servers")
        kept = "within" if ratio.value <= limit else "above"
        headline = (
            f"Frame of {last.result['bytes'] / 1e6:.0f} MB, {last.ranks} ranks: servers cost the"
            f" model {1e3 * lost.value:.0f} ms, {100 * ratio.value:.0f} %"
            f" ({100 * ratio.low:.0f} to {100 * ratio.high:.0f}) of what the first rank costs,"
            f" {kept} {100 * limit:.0f} % (paper: 63 %)."
        )
    return Section(
        name="frames-ranks",
        title="Figures 14 and 16: time lost, by ranks",
        source="Porter et al. (2010), figures 14 (through the first rank: about 26 s per frame"
        " on 32 to 1024 cores) and 16 (every rank writes: grows almost linearly with cores)",
        method=_method(last),
        rows=rows,
        headline=headline,
        panels=[_rank_panel(starts, "lost"), _rank_panel(starts, "on disk")],
        remarks=[*remarks, *_growth(starts)],
    )


def _as_asked(start: Start) -> str:
    """Whether servers cost what they may, by the median, the least, and the processor's time."""
    most, unit, words = asked[bool(start.result["whole"])]
    found = [
        start.time("servers").value,
        start.time("servers", least=True).value,
        start.time("servers", "processor").value,
    ]
    median, least, processor = (number(value / unit) for value in found)
    verdict = "kept" if found[0] <= most * unit else "not kept"
    if found[2] <= most * unit < found[0]:
        verdict = "kept by the processor's time alone, while others had the processor"
    return (
        f"Servers, {start.ranks} rank{'s' * (start.ranks > 1)}: a frame of"
        f" {start.result['bytes'] / 1e6:.0f} MB costs {median} (least {least}, of it processor"
        f" {processor}) {words}; {most:g} are asked at most: {verdict}."
    )


def _rank_panel(starts: Sequence[Start], what: str) -> Panel:
    size = starts[0].result["bytes"]
    curves = []
    for way in dict.fromkeys(way for start in starts for way in start.ways):
        some = [start for start in starts if way in start.ways]
        times = [_per_gigabyte(start.time(way, what), size) for start in some]
        curves.append(
            Curve(
                way,
                [time.value for time in times],
                [start.ranks for start in some],
                low=[time.low for time in times],
                high=[time.high for time in times],
            )
        )
    if what == "lost":
        scale = 1e9 / papers.frame_bytes
        ranks = list(papers.gather_ranks)
        old = [scale * papers.gather_ranks[n] for n in ranks]
        curves.append(Curve("first (paper)", old, ranks, old=True))
    title = "Time lost by the model" if what == "lost" else "Time until on disk"
    return Panel(title, "ranks of the model", "s per GB", curves, logarithmic=True)


def _growth(starts: Sequence[Start]) -> list[str]:
    """How the time lost grows with the ranks, where every rank writes."""
    words = []
    for way in ("parts", "mpiio", "mpiio-collective", "pnetcdf", "pnetcdf-collective"):
        some = [start for start in starts if way in start.ways]
        if len(some) > 1:
            first, last = some[0], some[-1]
            grown = last.time(way).value / first.time(way).value
            words.append(f"{way} {number(grown)}× from {first.ranks} to {last.ranks} ranks")
    if not words:
        return []
    return [f"Time lost where every rank writes: {'; '.join(words)} (paper: almost linear)."]


def _by_servers(starts: Sequence[Start]) -> Section:
    old = 100.0 * papers.with_servers / papers.without_servers
    rows = []
    for start in starts:
        found = start.ratio("servers", "first")
        share = Bounded(100.0 * found.value, 100.0 * found.low, 100.0 * found.high)
        plural = "s" if start.servers > 1 else ""
        name = f"{start.servers} server{plural}, {start.ranks} ranks of the model"
        rows.append(bounded_row(name, share, old, "% of first", **_more(start, "servers")))
    best = min(starts, key=lambda start: start.time("servers").value)
    return Section(
        name="frames-servers",
        title="Figure 17: number of servers",
        source="Porter et al. (2010), figure 17: 1024 ranks lost 30 s without servers, 19 s"
        " with 12 of them, the best number",
        method=_method(starts[0]),
        rows=rows,
        headline=f"Servers: {best.servers} of them cost {best.ranks} ranks of the model least,"
        f" {1e3 * best.time('servers').value:.0f} ms a frame of"
        f" {best.result['bytes'] / 1e6:.0f} MB (paper: 12 for 1024, 19 s of 1.63 GB).",
        panels=[
            Panel(
                "Time lost and time to write, by servers",
                "servers",
                "s",
                [_server_curve(starts, "lost"), _server_curve(starts, "on disk")],
            )
        ],
    )


def _server_curve(starts: Sequence[Start], what: str) -> Curve:
    times = [start.time("servers", what) for start in starts]
    return Curve(
        "lost by the model" if what == "lost" else "until on disk",
        [time.value for time in times],
        [start.servers for start in starts],
        low=[time.low for time in times],
        high=[time.high for time in times],
    )


def _by_layout(starts: Sequence[Start]) -> Section:
    """Placement by assignment, of one number of servers."""
    times = [start.time("servers") for start in starts]
    rows = [
        bounded_row(
            f"{start.layout}, {start.servers} servers, {start.ranks} ranks",
            time,
            None,
            **_more(start, "servers"),
        )
        for start, time in zip(starts, times, strict=True)
    ]
    overlap = max(time.low for time in times) <= min(time.high for time in times)
    least, most = (pick(time.value for time in times) for pick in (min, max))
    first = starts[0].time("first").value
    finding = "No layout can be told from another" if overlap else "Layouts differ"
    return Section(
        name="frames-layout",
        title="Figures 18 and 19: placement and assignment",
        source="Porter et al. (2010), figures 18 and 19: small effects, consecutive slightly"
        " better, any servers better than none",
        method=_method(starts[0])
        + " All ranks are on one node here, so that a placement only says which ranks serve.",
        rows=rows,
        remarks=[
            f"{finding}: {1e3 * least:.0f} to {1e3 * most:.0f} ms lost, {1e3 * first:.0f} ms"
            " without servers."
        ],
    )
