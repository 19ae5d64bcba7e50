"""How the time of a case goes with the value of an option: in proportion to its levels, or not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline_lab.scaling.scale_setups import Setup
from halocline_lab.statistics.comparison import compare_pairs


@dataclass(frozen=True)
class Growth:
    """The time over the values of an option; see `scale_table.keys`."""

    name: str
    values: list[float]
    median: list[float]
    fixed: float
    each: float
    ratio: float
    low: float
    high: float
    power: float
    words: str


def varied(words: str) -> list[str]:
    """The settings that KEY=LIST stands for, an empty one where it is empty.

    >>> varied("atmosphere.layers.count=20,40"), varied("")
    (['atmosphere.layers.count=20', 'atmosphere.layers.count=40'], [''])
    """
    if not words:
        return [""]
    key, equals, values = words.partition("=")
    found = [f"{key.strip()}={value.strip()}" for value in values.split(",") if value.strip()]
    if not equals or not key.strip() or len(found) < 2:
        raise UserError(
            f"--vary {words}: give an option and two values or more, as"
            " atmosphere.layers.count=20,40,80."
        )
    if len(set(found)) < len(found):
        raise UserError(f"--vary {words}: a value stands there twice.")
    return found


def growths(rows: Sequence[Mapping[str, Any]], words: str) -> list[Growth]:
    """One for all rows that differ in the value of the option only; none where it is no number."""
    curves: dict[Setup, dict[float, Mapping[str, Any]]] = {}
    for row in rows if words else ():
        try:
            value = float(row["setting"].partition("=")[2])
        except ValueError:
            return []
        same = Setup(row["processes"], row["per_node"], row["threads"], row["smt"])
        curves.setdefault(same, {})[value] = row
    key = words.partition("=")[0].strip()
    return [_growth(setup.name, key, dict(sorted(c.items()))) for setup, c in curves.items()]


def _growth(name: str, key: str, rows: Mapping[float, Mapping[str, Any]]) -> Growth:
    values, median = list(rows), [row["median"] for row in rows.values()]
    each, fixed = (float(one) for one in np.polyfit(values, median, 1))
    first, last = rows[values[0]], rows[values[-1]]
    found = compare_pairs(first["seconds"], last["seconds"])
    times = values[-1] / values[0] if values[0] > 0.0 else math.nan
    power = math.log(found.ratio) / math.log(times) if times > 1.0 else math.nan
    bounds = f" ({found.low:.2f} to {found.high:.2f})" if found.high > found.low else ""
    told = (
        f"{key} {values[0]:g} to {values[-1]:g} ({times:.3g} times as much) takes"
        f" {found.ratio:.3g} times as long{bounds}, as its power {power:.2f};"
        f" {each:.3g} s for each and {fixed:.3g} s besides"
    )
    return Growth(
        name, values, median, fixed, each, found.ratio, found.low, found.high, power, told
    )
