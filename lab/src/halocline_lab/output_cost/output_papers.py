"""What the papers found of output and input: the old numbers beside which the new ones stand.

Tolman (2003), tables 5.1 to 5.3; Porter et al. (2010), section 6 and figures 14 to 19, read
from text and figures; Cheptsov et al. (2009), tables 1 to 4. Seconds, if not said otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

kinds = ("fields", "points", "restart", "boundary")
"""Kinds of output of the wave model, in the order of the tables."""

pairs: tuple[tuple[str, ...], ...] = tuple(
    (a, b) for n, a in enumerate(kinds) for b in kinds[n + 1 :]
)
arrangements: tuple[tuple[str, ...], ...] = (*((kind,) for kind in kinds), *pairs, kinds)
"""Each output alone, each pair, all: the cells of tables 5.2 and 5.3."""


@dataclass(frozen=True)
class Mean:
    """A mean of a paper's runs and their standard deviation [s]."""

    value: float
    deviation: float


def _table(without: Mean, *cells: tuple[float, float]) -> dict[tuple[str, ...], Mean]:
    costs = dict(zip(arrangements, (Mean(*cell) for cell in cells), strict=True))
    return {(): without, **costs}


separate = _table(
    Mean(158.7, 2.7),
    *[(1.8, 4.2), (-0.6, 3.7), (2.7, 4.2), (-0.1, 3.8)],
    *[(2.1, 4.2), (6.1, 4.5), (2.8, 4.5), (2.8, 4.3), (-0.8, 3.6), (3.7, 4.2)],
    (5.8, 4.4),
)
"""Table 5.2: a process of its own for each output; () is the run without output."""

first = _table(
    Mean(158.5, 2.9),
    *[(1.8, 3.7), (-0.6, 4.0), (2.1, 4.2), (-0.6, 4.1)],
    *[(2.6, 4.4), (6.0, 3.9), (2.5, 4.2), (2.2, 4.2), (0.1, 4.8), (2.4, 4.3)],
    (6.6, 3.9),
)
"""Table 5.3: the first process writes all."""

paper_runs = 99
day = 24
"""Hourly steps of the runs of tables 5.2 and 5.3."""

restart_alone = 1.8
"""Table 5.1: one process writes a restart of 72.5 MB."""

restart_ways: dict[str, float] = {
    "striped": 230.0,
    "gathered": 3.3,
    "blocked": 3.6,
    "buffered": 2.5,
}
"""Table 5.1, eight processes."""

restart_parallel = {"parts": 8.6, "buffered": 2.5}
"""The same on the parallel file system of an IBM: every process writes, or a data server."""

frame_bytes = 1.63e9
"""One history frame of the Great North Run, three files; 160 variables in each."""

domains = {1: (196, 356), 2: (322, 319), 3: (328, 391)}
"""Rows and columns of its three grids (table 1)."""

model_hour = 428.0
"""Wall time of a model hour on 1024 cores."""

gather_ranks: dict[int, float] = {32: 26.0, 64: 26.0, 128: 26.0, 256: 26.0, 512: 26.0, 1024: 26.0}
"""Figure 14: time lost per frame through the first rank, by cores ("approximately 26 s ... largely
independent of the number of cores")."""

without_servers, with_servers, best_servers = 30.0, 19.0, 12
"""Figure 17, 1024 compute ranks: time lost per frame, and the best number of servers."""

input_every_rank: dict[int, float] = {32: 945.0, 64: 2244.0}
"""Every process reads whole arrays (table 3), by processes."""

input_parts: dict[int, float] = {32: 300.0, 64: 360.0}
"""Each reads its part, PnetCDF collective (table 4)."""
