"""Members of a run: how long each kept its ranks busy, and how long ranks waited for another one.

Where the record is of one member, there is nothing to say. Times are of the steady period and of
main threads; what a member does is told by the names of its regions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import RunRecord, for_others, of_member, periods
from halocline_lab.diagnosis.phases import period_seconds
from halocline_lab.diagnosis.timeline import Floats, communicating_kinds, file_kinds, sums

much = 0.9
"""Of the time: what takes less is much better."""


@dataclass(frozen=True)
class MemberTime:
    """A member on its `ranks`; means over them, in seconds of the steady period.

    `busy` = `computing` + `communicating` + `files`; `exchanging` is what it spent on exchanges
    with others, waiting for their values too; `waiting` is that of its ranks for members on other
    ranks at the end of an interval; `lent` what its ranks were busy with for members in sequence
    with it.
    """

    name: str
    component: str
    ranks: list[int]
    steps: int
    steady: float
    computing: float
    communicating: float
    files: float
    exchanging: float
    waiting: float
    lent: float

    @property
    def busy(self) -> float:
        """What it does itself."""
        return self.computing + self.communicating + self.files

    @property
    def of_step(self) -> float:
        """Of it in one step of its own."""
        return self.busy / max(self.steps, 1)


def member_times(record: RunRecord) -> list[MemberTime]:
    """The members of a record, in the order of the run; none where it has only one."""
    known = record.about.get("members") or {}
    names = [region.name for region in record.regions]
    waiting = _seconds(record, np.array([name == for_others for name in names] or [False]))
    steady = period_seconds(record)[periods.index("steady")]
    whose = np.array([name.partition(of_member)[0] if of_member in name else "" for name in names])
    exchange = np.array([f"{of_member}exchange " in name for name in names] or [False])
    own = {name: _by_kind(record, (whose == name) & ~exchange) for name in known}
    found = []
    for name, about in known.items():
        ranks = [int(rank) for rank in about["ranks"]]
        computing, communicating, files = (part[ranks].mean() for part in own[name])
        exchanging = _seconds(record, (whose == name) & exchange)[ranks].mean()
        others = [part for other, parts in own.items() if other != name for part in parts]
        lent = float(sum(part[ranks].mean() for part in others))
        found.append(
            MemberTime(
                name,
                str(about.get("component", "")),
                ranks,
                int(about.get("steps", 0)),
                max(float(steady[ranks].mean()), 1e-300),
                float(computing),
                float(communicating),
                float(files),
                float(exchanging),
                float(waiting[ranks].mean()),
                lent,
            )
        )
    return found


def are_side_by_side(members: list[MemberTime]) -> bool:
    """Whether some of them have ranks of their own."""
    return len({tuple(one.ranks) for one in members}) > 1


@dataclass(frozen=True)
class Better:
    """Another use of the same ranks: the steps' seconds `now` and then, by the members' work."""

    now: float
    seconds: float
    words: str


def better_use(members: list[MemberTime]) -> Better | None:
    """How members side by side had better use their ranks; None where nothing is much better.

    As if the time of a member were its work over its ranks.
    """
    if not are_side_by_side(members):
        return None
    ranks, work = _crews(members)
    now = max(work[name] / ranks[name] for name in work)
    dealt = dict.fromkeys(work, 1)
    for _ in range(sum(ranks.values()) - len(work)):
        dealt[max(work, key=lambda name: work[name] / dealt[name])] += 1
    by_work = max(work[name] / dealt[name] for name in work)
    in_turns = sum(work.values()) / sum(ranks.values())
    if by_work < much * now:
        given = ", ".join(f"members.{name}.ranks = {count}" for name, count in dealt.items())
        return Better(now, by_work, f"with {given}")
    if in_turns < much * now:
        first, *others = sorted(work, key=lambda name: -work[name])
        given = ", ".join(f'members.{name}.on_ranks_of = "{first}"' for name in others)
        return Better(now, in_turns, f"in turns on the same ranks, with {given}")
    return None


def _crews(members: list[MemberTime]) -> tuple[dict[str, int], dict[str, float]]:
    """Ranks and work [rank s] of members that share ranks, by the name of the first of them."""
    names: dict[tuple[int, ...], str] = {}
    work: dict[str, float] = {}
    for one in members:
        name = names.setdefault(tuple(one.ranks), one.name)
        work[name] = work.get(name, 0.0) + one.busy * len(one.ranks)
    return {name: len(crew) for crew, name in names.items()}, work


def member_words(members: list[MemberTime]) -> str:
    """Who is busy how long, who waits for whom, and what would be better; "" for one member."""
    if not members:
        return ""
    each = ", ".join(f"{one.name} {_percent(one.busy / one.steady)}" for one in members)
    if not are_side_by_side(members):
        return f"The members take turns on the same ranks: of the steps, {each}."
    said = f"Of the time of the steps, members are busy on their ranks: {each}"
    last = max(members, key=lambda one: one.busy + one.lent)
    waits = [one for one in members if one.waiting > 0.005 * one.steady and one is not last]
    if waits:
        for_it = ", ".join(f"{one.name} {_percent(one.waiting / one.steady)}" for one in waits)
        said += f"; waiting, mostly for {last.name}: {for_it}"
    better = better_use(members)
    if better is None:
        return f"{said}."
    times = f"about {better.seconds:.3g} s instead of {better.now:.3g} s"
    return f"{said}. They would be busy for {times} {better.words}."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _by_kind(record: RunRecord, mine: np.ndarray) -> tuple[Floats, Floats, Floats]:
    """Computing, communicating and files of each rank in some regions [s]."""
    kinds = np.array([region.kind for region in record.regions] or [""])
    files = np.isin(kinds, file_kinds)
    communicating = np.isin(kinds, communicating_kinds) & ~files
    rest = ~(files | communicating)
    return (
        _seconds(record, mine & rest),
        _seconds(record, mine & communicating),
        _seconds(record, mine & files),
    )


def _seconds(record: RunRecord, wanted: np.ndarray) -> Floats:
    """Own time of each rank's main thread in some regions, in the steady period [s]."""
    rows = record.statistics
    some = (rows["thread"] == 0) & (rows["period"] == periods.index("steady"))
    rows = rows[some & wanted[rows["region"]]] if wanted.size else rows[:0]
    return sums(rows["rank"], rows["own_seconds"], record.size)
