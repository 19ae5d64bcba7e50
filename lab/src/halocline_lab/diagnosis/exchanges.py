"""What exchanges between members took, part by part, as each member sees it (G-20).

A source gathers, sends and makes means or sums; a target waits until messages are begun, has them
on their way, scatters and remaps them. The same exchange has other times at its two ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halocline.experiment.exchange_report import parts
from halocline.runtime.record.run_record import RunRecord

waiting = "wait"
"""The part in which nothing is done."""


@dataclass(frozen=True)
class ExchangePart:
    """A part of an exchange as a member sees it; seconds are of all `calls` together.

    `mean` is of the member's ranks, `most` of the slowest one [s].
    """

    member: str
    exchange: str
    part: str
    calls: int
    mean: float
    most: float


def exchange_parts(record: RunRecord) -> list[ExchangePart]:
    """All parts of all exchanges of a record, by member; none where it tells of none."""
    return [
        ExchangePart(
            member, exchange, part, int(some["calls"]), float(some["mean"]), float(some["most"])
        )
        for member, about in (record.about.get("members") or {}).items()
        for exchange, told in (about.get("exchanges") or {}).items()
        for part, some in sorted(told.items(), key=lambda one: parts.index(one[0]))
    ]


def seconds_of(
    found: Sequence[ExchangePart], *, member: str, part: str, exchange: str = ""
) -> float:
    """Mean seconds of a part, of one exchange or of all that a member has."""
    return sum(
        one.mean
        for one in found
        if (one.member, one.part) == (member, part) and exchange in ("", one.exchange)
    )


def seen_parts(found: Sequence[ExchangePart]) -> list[str]:
    """The parts that took any time, in their order."""
    return [part for part in parts if any(one.part == part and one.most > 0.0 for one in found)]
