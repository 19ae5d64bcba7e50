"""Times of kernels that read and write every tracer, beside the floor of the memory, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

legend = (
    "busy: least processor time; floor: to read and write every tracer once at the triad's"
    " bandwidth;\nx floor: median over floor; level: to reach on one core"
)


def lines(
    rows: Sequence[Mapping[str, Any]], labels: Sequence[str], unit: str, digits: int
) -> list[str]:
    """A line for each row: its `labels`, its times [`unit`] with so many digits, and the legend.

    >>> row = {"threads": 1, "nanoseconds": 3.0, "spread": [2.5, 4.0], "floor": 1.5,
    ...        "processor_nanoseconds": 2.0, "over_floor": 2.0, "level": 2.5}
    >>> print("\\n".join(lines([row], ["threads"], "nanoseconds", 1)[:2]))
       threads   median    least     most     busy    floor  x floor    level
             1      3.0      2.5      4.0      2.0      1.5      2.0      2.5
    """
    times = ["median", "least", "most", "busy", "floor", "x floor", "level"]
    found = ["".join(f"{name:>10}" for name in labels) + "".join(f"{name:>9}" for name in times)]
    for row in rows:
        low, high = row["spread"]
        shown = [row[unit], low, high, row[f"processor_{unit}"], row["floor"]]
        numbers = [f"{value:.{digits}f}" for value in shown] + [f"{row['over_floor']:.1f}"]
        numbers.append("" if row["level"] is None else f"{row['level']:.{digits}f}")
        text = "".join(f"{row[name]:>10}" for name in labels)
        found.append(text + "".join(f"{number:>9}" for number in numbers))
    return [*found, *legend.splitlines()]
