"""The roof of this machine for records made on it: measured once, then kept in the user's cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from halocline.experiment.run_log import machine_facts
from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.running.referee import cache_folder
from halocline_lab.diagnosis.peak import measure_machine
from halocline_lab.diagnosis.roofline import Machine

same = ("host", "processor", "cores")
"""Facts that tell whether a record is of this machine."""


def roof_here(record: RunRecord, *, again: bool = False) -> Machine | None:
    """What the cores that a run used can do here; None if its record is of another machine.

    What was measured before is taken, unless `again`; then it is measured for any record.
    Operations are measured in float64; a core does twice as many in float32.
    """
    here = machine_facts()
    there = record.about.get("machine")
    is_here = isinstance(there, dict) and all(there.get(name) == here[name] for name in same)
    if not again and not (is_here and record.work.size):
        return None
    threads = min(int(record.ranks["threads"].sum()), int(here["cores"]))
    name = ", ".join(f"{here[fact]}" for fact in same) + f": {threads} threads"
    place = cache_folder() / "roofs.json"
    roofs = _kept(place)
    precision = str(record.about.get("precision", "float64"))
    lanes = 2.0 if precision == "float32" else 1.0
    if again or name not in roofs or most_done(record) > lanes * roofs[name][1]:
        found = measure_machine(threads)
        before = roofs.get(name, [0.0, 0.0])
        # On a busy machine one measures too little: the most of all times counts.
        roofs[name] = [max(found.bandwidth, before[0]), max(found.operations, before[1])]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(roofs, indent=1) + "\n", encoding="utf-8")
    bandwidth, operations = roofs[name]
    words = f"measured on this machine with {threads} threads, operations in {precision}"
    return Machine(bandwidth, lanes * operations, words)


def most_done(record: RunRecord) -> float:
    """The most operations that a kernel did on all ranks together [s-1]; 0: none are known.

    No roof can be lower: where a kept one is, the machine was busy when it was measured.
    """
    rates = [0.0]
    for region in np.unique(record.work["region"]):
        work = record.work[record.work["region"] == region]
        rows = record.statistics[record.statistics["region"] == region]
        seconds = float(rows["seconds"].sum())
        if seconds > 0.0 and np.isfinite(work["operations"]).all():
            rates.append(float(work["operations"].sum()) / seconds * len(work))
    return max(rates)


def _kept(place: Path) -> dict[str, Any]:
    """What was measured before, by machine; nothing if the file is unreadable."""
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
