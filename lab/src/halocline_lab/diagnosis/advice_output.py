"""Advice on output that the model waits for."""

from __future__ import annotations

import numpy as np

from halocline.runtime.record.run_record import RunRecord, Table, periods
from halocline_lab.diagnosis.advice_case import AdviceCase
from halocline_lab.diagnosis.bursts import memory_rates
from halocline_lab.diagnosis.findings import Finding
from halocline_lab.diagnosis.timeline import Flags, compute_ranks, sums


def find_output(case: AdviceCase) -> Finding | None:
    """Ranks that compute wait while output is written (R-25, R-26): others could write it behind.

    What is left then is a copy of the bytes, and up to the half of what it takes now, for what the
    model has to assemble itself.
    """
    record = case.record
    ranks = compute_ranks(record)
    if len(ranks) < record.size or not len(ranks):
        return None
    rows = writing(record)
    lost = sums(rows["rank"], rows["seconds"], record.size)[ranks]
    moved = sums(rows["rank"], rows["bytes"], record.size)[ranks]
    most = float(lost.max())
    if most <= 0.0:
        return None
    saved = [most - float(moved.max()) / rate for rate in memory_rates]
    names = sorted({record.regions[number].name for number in rows["region"]})
    calls = int(rows["calls"].sum())
    return Finding(
        fault="output in the way",
        what=f"Output is in the way: all ranks wait for {most:.3g} s while it is written"
        f" ({', '.join(names[:4])}).",
        evidence=[
            f"{100 * most / record.seconds:.1f} % of the run of rank {ranks[np.argmax(lost)]}, in"
            f" {calls} calls on all ranks",
            "no rank serves output: all of them compute",
        ],
        gain=case.whole_gain(saved[1], 0.5 * saved[0], 1.02 * saved[2]),
        sure="likely",
        advice=[
            "Let others write while the model goes on: ranks of their own (MPI_Isend to them), or a"
            " thread of each rank; copy the fields first.",
            "Halocline: [output.servers] count = 1 (or 'auto') with output.writing.way = 'servers';"
            " or 'buffered', which writes behind the model without more ranks. 'halocline lab"
            " output' measures both.",
        ],
    )


def writing(record: RunRecord) -> Table:
    """Statistics of the main threads' output after the start: of regions, else of MPI's calls."""
    rows = record.statistics
    rows = rows[(rows["thread"] == 0) & (rows["period"] != periods.index("start-up"))]
    outputs = rows[_wanted(record, "output", "")[rows["region"]]]
    return outputs if outputs.size else rows[_wanted(record, "file", "write")[rows["region"]]]


def _wanted(record: RunRecord, kind: str, word: str) -> Flags:
    return np.array(
        [region.kind == kind and word in region.name.lower() for region in record.regions]
        or [False]
    )
