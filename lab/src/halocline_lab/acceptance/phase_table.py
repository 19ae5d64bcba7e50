"""Tables of phases: what each part of a run takes, and whether a table's numbers agree.

The tables of Cheptsov et al. (2009) are such: operations, iterations, seconds and shares of
computation, of MPI calls, and of both; and the scalability from one number of nodes to another.
A printed table is recomputed from its cells, and every printed total, share or ratio that does not
follow from them gets a flag: rounding is allowed for, nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from halocline.core.errors import UserError

parts = ("computation", "mpi", "total")
"""Columns of seconds."""


@dataclass(frozen=True)
class Phase:
    """A part of a run: seconds, and how often it was done (`iterations`) and would be elsewhere.

    What is not known is None. `shares` are as printed [%]: of computation and MPI in the phase, of
    the total in the run.
    """

    name: str
    computation: float | None = None
    mpi: float | None = None
    total: float | None = None
    iterations: float = 1.0
    other_iterations: float | None = None
    operations: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Computation and MPI together; the total where these are not known [s]."""
        if self.computation is not None and self.mpi is not None:
            return self.computation + self.mpi
        if self.total is None:
            raise UserError(f"The phase '{self.name}' has neither a total time nor its parts.")
        return self.total

    def of(self, part: str) -> float | None:
        """Seconds of one of `parts`, the total recomputed."""
        if part == "total":
            return self.seconds
        return self.computation if part == "computation" else self.mpi


@dataclass(frozen=True)
class PhaseTable:
    """Phases of a run on so many processes, with what is printed of all together.

    `totals` are in seconds, `total_shares` in percent of the run.
    """

    title: str
    processes: int
    phases: tuple[Phase, ...]
    totals: Mapping[str, float] = field(default_factory=dict)
    total_shares: Mapping[str, float] = field(default_factory=dict)

    def sum(self, part: str) -> float | None:
        """Sum of computation, MPI or both over all phases [s]; None where one is not known."""
        values = [phase.of(part) for phase in self.phases]
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    def phase(self, name: str) -> Phase:
        """The phase of this name."""
        return next(phase for phase in self.phases if phase.name == name)

    @property
    def whole(self) -> float:
        """The run [s]: as printed, else the sum of its phases."""
        return self.totals.get("total", self.sum("total") or 0.0)

    def all(self, part: str) -> float | None:
        """Seconds of all phases, as printed, else their sum."""
        return self.totals.get(part, self.sum(part))


@dataclass(frozen=True)
class Flag:
    """A printed number that does not follow from the others."""

    where: str
    printed: float
    recomputed: float
    why: str

    @property
    def words(self) -> str:
        """The flag in a line.

        >>> Flag("storage, ratio of MPI", 1.25, 0.8333, "its seconds give").words
        'storage, ratio of MPI: printed 1.25, its seconds give 0.8333'
        """
        return f"{self.where}: printed {self.printed:g}, {self.why} {self.recomputed:.4g}"


def rounding_step(printed: float) -> float:
    """What the last printed digit is worth.

    >>> rounding_step(1.25), rounding_step(2.4), rounding_step(207.5), rounding_step(945.0)
    (0.01, 0.1, 0.1, 1.0)
    """
    decimals = f"{printed:.6f}".rstrip("0").partition(".")[2]
    return 10.0 ** -len(decimals)


def agree(printed: float, found: float) -> bool:
    """Whether a printed number may be a rounding of what was found.

    >>> agree(949.0, 949.4), agree(1.25, 170.0 / 204.0), agree(0.8, 0.833)
    (True, False, True)
    """
    return abs(printed - found) <= 0.5 * rounding_step(printed) * (1.0 + 1e-9)


@dataclass(frozen=True)
class Interval:
    """Numbers that a rounded one may have been."""

    low: float
    high: float

    @classmethod
    def of(cls, printed: float) -> Interval:
        """What was printed, give or take half of its last digit."""
        half = 0.5 * rounding_step(printed)
        return cls(max(0.0, printed - half), printed + half)

    def over(self, other: Interval) -> Interval:
        """All ratios."""
        return Interval(self.low / other.high, self.high / max(other.low, 1e-300))

    def may_print(self, printed: float, scale: float = 1.0) -> bool:
        """Whether a number of this interval, times `scale`, may be printed so."""
        half = 0.5 * rounding_step(printed) * (1.0 + 1e-9)
        return self.low * scale - half <= printed <= self.high * scale + half


def check(table: PhaseTable) -> list[Flag]:
    """What a printed table contradicts itself in: totals of rows, of columns, and shares."""
    flags = []
    for phase in table.phases:
        if phase.total is not None and not agree(phase.total, phase.seconds):
            where = f"{table.title}, {phase.name}, total [s]"
            flags.append(Flag(where, phase.total, phase.seconds, "its parts sum to"))
    for part, printed in table.totals.items():
        found = table.sum(part)
        if found is not None and not agree(printed, found):
            flags.append(Flag(f"{table.title}, all, {part} [s]", printed, found, "the rows sum to"))
    if all(part in table.totals for part in parts):
        found = table.totals["computation"] + table.totals["mpi"]
        if not agree(table.totals["total"], found):
            where = f"{table.title}, all, total [s]"
            flags.append(Flag(where, table.totals["total"], found, "printed parts sum to"))
    return [*flags, *_check_shares(table)]


def _check_shares(table: PhaseTable) -> list[Flag]:
    cells = []
    for phase in table.phases:
        for part, printed in phase.shares.items():
            against = table.whole if part == "total" else phase.seconds
            cells.append((f"{phase.name}, {part}", phase.of(part), against, printed))
    for part, printed in table.total_shares.items():
        cells.append((f"all, {part}", table.all(part), table.whole, printed))
    flags = []
    for name, seconds, against, printed in cells:
        if seconds is None or against <= 0.0:
            continue
        if not Interval.of(seconds).over(Interval.of(against)).may_print(printed, 100.0):
            found = 100.0 * seconds / against
            flags.append(Flag(f"{table.title}, {name} [%]", printed, found, "its seconds give"))
    return flags


@dataclass(frozen=True)
class Scalability:
    """How a part of a phase took on more processes: coefficient t_more / t_few, and its inverse."""

    phase: str
    part: str
    few: float
    more: float

    @property
    def coefficient(self) -> float:
        """t_more / t_few: below 1 is faster."""
        return self.more / self.few

    @property
    def percent(self) -> float:
        """t_few / t_more [%]: 200 would be perfect for twice the processes."""
        return 100.0 * self.few / self.more


def scalability(few: PhaseTable, more: PhaseTable) -> list[Scalability]:
    """All parts of the phases that both tables have, and of all together."""
    found = []
    others = {phase.name: phase for phase in more.phases}
    for phase in few.phases:
        other = others.get(phase.name)
        for part in parts if other else ():
            a, b = phase.of(part), other.of(part) if other else None
            if a and b:
                found.append(Scalability(phase.name, part, a, b))
    for part in parts:
        a, b = few.all(part), more.all(part)
        if a and b:
            found.append(Scalability("all", part, a, b))
    return found


def check_scalability(
    few: PhaseTable, more: PhaseTable, printed: Mapping[tuple[str, str], float]
) -> list[Flag]:
    """Printed coefficients, by phase and part, that do not follow from the seconds."""
    flags = []
    for row in scalability(few, more):
        value = printed.get((row.phase, row.part))
        if value is None:
            continue
        if not Interval.of(row.more).over(Interval.of(row.few)).may_print(value):
            where = f"{row.phase}, {row.part}, t{more.processes}/t{few.processes}"
            flags.append(Flag(where, value, row.coefficient, "its seconds give"))
    return flags


def text(table: PhaseTable) -> str:
    """The table with shares, recomputed."""
    head = f"{'':<28}{'iterations':>11}"
    head += "".join(f"{part + ' [s]':>17}{'%':>6}" for part in parts)
    lines = [f"{table.title} ({table.processes} processes)", head]
    for phase in table.phases:
        cells = f"{phase.name:<28}{phase.iterations:>11g}"
        for part in parts:
            against = table.whole if part == "total" else phase.seconds
            cells += _cell(phase.of(part), against)
        lines.append(cells)
    cells = f"{'all':<39}" + "".join(_cell(table.sum(part), table.whole) for part in parts)
    return "\n".join([*lines, cells])


def _cell(seconds: float | None, against: float) -> str:
    if seconds is None:
        return f"{'-':>17}{'':>6}"
    share = f"{100.0 * seconds / against:.1f}" if against > 0.0 else ""
    return f"{seconds:>17.4g}{share:>6}"


def scalability_text(few: PhaseTable, more: PhaseTable) -> str:
    """Coefficients and percentages of all phases."""
    a, b = few.processes, more.processes
    lines = [f"{'':<28}{'part':<13}{f't{a} [s]':>10}{f't{b} [s]':>10}{f't{b}/t{a}':>9}{'%':>6}"]
    lines += [
        f"{row.phase:<28}{row.part:<13}{row.few:>10.4g}{row.more:>10.4g}"
        f"{row.coefficient:>9.2f}{row.percent:>6.0f}"
        for row in scalability(few, more)
    ]
    return "\n".join(lines)
