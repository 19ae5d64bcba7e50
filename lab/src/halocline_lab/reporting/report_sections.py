"""The sections of the page: phases, ranks, steps, and who waited for whom."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from halocline_lab.diagnosis.members import MemberTime, are_side_by_side
from halocline_lab.diagnosis.phases import PhaseRow
from halocline_lab.reporting.report_charts import columns, series_over
from halocline_lab.reporting.report_steps import step_times
from halocline_lab.reporting.report_words import (
    Report,
    percent,
    rank_words,
    seconds,
    significant,
    whole,
)

Cell = str | tuple[float, str]

most_columns = 400
"""More ranks than this are put together to means of neighbours in charts."""


def section(name: str, title: str, sees: str, *parts: str) -> str:
    """A section; `sees` says what one sees and what is good."""
    body = "\n".join(part for part in parts if part)
    return (
        f'<section id="{name}"><h2>{escape(title)}</h2>\n<p class="sees">{escape(sees)}</p>\n'
        f"{body}\n</section>"
    )


def table(
    heads: Sequence[str], rows: Sequence[Sequence[Cell]], *, sortable: bool = False, kind: str = ""
) -> str:
    """A table; a cell that is a number and its words sorts by the number."""
    classes = " ".join(word for word in ("sortable" if sortable else "", kind) if word)
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows)
    return (
        f'<div class="wide"><table class="{classes}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return f"<td>{escape(cell)}</td>"
    return f'<td class="number" data-value="{cell[0]:.6g}">{escape(cell[1])}</td>'


def key(*names: tuple[str, str]) -> str:
    """The key of a chart: names and classes."""
    marks = "".join(f'<span><i class="{kind}"></i>{escape(name)}</span>' for name, kind in names)
    return f'<p class="key">{marks}</p>'


def members(report: Report) -> str:
    """The members of the run; nothing where it has one."""
    rows = [_member_row(one) for one in report.analysis.members]
    if not rows:
        return ""
    return section(
        "members",
        "Members",
        "How long each member of the run kept its ranks busy in the steps, and how long these"
        " waited for members on other ranks. Good is little waiting: ranks that wait should go to"
        " the member that is waited for (members.NAME.ranks), or members take turns on the same"
        " ranks (members.NAME.on_ranks_of).",
        table(member_heads, rows),
        f'<p class="method">Times are means of the ranks of each member. Schedule:'
        f" {escape(str(report.record.about.get('schedule', '')))}.</p>",
    )


member_heads = (
    "member",
    "ranks",
    "steps",
    "busy",
    "of the steps",
    "a step",
    "computation",
    "communication",
    "files",
    "exchanges",
    "waiting for others",
    "for others on its ranks",
)


def _member_row(one: MemberTime) -> list[Cell]:
    whole_time = max(one.steady, 1e-300)
    return [
        one.name if one.component in ("", one.name) else f"{one.name} ({one.component})",
        rank_words(one.ranks),
        (one.steps, whole(one.steps)),
        (one.busy, seconds(one.busy)),
        (one.busy / whole_time, percent(one.busy / whole_time)),
        (one.of_step, seconds(one.of_step)),
        (one.computing, seconds(one.computing)),
        (one.communicating, seconds(one.communicating)),
        (one.files, seconds(one.files)),
        (one.exchanging, seconds(one.exchanging)),
        (one.waiting, seconds(one.waiting)),
        (one.lent, seconds(one.lent)),
    ]


def member_rows(report: Report) -> list[list[str]]:
    """The same table in words."""
    return [
        [cell if isinstance(cell, str) else cell[1] for cell in _member_row(one)]
        for one in report.analysis.members
    ]


def phases(report: Report) -> str:
    """The table of phases (paper 5, table 1), start-up apart; against another record, table 3."""
    rows = [_phase_row(row) for row in report.analysis.phases]
    heads = [
        "phase",
        "calls",
        "computation",
        "share",
        "MPI",
        "share",
        "total",
        "of the run",
        "slowest rank",
    ]
    reckoned = [row for row in report.analysis.phases if row.measured < 0.995]
    words = (
        "Times are means of the processes that compute. Where not all events of a phase were kept,"
        " its MPI is reckoned from those that were."
        if reckoned
        else "Times are means of the processes that compute."
    )
    if are_side_by_side(report.analysis.members):
        words += " That of one member is such a mean, too: of all ranks, not of its own alone."
    return section(
        "phases",
        "Phases",
        "Where the time goes, start-up apart from the steps. A phase whose share of MPI is large"
        " is worth looking at; so is one whose slowest rank takes much longer than the mean.",
        table(heads, rows, kind="phases"),
        f'<p class="method">{words}</p>',
        _ratios(report),
    )


def _phase_row(row: PhaseRow) -> list[Cell]:
    name = "\u2003" * row.depth + phase_name(row)
    return [
        name,
        (row.iterations, whole(round(row.iterations, 2))),
        (row.computation.mean, seconds(row.computation.mean)),
        (row.computation_share, percent(row.computation_share)),
        (row.mpi.mean, seconds(row.mpi.mean)),
        (row.mpi_share, percent(row.mpi_share)),
        (row.total.mean, seconds(row.total.mean)),
        (row.share, percent(row.share)),
        (row.total.maximum, seconds(row.total.maximum)),
    ]


def phase_name(row: PhaseRow) -> str:
    """The name of a row; the steady period is the time loop."""
    loop = row.kind == "period" and row.name == "steady"
    return "steady: the time loop" if loop and row.iterations > 1 else row.name


def _ratios(report: Report) -> str:
    if not report.analysis.phase_ratios:
        return ""
    here, there = report.record.size, report.other_size
    rows: list[list[Cell]] = [
        [
            f"{ratio.name} ({ratio.period})" if ratio.name != ratio.period else ratio.name,
            (ratio.seconds, seconds(ratio.seconds)),
            (ratio.other_seconds, seconds(ratio.other_seconds)),
            (ratio.ratio, significant(ratio.ratio)),
            (ratio.inverse_percent, f"{ratio.inverse_percent:.0f} %"),
        ]
        for ratio in report.analysis.phase_ratios
    ]
    heads = ["phase", f"{here} ranks", f"{there} ranks", f"t{there}/t{here}", f"t{here}/t{there}"]
    words = (
        f"Against {report.other}: the scalability coefficient t{there}/t{here} of a phase that"
        f" scales perfectly is {significant(here / max(there, 1))} where the work is the same;"
        " the last column is its inverse."
    )
    return f"<h3>Scaling</h3><p>{escape(words)}</p>" + table(heads, rows)


def grouped(values: np.ndarray, most: int = most_columns) -> tuple[np.ndarray, int]:
    """Means of neighbours where there are more values than columns, and how many make one."""
    group = -(-len(values) // most)
    if group <= 1:
        return values, 1
    padded = np.full(-(-len(values) // group) * group, np.nan)
    padded[: len(values)] = values
    return np.nanmean(padded.reshape(-1, group), axis=1), group


def ranks(report: Report) -> str:
    """USER, MPI and MPI_SYNC of each rank (paper 3), and what is said of its load."""
    balance, accounting = report.analysis.balance, report.analysis.accounting
    sync = np.asarray(accounting.at_collectives)
    mpi = np.asarray(accounting.communicating) + np.asarray(accounting.waiting)
    user = np.asarray(accounting.steady) - mpi
    computing = accounting.ranks
    parts = []
    for values in (user, mpi - sync, sync):
        means, group = grouped(values)
        parts.append(means.tolist())
    names = [str(computing[at * group]) for at in range(len(parts[0]))]
    titles = ("USER", "MPI", "MPI_SYNC")
    kinds = ("busy", "overhead", "idle")
    chart = columns(
        [(title, kind, part) for title, kind, part in zip(titles, kinds, parts, strict=True)],
        names,
        words=seconds,
        below="rank" if group == 1 else f"rank (each column the mean of {group})",
        label=f"Time of each of {len(computing)} ranks outside MPI, in MPI, and waiting at sums",
    )
    said = f"{balance.verdict[0].upper()}{balance.verdict[1:]}: {balance.because}."
    return section(
        "ranks",
        "Load of the ranks",
        "Time of each rank in the steps: outside MPI (USER), in MPI, and of that waiting at"
        " collective operations for the last rank to come (MPI_SYNC). Good are equal blue columns"
        " with little on top; a high blue column that others wait beside is a load imbalance.",
        key(("USER", "busy"), ("MPI", "overhead"), ("MPI_SYNC", "idle")),
        f"<figure>{chart}</figure>",
        f"<p>{escape(said)}</p>",
        _spreads(report),
        _work(report),
    )


def _spreads(report: Report) -> str:
    balance = report.analysis.balance
    rows: list[list[Cell]] = []
    for name, spread in (
        ("USER", balance.user),
        ("MPI", balance.mpi),
        ("MPI_SYNC", balance.mpi_sync),
    ):
        found: list[Cell] = [name]
        for value in (spread.minimum, spread.mean, spread.maximum):
            found.append((value, seconds(value)))
        rows.append([*found, (spread.imbalance, percent(spread.imbalance))])
    return table(["", "least", "mean", "most", "most over mean − 1"], rows)


def _work(report: Report) -> str:
    """The load as work, where the record tells it."""
    work = report.analysis.balance.work
    if work is None:
        return ""
    amount, group = grouped(np.asarray(work.amount, np.float64))
    ranks_of = report.analysis.balance.ranks
    chart = columns(
        [("work", "busy", (amount / max(float(amount.mean()), 1e-300)).tolist())],
        [str(ranks_of[at * group]) for at in range(len(amount))],
        words=significant,
        below="rank",
        label="Work of each rank over the mean",
        height=180.0,
    )
    return (
        f"<h3>Work of each rank over the mean</h3><p>{escape(work.source)}: equal columns are"
        f" good.</p><figure>{chart}</figure>"
    )


def steps(report: Report) -> str:
    """How long each step took, with those that took unusually long."""
    rows = report.record.steps
    if not rows.size:
        return ""
    number, low, high, share = step_times(rows)
    typical = float(np.median(high))
    scatter = float(np.median(np.abs(high - typical)))
    limit = typical + max(8.0 * scatter, 0.05 * typical)
    unusual = np.flatnonzero(high > limit)
    worst = unusual[np.argsort(-high[unusual])][:40]
    marked = [
        (float(number[at]), float(high[at]), f"step {number[at]}: {seconds(float(high[at]))}")
        for at in worst
    ]
    low, high, number = _thinned(low, np.minimum), _thinned(high, np.maximum), _thinned(number)
    chart = series_over(
        number.tolist(),
        low.tolist(),
        high.tolist(),
        marked,
        words=seconds,
        below="step",
        label=f"Duration of {len(rows)} steps",
    )
    words = (
        f"A step takes {seconds(typical)} (median of the slowest rank of each);"
        f" {len(unusual)} of {len(share)} take more than {seconds(limit)}"
        + (f", the longest {seconds(float(high.max()))}, marked." if len(unusual) else ".")
    )
    return section(
        "steps",
        "Steps",
        "Duration of each step, from the fastest to the slowest rank. Good is a flat line; single"
        " high steps are output or noise, a slope is work that grows.",
        f"<figure>{chart}</figure>",
        f"<p>{escape(words)} In MPI: {percent(float(share.mean()))} of a step on average.</p>",
    )


def _thinned(values: np.ndarray, reduce: np.ufunc = np.minimum, most: int = 800) -> np.ndarray:
    """At most `most` values, each of neighbours."""
    group = -(-len(values) // most)
    return reduce.reduceat(values, np.arange(0, len(values), group))


def waits(report: Report) -> str:
    """Who waited for whom."""
    found = report.analysis.waits
    if not found:
        return ""
    rows: list[list[Cell]] = [
        [
            wait.cause,
            f"{wait.region}{' at ' + wait.site if wait.site else ''}",
            (wait.culprit, f"rank {wait.culprit}"),
            wait.culprit_region,
            (wait.seconds, seconds(wait.seconds)),
            (wait.longest, seconds(wait.longest)),
            (wait.times, whole(wait.times)),
            (wait.ranks, whole(wait.ranks)),
        ]
        for wait in found
    ]
    heads = [
        "why",
        "waiting in",
        "for",
        "which was busy with",
        "sum over ranks",
        "longest rank",
        "times",
        "ranks",
    ]
    return section(
        "waits",
        "Who waits for whom",
        "Waiting within the kept events, by cause. The rank in the third column came late each"
        " time; what it was busy with is where to look. Good is a short table of short times.",
        table(heads, rows, sortable=True),
    )
