"""What the benchmarks of communication find: rows of one tidy table, and how to write it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from halocline.runtime.running.contest import clear_ratio
from halocline_lab.statistics.turns import Bounded, Turns

columns = {
    "benchmark": "halo, crowd, sum, ninept, aggregation, grids or tiles",
    "ranks": "number of ranks",
    "cores": "cores that these ranks may use",
    "exchange": "what was exchanged or added",
    "size": "words on a side, variables per message, columns of a processor grid, blocks per rank",
    "choice": "how; 'halocline run' takes it as communication.halos",
    "microseconds": "median time (or the least), slowest rank [us]",
    "low": "it lies above this with about 95 % confidence (or is this) [us]",
    "high": "and below this (or the lower quartile) [us]",
    "ratio": "ratio to the first choice of the same exchange and ranks, in turn with it",
    "ratio_low": "its bounds",
    "ratio_high": "",
    "tied": "not told apart from the fastest of the exchange",
    "messages": "messages that the busiest rank sends",
    "bytes": "bytes that the busiest rank sends",
}


@dataclass(frozen=True)
class Row:
    """One choice, measured on one exchange; see `columns`."""

    benchmark: str
    ranks: int
    cores: int
    exchange: str
    size: int
    choice: str
    microseconds: float
    low: float
    high: float
    ratio: float
    ratio_low: float
    ratio_high: float
    tied: bool
    messages: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Verdict:
    """How the referee did on one exchange, against what was measured independently afterwards.

    `right` counts the repeats whose pick is not clearly slower than the fastest candidate. `worst`
    is the pick that was slowest against the best fixed way of all there are.
    """

    ranks: int
    exchange: str
    best: str
    second: str
    gap: float  # time of the second best candidate over the best one's
    clear_gap: bool
    repeats: int
    named: int  # repeats that named the best candidate
    right: int
    worst: str
    ratio: float  # its time over that of the best fixed way
    ratio_low: float
    ratio_high: float
    slower: bool  # clearly


def beyond_noise(ratio: Bounded) -> bool:
    """Whether a time is clearly longer than another: by more than 5 %, and more than noise."""
    return ratio.value > clear_ratio and ratio.low > 1.0


def rows_of(
    turns: Turns,
    about: tuple[str, int, int, str],
    choices: Sequence[str],
    sizes: Sequence[int],
    traffic: Sequence[tuple[int, int]] = (),
) -> list[Row]:
    """One row per choice; the first is what others are held to.

    `about`: benchmark, ranks, cores, exchange.
    """
    tied, found = turns.tied(), []
    for at, choice in enumerate(choices):
        time, ratio = turns.time(at), turns.ratio(at, 0)
        found.append(
            Row(
                *about,
                sizes[at],
                choice,
                1e6 * time.value,
                1e6 * time.low,
                1e6 * time.high,
                ratio.value,
                ratio.low,
                ratio.high,
                at in tied,
                *(traffic[at] if traffic else ()),
            )
        )
    return found


def write_rows(path: Path, rows: Sequence[Row] | Sequence[Verdict]) -> None:
    """Write a table as CSV."""
    if not rows:
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(rows[0])])
        writer.writeheader()
        for row in rows:
            table = asdict(row)
            writer.writerow(
                {k: f"{v:.5g}" if isinstance(v, float) else v for k, v in table.items()}
            )
