"""The section on exchanges: their parts apart, as each member sees them (G-20)."""

from __future__ import annotations

from halocline_lab.diagnosis.exchanges import exchange_parts, seconds_of, seen_parts, waiting
from halocline_lab.reporting.report_charts import columns
from halocline_lab.reporting.report_sections import Cell, key, section, table
from halocline_lab.reporting.report_words import Report, seconds, whole

meanings = {
    "gather": "on the first rank of the source",
    "send": "what the source has to do until its messages are begun",
    "wait": "of the target, until messages are begun",
    "transfer": "from then on, until they are there",
    "scatter": "from the first rank of the target",
    "remap": "to the target's grid",
    "mean": "of the steps of the source",
    "sum": "over the steps of the source",
}


def exchange_rows(report: Report) -> list[list[Cell]]:
    """A row for each part of each exchange at each of its ends."""
    return [
        [
            one.member,
            one.exchange,
            one.part,
            (one.calls, whole(one.calls)),
            (one.mean, seconds(one.mean)),
            (one.most, seconds(one.most)),
            (one.mean / max(one.calls, 1), seconds(one.mean / max(one.calls, 1))),
        ]
        for one in exchange_parts(report.record)
        if one.most > 0.0
    ]


heads = ("member", "exchange", "part", "calls", "mean rank", "slowest rank", "each")


def exchange_words(report: Report) -> list[list[str]]:
    """The same table in words."""
    return [
        [cell if isinstance(cell, str) else cell[1] for cell in row]
        for row in exchange_rows(report)
    ]


def exchanges(report: Report) -> str:
    """What members give each other: two charts and a table; nothing where they give nothing."""
    rows = exchange_rows(report)
    if not rows:
        return ""
    return section(
        "exchanges",
        "Exchanges between members",
        "What the members spent on what they give each other, as each of them sees it (Govett et"
        " al. 2004, table 1, with its parts apart). Waiting is a matter of the division of ranks"
        " (halocline lab split), all else of the exchange: good are low columns below.",
        _all_parts(report),
        _without_waiting(report),
        table(heads, rows, sortable=True),
        '<p class="method">Means of the ranks of a member, over all exchanges of the run, that of'
        " the start among them. How long a target waits and how long messages are on their way is"
        " told by the clocks of both ends: it is as good as their synchronisation.</p>",
    )


def _all_parts(report: Report) -> str:
    found = exchange_parts(report.record)
    names = list(dict.fromkeys(one.member for one in found))
    series = [
        (part, f"part-{part}", [seconds_of(found, member=name, part=part) for name in names])
        for part in seen_parts(found)
    ]
    chart = columns(
        series, names, words=seconds, below="all exchanges, as the member sees them",
        label="Time of exchanges by member and part",
    )  # fmt: skip
    marks = key(*((f"{part}: {meanings[part]}", f"part-{part}") for part in seen_parts(found)))
    return f"{marks}<h3>With the waiting</h3><figure>{chart}</figure>"


def _without_waiting(report: Report) -> str:
    found = exchange_parts(report.record)
    ends = list(dict.fromkeys((one.member, one.exchange) for one in found))
    series = [
        (
            part,
            f"part-{part}",
            [seconds_of(found, member=name, part=part, exchange=of) for name, of in ends],
        )
        for part in seen_parts(found)
        if part != waiting
    ]
    chart = columns(
        series, [f"{of}, {name}" for name, of in ends], words=seconds,
        below="exchange, and the member that sees it", label="Time of each exchange at both ends",
    )  # fmt: skip
    return f"<h3>Without it</h3><figure>{chart}</figure>"
