"""Table 5.1: a restart of 72.5 MB in every way, in ratio to one process that writes the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halocline_lab.output_cost import output_papers as papers
from halocline_lab.output_cost.output_results import Curve, Panel, Row, Section, bounded_row
from halocline_lab.statistics.paired import number
from halocline_lab.statistics.turns import Turns

alone = "one process"
"""Writes the same bytes, which it holds, contiguously, and syncs: what all ways are held to."""

numbers = ("lost", "on disk", "memory")
"""Of the slowest rank of the model: seconds in the call; seconds until the file is complete and on
disk; and the most bytes beyond what any rank held before."""

words = {
    "first": "the first rank gathers all, then writes",
    "separate": "another rank than the first writes",
    "striped": "one rank, parts as they come",
    "gathered": "all data to one rank",
    "blocked": "blocks to one rank",
    "buffered": "blocks to one rank, two buffers",
    "shared": "every rank writes some blocks",
    "parts": "every rank writes its own parts",
    "mpiio": "the same by MPI-IO",
    "mpiio-collective": "by MPI-IO, collectively",
    "pnetcdf": "by PnetCDF",
    "pnetcdf-collective": "by PnetCDF, collectively",
    "servers": "servers write",
}


@dataclass(frozen=True)
class Emulation:
    """A disk in place of the plain one, and the ways that are tried on it."""

    name: str
    ways: Sequence[str]


through_one = ("gathered", "blocked", "buffered", "servers")
disks = {
    "slow:4e8": Emulation("a disk that takes 400 MB/s from a process", through_one),
    "incoherent:sleep=1": Emulation(
        "a network file system without coherent shared writes, over gigabit Ethernet",
        ("striped", *through_one, "shared", "parts"),
    ),
}
"""Emulated disks, by the value of HALOCLINE_DISK."""

limit = 1.4
"""What the best of 'buffered' and 'servers' should stay below, in times of one process."""

method = (
    "{megabytes:.1f} MB of 29,792 spectra with their fields on {ranks} ranks; every way and one"
    " process, which writes the same bytes contiguously in pieces of 4 MiB, took turns {rounds}"
    " times. Each time counts until the file has its final name and is on disk, checksums"
    " included. Ratios are taken round by round. Memory: the most that any rank held, beyond what"
    " it held before."
)


def section(result: Mapping[str, Any], emulated: Sequence[Mapping[str, Any]] = ()) -> Section:
    """The table, with what the ways do on emulated disks beside."""
    ways: Sequence[str] = result["ways"]
    seconds = np.array(result["seconds"])
    turns, lost = (Turns(seconds[:, :, numbers.index(what)]) for what in ("on disk", "lost"))
    megabytes = result["bytes"] / 1e6
    base = turns.time(0)
    rows = [
        bounded_row(
            f"{alone}, contiguously",
            base,
            papers.restart_alone,
            bandwidth=f"{megabytes / base.value:.0f} MB/s",
        )
    ]
    for at, way in enumerate(ways[1:], 1):
        old = papers.restart_ways.get(way)
        time = turns.time(at)
        memory = float(np.median(seconds[:, at, numbers.index("memory")])) / 1e6
        more = {
            "time": f"{number(time.value)} s",
            "time, old": "" if old is None else f"{old:g} s",
            "bandwidth": f"{megabytes / time.value:.0f} MB/s",
            "lost by the model": f"{number(lost.time(at).value)} s",
            "memory": f"{memory:.1f} MB ({memory / megabytes:.2f} of the file)",
        }
        ratio = None if old is None else old / papers.restart_alone
        rows.append(bounded_row(f"{way}: {words[way]}", turns.ratio(at, 0), ratio, "×", **more))
    return Section(
        name="restart",
        title=f"Table 5.1: a restart of {megabytes:.1f} MB on {result['ranks']} ranks",
        source="Tolman (2003), table 5.1",
        method=method.format(megabytes=megabytes, ranks=result["ranks"], rounds=seconds.shape[0]),
        rows=rows,
        headline=_headline(rows, result["ranks"]),
        panels=[_panel(rows)],
        remarks=[
            *_parallel(ways, turns),
            *(_emulated(some) for some in emulated),
            *_missing(result),
        ],
    )


def _headline(rows: Sequence[Row], ranks: int) -> str:
    tried = [row for row in rows if row.name.startswith(("buffered", "servers"))]
    if not tried:
        return ""
    best = min(tried, key=lambda row: row.new)
    name = best.name.split(":")[0]
    kept = "within" if best.new <= limit else "above"
    striped = next((row for row in rows if row.name.startswith("striped")), None)
    words = f"; striped {number(striped.new)}× (paper: 128×)" if striped else ""
    return (
        f"Restart on {ranks} ranks: {name} takes {number(best.new)}× ({best.bounds}) the time of"
        f" one process writing the same bytes, {kept} {limit}× (paper: 1.4×){words}."
    )


def _panel(rows: Sequence[Row]) -> Panel:
    ways = rows[1:]
    names = [row.name.split(":")[0] for row in ways]
    old = [float("nan") if row.old is None else row.old for row in ways]
    return Panel(
        "Time of a restart, in times of one process",
        "× one process (bounds of about 95 %)",
        "",
        [
            Curve(
                "here",
                [row.new for row in ways],
                names=names,
                low=[row.low for row in ways],
                high=[row.high for row in ways],
            ),
            Curve("paper", old, names=names, old=True),
        ],
        logarithmic=True,
    )


def _parallel(ways: Sequence[str], turns: Turns) -> list[str]:
    """Every process writing against a data server, as on the paper's parallel file system."""
    if not {"parts", "buffered"} <= set(ways):
        return []
    ratio = turns.ratio(ways.index("parts"), ways.index("buffered"))
    old = papers.restart_parallel["parts"] / papers.restart_parallel["buffered"]
    return [
        f"Every rank writing its own parts takes {number(ratio.value)} ({number(ratio.low)} to"
        f" {number(ratio.high)}) times as long as one rank with blocks and buffers; on the paper's"
        f" parallel file system it was {old:.1f} times (8.6 against 2.5 s)."
    ]


def _emulated(result: Mapping[str, Any]) -> str:
    """What an emulated disk makes of the ways."""
    ways: Sequence[str] = result["ways"]
    turns = Turns(np.array(result["seconds"])[:, :, numbers.index("on disk")])
    base, rounds = turns.time(0).value, turns.seconds.shape[0]
    found = ", ".join(
        f"{way} {number(turns.time(at).value / base)}×" for at, way in enumerate(ways) if at
    )
    name = disks[result["disk"]].name
    damaged = [way for way, count in result["damaged"].items() if count]
    words = f"On {name} (emulated): {found} of one process ({number(base)} s)."
    if damaged:
        times = ", ".join(str(result["damaged"][way]) for way in damaged)
        words += (
            f" Of {', '.join(damaged)} the checksums told that files were damaged, as the paper's"
            f" were ({times} of {rounds} times); the other ways damaged none."
        )
    return words


def _missing(result: Mapping[str, Any]) -> list[str]:
    """Ways that cannot be had on this machine."""
    return [f"Not measured: {way}. {why}" for way, why in result["missing"].items()]
