"""Replay of a program on a described machine: how long each rank takes, and what it does when.

`replay` is a discrete-event simulation (C++, replay.hpp) of messages with LogGP costs: eager and
rendezvous, matching in order, collectives by the algorithms of MPI libraries, adapters that ranks
share, processors that too many ranks want, and noise. `ideal_seconds(record)` is how long the
steady part of a recorded run takes on a network that costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord, anybody, nobody
from halocline_lab import _native
from halocline_lab.prediction.platform_model import Platform, ideal, noises, progresses
from halocline_lab.prediction.programs import (
    Program,
    collective_kinds,
    kind_number,
    operation_kinds,
)
from halocline_lab.prediction.recorded_program import program_of_record, replayed_spans
from halocline_lab.prediction.replayed_record import record_of_times

Placement = Literal["block", "cyclic"]


@dataclass(frozen=True)
class Replayed:
    """What a replay found; times in seconds from a common start.

    `end[rank]`, `computing[rank]` and `waiting[rank]`; `repetitions[n]` is when the last rank ended
    repetition n. `begins` and `ends` of all operations are there if they were asked for.
    """

    program: Program
    platform: Platform
    node_of_rank: NDArray[np.int32]
    end: NDArray[np.float64]
    computing: NDArray[np.float64]
    waiting: NDArray[np.float64]
    repetitions: NDArray[np.float64]
    begins: NDArray[np.float64]
    ends: NDArray[np.float64]

    @property
    def seconds(self) -> float:
        """Until the last rank has ended."""
        return float(self.end.max(initial=0.0))

    @property
    def step_seconds(self) -> float:
        """One repetition, the first ones apart where there are more than two."""
        count = len(self.repetitions)
        skipped = count // 3
        before = self.repetitions[skipped - 1] if skipped else 0.0
        return float(self.repetitions[-1] - before) / (count - skipped)

    @property
    def efficiency(self) -> float:
        """Share of the time of all ranks that they compute."""
        return float(self.computing.mean() / self.seconds) if self.seconds else 1.0

    def record(self) -> RunRecord:
        """The simulated run as a record; needs `replay(..., record=True)`."""
        assert self.begins.size, "replay with record=True"
        hosts = [f"node {n}" for n in range(int(self.node_of_rank.max(initial=0)) + 1)]
        return record_of_times(
            self.program, self.begins, self.ends, self.platform.name, self.node_of_rank, hosts
        )


def placed(
    ranks: int,
    platform: Platform,
    per_node: int | None = None,
    placement: Placement | NDArray[np.int32] = "block",
) -> NDArray[np.int32]:
    """The node of each rank.

    `block` fills node after node with `per_node` ranks (all processors by default), round and round
    where nodes are too few; `cyclic` deals ranks out to all nodes. An array is taken as it is.

    >>> placed(6, Platform(processors=2, nodes=2))
    array([0, 0, 1, 1, 0, 0], dtype=int32)
    >>> placed(6, Platform(processors=2), placement="cyclic")
    array([0, 1, 2, 0, 1, 2], dtype=int32)
    """
    if not isinstance(placement, str):
        nodes = np.ascontiguousarray(placement, np.int32)
        if nodes.size != ranks or (nodes.size and nodes.min() < 0):
            raise UserError(f"The placement names {nodes.size} nodes; {ranks} ranks need one each.")
        return nodes
    each = per_node or platform.processors
    nodes_used = platform.nodes or -(-ranks // each)
    at = np.arange(ranks)
    found = at % nodes_used if placement == "cyclic" else at // each % nodes_used
    return found.astype(np.int32)


def replay(
    program: Program,
    platform: Platform,
    *,
    per_node: int | None = None,
    placement: Placement | NDArray[np.int32] = "block",
    record: bool = False,
    seed: int | None = None,
) -> Replayed:
    """How `program` runs on `platform`.

    >>> from halocline_lab.prediction.program_patterns import halo
    >>> replay(halo(4, seconds=0.5, steps=2), ideal, per_node=1).seconds
    1.0
    """
    node_of_rank = placed(program.size, platform, per_node, placement)
    nodes = int(node_of_rank.max(initial=0)) + 1
    processors = np.full(nodes, platform.processors, np.int32)
    times = len(program.operations) * program.repeats if record else 0
    begins, ends = np.zeros(times), np.zeros(times)
    repetitions, summary = np.zeros(program.repeats), np.zeros((program.size, 3))
    stuck = np.full(program.size, -1, np.int64)
    mismatch = _native.replay(
        np.ascontiguousarray(_at_rate(program, platform).operations).view(np.uint8),
        program.first,
        [members.tolist() for members in program.communicators],
        np.array([p.row() for p in platform.inside]),
        np.array([p.row() for p in platform.between]),
        platform.native_wiring(nodes),
        node_of_rank,
        processors,
        platform.algorithm_table(),
        _options(platform, program.repeats, seed),
        begins,
        ends,
        repetitions,
        summary,
        stuck,
    )
    if mismatch[0] >= 0:
        raise UserError(_mismatch_words(program, mismatch))
    if (stuck >= 0).any():
        raise UserError(_deadlock_words(program, stuck))
    end, computing, waiting = (np.ascontiguousarray(column) for column in summary.T)
    return Replayed(
        program, platform, node_of_rank, end, computing, waiting, repetitions, begins, ends
    )


def _at_rate(program: Program, platform: Platform) -> Program:
    return program if platform.rate == 1.0 else program.scaled(1.0 / platform.rate)


def _options(platform: Platform, repeats: int, seed: int | None) -> object:
    noise = _native.Noise()
    noise.kind = noises.index(platform.noise.kind)
    for name in ("period", "duration", "probability", "together"):
        setattr(noise, name, getattr(platform.noise, name))
    noise.seed = platform.noise.seed if seed is None else seed
    options = _native.ReplayOptions()
    options.noise = noise
    options.reduction = 1.0 / platform.reduction
    options.watching, options.wake = platform.watching, platform.wake
    options.progress = progresses.index(platform.progress)
    options.repeats = repeats
    return options


def _operation_words(program: Program, at: int) -> str:
    one = program.operations[at]
    kind = operation_kinds[one["kind"]]
    partner = {nobody: "", anybody: " anybody"}.get(int(one["partner"]), f" rank {one['partner']}")
    if "collective" in kind:
        members = len(program.communicators[one["communicator"]])
        root = f" with root {one['partner']}" if one["partner"] >= 0 else ""
        return f"{collective_kinds[one['tag']]} of {members} ranks{root}"
    if kind == "wait":
        return "a wait" if one["request"] == 0 else f"a wait for request {one['request']}"
    towards = " to" if "send" in kind else " from"
    return f"a {kind}{towards}{partner} (tag {one['tag']}, {one['bytes']} bytes)"


def _mismatch_words(program: Program, found: list[int]) -> str:
    first, its, second, other = found
    return (
        f"Rank {first} is in {_operation_words(program, its)} where rank {second} is in"
        f" {_operation_words(program, other)}: collectives must be the same on all ranks."
    )


def _deadlock_words(program: Program, stuck: NDArray[np.int64]) -> str:
    """Who waits for what; a ring of ranks that wait for each other, where there is one."""
    waiting = [int(rank) for rank in np.flatnonzero(stuck >= 0)]
    ring = _ring({rank: _awaited(program, rank, int(stuck[rank])) for rank in waiting})
    shown = ring or waiting[:4]
    words = [f"rank {rank} in {_operation_words(program, int(stuck[rank]))}" for rank in shown]
    more = f"; {len(waiting)} ranks wait in all" if len(waiting) > len(shown) else ""
    return f"Deadlock: {'; '.join(words)}{more}. No message or rank comes that they wait for."


def _awaited(program: Program, rank: int, at: int) -> int:
    """The rank that a stuck rank waits for, if it is one."""
    one = program.operations[at]
    if operation_kinds[one["kind"]] in ("send", "receive"):
        return int(one["partner"])
    if operation_kinds[one["kind"]] != "wait":
        return nobody
    mine = program.operations[program.first[rank] : at]
    started = np.isin(mine["kind"], [kind_number("start send"), kind_number("start receive")])
    if one["request"]:
        started &= mine["request"] == one["request"]
    found = mine["partner"][started]
    return int(found[-1]) if found.size else nobody


def _ring(awaited: dict[int, int]) -> list[int]:
    for start in awaited:
        seen: list[int] = []
        rank = start
        while rank in awaited and rank not in seen:
            seen.append(rank)
            rank = awaited[rank]
        if rank in seen:
            return seen[seen.index(rank) :]
    return []


def ideal_seconds(record: RunRecord) -> float:
    """The steady seconds of a recorded run on a network of no latency and infinite bandwidth.

    The transfer efficiency of the POP Centre of Excellence is this over `record.steady_seconds`.
    What the record's spans hold is replayed; the steady part counts as long as they tell, in
    proportion.
    """
    measured = sum(last - begin for begin, last in replayed_spans(record))
    if measured <= 0.0:
        raise UserError(
            "The record has no span in which the events of all ranks are complete, so nothing can"
            " be replayed. Record a run of more steps, or with more memory for events."
        )
    program = program_of_record(record)
    found = replay(program, ideal, per_node=1)
    return record.steady_seconds * min(1.0, found.seconds / measured)
