"""Efficiencies of the POP Centre of Excellence (co-design.pop-coe.eu, metric pages).

With u_i the useful time of process i, T the run time and T_ideal the run time on a network of no
latency and infinite bandwidth: load balance LB = avg(u) / max(u), communication efficiency CommE =
max(u) / T = serialisation SerE x transfer TE, SerE = max(u) / T_ideal, TE = T_ideal / T, parallel
efficiency PE = LB x CommE. Of two records: computation scaling = sum u(reference) / sum u, global
efficiency = PE x computation scaling. All of the steady period.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import RunRecord, periods
from halocline_lab.diagnosis.accounting import useful_seconds
from halocline_lab.diagnosis.counted import counted_in_kernels, seconds_of_counted
from halocline_lab.diagnosis.phases import period_seconds
from halocline_lab.diagnosis.quantities import Quantity, known, unknown
from halocline_lab.diagnosis.timeline import compute_ranks, seconds_of_threads

acceptable = 0.8
"""POP calls an efficiency of this or more acceptable."""

Ideal = Callable[[RunRecord], float]


@dataclass(frozen=True)
class Efficiency:
    """POP's efficiencies, multiplicative and additive; shares of 1. `seconds` is T."""

    seconds: float
    mean_useful: float
    largest_useful: float
    ideal_seconds: float | None
    parallel: Quantity
    load_balance: Quantity
    communication: Quantity
    serialisation: Quantity
    transfer: Quantity
    computation_scaling: Quantity
    instruction_scaling: Quantity
    ipc_scaling: Quantity
    frequency_scaling: Quantity
    global_efficiency: Quantity
    additive: list[Quantity]
    """The additive (hybrid) form: 1 minus each loss as a share of T; losses of processes add up."""


def efficiency(
    record: RunRecord,
    *,
    ideal_share: float | None = None,
    why_not: str = "no replay was made",
    reference: RunRecord | None = None,
) -> Efficiency:
    """All efficiencies of a record.

    `ideal_share` is T_ideal / T of a replay on an ideal network; without it `why_not` says why.
    `reference` is a record of the same work on fewer processes.
    """
    ranks = compute_ranks(record)
    useful = useful_seconds(record)[ranks]
    seconds = run_seconds(record)
    largest = float(useful.max(initial=0.0))
    mean = float(useful.mean()) if useful.size else 0.0
    ideal = None
    if ideal_share is not None:
        ideal = min(max(ideal_share * seconds, largest), seconds)
    whole = max(seconds, 1e-300)
    parallel = mean / whole
    scaling = _scaling(record, reference)
    instructions, per_cycle, frequency = _counter_scalings(record, reference)
    return Efficiency(
        seconds=seconds,
        mean_useful=mean,
        largest_useful=largest,
        ideal_seconds=ideal,
        parallel=known("parallel efficiency", parallel, "", "mean useful time / run time"),
        load_balance=known(
            "load balance", mean / max(largest, 1e-300), "", "mean useful time / largest"
        ),
        communication=known(
            "communication efficiency", largest / whole, "", "largest useful time / run time"
        ),
        serialisation=_of_replay(
            "serialisation efficiency",
            None if ideal is None else largest / max(ideal, 1e-300),
            "largest useful time / run time on an ideal network",
            why_not,
        ),
        transfer=_of_replay(
            "transfer efficiency",
            None if ideal is None else ideal / whole,
            "run time on an ideal network / run time",
            why_not,
        ),
        computation_scaling=scaling,
        instruction_scaling=instructions,
        ipc_scaling=per_cycle,
        frequency_scaling=frequency,
        global_efficiency=_global(parallel, scaling),
        additive=_additive(record, whole, mean, largest, ideal, why_not),
    )


def run_seconds(record: RunRecord) -> float:
    """T: length of the steady period of the ranks that compute, of the longest one [s]."""
    ranks = compute_ranks(record)
    return float(period_seconds(record)[periods.index("steady")][ranks].max(initial=0.0))


def _of_replay(name: str, value: float | None, meaning: str, why_not: str) -> Quantity:
    if value is None:
        return unknown(name, "", meaning, why_not)
    return known(name, value, "", meaning)


def _counter_scalings(record: RunRecord, reference: RunRecord | None) -> list[Quantity]:
    """The factors of computation scaling in kernels: of instructions, per cycle, of the clock."""
    names = ("instruction scaling", "scaling of instructions per cycle", "frequency scaling")
    meanings = (
        "instructions of all processes in kernels: reference / this",
        "instructions per cycle in kernels: this / reference",
        "cycles per second of kernels: this / reference",
    )
    if reference is None:
        because = "it takes a second record, of fewer processes"
        return [unknown(*words, because) for words in zip(names, ("",) * 3, meanings, strict=True)]
    here, there = counted_in_kernels(record), counted_in_kernels(reference)
    if not all(found.get(name) for found in (here, there) for name in ("instructions", "cycles")):
        because = "the records do not hold counts of instructions and cycles (record.counters)"
        return [unknown(*words, because) for words in zip(names, ("",) * 3, meanings, strict=True)]
    steps = (_steps(record) or 1) / (_steps(reference) or 1)
    per_cycle = [found["instructions"] / found["cycles"] for found in (here, there)]
    clock = [
        found["cycles"] / max(seconds_of_counted(one), 1e-300)
        for found, one in ((here, record), (there, reference))
    ]
    values = (
        there["instructions"] * steps / here["instructions"],
        per_cycle[0] / per_cycle[1],
        clock[0] / clock[1],
    )
    return [
        known(name, value, "", meaning)
        for name, value, meaning in zip(names, values, meanings, strict=True)
    ]


def _scaling(record: RunRecord, reference: RunRecord | None) -> Quantity:
    name, meaning = "computation scaling", "useful time of all processes: reference / this"
    if reference is None:
        return unknown(name, "", meaning, "it takes a second record, of fewer processes")
    here = useful_seconds(record)[compute_ranks(record)].sum()
    there = useful_seconds(reference)[compute_ranks(reference)].sum()
    steps, before = _steps(record), _steps(reference)
    if steps and before:
        here, there = here / steps, there / before
    return known(name, float(there) / max(float(here), 1e-300), "", meaning)


def _steps(record: RunRecord) -> int:
    """Steps of a run; 0 where they are not recorded."""
    mine = record.steps[record.steps["rank"] == 0]
    return int(mine["count"].sum())


def _global(parallel: float, scaling: Quantity) -> Quantity:
    name, meaning = "global efficiency", "parallel efficiency x computation scaling"
    if scaling.value is None:
        return unknown(name, "", meaning, scaling.because)
    return known(name, parallel * scaling.value, "", meaning)


def _additive(
    record: RunRecord,
    whole: float,
    mean: float,
    largest: float,
    ideal: float | None,
    why_not: str,
) -> list[Quantity]:
    """1 minus the shares of T that processes lose, and threads within them."""
    found = [
        known(
            "process load balance",
            1.0 - (largest - mean) / whole,
            "",
            "1 - (largest - mean useful time) / run time",
        ),
        _of_replay(
            "process serialisation",
            None if ideal is None else 1.0 - (ideal - largest) / whole,
            "1 - (ideal run time - largest useful time) / run time",
            why_not,
        ),
        _of_replay(
            "process transfer",
            None if ideal is None else 1.0 - (whole - ideal) / whole,
            "1 - (run time - ideal run time) / run time",
            why_not,
        ),
    ]
    return found + _of_threads(record)


def _of_threads(record: RunRecord) -> list[Quantity]:
    """The share of the core time of T that threads lose, where threads are recorded."""
    name = "thread efficiency"
    meaning = "useful time of all threads / (threads x useful time of the main threads)"
    ranks = compute_ranks(record)
    threads = record.ranks["threads"][ranks].astype(np.float64)
    if (threads <= 1).all():
        return [unknown(name, "", meaning, "each rank has one thread")]
    busy = seconds_of_threads(record)[ranks]
    if not busy.any():
        return [unknown(name, "", meaning, "what single threads did is not recorded")]
    useful = useful_seconds(record)[ranks]
    share = float((busy + useful).sum()) / max(float((threads * useful).sum()), 1e-300)
    return [known(name, min(1.0, share), "", meaning)]
