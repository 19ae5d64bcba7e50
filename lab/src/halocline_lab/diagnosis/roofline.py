"""Kernels on the roofline: how near each comes to what the memory and the cores can do.

What a kernel must move and compute is known of its contract (`record.work`); what the machine can,
is measured: bandwidth as STREAM does (`stream`), operations per second by a loop of multiplications
and additions in registers (`peak`). The floor of a kernel's time is the larger of bytes / bandwidth
and operations / peak (Williams, Waterman & Patterson 2009, "Roofline").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.quantities import Quantity, unknown
from halocline_lab.diagnosis.timeline import compute_ranks


@dataclass(frozen=True)
class Machine:
    """What all cores that a run used can do together: [byte s-1] and operations [s-1]."""

    bandwidth: float
    operations: float
    source: str


@dataclass(frozen=True)
class RoofPoint:
    """One kernel, over all ranks: `seconds` is the mean of the ranks.

    `intensity` are operations per byte; rates are those of all ranks together [s-1];
    `over_floor` is time over the roofline's floor, `bound` "memory" or "computation". What depends
    on operations is None where those are not known, what depends on the machine where that is not.
    """

    name: str
    calls: int
    seconds: float
    share: float
    bytes: float
    operations: float | None
    intensity: float | None
    byte_rate: float
    operation_rate: float | None
    over_floor: float | None
    bound: str


@dataclass(frozen=True)
class Roofline:
    """The roof and the kernels under it, those of most time first; counters where readable."""

    machine: Machine | None
    why_no_machine: str
    kernels: list[RoofPoint]
    why_no_kernels: str
    counters: list[Quantity]


def machine_of(record: RunRecord) -> tuple[Machine | None, str]:
    """The machine that a record names, or why it is not known."""
    facts: Any = record.about.get("machine")
    if not isinstance(facts, dict):
        return None, "the record does not describe its machine"
    bandwidth, operations = (
        facts.get("stream_bytes_per_second"),
        facts.get("peak_operations_per_second"),
    )
    if not bandwidth or not operations:
        return None, "the machine of the record was not measured; 'halocline lab peak' does it"
    return Machine(float(bandwidth), float(operations), "the record"), ""


def roofline(
    record: RunRecord, machine: Machine | None = None, counters: list[Quantity] | None = None
) -> Roofline:
    """Kernels of a record on the roofline of its machine, or of one that is given."""
    why = ""
    if machine is None:
        machine, why = machine_of(record)
    kernels = _points(record, machine)
    no_kernels = "" if kernels else "the record knows the work of no kernel"
    because = "the record holds none"
    shown = counters or [
        unknown("hardware counters", "", "cache hits, refills, instructions", because)
    ]
    return Roofline(machine, why, kernels, no_kernels, shown)


def _points(record: RunRecord, machine: Machine | None) -> list[RoofPoint]:
    ranks = compute_ranks(record)
    found = []
    whole = max(float((record.ranks["end"] - record.ranks["begin"])[ranks].sum()) / 1e9, 1e-300)
    for number in np.unique(record.work["region"]):
        work = record.work[record.work["region"] == number]
        rows = record.statistics[record.statistics["region"] == number]
        rows = rows[rows["thread"] == 0]
        seconds = float(rows["own_seconds"].sum())
        moved, done = float(work["bytes"].sum()), float(work["operations"].sum())
        if seconds <= 0.0 or moved <= 0.0:
            continue
        mean = seconds / max(len(np.unique(rows["rank"])), 1)
        operations = done if np.isfinite(done) else None
        floor, bound = _floor(moved, operations, machine)
        found.append(
            RoofPoint(
                name=record.regions[number].name,
                calls=int(work["calls"].sum()),
                seconds=mean,
                share=seconds / whole,
                bytes=moved,
                operations=operations,
                intensity=None if operations is None else operations / moved,
                byte_rate=moved / mean,
                operation_rate=None if operations is None else operations / mean,
                over_floor=None if floor is None else mean / floor,
                bound=bound,
            )
        )
    return sorted(found, key=lambda point: -point.seconds)


def _floor(
    moved: float, operations: float | None, machine: Machine | None
) -> tuple[float | None, str]:
    """The least time on a machine [s], and what bounds it."""
    if machine is None:
        return None, ""
    by_memory = moved / machine.bandwidth
    by_cores = (operations or 0.0) / machine.operations
    return max(by_memory, by_cores), "memory" if by_memory >= by_cores else "computation"
