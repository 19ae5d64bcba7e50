"""Ways to cut a case: which there are, what each is expected to cost, what it measures.

All give the same bits, so that only time decides. The expectation is a rule of thumb that says in
which order to measure; the measurement is of real steps of the case, without output.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from halocline.component.case.case import Case
from halocline.component.component import Component
from halocline.core.errors import UserError
from halocline.experiment.building import build_component
from halocline.experiment.check import fields_of
from halocline.experiment.expectations import work
from halocline.experiment.imagined import Imagined
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.processor_grid import best_grid, factorisations
from halocline.runtime.halos.choices import simplest
from halocline.runtime.halos.patterns import Pattern
from halocline.runtime.halos.traffic import Item, Traffic
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.contest import Standing, contest
from halocline.runtime.running.runner import Plan

kinds = ("blocks", "curve", "cards")  # the simplest first
blocks_of_a_rank = {"blocks": (1, 2, 4, 8), "curve": (4, 16), "cards": (1, 2)}
tile_bytes = (320, 1280, 2560)
message_seconds, byte_seconds = 5e-6, 2.5e-10
"""Expected time of a message and of a byte of it, between ranks of one machine [s]; only the order
in which candidates are measured depends on them."""
auto_seconds = 1.0
"""Time for measuring at the start of a run with decomposition.tiles = 'auto' [s]."""
few_rounds, first_noise, little = 6, 0.5, 0.05
"""With fewer rounds than these a rival is slower only if it is so in every one by `first_noise`
over their number; with more, if the bounds of its ratio say so, or its median by more than
`little`."""


@dataclass(frozen=True)
class Candidate:
    """One way to cut a case on so many ranks and threads."""

    kind: str
    per_rank: int
    rows: int = 0  # of a processor grid
    columns: int = 0
    by_rule: bool = True  # whether rows = 0 gives this processor grid
    tile: int = 0  # bytes; 0 where the component has no tiles of a settable size

    @property
    def name(self) -> str:
        """The cut in a few words."""
        tile = f", tiles of {self.tile} bytes" if self.tile else ""
        if self.kind == "blocks":
            return f"blocks {self.rows} x {self.columns}, {self.per_rank} per rank{tile}"
        return f"{self.kind}, {self.per_rank} per rank{tile}"

    def simplicity(self, case: Case) -> tuple[Any, ...]:
        """Less is simpler; the tile that a case has is simpler than another."""
        same_tile = self.tile == tile_of(case)
        return kinds.index(self.kind), self.per_rank, not same_tile, not self.by_rule, self.rows

    def settings(self, case: Case) -> dict[str, Any]:
        """Options by dotted names that make this cut, those that differ from the case's."""
        wanted: dict[str, Any] = {
            "decomposition.kind": self.kind,
            "decomposition.blocks_per_rank": self.per_rank,
            "decomposition.rows": 0 if self.by_rule else self.rows,
            "decomposition.tiles": "given",
        }
        have: dict[str, Any] = {
            f"decomposition.{key}": value for key, value in case.decomposition.to_table().items()
        }
        if case.tiles:
            wanted[case.tiles], have[case.tiles] = self.tile, tile_of(case)
        return {name: value for name, value in wanted.items() if have[name] != value}

    def apply(self, case: Case) -> Case:
        """The case, cut so."""
        cut = DecompositionOptions(
            kind=self.kind,
            blocks_per_rank=self.per_rank,
            rows=self.rows if self.kind == "blocks" and not self.by_rule else 0,
        )
        cut_so = replace(case, decomposition=cut)
        return cut_so.with_settings({case.tiles: self.tile}) if case.tiles else cut_so


@dataclass(frozen=True)
class Rating:
    """What a candidate is expected to cost; `problem` says why it cannot be."""

    candidate: Candidate
    seconds: float = 0.0  # of a step
    balance: float = 0.0  # largest load over the mean one
    messages: int = 0  # of a step, sent by the rank with the largest load
    bytes: int = 0
    problem: str = ""


def tile_of(case: Case) -> int:
    """Row length of tiles in a case [byte]; 0 where kernels have no tiles of a settable size.

    There several blocks per rank take their part.
    """
    return int(attrgetter(case.tiles)(case)) if case.tiles else 0


def candidates(case: Case, grid: Grid, ranks: int) -> list[Candidate]:
    """All cuts worth a thought: every factorisation of every number of blocks, curves, cards."""
    tile = tile_of(case)
    load = case.load(grid)
    found = []
    for per_rank in blocks_of_a_rank["blocks"]:
        try:
            rule = best_grid(load, ranks, per_rank).rows
        except UserError:
            rule = 0
        for rows, columns in factorisations(ranks * per_rank):
            found.append(Candidate("blocks", per_rank, rows, columns, rows == rule, tile))
    rest = [kind for kind in case.cuts if kind != "blocks"]
    found += [Candidate(kind, n, tile=tile) for kind in rest for n in blocks_of_a_rank[kind]]
    others = [length for length in tile_bytes if tile and length != tile]
    plain = [one for one in found if one.by_rule and one.kind == "blocks"][:1]
    return found + [replace(one, tile=length) for one in plain for length in others]


class Expectation:
    """Rates candidates of one case on so many ranks of so many threads."""

    def __init__(self, case: Case, grid: Grid, ranks: int, threads: int, cores: int) -> None:
        self.case, self.grid, self.ranks = case, grid, ranks
        self.halo, self.load = case.halo, case.load(grid)
        self.whole = self.load.cost((0, grid.mask.shape[0], 0, grid.mask.shape[1]))
        clock = case.time.clock()
        crowd = max(1.0, ranks * threads / cores)
        self.alone = work(case, grid, clock) / max(clock.steps, 1) / threads * crowd
        self.plans: dict[bool, Plan] = {}

    def rate(self, candidate: Candidate) -> Rating:
        """Expected cost of a candidate, or why it cannot be."""
        try:
            if candidate.kind == "cards":
                return self._rate_cards(candidate)
            return self._rate_blocks(candidate)
        except UserError as error:
            return Rating(candidate, problem=str(error))

    def _rate_blocks(self, candidate: Candidate) -> Rating:
        some = self.cut(candidate, 0)
        loads = [0.0] * self.ranks
        for r in some.world.rectangles:
            loads[r.rank] += self.load.cost((r.j0, r.j1, r.i0, r.i1))
        heaviest = loads.index(max(loads))
        layout = self.cut(candidate, heaviest).home
        messages = size = copied = 0
        for items in self._plan(candidate).exchanges:
            patterns = [Pattern(layout, i.place, i.depths, self.ranks, heaviest) for i in items]
            traffic = Traffic(items, patterns, simplest)
            messages, size = messages + traffic.count, size + traffic.bytes
            copied += sum(_copied(*pair) for pair in zip(items, patterns, strict=True))
        seconds = self.alone * max(loads) / self.whole
        seconds += messages * message_seconds + (size + copied) * byte_seconds
        return Rating(candidate, seconds, max(loads) * self.ranks / sum(loads), messages, size)

    def _rate_cards(self, candidate: Candidate) -> Rating:
        self.cut(candidate, 0)
        components, points = self.case.planes, self.grid.sea_points
        hands = self.ranks * candidate.per_rank
        share = 0.5 * (-(-components // self.ranks) / components)
        share += 0.5 * candidate.per_rank * -(-points // hands) / points
        moved = self._plan(candidate).transposes
        away = (self.ranks - 1) / self.ranks**2  # of all values go from one rank to others
        values = sum(f.outer[0] * points * f.dtype.itemsize for f in moved)
        size, packed = int(values * away), values / self.ranks
        messages = len(moved) * (self.ranks - 1)
        seconds = self.alone * share + messages * message_seconds
        seconds += (size + 2 * packed) * byte_seconds
        return Rating(candidate, seconds, share * self.ranks, messages, size)

    def cut(self, candidate: Candidate, rank: int) -> Decomposition:
        """The decomposition as this rank would have it."""
        communicator = Imagined(self.ranks)
        communicator.rank = rank
        return Decomposition(
            self.grid.mask,
            self.grid.topology,
            halo=self.halo,
            options=candidate.apply(self.case).decomposition,
            communicator=communicator,
            components=self.case.planes,
            weights=self.load.weights,
            work=self.load.work,
            staggered=self.load.staggered,
        )

    def _plan(self, candidate: Candidate) -> Plan:
        """Exchanges and transposes of a step; of blocks and curves alike, and of cards."""
        cards = candidate.kind == "cards"
        if cards not in self.plans:
            clock, plan = self.case.time.clock(), Plan()
            case = candidate.apply(self.case)
            component = build_component(case, clock, Imagined(self.ranks), plan=plan)
            with closing(component):
                component.start(clock.time, restarted=False)
                for what in (plan.lines, plan.exchanges, plan.transposes):
                    what.clear()
                component.step(clock.time)
            self.plans[cards] = plan
        return self.plans[cards]


def _copied(item: Item, pattern: Pattern) -> int:
    """Bytes between blocks of one rank."""
    return sum(p.values for p in pattern.local) * item.rows * item.dtype.itemsize


class Steps:
    """Steps of a case that is cut in one way: built when first called, begun anew at its end."""

    def __init__(self, case: Case, communicator: Communicator) -> None:
        self.case, self.communicator = case, communicator
        self.component: Component | None = None
        self.clock = case.time.clock()

    def build(self) -> Component:
        """The component, made once and at its start."""
        if self.component is None:
            self.component = build_component(self.case, self.clock, self.communicator)
            self.component.start(self.clock.time, restarted=False)
        return self.component

    def __call__(self) -> None:
        component = self.build()
        if self.clock.finished:
            self.clock = self.case.time.clock()
            component.start(self.clock.time, restarted=False)
        component.step(self.clock.time)
        self.clock.advance()

    def close(self) -> None:
        """Let go of what the component reads."""
        if self.component is not None:
            self.component.close()


@dataclass(frozen=True)
class Advice:
    """What was rated and measured on one number of ranks and threads; ways by place in `rated`."""

    rated: list[Rating]
    standing: Standing
    winner: int
    tied: list[int] = field(default_factory=list)  # not told apart from the fastest

    @property
    def best(self) -> Candidate:
        return self.rated[self.winner].candidate

    @property
    def words(self) -> str:
        """The choice and its reason in one line."""
        scores, won = self.standing.scores, self.standing.scores[self.winner]
        others = [at for at in scores if at not in self.tied]
        text = f"{self.best.name}: {1e3 * won.seconds:.3g} ms per step"
        if len(self.tied) > 1:
            rounds = f"{self.standing.rounds} round{'s' * (self.standing.rounds != 1)}"
            text += f", the simplest of {len(self.tied)} that {rounds} cannot tell apart"
        if others:
            second = min(others, key=lambda at: scores[at].seconds)
            ratio = scores[second].seconds / won.seconds
            text += f"; next {self.rated[second].candidate.name} {ratio:.2f}x"
        return f"{text}; {len(scores)} measured of {len(self.rated)} in" + (
            f" {self.standing.seconds:.1f} s"
        )


def rate_all(
    case: Case,
    grid: Grid,
    ranks: int,
    threads: int,
    cores: int,
    among: Sequence[str] = kinds,
) -> list[Rating]:
    """All candidates of some kinds, the best expected first, those that cannot be last."""
    expectation = Expectation(case, grid, ranks, threads, cores)
    found = [one for one in candidates(case, grid, ranks) if one.kind in among]
    rated = [expectation.rate(one) for one in found]
    return sorted(rated, key=lambda r: (bool(r.problem), r.seconds))


def measure(
    case: Case, rated: Sequence[Rating], communicator: Communicator, budget: float
) -> Advice:
    """Measure steps of the case, the best expected first, in about `budget` seconds; a call for
    all ranks. No more candidates are kept in memory than half of what is free has room for."""
    rated = sorted(rated, key=lambda rating: bool(rating.problem))
    possible = [rating for rating in rated if not rating.problem]
    if not possible:
        raise UserError(f"The grid cannot be cut on {communicator.size} ranks: {rated[0].problem}")
    trials = [Steps(rating.candidate.apply(case), communicator) for rating in possible]
    try:
        room = _room(trials[0].build(), communicator)
        standing = contest(communicator, trials[:room], budget)
    finally:
        for trial in trials:
            trial.close()
    tied = sorted(_tied(standing), key=lambda at: possible[at].candidate.simplicity(case))
    return Advice(rated, standing, tied[0], tied)


def _tied(standing: Standing) -> list[int]:
    """Candidates that are not slower than the fastest beyond noise, nor by more than a little."""
    scores = standing.scores
    found = []
    for at, score in scores.items():
        noise = first_noise / max(score.rounds, 1) if score.rounds < few_rounds else 0.0
        near = score.low <= 1.0 + noise and score.ratio <= 1.0 + max(noise, little)
        if near or at == standing.winner:
            found.append(at)
    return found


def _room(component: Component, communicator: Communicator) -> int:
    """How many such components all ranks have memory for."""
    size = sum(array.nbytes for field in fields_of(component) for array in field.blocks)
    free = 0
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
    total = float(communicator.sum(np.array([float(size)]))[0])
    least = -float(communicator.maximum(np.array([-float(free)]))[0])
    return max(1, int(0.5 * least / max(total, 1.0)))


def automatic(case: Case, communicator: Communicator) -> tuple[Case, str]:
    """The case with the cut that measures best here, and why; a call for all ranks.

    Cards are left out: they need the state twice.
    """
    begin = time.perf_counter()
    threads = int(os.environ.get("OMP_NUM_THREADS", "0") or 0) or 1
    cores = len(os.sched_getaffinity(0))
    grid, ranks = case.build_grid(), communicator.size
    rated = rate_all(case, grid, ranks, threads, cores, ("blocks", "curve"))
    spent = np.array([time.perf_counter() - begin])
    left = auto_seconds - float(communicator.maximum(spent)[0])
    advice = measure(case, rated, communicator, left)
    return advice.best.apply(case), f"cut: {advice.words}"
