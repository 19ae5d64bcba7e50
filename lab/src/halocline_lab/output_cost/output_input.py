"""Input of Cheptsov et al. (2009), their tables 3 and 4: by every rank, and by parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from halocline.runtime.ranks.communicator import world
from halocline_lab.benchmarks import rank_programs
from halocline_lab.output_cost import input_cost
from halocline_lab.output_cost import output_papers as papers
from halocline_lab.output_cost.output_results import Curve, Panel, Row, Section

method = (
    "One record of winds of {shape} points to the ranks of the wave benchmark's grid: every rank"
    " reads whole maps; each reads its part; one rank for each quantity reads and scatters; the"
    " last two also ahead, while the model computes, which is what runs do, by the file's chunks."
    " Ways took turns, {records} records each; the time is that for which the slowest rank stands"
    " still, the bounds are quartiles. The paper's times are of all its input."
)

ahead = dict(
    zip(
        input_cost.formats,
        (f"{input_cost.by_parts}, ahead", f"{input_cost.scattered}, ahead"),
        strict=True,
    )
)
"""What runs do, by the format of the file."""

paper_times: Mapping[str, Mapping[int, float]] = {
    input_cost.every_rank: papers.input_every_rank,
    input_cost.by_parts: papers.input_parts,
}


def measure(settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of `input_cost` as plain tables; a call for all ranks."""
    shape = tuple(settings["shape"])
    rows = input_cost.measure(world(), shape=shape, records=settings["records"])
    return [asdict(row) for row in rows]


def section(found: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> Section:
    """The table, from rows of several numbers of ranks."""
    cells = {(row["ranks"], row["file"], row["way"]): row for row in found}
    files = list(dict.fromkeys(row["file"] for row in found))
    numbers = sorted({row["ranks"] for row in found})
    rows = [_row(row, cells) for row in found]
    growths = [_growth(cells, files[0], way, numbers) for way in input_cost.ways]
    return Section(
        name="input",
        title="Input: by every rank, and by parts",
        source="Cheptsov et al. (2009), tables 3 and 4: 945 s (32 processes) and 2244 s (64) where"
        " every process reads whole arrays, 300 and 360 s by parts",
        method=method.format(
            shape=" × ".join(map(str, settings["shape"])), records=settings["records"]
        ),
        rows=[*growths, *rows],
        headline=_headline(cells, numbers),
        panels=[_panel(cells, file, numbers) for file in files],
    )


def _share_old(ranks: int, numbers: Sequence[int]) -> float:
    """What the parts take of the whole in the paper, at its fewer or its more processes."""
    at = 32 if ranks == min(numbers) else 64
    return 100.0 * papers.input_parts[at] / papers.input_every_rank[at]


def _row(row: Mapping[str, Any], cells: Mapping[tuple[int, str, str], Mapping[str, Any]]) -> Row:
    """A way's share of the time that every rank takes which reads whole maps."""
    base = cells[row["ranks"], row["file"], input_cost.every_rank]["seconds"]
    numbers = sorted({key[0] for key in cells})
    ends = row["ranks"] in (numbers[0], numbers[-1])
    old = None
    if row["way"] == input_cost.by_parts and ends:
        old = _share_old(row["ranks"], numbers)
    share = 100.0 / base
    return Row(
        f"{row['way']}, {row['file']}, {row['ranks']} rank{'s' * (row['ranks'] > 1)}",
        "% of every rank",
        share * row["seconds"],
        share * row["low"],
        share * row["high"],
        old,
        more={
            "time": f"{1e3 * row['seconds']:.1f} ms",
            "read by all": f"{row['bytes'] / 1e6:.1f} MB",
        },
    )


def _growth(
    cells: Mapping[tuple[int, str, str], Mapping[str, Any]],
    file: str,
    way: str,
    numbers: Sequence[int],
) -> Row:
    """How the time of a way grows with the ranks."""
    few, many = (cells[n, file, way] for n in (numbers[0], numbers[-1]))
    times = {
        input_cost.every_rank: papers.input_every_rank,
        input_cost.by_parts: papers.input_parts,
    }
    old = times[way][64] / times[way][32] if way in times else None
    least = max(few["seconds"], 1e-6)
    return Row(
        f"{way}: from {numbers[0]} to {numbers[-1]} ranks (paper: 32 to 64)",
        "×",
        many["seconds"] / least,
        many["low"] / max(few["high"], 1e-6),
        many["high"] / max(few["low"], 1e-6),
        old,
        more={"time": f"{1e3 * many['seconds']:.1f} ms"},
    )


def _headline(
    cells: Mapping[tuple[int, str, str], Mapping[str, Any]], numbers: Sequence[int]
) -> str:
    most, shares = numbers[-1], []
    for file, way in ahead.items():
        every = cells[most, file, input_cost.every_rank]["seconds"]
        shares.append(f"{100 * cells[most, file, way]['seconds'] / every:.0f} % ({file})")
        if file == "CDF-5":
            parts = 100 * cells[most, file, input_cost.by_parts]["seconds"] / every
    return (
        f"Input on {most} ranks: by parts {parts:.0f} % of the time that every rank takes which"
        f" reads all (paper: {_share_old(most, numbers):.0f} %); as runs do it, ahead,"
        f" {' and '.join(shares)}."
    )


def _panel(
    cells: Mapping[tuple[int, str, str], Mapping[str, Any]], file: str, numbers: Sequence[int]
) -> Panel:
    curves = []
    for way in input_cost.ways:
        line = [cells[n, file, way] for n in numbers]
        curves.append(
            Curve(
                way,
                [1e3 * row["seconds"] for row in line],
                numbers,
                low=[1e3 * row["low"] for row in line],
                high=[1e3 * row["high"] for row in line],
            )
        )
    return Panel(f"One record of winds, {file}", "ranks", "ms (slowest rank stands still)", curves)


if __name__ == "__main__":
    rank_programs.give_answer(measure)
