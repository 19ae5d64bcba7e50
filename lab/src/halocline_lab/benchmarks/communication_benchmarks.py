"""The benchmarks of `halocline lab communication`; every function is a call for all ranks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from halocline.component.case.shipped import data_folder
from halocline.grids.vertical.levels import VerticalGrid, read_layers
from halocline.numerics.elliptic import (
    EllipticOperator,
    NinePoint,
    kernels,
    nine_point_of,
    time_step_shift,
)
from halocline.runtime.fields.decomposition import (
    Decomposition,
    DecompositionOptions,
)
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.processor_grid import factorisations
from halocline.runtime.halos.choices import HaloChoice, contenders, contends, simplest
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.contest import Trial, contest
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.choice import SumChoice
from halocline.runtime.sums.choice import choices as sum_choices
from halocline.runtime.sums.choice import contenders as sum_contenders
from halocline.runtime.sums.reductions import GlobalSums
from halocline_lab.benchmarks import ghex_rival, tracer_messages
from halocline_lab.benchmarks.communication_rows import Row, Verdict, beyond_noise, rows_of
from halocline_lab.benchmarks.exchanges import Exchange, pairs, torus
from halocline_lab.statistics.turns import Turns, take_turns

grid_levels = 20
"""Levels of the field that the scans of processor grids and tiles exchange."""


crowd_words = (32, 2048)
"""Sizes of the halos between pairs."""


@dataclass(frozen=True)
class Protocol:
    """How long to measure: at most `rounds` of turns and `seconds` for one exchange."""

    rounds: int = 15
    seconds: float = 2.0
    words: tuple[int, ...] = (2, 8, 32, 128, 512, 2048, 8192, 32768)
    repeats: int = 10  # of the referee's decision
    budget: float = 0.3  # of one decision of the referee [s]
    least: bool = False  # the least of all rounds instead of their median


@dataclass(frozen=True)
class Bench:
    """Who measures, and how long."""

    communicator: Communicator
    protocol: Protocol

    def about(self, benchmark: str, exchange: str) -> tuple[str, int, int, str]:
        """The first columns of a row."""
        return benchmark, self.communicator.size, len(os.sched_getaffinity(0)), exchange

    def take_turns(self, trials: Sequence[Trial]) -> Turns:
        protocol = self.protocol
        return take_turns(
            self.communicator, trials, protocol.rounds, protocol.seconds, least=protocol.least
        )

    def busiest(self, traffic: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """The most messages and bytes of any rank."""
        most = self.communicator.maximum(np.array(traffic, float).reshape(-1))
        return [(int(n), int(size)) for n, size in most.reshape(-1, 2)]

    def compare(self, benchmark: str, exchange: Exchange, ways: Sequence[HaloChoice]) -> list[Row]:
        """Time some ways to do one exchange."""
        turns = self.take_turns([exchange.trial(way) for way in ways])
        traffic = self.busiest([exchange.traffic(way) for way in ways])
        names, sizes = [str(way) for way in ways], [0] * len(ways)
        return rows_of(turns, self.about(benchmark, exchange.name), names, sizes, traffic)


def halo(place: Bench) -> list[Row]:
    """Wallcraft's HALO: time of a halo against its words, all ways, and GHEX where it is there."""
    found = []
    for words in place.protocol.words:
        exchange = torus(place.communicator, words)
        ways = exchange.choices()
        trials = [exchange.trial(way) for way in ways]
        names = [str(way) for way in ways]
        traffic = place.busiest([exchange.traffic(way) for way in ways])
        rival = ghex_rival.trial(exchange)
        turns = place.take_turns(trials if rival is None else [*trials, rival])
        about, sizes = place.about("halo", exchange.name), [words] * len(names)
        found += rows_of(turns.first(len(names)), about, names, sizes, traffic)
        if rival is not None:
            rows = rows_of(turns, about, [*names, ghex_rival.name], [words] * (len(names) + 1))
            found.append(rows[-1])
        exchange.free()
    return found


def crowd(place: Bench) -> list[Row]:
    """Halos between pairs of ranks, in the ways that the runner tries: what shared cores cost."""
    found = []
    for words in crowd_words:
        exchange = pairs(place.communicator, words)
        ways = [way for way in exchange.choices() if str(way) in contenders]
        rows = place.compare("crowd", exchange, ways)
        found += [replace(row, size=words) for row in rows]
        exchange.free()
    return found


def sum_(place: Bench) -> list[Row]:
    """GLOBAL_SUM over the sea of POP's x1 grid in all ways, and the way over the ranks alone."""
    ways = sum_choices(place.communicator)
    names = [str(way) for way in ways]
    found = []
    for name, make in {
        "GLOBAL_SUM": _global_sum,
        "GLOBAL_SUM, ordinary": _ordinary_global_sum,
        "over the ranks only": _reduction,
    }.items():
        sums, trials = make(place, ways)
        turns = place.take_turns(trials)
        found += rows_of(turns, place.about("sum", name), names, [0] * len(names))
        for one in sums:
            one.free()
    return found


def _global_sum(
    place: Bench, ways: Sequence[SumChoice], ordinary: bool = False
) -> tuple[list[GlobalSums], list[Trial]]:
    decomposition = _decomposed(_x1_grid(), place.communicator)
    values = Field("x", "1", decomposition, place=Place.point, dtype=np.float64)
    values.set_global(np.random.default_rng(0).standard_normal(decomposition.sea_points))
    terms = [[np.ascontiguousarray(a) for a in values.owned]]
    sums = [GlobalSums(place.communicator, 1, way, ordinary=ordinary) for way in ways]

    def trial(one: GlobalSums) -> Trial:
        return lambda: _drop(one(terms))

    return sums, [trial(one) for one in sums]


def _ordinary_global_sum(
    place: Bench, ways: Sequence[SumChoice]
) -> tuple[list[GlobalSums], list[Trial]]:
    return _global_sum(place, ways, ordinary=True)


def _reduction(place: Bench, ways: Sequence[SumChoice]) -> tuple[list[GlobalSums], list[Trial]]:
    sums = [GlobalSums(place.communicator, 1, way) for way in ways]

    def trial(one: GlobalSums) -> Trial:
        words, add = one.words(one.new_parts()), one.reduction.add
        return lambda: _drop(add(words))

    return sums, [trial(one) for one in sums]


def _drop(_: object) -> None:
    pass


def _x1_grid() -> VerticalGrid:
    return read_layers(data_folder() / "g_pop_x1_grid.nc")


def _decomposed(
    grid: VerticalGrid, communicator: Communicator, blocks_per_rank: int = 1, rows: int = 0
) -> Decomposition:
    return Decomposition(
        grid.mask,
        grid.topology,
        halo=1,
        options=DecompositionOptions(blocks_per_rank=blocks_per_rank, rows=rows),
        communicator=communicator,
    )


def _operator_numbers(grid: VerticalGrid) -> NinePoint:
    """POP's operator with a step of an hour: a leapfrog interval of two, and alpha 1/3."""
    return nine_point_of(grid, time_step_shift(9.806, 1.0 / 3.0, 7200.0, 3600.0))


def _application(numbers: NinePoint, decomposition: Decomposition, direction: Field) -> Trial:
    """A call that applies the nine-point operator to `direction`, whose halo is filled before."""
    operator = EllipticOperator(numbers, decomposition)
    apply = Runner(decomposition).bind(
        kernels["apply_nine_point"],
        operator,
        direction=direction,
        image=operator.field("image", "m3 s-2"),
    )
    direction.storage(direction.layout).fresh.set(all_around(decomposition.world.halo))
    return apply


def _one_after_another(*trials: Trial) -> Trial:
    def trial() -> None:
        for one in trials:
            one()

    return trial


def ninept(place: Bench) -> list[Row]:
    """NINEPT_4: a nine-point weighted sum on POP's x1 grid after its halo update, in all ways."""
    grid = _x1_grid()
    cut = _decomposed(grid, place.communicator)
    exchange = Exchange("NINEPT_4", cut, dtype=np.float64, units="m2 s-2")
    apply = _application(_operator_numbers(grid), exchange.decomposition, exchange.fields[0])
    ways = exchange.choices()
    trials = [_one_after_another(exchange.trial(way), apply) for way in ways]
    turns = place.take_turns(trials)
    traffic = place.busiest([exchange.traffic(way) for way in ways])
    names, sizes = [str(way) for way in ways], [0] * len(ways)
    found = rows_of(turns, place.about("ninept", "NINEPT_4"), names, sizes, traffic)
    found += place.compare("ninept", _named(exchange, "halo of NINEPT_4"), ways)
    exchange.free()
    return found


def _named(exchange: Exchange, name: str) -> Exchange:
    exchange.name = name
    return exchange


def aggregation(place: Bench) -> list[Row]:
    """The 51 tracers of OPATM-BFM: one variable per message, segments, all in one, other ways."""
    found = []
    for routine in reversed(tracer_messages.routines[1:]):
        exchange = tracer_messages.chain(place.communicator, routine)
        ways, sizes = [routine.printed], [1]
        for variables in tracer_messages.segments():
            if tracer_messages.segmented(variables) not in ways:
                ways.append(tracer_messages.segmented(variables))
                sizes.append(variables)
        if routine.printed == tracer_messages.per_variable:
            del ways[1], sizes[1]  # one variable per message once more
        others = [way for way in exchange.choices() if str(way) in contenders and way != simplest]
        rows = place.compare("aggregation", exchange, [*ways, *others])
        sizes += [tracer_messages.tracers] * len(others)
        found += [replace(row, size=size) for row, size in zip(rows, sizes, strict=True)]
        exchange.free()
    return found


def grids(place: Bench) -> list[Row]:
    """Processor grids and tiles (R-12, R-17, R-18): a step of an exchange, an operator, a sum."""
    grid, communicator = _x1_grid(), place.communicator
    processor_grids = list(factorisations(communicator.size))
    names = [f"{rows} x {columns}" for rows, columns in processor_grids]
    cuts = [_decomposed(grid, communicator, rows=rows) for rows, _ in processor_grids]
    found = _scan(place, "grids", grid, cuts, names, [columns for _, columns in processor_grids])
    tiles = (1, 2, 4, 8, 16)
    cuts = [_decomposed(grid, communicator, number) for number in tiles]
    names = [f"{number} per rank" for number in tiles]
    return found + _scan(place, "tiles", grid, cuts, names, tiles)


def _scan(
    place: Bench,
    benchmark: str,
    grid: VerticalGrid,
    cuts: Sequence[Decomposition],
    names: Sequence[str],
    sizes: Sequence[int],
) -> list[Row]:
    """Time the step, its exchanges, and its computation on every cut."""
    numbers = _operator_numbers(grid)
    exchanges = [Exchange("step", cut, axes=(grid_levels,), dtype=np.float64) for cut in cuts]
    fills = [exchange.trial(simplest) for exchange in exchanges]
    applies = [_apply_to_new(numbers, cut) for cut in cuts]
    sums = GlobalSums(place.communicator, 1)
    words = sums.words(sums.new_parts())

    def add() -> None:
        sums.reduction.add(words)

    found = []
    parts: dict[str, list[Trial]] = {
        "step": [_one_after_another(f, a, add) for f, a in zip(fills, applies, strict=True)],
        "exchange": fills,
        "operator": applies,
    }
    traffic = place.busiest([exchange.traffic(simplest) for exchange in exchanges])
    for name, trials in parts.items():
        about = place.about(benchmark, name)
        sent = traffic if name != "operator" else [(0, 0)] * len(traffic)
        found += rows_of(place.take_turns(trials), about, names, sizes, sent)
    for exchange in exchanges:
        exchange.free()
    sums.free()
    return found


def _apply_to_new(numbers: NinePoint, cut: Decomposition) -> Trial:
    direction = Field("direction", "m2 s-2", cut, place=Place.center, dtype=np.float64)
    apply = _application(numbers, cut, direction)
    return _one_after_another(*[apply] * grid_levels)


def referee(place: Bench) -> list[Verdict]:
    """The referee's decisions, repeated, against all ways measured independently afterwards."""
    found = []
    for exchange in _exchanges_for_the_referee(place):
        ways = exchange.choices()
        trials = [exchange.trial(way) for way in ways]
        names = [str(way) for way in ways]
        few = [str(way) for way in ways if contends(way)]
        found.append(_judge_the_referee(place, exchange.name, names, trials, few))
        exchange.free()
    choices = sum_choices(place.communicator)
    sums, trials = _reduction(place, choices)
    names = [str(way) for way in choices]
    found.append(_judge_the_referee(place, "one sum", names, trials, sum_contenders))
    for one in sums:
        one.free()
    return found


def _exchanges_for_the_referee(place: Bench) -> Iterator[Exchange]:
    words = place.protocol.words
    for some in dict.fromkeys([words[0], words[len(words) // 2], words[-1]]):
        yield torus(place.communicator, some)
    yield Exchange("NINEPT_4", _decomposed(_x1_grid(), place.communicator), dtype=np.float64)
    yield tracer_messages.chain(place.communicator, tracer_messages.routines[-1])


def _judge_the_referee(
    place: Bench,
    name: str,
    ways: Sequence[str],
    trials: Sequence[Trial],
    shortlist: Sequence[str],
) -> Verdict:
    communicator, protocol = place.communicator, place.protocol
    candidates = [at for at, way in enumerate(ways) if way in shortlist]
    few = [trials[at] for at in candidates]
    decisions = [contest(communicator, few, protocol.budget) for _ in range(protocol.repeats)]
    picks = [candidates[decision.winner] for decision in decisions]
    turns = place.take_turns(trials)
    order = sorted(candidates, key=lambda at: turns.time(at).value)
    best, second = order[0], order[min(1, len(order) - 1)]
    right = [at for at in candidates if not beyond_noise(turns.ratio(at, best))]
    worst = max(picks, key=lambda at: turns.time(at).value)
    gap, ratio = turns.ratio(second, best), turns.ratio(worst, turns.fastest)
    return Verdict(
        communicator.size,
        name,
        ways[best],
        ways[second],
        gap.value,
        beyond_noise(gap),
        len(picks),
        picks.count(best),
        sum(pick in right for pick in picks),
        ways[worst],
        ratio.value,
        ratio.low,
        ratio.high,
        beyond_noise(ratio),
    )


benchmarks: dict[str, Callable[[Bench], list[Row]]] = {
    "halo": halo,
    "crowd": crowd,
    "sum": sum_,
    "ninept": ninept,
    "aggregation": aggregation,
    "grids": grids,
}
