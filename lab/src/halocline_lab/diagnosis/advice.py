"""Advice: what is wrong with a run, ordered by what mending it would bring.

A finding names a fault of `findings.faults`, each of which is recognised in a planted example. Its
gain is reckoned by timing the record anew without the fault (`retime`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from halocline.runtime.record.run_record import RunRecord, periods
from halocline_lab.diagnosis.accounting import useful_seconds
from halocline_lab.diagnosis.advice_case import AdviceCase, advice_case
from halocline_lab.diagnosis.advice_collectives import find_barriers, find_small_collectives
from halocline_lab.diagnosis.advice_gathering import find_all_to_one, find_input
from halocline_lab.diagnosis.advice_messages import (
    find_derived_types,
    find_late_sender,
    find_small_messages,
)
from halocline_lab.diagnosis.advice_output import find_output
from halocline_lab.diagnosis.advice_work import (
    find_imbalance,
    find_noise,
    find_slow_rank,
    find_unequal_members,
)
from halocline_lab.diagnosis.findings import Finding, limited_gain
from halocline_lab.diagnosis.phases import (
    communication_seconds,
    member_wait_seconds,
    period_seconds,
)
from halocline_lab.diagnosis.processors import crowded_hosts, processors, room_for_gains
from halocline_lab.diagnosis.timeline import compute_ranks

least_percent = 3.0
"""A smaller gain is no advice: two runs of a healthy program differ by as much."""

least_percent_at_least = 1.0
"""Nor is one that may be smaller than this."""

finders: tuple[Callable[[AdviceCase], Finding | None], ...] = (
    find_imbalance,
    find_unequal_members,
    find_slow_rank,
    find_noise,
    find_late_sender,
    find_small_messages,
    find_derived_types,
    find_all_to_one,
    find_small_collectives,
    find_barriers,
    find_input,
    find_output,
)


def advise(record: RunRecord) -> list[Finding]:
    """Findings of a record, the largest expected gain first."""
    if not record.size or not len(record.events):
        return []
    case = advice_case(record)
    found = [finding for find in finders if (finding := find(case)) is not None]
    found = on_shared_cores(record, found)
    worth = [finding for finding in found if is_worth(finding)]
    return sorted(worth, key=lambda finding: -finding.gain.seconds)


def on_shared_cores(record: RunRecord, found: list[Finding]) -> list[Finding]:
    """What is left of gains where ranks lack processors, of which none is certain then.

    While one rank waits another computes on its core: no run is shorter than all computing on all
    cores.
    """
    ranks = compute_ranks(record)
    useful = useful_seconds(record)
    outside = period_seconds(record)[periods.index("steady")]
    outside = (
        outside - communication_seconds(record, "steady") - member_wait_seconds(record, "steady")
    )
    lacking = np.maximum(outside - useful, 0.0)
    known = processors(record, lacking[ranks], outside[ranks])
    if not known.are_short:
        return found
    room = room_for_gains(record, useful)
    words = f"{known.words}: while a rank waits another uses its core, and gains are no more than"
    words += f" {room:.3g} s" if crowded_hosts(record) else " likely on the wall"
    return [
        replace(
            one,
            gain=limited_gain(one.gain, room),
            sure="possible",
            evidence=[*one.evidence, words],
        )
        for one in found
    ]


def is_worth(finding: Finding) -> bool:
    """Whether a gain is more than two runs differ by."""
    gain = finding.gain
    return gain.percent >= least_percent and gain.low_percent >= least_percent_at_least
