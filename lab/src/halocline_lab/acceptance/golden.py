"""Numbers that papers print, beside those that follow from the papers' other numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halocline_lab.acceptance.phase_table import agree


@dataclass(frozen=True)
class Value:
    """A printed number, the one recomputed, and the paper's item that it is from.

    `within` is how much they may differ; None: as much as rounding does. `note` says what a
    difference means, or how the number was recomputed.
    """

    item: str
    name: str
    printed: float
    recomputed: float
    units: str = ""
    within: float | None = None
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the two are the same but for rounding."""
        if self.within is None:
            return agree(self.printed, self.recomputed)
        return abs(self.printed - self.recomputed) <= self.within

    @property
    def difference(self) -> float:
        """Recomputed less printed."""
        return round(self.recomputed - self.printed, 9)


@dataclass(frozen=True)
class Section:
    """The values of one paper, and what is to be said of them."""

    paper: str
    title: str
    values: tuple[Value, ...]
    remarks: tuple[str, ...] = ()

    @property
    def flags(self) -> list[Value]:
        """Values that do not follow."""
        return [value for value in self.values if not value.agrees]


def text(sections: Sequence[Section], *, all_values: bool = True) -> str:
    """Sections as text: as printed, recomputed, difference; flags are marked."""
    lines: list[str] = []
    for section in sections:
        lines += ["", f"{section.paper}: {section.title}"]
        shown = section.values if all_values else section.flags
        if shown:
            lines.append(f"  {'':<62}{'printed':>10}{'recomputed':>12}{'difference':>12}")
        lines += [_line(value) for value in shown]
        lines += [f"  * {remark}" for remark in section.remarks]
        wrong = len(section.flags)
        lines.append(f"  {len(section.values)} numbers, {wrong} that do not follow from the others")
    return "\n".join(lines).strip()


def _line(value: Value) -> str:
    name = f"{value.item}: {value.name}" + (f" [{value.units}]" if value.units else "")
    mark = "" if value.agrees else "  !"
    note = f"  {value.note}" if value.note else ""
    return (
        f"  {name:<62}{value.printed:>10g}{value.recomputed:>12.4g}{value.difference:>+12.3g}"
        f"{mark}{note}"
    )
