"""Whether ranks had processors to compute on: how many there are, and what time ranks had one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.timeline import Floats, sums

least_lacking = 0.05
"""Share of the steady time: ranks that lack a processor for less have one of their own."""


@dataclass(frozen=True)
class Processors:
    """Cores of all hosts that the ranks may use (None: unknown), and the threads that share them.

    `lacking` is the share of the steady time in which ranks would compute but have no processor,
    by the processor time of their main threads (None: unknown). Waiting in MPI counts as using a
    processor where MPI looks again and again, so that ranks may lack more. `words` say what is
    wrong; "" if nothing is.
    """

    cores: int | None
    threads: int
    lacking: float | None
    words: str

    @property
    def are_short(self) -> bool:
        """Whether times on the wall are not those of the program alone."""
        return bool(self.words)


def lacking_seconds(record: RunRecord, computing: Floats) -> Floats:
    """Of the time in which each rank computes, in the steady period, that without a processor."""
    known = record.ranks["steady_processor_seconds"]
    found = np.where(np.isfinite(known), computing - np.nan_to_num(known), 0.0)
    return np.asarray(np.maximum(found, 0.0), np.float64)


def crowded_hosts(record: RunRecord) -> list[tuple[int, int, int]]:
    """Hosts on which there are more threads than cores: host, threads, cores."""
    cores = record.about.get("cores") or []
    threads = sums(record.ranks["host"], record.ranks["threads"], len(cores))
    return [
        (host, int(threads[host]), int(number))
        for host, number in enumerate(cores)
        if 0 < number < threads[host]
    ]


def processors(record: RunRecord, lacking: Floats, steady: Floats) -> Processors:
    """What is known; `lacking` and `steady` [s] are of the ranks that compute."""
    cores = record.about.get("cores")
    known = bool(np.isfinite(record.ranks["steady_processor_seconds"]).any())
    share = float(lacking.sum()) / max(float(steady.sum()), 1e-300) if known else None
    crowded = crowded_hosts(record)
    words = ""
    if crowded:
        threads, here = sum(row[1] for row in crowded), sum(row[2] for row in crowded)
        ranks = int(np.isin(record.ranks["host"], [row[0] for row in crowded]).sum())
        what = f"{ranks} ranks" if threads == ranks else f"{ranks} ranks with {threads} threads"
        words = f"more ranks than cores: {what} on {here} core{'s' if here > 1 else ''}"
    elif share is not None and share > least_lacking:
        words = "ranks compute without a processor: others ran there, or they read or sleep"
    if words and share is not None and share > least_lacking:
        words += f"; of the steady time they lack one for {100 * share:.0f} % at least"
    total = int(sum(cores)) if cores and all(cores) else None
    return Processors(total, int(record.ranks["threads"].sum()), share, words)


def room_for_gains(record: RunRecord, computing: Floats) -> float:
    """What can be saved at most of the steady time, if all cores computed all the time [s].

    `computing` is the processor time of each rank. Hosts with a core for each thread leave it open.
    """
    room = record.steady_seconds
    for host, _, cores in crowded_hosts(record):
        needed = float(computing[record.ranks["host"] == host].sum()) / cores
        room = min(room, max(record.steady_seconds - needed, 0.0))
    return room
