"""What the processor counted in all kernels of a record, on all ranks together."""

from __future__ import annotations

import numpy as np

from halocline.runtime.record.run_record import RunRecord


def counted_in_kernels(record: RunRecord) -> dict[str, float]:
    """Counts by name; those that are not numbers on some rank are left out."""
    names = [str(name) for name in record.about.get("counters") or []]
    found = {}
    for number, name in enumerate(names):
        values = record.counters["value"][record.counters["counter"] == number]
        if values.size and np.isfinite(values).all():
            found[name] = float(values.sum())
    return found


def seconds_of_counted(record: RunRecord) -> float:
    """Time of the kernels in which was counted, of all ranks together [s]."""
    rows = record.statistics
    counted = np.isin(rows["region"], np.unique(record.counters["region"]))
    return float(rows["own_seconds"][counted & (rows["thread"] == 0)].sum())
