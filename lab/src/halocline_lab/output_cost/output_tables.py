"""Results of `halocline lab output` as text."""

from __future__ import annotations

from collections.abc import Sequence

from halocline_lab.output_cost.output_results import Report, Row, Section
from halocline_lab.statistics.paired import number


def tables(report: Report) -> str:
    """All sections, what to take home first."""
    machine = "; ".join(f"{name}: {value}" for name, value in report.machine.items())
    head = [machine, *(f"- {line}" for line in report.headline)]
    return "\n\n".join(["\n".join(head), *(section_text(section) for section in report.sections)])


def section_text(section: Section) -> str:
    """Old, new, bounds, ratio and verdict of every row."""
    lines = [f"==== {section.title}", f"({section.source})"]
    lines += rows_text(section.rows)
    return "\n".join([*lines, *section.remarks])


def rows_text(rows: Sequence[Row]) -> list[str]:
    width = max(len(row.name) for row in rows) + 2
    heads = ("old", "new", "bounds", "ratio")
    lines = [" " * width + "".join(f"{head:>20}" for head in heads) + "  verdict"]
    for row in rows:
        ratio = "-" if row.ratio is None else f"{number(row.ratio)}x"
        cells = (row.shown_old or "-", row.shown, row.bounds, ratio)
        line = f"{row.name:<{width}}" + "".join(f"{cell:>20}" for cell in cells)
        lines.append(f"{line}  {row.verdict}".rstrip())
    return lines
