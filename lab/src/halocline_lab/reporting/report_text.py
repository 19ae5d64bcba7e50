"""The report on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halocline_lab.diagnosis.efficiency import acceptable
from halocline_lab.diagnosis.quantities import Quantity
from halocline_lab.reporting.report_columns import lines_up
from halocline_lab.reporting.report_counters import kernel_counters
from halocline_lab.reporting.report_exchanges import exchange_words
from halocline_lab.reporting.report_exchanges import heads as exchange_heads
from halocline_lab.reporting.report_sections import member_heads, member_rows, phase_name
from halocline_lab.reporting.report_steps import step_times
from halocline_lab.reporting.report_words import (
    Report,
    gain_words,
    heading,
    notes,
    percent,
    seconds,
    significant,
    size,
    verdict,
    whole,
)
from halocline_lab.reporting.site_logs import site_log_words

blocks = " ▁▂▃▄▅▆▇█"
columns = 72


def short_text(report: Report) -> str:
    """A few lines: what was run, what is lost, what to do."""
    analysis = report.analysis
    found = [
        f"{heading(report)}: {analysis.size} rank{'s' * (analysis.size != 1)},"
        f" {seconds(analysis.seconds)}",
        verdict(report),
    ]
    for number, one in enumerate(analysis.advice[:3], 1):
        words = f"{one.fault} ({one.sure}): {one.what.rstrip('.')}"
        found.append(f"{number}. {words}; mending it {gain_words(one)}")
    return "\n".join(found)


def full_text(report: Report) -> str:
    """All of it, in plain characters."""
    parts = [
        short_text(report),
        "\n".join(f"- {note}" for note in notes(report)),
        _advice(report),
        _titled("Members (means of their ranks)", _members(report)),
        _titled("Exchanges between members, as each sees them", _exchanges(report)),
        _titled("Phases (mean of the ranks)", _phases(report)),
        _titled("Scaling", _ratios(report)),
        _titled(
            "Utilisation between start and end, kept events: share of ranks (·: not kept by all)",
            _strip(report),
        ),
        _titled("Load", _load(report)),
        _titled("Steps", _steps(report)),
        _titled("Efficiencies (▼: below 0.8)", _efficiencies(report)),
        _titled("Who waits for whom", _waits(report)),
        _titled("Bytes from rank (line) to rank (column)", _matrix(report)),
        _titled("Calls of MPI", _sites(report)),
        _titled("Kernels", _kernels(report)),
        _titled("Counters of the processor, per second of the kernel", _counters(report)),
        _titled("Noise", report.analysis.noise.words),
        _titled("CPMIP", _cpmip(report)),
        _titled("Logs of both sites", lines_up(site_log_words(report)) if report.logs else ""),
    ]
    return "\n\n".join(part for part in parts if part)


def _titled(title: str, text: str) -> str:
    return f"{title}\n{text}" if text else ""


def bar(shares: Sequence[float]) -> str:
    """A character for each share of 1, the higher the more.

    >>> bar([0.0, 0.5, 1.0])
    ' ▄█'
    """
    return "".join(blocks[int(np.clip(round(share * 8), 0, 8))] for share in shares)


def _advice(report: Report) -> str:
    return "\n".join(
        f"{number}. {one.fault}: {' '.join(one.advice)}"
        for number, one in enumerate(report.analysis.advice, 1)
    )


def _members(report: Report) -> str:
    rows = member_rows(report)
    return lines_up([list(member_heads), *rows]) if rows else ""


def _exchanges(report: Report) -> str:
    rows = exchange_words(report)
    return lines_up([list(exchange_heads), *rows]) if rows else ""


def _phases(report: Report) -> str:
    rows = [["", "calls", "computation", "%", "MPI", "%", "total", "% of run"]]
    for row in report.analysis.phases:
        rows.append(
            [
                "  " * row.depth + phase_name(row),
                whole(round(row.iterations, 2)),
                seconds(row.computation.mean),
                percent(row.computation_share),
                seconds(row.mpi.mean),
                percent(row.mpi_share),
                seconds(row.total.mean),
                percent(row.share),
            ]
        )
    return lines_up(rows)


def _ratios(report: Report) -> str:
    if not report.analysis.phase_ratios:
        return ""
    here, there = report.record.size, report.other_size
    rows = [["", f"{here} ranks", f"{there} ranks", f"t{there}/t{here}", f"t{here}/t{there}"]]
    for ratio in report.analysis.phase_ratios:
        inverse = f"{ratio.inverse_percent:.0f} %"
        times = [seconds(ratio.seconds), seconds(ratio.other_seconds)]
        rows.append([ratio.name, *times, significant(ratio.ratio), inverse])
    return lines_up(rows)


def _strip(report: Report) -> str:
    """The utilisation count as three lines of blocks."""
    found = report.analysis.utilisation
    times = np.asarray(found.begin)
    if len(times) < 2 or times[-1] <= times[0]:
        return ""
    edges = np.linspace(times[0], times[-1], columns + 1)
    counts = np.array([found.busy, found.overhead, found.idle])[:, :-1] * np.diff(times)
    sums = np.concatenate([np.zeros((3, 1)), np.cumsum(counts, axis=1)], axis=1)
    parts = np.array([np.diff(np.interp(edges, times, row)) for row in sums])
    known, whole_time = parts.sum(axis=0), max(float(sums[:, -1].sum()), 1e-300)
    some = known > 0.02 * known.max()
    lines = []
    for name, part, total in zip(("busy", "overhead", "idle"), parts, sums[:, -1], strict=True):
        heights = bar((part / np.maximum(known, 1e-300)).tolist())
        drawn = "".join(
            one if there else "·" for one, there in zip(heights, some.tolist(), strict=True)
        )
        lines.append(f"{name:>8} {drawn} {percent(float(total) / whole_time)}")
    reach = (
        f"{'':8} {seconds(float(times[0]))} to {seconds(float(times[-1]))} of the record's clock"
    )
    return "\n".join([*lines, reach])


def _load(report: Report) -> str:
    balance = report.analysis.balance
    rows = [["", "least", "mean", "most"]]
    for name, one in (("USER", balance.user), ("MPI", balance.mpi), ("MPI_SYNC", balance.mpi_sync)):
        rows.append([name, seconds(one.minimum), seconds(one.mean), seconds(one.maximum)])
    useful = np.asarray(balance.useful)
    group = -(-len(useful) // columns)
    heights = (
        np.maximum.reduceat(useful, np.arange(0, len(useful), group)) if useful.size else useful
    )
    strip = bar((heights / max(float(useful.max(initial=0.0)), 1e-300)).tolist())
    words = f"useful time by rank |{strip}|"
    return "\n".join([lines_up(rows), words, f"{balance.verdict}: {balance.because}"])


def _steps(report: Report) -> str:
    rows = report.record.steps
    if not rows.size:
        return ""
    number, _, high, share = step_times(rows)
    group = -(-len(high) // columns)
    peaks = np.maximum.reduceat(high, np.arange(0, len(high), group))
    longest = int(np.argmax(high))
    return (
        f"|{bar((peaks / peaks.max()).tolist())}| slowest rank of each\n"
        f"median {seconds(float(np.median(high)))}, longest {seconds(float(high.max()))}"
        f" (step {number[longest]}), {percent(float(share.mean()))} in MPI"
    )


def _efficiencies(report: Report) -> str:
    found = report.analysis.efficiency
    lines = [
        (0, found.global_efficiency),
        (1, found.computation_scaling),
        (1, found.parallel),
        (2, found.load_balance),
        (2, found.communication),
        (3, found.serialisation),
        (3, found.transfer),
    ]
    return lines_up([_efficiency(depth, quantity) for depth, quantity in lines])


def _efficiency(depth: int, quantity: Quantity) -> list[str]:
    name = "  " * depth + quantity.name
    if quantity.value is None:
        return [name, "?", quantity.because]
    mark = "" if quantity.value >= acceptable else "▼"
    return [name, f"{quantity.value:.3f}", mark]


def _waits(report: Report) -> str:
    rows = [["cause", "in", "for rank", "busy with", "sum", "times"]]
    for wait in report.analysis.waits[:8]:
        where = [wait.region, str(wait.culprit), wait.culprit_region]
        rows.append([wait.cause, *where, seconds(wait.seconds), whole(wait.times)])
    return lines_up(rows) if len(rows) > 1 else ""


def _matrix(report: Report, most: int = 24) -> str:
    """The matrix in small: the darker the more, on a scale of powers."""
    matrix, ranks = report.analysis.messages.matrix, report.record.size
    if not matrix.count:
        return ""
    group = -(-ranks // most)
    cells = -(-ranks // group)
    total = np.zeros((cells, cells))
    places = np.asarray(matrix.sender) // group, np.asarray(matrix.receiver) // group
    np.add.at(total, places, np.maximum(np.asarray(matrix.bytes, np.float64), 1.0))
    least, highest = total[total > 0].min(), total.max()
    scale = np.log(max(highest / least, 1.0 + 1e-9))
    shades = "░▒▓█"
    lines = []
    for at, row in enumerate(total):
        shown = "".join(
            "·" if value == 0 else shades[min(3, int(4 * np.log(value / least) / scale))]
            for value in row
        )
        lines.append(f"{at * group:>5} {shown}")
    each = f", {group} ranks each" if group > 1 else ""
    found = report.analysis.messages
    lines.append(
        f"      {shades[0]} {size(float(least))} to {shades[3]} {size(float(highest))}{each};"
        f" pattern: {found.pattern.name}"
    )
    return "\n".join(lines)


def _sites(report: Report) -> str:
    rows = [["call", "site", "calls", "bytes", "mean rank", "of all time", "pattern"]]
    for one in report.analysis.messages.sites[:12]:
        pattern = "" if one.pattern is None else one.pattern.name
        numbers = [whole(one.calls), size(one.bytes), seconds(one.seconds.mean)]
        rows.append([one.name, one.site, *numbers, percent(one.share), pattern])
    return lines_up(rows) if len(rows) > 1 else ""


def _kernels(report: Report) -> str:
    rows = [["kernel", "mean rank", "of the run", "memory", "over the floor"]]
    for one in report.analysis.roofline.kernels[:12]:
        over = "?" if one.over_floor is None else f"{significant(one.over_floor)} x"
        rate = f"{size(one.byte_rate)}/s"
        rows.append([one.name, seconds(one.seconds), percent(one.share), rate, over])
    return lines_up(rows) if len(rows) > 1 else report.analysis.roofline.why_no_kernels


def _counters(report: Report) -> str:
    found = kernel_counters(report.record)
    if not found:
        return ""
    shares = list(dict.fromkeys(name for one in found for name in one.ratios))
    rates = list(dict.fromkeys(name for one in found for name in one.rates))
    rows = [["kernel", *shares, *rates]]
    for one in found[:12]:
        cells = [f"{one.ratios[name]:.3f}" if name in one.ratios else "?" for name in shares]
        cells += [f"{one.rates[name]:.3g}" if name in one.rates else "?" for name in rates]
        rows.append([one.name, *cells])
    return lines_up(rows)


def _cpmip(report: Report) -> str:
    return lines_up([[one.name, one.words()] for one in report.analysis.cpmip])
