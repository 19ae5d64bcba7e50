"""What if: a step on other networks, more ranks, other process grids, with output servers.

A record gives the step, or a pattern of this name: halo1d, halo2d, halo3d, allreduce, alltoall,
alltoone, onetoall, wavefront, solver, ocean. A pattern has --seconds of computation of each rank
and messages of --size bytes at --base ranks. Strong scaling; --weak keeps each rank's share.

  halocline lab predict whatif solver --platform epyc-200g --ranks 64,1024,100000 --latency 2us
  halocline lab predict whatif results/swell --ranks 2-16 --grid 1x16 4x4
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.prediction.platform_model import (
    NoiseModel,
    Platform,
    noises,
    quantity,
    read_platform,
    wirings,
)
from halocline_lab.prediction.program_patterns import grid_of
from halocline_lab.prediction.replay import replay
from halocline_lab.prediction.step_pattern import (
    Frames,
    StepPattern,
    named_pattern,
    pattern_of_record,
    program_of_pattern,
    with_options,
)
from halocline_lab.statistics.number_lists import whole_numbers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab predict whatif`."""
    parser.add_argument("what", help="a record, a folder of results, or the name of a pattern")
    parser.add_argument("--platform", default="epyc-200g", help="file or name (epyc-200g)")
    parser.add_argument("--ranks", default="", help="for example 64,1024,100000 or 1-16")
    parser.add_argument("--latency", nargs="+", default=[None], help="between nodes: 2us 5us")
    parser.add_argument("--bandwidth", nargs="+", default=[None], help="between nodes: 25GB/s")
    parser.add_argument("--wiring", nargs="+", choices=wirings, default=[None])
    parser.add_argument(
        "--grid", nargs="+", default=[], help="process grids, x first: 8x32, or all"
    )
    parser.add_argument("--servers", nargs="+", type=int, default=[0], help="ranks that write")
    parser.add_argument("--frame", help="bytes of a frame of output: 1GB")
    parser.add_argument("--every", type=int, default=10, help="steps from frame to frame (10)")
    parser.add_argument("--writing", default="1GB/s", help="bandwidth of the disk (1GB/s)")
    parser.add_argument("--noise", help="KIND,PERIOD,DURATION[,together]: periodic,10ms,50us")
    parser.add_argument("--per-node", type=int, help="ranks per node; all processors")
    parser.add_argument("--placement", choices=["block", "cyclic"], default="block")
    parser.add_argument("--rate", type=float, help="speed of a processor: 1 as in the record")
    parser.add_argument("--weak", action="store_true", help="each rank keeps its share")
    parser.add_argument("--domain", help="points of the grid, x first: 320x384")
    parser.add_argument("--half-length", type=float, default=0.0, help="points a row costs more")
    parser.add_argument("--seconds", default="1ms", help="pattern: computation of a rank (1ms)")
    parser.add_argument("--size", default="8KiB", help="pattern: bytes of a message (8KiB)")
    parser.add_argument("--base", type=int, default=64, help="pattern: at so many ranks (64)")
    parser.add_argument("--imbalance", type=float, help="slowest rank over the mean, less 1")
    parser.add_argument("--steps", type=int, help="steps to simulate")
    parser.add_argument("--png", type=Path, help="draw time and efficiency against ranks")
    parser.add_argument("--json", type=Path, help="write the numbers to a file")


@dataclass(frozen=True)
class Row:
    """A prediction: seconds of a step, and the shares of it that ranks compute and wait."""

    ranks: int
    nodes: int
    grid: str
    choice: str
    seconds: float
    computing: float
    waiting: float
    efficiency: float


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    pattern = pattern_of(options)
    rows = predictions(pattern, options)
    print("\n".join(_lines(pattern, rows, options)))
    if options.png is not None:
        from halocline_lab.prediction.predict_plots import draw

        draw(rows, options.png, f"{pattern.name} on {options.platform}", weak=options.weak)
        print(f"\nDrawn in {options.png}")
    if options.json is not None:
        content = {"assumptions": pattern.assumptions, "rows": [vars(row) for row in rows]}
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0


def pattern_of(options: argparse.Namespace) -> StepPattern:
    """The step that the command line names."""
    path = Path(options.what)
    if path.exists():
        pattern = pattern_of_record(read_record(path))
    else:
        pattern = named_pattern(
            options.what,
            ranks=options.base,
            seconds=quantity(options.seconds, "--seconds"),
            size=quantity(options.size, "--size"),
        )
    frames = None
    if options.frame:
        size, writing = quantity(options.frame, "--frame"), quantity(options.writing, "--writing")
        frames = Frames(size, options.every, writing)
    elif options.servers != [0]:
        raise UserError("--servers needs --frame, the bytes of a frame of output, such as 1GB.")
    return with_options(
        pattern,
        imbalance=options.imbalance,
        domain=_shape(options.domain, "--domain") if options.domain else None,
        frames=frames,
        half_length=options.half_length,
    )


def _shape(words: str, what: str) -> tuple[int, ...]:
    try:
        shape = tuple(int(word) for word in words.split("x"))
    except ValueError:
        raise UserError(f"{what} '{words}' is no shape. Write numbers and x: 8x32.") from None
    if min(shape) < 1:
        raise UserError(f"{what} '{words}' has numbers below 1.")
    return shape


def platforms_of(options: argparse.Namespace) -> list[tuple[str, Platform]]:
    """All platforms that are asked for, and in which choices they differ."""
    base = read_platform(options.platform)
    if options.rate is not None:
        base = replace(base, rate=options.rate)
    if options.noise:
        base = replace(base, noise=noise_of(options.noise))
    found = []
    for latency in options.latency:
        for bandwidth in options.bandwidth:
            for wiring in options.wiring:
                platform = base.with_network(
                    latency=None if latency is None else quantity(latency, "--latency"),
                    bandwidth=None if bandwidth is None else quantity(bandwidth, "--bandwidth"),
                )
                if wiring is not None:
                    link = platform.adapter if math.isinf(platform.link) else platform.link
                    platform = replace(platform, wiring=wiring, link=link)
                words = [str(w) for w in (latency, bandwidth, wiring) if w is not None]
                found.append((" ".join(words), platform))
    return found


def noise_of(words: str) -> NoiseModel:
    """Noise from the command line.

    >>> noise_of("periodic,10ms,50us").duration
    5e-05
    """
    kind, *rest = words.split(",")
    if kind not in noises or len(rest) < 2 or rest[2:] not in ([], ["together"]):
        raise UserError(
            f"--noise '{words}' is not KIND,PERIOD,DURATION or KIND,PERIOD,DURATION,together."
            f" Kinds: {', '.join(noises)}."
        )
    period, duration = (quantity(word, "--noise") for word in rest[:2])
    return NoiseModel(kind, period, duration, together=len(rest) > 2)


def grids_of(words: Sequence[str], workers: int) -> list[tuple[int, ...] | None]:
    """Process grids that have so many ranks, y first: None is the default, "all" every one."""
    if not words:
        return [None]
    if "all" in words:
        return [(n, workers // n) for n in range(1, workers + 1) if workers % n == 0]
    shapes = [_shape(word, "--grid")[::-1] for word in words]
    fitting: list[tuple[int, ...] | None] = [s for s in shapes if math.prod(s) == workers]
    return fitting


def predictions(pattern: StepPattern, options: argparse.Namespace) -> list[Row]:
    """All combinations that are asked for."""
    wanted = whole_numbers(options.ranks, "--ranks") if options.ranks else [pattern.ranks]
    rows: list[Row] = []
    for choice, platform in platforms_of(options):
        for servers in options.servers:
            for ranks in wanted:
                for grid in grids_of(options.grid, ranks - servers):
                    words = " ".join(filter(None, (choice, f"{servers} servers" * (servers > 0))))
                    rows.append(_row(pattern, platform, options, ranks, servers, grid, words))
    if not rows:
        raise UserError(
            f"No process grid of {' '.join(options.grid)} has the ranks that are asked for."
        )
    return _with_efficiency(rows, weak=options.weak)


def _row(
    pattern: StepPattern,
    platform: Platform,
    options: argparse.Namespace,
    ranks: int,
    servers: int,
    grid: tuple[int, ...] | None,
    choice: str,
) -> Row:
    every = pattern.frames.every if pattern.frames else 1
    least = 3 * every
    steps = options.steps or max(least, min(20, 30_000 // ranks))
    program = program_of_pattern(
        pattern, ranks, grid=grid, weak=options.weak, servers=servers, steps=steps
    )
    found = replay(program, platform, per_node=options.per_node, placement=options.placement)
    workers = ranks - servers
    shape = grid or grid_of(workers, pattern.dimensions)
    return Row(
        ranks,
        int(np.unique(found.node_of_rank).size),
        "x".join(map(str, shape[::-1])),
        choice,
        found.step_seconds / every,
        float(found.computing[:workers].mean() / found.seconds),
        float(found.waiting[:workers].mean() / found.seconds),
        math.nan,
    )


def _with_efficiency(rows: list[Row], *, weak: bool) -> list[Row]:
    """Efficiency relative to the fewest ranks of the same choice."""
    first: dict[str, Row] = {}
    for row in rows:
        if row.choice not in first or row.ranks < first[row.choice].ranks:
            first[row.choice] = row
    result = []
    for row in rows:
        one = first[row.choice]
        gain = one.seconds / row.seconds
        efficiency = gain if weak else gain * one.ranks / row.ranks
        result.append(replace(row, efficiency=efficiency))
    return result


def _lines(pattern: StepPattern, rows: Sequence[Row], options: Any) -> list[str]:
    words = max(len("choice"), *(len(row.choice) for row in rows)) + 2
    lines = [
        f"{pattern.name}: a step computes {pattern.computing:.3g} s on each of {pattern.ranks}"
        f" ranks, imbalance {pattern.imbalance:.1%}; {'weak' if options.weak else 'strong'}"
        " scaling",
        "",
        f"{'ranks':>8}{'nodes':>7}{'grid':>12}  {'choice':<{words}}{'step [s]':>11}"
        f"{'computing':>11}{'waiting':>9}{'efficiency':>12}",
    ]
    lines += [
        f"{r.ranks:>8}{r.nodes:>7}{r.grid:>12}  {r.choice:<{words}}{r.seconds:>11.4g}"
        f"{r.computing:>11.1%}{r.waiting:>9.1%}{r.efficiency:>12.1%}"
        for r in rows
    ]
    lines += ["", *(f"Assumed: {words}." for words in assumptions_of(pattern, options))]
    return lines


def assumptions_of(pattern: StepPattern, options: argparse.Namespace) -> list[str]:
    """What an extrapolation takes for granted."""
    words = list(pattern.assumptions)
    if not options.weak:
        words.append(
            "halos shrink with the edges of the blocks"
            + ("" if pattern.domain else ", which count as cubes")
        )
    words += [
        "the imbalance stays what it is",
        "collectives keep their bytes, an all-to-all in all",
        "neighbours of blocks are those along the axes, periodic",
    ]
    return words
