"""Advice: what is wrong with a run, ordered by what mending it would bring.

A finding names a fault of `findings.faults`, each of which is recognised in a planted example. Its
gain is reckoned by timing the record anew without the fault (`retime`).
"""

from __future__ import annotations

from collections.abc import Callable

from halocline.lab.diagnosis.advice_case import AdviceCase, advice_case
from halocline.lab.diagnosis.advice_collectives import find_barriers, find_small_collectives
from halocline.lab.diagnosis.advice_gathering import find_all_to_one, find_input
from halocline.lab.diagnosis.advice_messages import (
    find_derived_types,
    find_late_sender,
    find_small_messages,
)
from halocline.lab.diagnosis.advice_output import find_output
from halocline.lab.diagnosis.advice_work import find_imbalance, find_noise, find_slow_rank
from halocline.lab.diagnosis.findings import Finding
from halocline.runtime.run_record import RunRecord

least_percent = 3.0
"""A smaller gain is no advice: two runs of a healthy program differ by as much."""

least_percent_at_least = 1.0
"""Nor is one that may be smaller than this."""

finders: tuple[Callable[[AdviceCase], Finding | None], ...] = (
    find_imbalance,
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
    worth = [finding for finding in found if is_worth(finding)]
    return sorted(worth, key=lambda finding: -finding.gain.seconds)


def is_worth(finding: Finding) -> bool:
    """Whether a gain is more than two runs differ by."""
    gain = finding.gain
    return gain.percent >= least_percent and gain.low_percent >= least_percent_at_least
