"""What `halocline lab output` finds: old numbers beside new ones, in sections of one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from halocline_lab.statistics.paired import Cost, number, verdict
from halocline_lab.statistics.turns import Bounded

keys = {
    "machine": "where it was measured, and when",
    "headline": "what to take home",
    "sections": "one for every table or figure of the papers",
    "sections.rows": "one row for every number",
    "sections.rows.old": "the paper's number, where it has one",
    "sections.rows.new": "the number here, a median, in the same units",
    "sections.rows.low": "it lies above this with about 95 % confidence",
    "sections.rows.high": "and below this",
    "sections.rows.ratio": "the new number over the old",
    "sections.rows.verdict": "what one can say of the new number",
    "sections.rows.clear": "whether the noise allows to say it",
    "sections.rows.more": "what else was measured",
    "sections.rows.counted": "whether it is a count, exact",
}


@dataclass(frozen=True)
class Row:
    """One number of a paper and of this machine; see `keys`. What is `counted` is exact."""

    name: str
    units: str
    new: float
    low: float
    high: float
    old: float | None = None
    verdict: str = ""
    clear: bool = True
    more: Mapping[str, str] = field(default_factory=dict)
    counted: bool = False

    @property
    def shown(self) -> str:
        """The number here, with its units."""
        words = f"{self.new:,.6g}" if self.counted else number(self.new)
        return f"{words} {self.units}".rstrip()

    @property
    def shown_old(self) -> str:
        """The paper's number; nothing where it has none."""
        if self.old is None:
            return ""
        words = f"{self.old:,.6g}" if self.counted else f"{self.old:.4g}"
        return f"{words} {self.units}".rstrip()

    @property
    def ratio(self) -> float | None:
        """New over old, where both are of one sign and the new one can be told from nothing."""
        if not self.old or self.new * self.old <= 0.0 or not self.clear:
            return None
        return self.new / self.old

    @property
    def bounds(self) -> str:
        return "" if self.low == self.high else f"{number(self.low)} to {number(self.high)}"


@dataclass(frozen=True)
class Curve:
    """Values of a figure, by x or by name, with bounds where there are some."""

    name: str
    y: Sequence[float]
    x: Sequence[float] = ()
    names: Sequence[str] = ()
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    old: bool = False


@dataclass(frozen=True)
class Panel:
    """One figure: curves over a common x; a `forest` has names down and values across."""

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    logarithmic: bool = False

    @property
    def forest(self) -> bool:
        return bool(self.curves[0].names)


@dataclass(frozen=True)
class Matrix:
    """A table in the paper's shape: the names of rows that stand in its cells."""

    corner: str
    columns: Sequence[str]
    lines: Mapping[str, Sequence[str | None]]


@dataclass(frozen=True)
class Section:
    """A table or figure of a paper, as this machine has it."""

    name: str
    title: str
    source: str
    method: str
    rows: Sequence[Row]
    headline: str = ""
    matrix: Matrix | None = None
    panels: Sequence[Panel] = ()
    remarks: Sequence[str] = ()

    def row(self, name: str) -> Row:
        """The row of that name."""
        return next(row for row in self.rows if row.name == name)


@dataclass(frozen=True)
class Report:
    """All of the page."""

    machine: Mapping[str, str]
    sections: Sequence[Section]

    @property
    def headline(self) -> list[str]:
        """What to take home: a line of each section that has one."""
        return [section.headline for section in self.sections if section.headline]

    def to_table(self) -> dict[str, Any]:
        """Plain tables, for JSON."""
        found = asdict(self)
        for section, made in zip(self.sections, found["sections"], strict=True):
            for row, table in zip(section.rows, made["rows"], strict=True):
                table["ratio"] = row.ratio
        return {"headline": self.headline, **found, "keys": keys}


def counted_row(name: str, new: float, old: float, units: str = "", **more: str) -> Row:
    """The row of what was counted."""
    return Row(name, units, new, new, new, old, more=more, counted=True)


def cost_row(
    name: str, found: Cost, old: float | None = None, units: str = "s", **more: str
) -> Row:
    """The row of a cost."""
    return Row(
        name,
        units,
        found.value,
        found.low,
        found.high,
        old,
        verdict(found, units),
        found.clear,
        more,
    )


def bounded_row(
    name: str, found: Bounded, old: float | None = None, units: str = "s", **more: str
) -> Row:
    """The row of a value that was measured itself, not as a difference."""
    return Row(name, units, found.value, found.low, found.high, old, more=more)
