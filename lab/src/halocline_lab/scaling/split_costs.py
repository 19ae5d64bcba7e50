"""What members of a coupled case take on any number of ranks, from records of some numbers.

Computation, communication and files of a step, and the parts of exchanges, are phases that laws of
scaling extrapolate (`scaling_law`), as `lab predict phases` does; what was measured on a number of
ranks is taken as it is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.exchanges import exchange_parts
from halocline_lab.diagnosis.members import MemberTime, are_side_by_side, member_times
from halocline_lab.diagnosis.timeline import sums
from halocline_lab.scaling.extrapolation import PhaseTime, Wanted, forecast
from halocline_lab.scaling.phase_files import phases_of_record, step_noise
from halocline_lab.scaling.scaling_law import Law, Measurement, fit_law

of_source = ("gather", "send", "mean", "sum")
of_target = ("transfer", "scatter", "remap")

Key = tuple[str, str]  # a member or an exchange, and "step", "gives" or "takes"


@dataclass(frozen=True)
class MeasuredCosts:
    """Times of one step or exchange by `Key`, as they were measured, and of what is around them."""

    times: Mapping[Key, Sequence[PhaseTime]]
    outside: float
    perfect: bool = False

    def step(self, member: str, ranks: int) -> float:
        """A step of a member [s]."""
        return _seconds(self, (member, "step"), ranks)

    def gives(self, exchange: str, ranks: int) -> float:
        """An exchange, of its source [s]."""
        return _seconds(self, (exchange, "gives"), ranks)

    def takes(self, exchange: str, ranks: int) -> float:
        """An exchange, of its target, without waiting [s]."""
        return _seconds(self, (exchange, "takes"), ranks)

    def rest(self) -> float:
        """An interval outside of all members [s]."""
        return self.outside

    def __hash__(self) -> int:
        return id(self)

    def counts(self, member: str) -> list[int]:
        """Numbers of ranks on which a member was measured."""
        return sorted({time.ranks for time in self.times.get((member, "step"), ())})

    def bounds(self, member: str, ranks: int) -> tuple[float, float]:
        """What encloses a step with about 95 %, if one of the laws that are tried holds [s]."""
        found = forecast(
            self.times[member, "step"], Wanted(1.0, 0.0, ranks, None), perfect=self.perfect
        )
        return found.low, found.high

    def error(self, member: str) -> float:
        """The median error of the law of its longest phase on measurements left out; nan: none."""
        laws = [_law(self, (member, "step"), phase) for phase in _phases(self, (member, "step"))]
        return max(laws, key=lambda law: law.seconds(1)).error if laws else float("nan")


def _phases(costs: MeasuredCosts, key: Key) -> list[str]:
    return list(dict.fromkeys(time.phase for time in costs.times.get(key, ())))


@cache
def _law(costs: MeasuredCosts, key: Key, phase: str) -> Law:
    mine = [time for time in costs.times[key] if time.phase == phase]
    if len({time.ranks for time in mine}) == 1 and costs.perfect:
        mine = [replace(mine[0], ranks=n, seconds=mine[0].seconds * mine[0].ranks / n)
                for n in (1, 2, 4)]  # fmt: skip
    return fit_law([Measurement(one.ranks, one.seconds) for one in mine], resampled=0)


@cache
def _seconds(costs: MeasuredCosts, key: Key, ranks: int) -> float:
    total = 0.0
    for phase in _phases(costs, key):
        there = [t.seconds for t in costs.times[key] if (t.phase, t.ranks) == (phase, ranks)]
        total += float(np.mean(there)) if there else _law(costs, key, phase).seconds(ranks)
    return total


def costs_of(
    records: Iterable[RunRecord],
    members: Sequence[str],
    alone: Mapping[str, Sequence[RunRecord]] | None = None,
    *,
    perfect: bool = False,
) -> MeasuredCosts:
    """Costs from records of coupled runs, and of runs of members `alone`.

    A member must have been measured on two numbers of ranks at least, unless `perfect`.
    """
    times: dict[Key, list[PhaseTime]] = {}
    outside = []
    for record in records:
        found = member_times(record)
        noise = step_noise(record)
        for one in found:
            if one.name in members and one.steps:
                times.setdefault((one.name, "step"), []).extend(_of_step(one, noise))
        for key, some in _of_exchanges(record, found):
            times.setdefault(key, []).append(some)
        if found and not are_side_by_side(found):
            outside.append(_outside(record, found))
    for name, own in (alone or {}).items():
        for record in own:
            times.setdefault((name, "step"), []).append(_whole_step(record))
    _refuse_unmeasured(times, members, perfect=perfect)
    return MeasuredCosts(times, float(np.median(outside)) if outside else 0.0, perfect)


def _of_step(one: MemberTime, noise: float) -> list[PhaseTime]:
    parts = {
        "computation": one.computing, "communication": one.communicating, "files": one.files
    }  # fmt: skip
    return [
        PhaseTime(name, "step", seconds / one.steps, len(one.ranks), 1.0, noise)
        for name, seconds in parts.items()
    ]


def _whole_step(record: RunRecord) -> PhaseTime:
    """A step of a run of one member."""
    found = [time for time in phases_of_record(record) if time.per == "step"]
    return replace(found[0], phase="computation", seconds=sum(time.seconds for time in found))


def _of_exchanges(
    record: RunRecord, found: Sequence[MemberTime]
) -> Iterable[tuple[Key, PhaseTime]]:
    """What an exchange takes at each of its ends, once."""
    ranks = {one.name: len(one.ranks) for one in found}
    parts = exchange_parts(record)
    for end, own in (("gives", of_source), ("takes", of_target)):
        mine = [one for one in parts if one.part in own]
        for member, exchange in dict.fromkeys((one.member, one.exchange) for one in mine):
            some = [one for one in mine if (one.member, one.exchange) == (member, exchange)]
            calls = _times_given(record, exchange)
            seconds = sum(one.mean for one in some) / calls
            yield (exchange, end), PhaseTime("exchange", "step", seconds, ranks[member])


def _times_given(record: RunRecord, exchange: str) -> int:
    """How often an exchange took place, at the start too."""
    name = f"exchange {exchange}"
    named = [at for at, region in enumerate(record.regions) if region.name == name]
    rows = record.statistics[np.isin(record.statistics["region"], named)]
    return max(1, int(sums(rows["rank"], rows["calls"], record.size).max()))


def _outside(record: RunRecord, found: Sequence[MemberTime]) -> float:
    """What an interval has that is of no member, where all share the ranks."""
    first = found[0]
    own = sum(one.busy + one.exchanging for one in found) + first.waiting
    count = int(record.steps["count"][record.steps["rank"] == first.ranks[0]].sum())
    return max(0.0, first.steady - own) / max(count, 1)


def _refuse_unmeasured(
    times: Mapping[Key, Sequence[PhaseTime]], members: Sequence[str], *, perfect: bool
) -> None:
    for name in members:
        counts = {time.ranks for time in times.get((name, "step"), ())}
        if not counts:
            raise UserError(
                f"No record tells of the member '{name}', so nothing can be said of its ranks. Give"
                f" records of runs with it, or of it alone ({name}=RECORD), or let it be run."
            )
        if len(counts) == 1 and not perfect:
            raise UserError(
                f"The member '{name}' was measured on {counts.pop()} ranks only, which says nothing"
                " about others. Measure more numbers of ranks (--measure 1,2,4), or say --perfect"
                " to divide its work perfectly."
            )
