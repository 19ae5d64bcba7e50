"""Numbers as people read them, and the sentences at the top of a report."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.analysis import Analysis
from halocline_lab.diagnosis.findings import Finding
from halocline_lab.diagnosis.matching import Matching
from halocline_lab.diagnosis.members import member_words
from halocline_lab.diagnosis.phases import member_wait_seconds, own_seconds_of
from halocline_lab.diagnosis.startup import end_of_start

if TYPE_CHECKING:
    from halocline_lab.reporting.site_logs import SiteLine


@dataclass(frozen=True)
class Report:
    """All that is shown: a record, what it tells, and what other record it is compared with."""

    record: RunRecord
    matching: Matching
    analysis: Analysis
    other: str = ""
    other_size: int = 0
    logs: Sequence[SiteLine] = ()  # of both sites, where there are two


def seconds(value: float) -> str:
    """A time.

    >>> seconds(0.00123), seconds(75.0), seconds(0.0), seconds(7200.0)
    ('1.23 ms', '75 s', '0', '2 h')
    """
    if not math.isfinite(value):
        return "unknown"
    if abs(value) < 5e-11:
        return "0"
    for unit, name in ((3600.0, "h"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if abs(value) >= unit and (unit < 3600.0 or abs(value) >= 7200.0):
            return f"{significant(value / unit)} {name}"
    return f"{significant(value / 1e-9)} ns"


def significant(value: float, digits: int = 3) -> str:
    """A number in few digits, without an exponent where it is not huge.

    >>> significant(1234.5), significant(0.012345), significant(3.0)
    ('1234', '0.0123', '3')
    """
    if abs(value) >= 10**digits and abs(value) < 1e7:
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


def size(value: float) -> str:
    """Bytes.

    >>> size(800), size(1_234_567)
    ('800 B', '1.23 MB')
    """
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= unit:
            return f"{value / unit:.3g} {name}"
    return f"{value:.3g} B"


def limit(value: int) -> str:
    """A power of two of bytes.

    >>> limit(512), limit(4096), limit(2**21)
    ('512 B', '4 KiB', '2 MiB')
    """
    for unit, name in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if value >= unit:
            return f"{value // unit} {name}"
    return f"{value} B"


def percent(share: float) -> str:
    """A share.

    >>> percent(0.1234), percent(0.00123)
    ('12.3 %', '0.12 %')
    """
    if abs(share) < 5e-7:
        return "0 %"
    return f"{100 * share:.1f} %" if abs(share) >= 0.01 else f"{100 * share:.2g} %"


def whole(value: float) -> str:
    """A count.

    >>> whole(12345.0), whole(2.5)
    ('12,345', '2.5')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:.3g}"


def rank_words(ranks: Sequence[int]) -> str:
    """Ranks that follow each other.

    >>> rank_words([2, 3, 4]), rank_words([7])
    ('2 to 4', '7')
    """
    return f"{ranks[0]} to {ranks[-1]}" if len(ranks) > 1 else str(ranks[0])


def program(analysis: Analysis) -> str:
    """What ran, without the folder it lies in."""
    return analysis.program.rsplit("/", 1)[-1] or "A parallel program"


def command(analysis: Analysis) -> str:
    """The command, as one types it: without the folders of the program that it starts."""
    words = list(analysis.command)
    if words:
        started = words[0].endswith("halocline/__main__.py")
        words[0] = "halocline" if started else words[0].rsplit("/", 1)[-1]
    return shlex.join(words)


def heading(report: Report, most: int = 100) -> str:
    """The title of the case; of other programs the command."""
    words = str(report.record.about.get("title") or "")
    words = words or command(report.analysis) or program(report.analysis)
    return words if len(words) <= most else f"{words[: most - 1]}…"


def verdict(report: Report) -> str:
    """What is lost, and why; of several members, first who is busy and who waits for whom."""
    words = member_words(report.analysis.members)
    return " ".join(filter(None, [words, _losses_in_words(report)]))


def _losses_in_words(report: Report) -> str:
    """What is lost, and why, in one sentence; the parts are those of `Accounting`."""
    analysis = report.analysis
    accounting = analysis.accounting
    computes = accounting.share(accounting.computing)
    mean = sum(accounting.steady) / max(len(accounting.ranks), 1)
    first = (
        f"Of the {seconds(mean)} {_of_what(analysis)}, a process computes {percent(computes)} on"
        " average"
    )
    if computes > 0.98:
        return f"{first}: almost nothing is lost."
    parts = [part for part in _losses(report) if part[0] >= 0.005]
    parts.sort(reverse=True)
    words = "; ".join(f"{percent(share)} {why}" for share, why in parts)
    return f"{first}; {percent(1.0 - computes)} are lost: {words}."


def _of_what(analysis: Analysis) -> str:
    return "of the steps" if analysis.steps else "between start and end"


def _losses(report: Report) -> list[tuple[float, str]]:
    """Shares of the steady time, each with words on what it is lost to."""
    analysis, record = report.analysis, report.record
    accounting, efficiency = analysis.accounting, analysis.efficiency
    communicating = accounting.share(accounting.communicating)
    calls = own_seconds_of(record, ("other mpi",), "steady")[accounting.ranks]
    other = min(accounting.share(calls.tolist()), communicating)
    unequal = (efficiency.largest_useful - efficiency.mean_useful) / max(efficiency.seconds, 1e-300)
    cause = f" (rank {analysis.balance.slowest} computes longest{_verdict_of_load(analysis)})"
    waiting = f"waiting for others{cause if unequal >= 0.005 else ''}{_first_wait(analysis)}"
    short = analysis.processors.words.partition(":")[0] or "others ran there"
    members = accounting.share(member_wait_seconds(record, "steady")[accounting.ranks].tolist())
    return [
        (members, "waiting for values of another member"),
        (accounting.share(accounting.lacking), f"without a processor to compute on ({short})"),
        (accounting.share(accounting.waiting) - members, waiting),
        (accounting.share(accounting.files), "on output and input"),
        (other, f"on {_longest_other(record)}"),
        (communicating - other, "communicating: moving data, and what MPI itself does"),
    ]


def _verdict_of_load(analysis: Analysis) -> str:
    known = analysis.balance.verdict not in ("balanced", "imbalanced, cause unknown")
    return f", {analysis.balance.verdict}" if known else ""


def _longest_other(record: RunRecord) -> str:
    """The call that is neither message nor sum and takes most, and what is like it."""
    rows = record.statistics
    kinds = record.kinds_of(rows["region"])
    spent = np.bincount(rows["region"], rows["own_seconds"] * (kinds == "other mpi"), minlength=1)
    longest = int(np.argmax(spent))
    return f"{record.regions[longest].name} and the like" if record.regions else "other calls"


def _first_wait(analysis: Analysis) -> str:
    if not analysis.waits:
        return ""
    one = analysis.waits[0]
    return f", most of it in {one.region} for rank {one.culprit}, busy with {one.culprit_region}"


def gain_words(finding: Finding) -> str:
    """What mending a fault should bring, with its interval."""
    gain = finding.gain
    return (
        f"should save {seconds(gain.seconds)} ({gain.percent:.1f} % of the run; between"
        f" {gain.low_percent:.1f} and {gain.high_percent:.1f} %)"
    )


def pattern_of_steps(record: RunRecord) -> str:
    """Whether all steps do the same: the assumption behind keeping only some of them (B-05)."""
    steps = record.steps
    if not steps.size:
        return "The record has no steps, so that nothing can be said of their pattern."
    same, all_of_them, others = 0, 0, set()
    for rank in np.unique(steps["rank"]):
        mine = steps[steps["rank"] == rank]
        found, counts = np.unique(mine["signature"], return_counts=True)
        commonest = found[np.argmax(counts)]
        same += int(counts.max())
        all_of_them += len(mine)
        others |= set(mine["step"][mine["signature"] != commonest].tolist())
    if same == all_of_them:
        return "All steps have the same pattern of regions, partners and sizes."
    some = ", ".join(str(step) for step in sorted(others)[:6])
    share = percent(same / all_of_them)
    return (
        f"{share} of the steps have the commonest pattern of regions, partners and sizes; others"
        f" differ, for example step {some}: what is said of the kept steps need not hold for those."
    )


def kept_share(record: RunRecord) -> float:
    """The share of the ranks' time of which events were kept."""
    whole_time = float((record.ranks["end"] - record.ranks["begin"]).sum())
    kept = float((record.spans["end"] - record.spans["begin"]).sum())
    return min(kept / max(whole_time, 1.0), 1.0)


def _start_words(report: Report) -> list[str]:
    """Whether a record without steps has a start-up within what is called steady."""
    record = report.record
    end = None if record.steps.size else end_of_start(record)
    if end is None:
        return []
    length = (end - int(record.ranks["steady_begin"].min())) / 1e9
    if length < 0.05 * report.analysis.steady_seconds:
        return []
    return [
        f"The first {seconds(length)} between start and end are unlike the rest, a start-up as it"
        " seems: --without-start leaves them out."
    ]


def notes(report: Report) -> list[str]:
    """What a reader should know before trusting the rest."""
    analysis = report.analysis
    words = [*analysis.notes, analysis.processors.words]
    found = [f"{word[0].upper()}{word[1:].rstrip('.')}." for word in words if word]
    kept = kept_share(report.record)
    if kept < 0.995 and "part" not in report.record.about:
        found.append(
            f"Events were kept of {percent(kept)} of the time; statistics are of all of it."
        )
    if analysis.spans_share < kept - 0.005:
        found.append(
            f"Waits, states and patterns are those of {percent(analysis.spans_share)} of the time,"
            " which all ranks that compute kept alike."
        )
    overhead = analysis.overhead.words
    found.append(f"{overhead[0].upper()}{overhead[1:].rstrip('.')}.")
    if not any("pattern" in note for note in analysis.notes):
        found.append(pattern_of_steps(report.record))
    found += _start_words(report)
    steady = analysis.steady_seconds / max(analysis.seconds, 1e-300)
    if steady < 0.5:
        found.append(
            f"{'The steps are' if analysis.steps else 'Between start and end are'} only"
            f" {percent(steady)} of the run; see start-up and end below."
        )
    return found
