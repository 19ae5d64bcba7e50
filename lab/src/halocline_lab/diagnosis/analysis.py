"""All that a record tells: the numbers behind the report, for the page, the terminal and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.accounting import Accounting, account
from halocline_lab.diagnosis.advice import advise
from halocline_lab.diagnosis.balance import Balance, balance
from halocline_lab.diagnosis.counted import counted_in_kernels, seconds_of_counted
from halocline_lab.diagnosis.cpmip import cpmip_sheet
from halocline_lab.diagnosis.efficiency import Efficiency, efficiency
from halocline_lab.diagnosis.findings import Finding
from halocline_lab.diagnosis.matching import Matching, Wait, match
from halocline_lab.diagnosis.members import MemberTime, member_times
from halocline_lab.diagnosis.messages import Messages, messages
from halocline_lab.diagnosis.noise import Noise, noise
from halocline_lab.diagnosis.peak import counter_quantities
from halocline_lab.diagnosis.phases import PhaseRatio, PhaseRow, phase_table, ratios
from halocline_lab.diagnosis.processors import Processors, processors
from halocline_lab.diagnosis.quantities import Quantity
from halocline_lab.diagnosis.retime import limited
from halocline_lab.diagnosis.roofline import Machine, Roofline, roofline
from halocline_lab.diagnosis.states import (
    StateShares,
    Utilisation,
    shares,
    state_segments,
    utilisation,
)
from halocline_lab.diagnosis.timeline import steady_part, timeline
from halocline_lab.prediction.replay import ideal_seconds


@dataclass(frozen=True)
class Overhead:
    """What recording cost, as the recorder reckons: the slowest rank's share of its time (P-09)."""

    seconds: float
    share: float
    words: str


@dataclass(frozen=True)
class Analysis:
    """What a record tells; all fields are numbers, words and lists of them (`as_json`).

    `size` ranks ran `program` for `seconds`, `steady_seconds` of them after the start. `states`,
    `utilisation` and `waits` are of the steady time within the spans whose events are known, which
    are `spans_share` of all time. `phase_ratios`
    compare with a second record, if one is given. `advice` has the largest gain first. `notes` say
    what the record lacks.
    """

    program: str
    command: list[str]
    began: str
    size: int
    threads: int
    hosts: list[str]
    seconds: float
    steady_seconds: float
    steps: int
    spans_share: float
    overhead: Overhead
    members: list[MemberTime]
    phases: list[PhaseRow]
    phase_ratios: list[PhaseRatio]
    accounting: Accounting
    processors: Processors
    states: StateShares
    utilisation: Utilisation
    waits: list[Wait]
    messages: Messages
    balance: Balance
    efficiency: Efficiency
    cpmip: list[Quantity]
    roofline: Roofline
    noise: Noise
    advice: list[Finding]
    notes: list[str]

    def as_json(self) -> dict[str, Any]:
        """Plain values, for json.dumps."""
        return asdict(self)


def analyse(
    record: RunRecord,
    *,
    other: RunRecord | None = None,
    assigned: Mapping[str, str] | None = None,
    machine: Machine | None = None,
) -> Analysis:
    """Analyse a record.

    `other` is one of the same program on another number of ranks, to compare with. `assigned` gives
    regions a state by name (`states`, P-09). `machine` is for records that do not tell theirs.
    """
    if not record.size:
        raise UserError("The record has no ranks: nothing ran. Record the run again.")
    lines = timeline(record)
    matching = match(lines)
    steady = match(timeline(steady_part(record)))
    segments = state_segments(steady, assigned)
    phases = phase_table(lines)
    ideal_share, why_not = _ideal_share(record)
    about = record.about
    accounting = account(steady)
    return Analysis(
        program=str(about.get("program", "")),
        command=[str(word) for word in about.get("command", [])],
        began=str(about.get("began", "")),
        size=record.size,
        threads=int(record.ranks["threads"].sum()),
        hosts=[str(word) for word in about.get("hosts", [])],
        seconds=record.seconds,
        steady_seconds=record.steady_seconds,
        steps=_steps(record),
        spans_share=_spans_share(matching),
        overhead=overhead(record),
        members=member_times(record),
        phases=phases,
        phase_ratios=[] if other is None else ratios(phases, phase_table(timeline(other))),
        accounting=accounting,
        processors=processors(
            record, np.asarray(accounting.lacking), np.asarray(accounting.steady)
        ),
        states=shares(segments, record.size),
        utilisation=utilisation(segments),
        waits=steady.summary(),
        messages=messages(matching),
        balance=balance(steady),
        efficiency=efficiency(record, ideal_share=ideal_share, why_not=why_not, reference=other),
        cpmip=cpmip_sheet(record),
        roofline=roofline(record, machine, _counters(record)),
        noise=noise(record),
        advice=advise(record),
        notes=[str(note) for note in about.get("notes", [])],
    )


def _counters(record: RunRecord) -> list[Quantity] | None:
    """What the processor counted in all kernels, as ratios and rates; None where it did not."""
    found = counted_in_kernels(record)
    return counter_quantities(found, seconds_of_counted(record)) if found else None


def _ideal_share(record: RunRecord) -> tuple[float | None, str]:
    """The steady seconds on an ideal network over those of the run, or why they are not known."""
    if record.steady_seconds <= 0.0:
        return None, "the record has no steady period"
    try:
        return ideal_seconds(limited(steady_part(record))) / record.steady_seconds, ""
    except UserError as error:
        return None, f"it cannot be replayed ({error})"


def overhead(record: RunRecord) -> Overhead:
    """What recording took of the rank that it took most of."""
    seconds = record.ranks["recording_seconds"]
    lengths = np.maximum((record.ranks["end"] - record.ranks["begin"]) / 1e9, 1e-300)
    if not len(seconds):
        return Overhead(0.0, 0.0, "no rank was recorded")
    worst = int(np.argmax(seconds / lengths))
    share = float(seconds[worst] / lengths[worst])
    words = f"recording took {100 * share:.3g} % of the time of rank {worst}, as it reckons itself"
    if share > 0.01:
        words += "; that is above 1 %, so that small times of this report are perturbed"
    return Overhead(float(seconds[worst]), share, words)


def _steps(record: RunRecord) -> int:
    if not record.steps.size:
        return 0
    return int(record.steps["count"][record.steps["rank"] == record.steps["rank"][0]].sum())


def _spans_share(matching: Matching) -> float:
    record = matching.timeline.record
    whole = float((record.ranks["end"] - record.ranks["begin"]).sum()) / 1e9
    return min(1.0, float(matching.timeline.seconds_of_spans().sum()) / max(whole, 1e-300))
