"""The steps of a record: how long each took, and which one stands for the others."""

from __future__ import annotations

import numpy as np

from halocline.runtime.record.run_record import RunRecord, Table
from halocline_lab.diagnosis.timeline import Integers


def step_times(rows: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Steps; of each the shortest and longest of the ranks [s], and the share of MPI."""
    number, place = np.unique(rows["step"], return_inverse=True)
    place = place.reshape(-1)
    each = rows["seconds"] / np.maximum(rows["count"], 1)
    low, high = np.full(len(number), np.inf), np.zeros(len(number))
    np.minimum.at(low, place, each)
    np.maximum.at(high, place, np.where(rows["count"] > 1, rows["longest"], each))
    total = np.bincount(place, rows["seconds"])
    mpi = np.bincount(place, rows["mpi_seconds"])
    return number, low, high, mpi / np.maximum(total, 1e-300)


def typical_step(record: RunRecord) -> tuple[int, int, int] | None:
    """A step that was kept and takes as long as the median one: its number, begin and end [ns].

    None where no step was kept on all ranks that have steps.
    """
    rows = record.steps
    if not rows.size:
        return None
    median = float(np.median(step_times(rows)[2]))
    single = rows[rows["count"] == 1]
    ends = single["begin"] + np.rint(1e9 * single["seconds"]).astype(np.int64)
    kept = _kept(record, single, ends)
    ranks = len(np.unique(rows["rank"]))
    steps, place, count = np.unique(single["step"], return_inverse=True, return_counts=True)
    whole = (count == ranks) & (np.bincount(place.reshape(-1), kept, len(steps)) == ranks)
    if not whole.any():
        return None
    longest = np.zeros(len(steps))
    np.maximum.at(longest, place.reshape(-1), single["seconds"])
    away = np.where(whole, np.abs(longest - median), np.inf)
    mine = single["step"] == steps[int(np.argmin(away))]
    return int(single["step"][mine][0]), int(single["begin"][mine].min()), int(ends[mine].max())


def _kept(record: RunRecord, steps: Table, ends: Integers) -> np.ndarray:
    """Which steps lie in a span of their rank."""
    found = np.zeros(len(steps), np.bool_)
    for span in record.spans:
        found |= (
            (steps["rank"] == span["rank"])
            & (steps["begin"] >= span["begin"])
            & (ends <= span["end"])
        )
    return found
