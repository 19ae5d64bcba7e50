"""How two outputs differ, variable by variable: bits, sizes, places, growth in time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline_lab.comparing.outputs import Numbers, Output, Raw

fewest_of_growth = 5
"""Records that a doubling time needs."""

least_growth = 4.0
"""A difference that grows by less has no doubling time."""

keys = {
    "name": "variable",
    "units": "its units, also of differences",
    "types": "as which A and B store it",
    "identical": "whether all bits are the same",
    "values": "number of values that both have",
    "verdict": "identical, same values, within the spread of the ensemble, or different",
    "differing": "share of values that differ [1]",
    "largest": "greatest absolute difference",
    "mean": "mean of A - B",
    "rms": "root of the mean square difference",
    "relative": "rms over the root mean square of A [1]",
    "ulps": "greatest distance in units of the last place of the coarser of both types; null"
    " where values are packed",
    "ulps_at_largest": "that distance where the difference is largest",
    "where": "time and place of the largest difference",
    "record": "number of the record of the largest difference, from 0",
    "index": "its place within that record, from 0",
    "at_largest": "A and B there",
    "missing_in_a": "values that only A lacks",
    "missing_in_b": "values that only B lacks",
    "rms_by_record": "rms of every record in time",
    "growth": "doubling time with its bounds, where it grows exponentially [s]",
    "doubling_seconds": "doubling time of a difference that grows exponentially, or null [s]",
    "score": "against an ensemble: rmsz of B, of A, and of the members, the bound, and whether B is"
    " within; or null",
}


@dataclass(frozen=True)
class Growth:
    """Exponential growth of a difference: doubling time and its bounds of about 95 % [s]."""

    doubling: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """How one variable differs; see `keys`. Of the largest: record, index in it, A and B."""

    name: str
    units: str
    types: tuple[str, str]
    identical: bool
    values: int
    differing: float
    largest: float
    mean: float
    rms: float
    relative: float
    ulps: float | None
    ulps_at_largest: float | None
    record: int
    index: tuple[int, ...]
    where: str
    at_largest: tuple[float, float]
    missing_in_a: int
    missing_in_b: int
    rms_by_record: tuple[float, ...]
    growth: Growth | None

    @property
    def same_values(self) -> bool:
        """Whether nothing differs but types or signs of zeros."""
        return self.differing == 0.0 and not self.missing_in_a and not self.missing_in_b


def difference(a: Output, b: Output, name: str) -> Difference:
    """Compare a variable, record by record, so that large files fit."""
    tally = _Tally(a, b, name)
    for at in range(a.records(name)):
        tally.add(at, a.record(name, at), b.record(name, at))
    return tally.result()


class _Tally:
    """Sums and extremes over records."""

    def __init__(self, a: Output, b: Output, name: str) -> None:
        self.a, self.b, self.name = a, b, name
        self.identical = a.raw.variables[name].dtype == b.raw.variables[name].dtype
        self.packed = a.packed(name) or b.packed(name)
        self.values = self.differing = self.missing_in_a = self.missing_in_b = 0
        self.largest, self.sum, self.squares, self.squares_of_a = -1.0, 0.0, 0.0, 0.0
        self.ulps, self.ulps_at_largest, self.record = 0.0, 0.0, 0
        self.index: tuple[int, ...] = ()
        self.at_largest = math.nan, math.nan
        self.rms: list[float] = []

    def add(self, at: int, raw_a: Raw, raw_b: Raw) -> None:
        """Add a record."""
        self.identical = self.identical and raw_a.tobytes() == raw_b.tobytes()
        lacks_a, lacks_b = self.a.missing(self.name, raw_a), self.b.missing(self.name, raw_b)
        self.missing_in_a += int((lacks_a & ~lacks_b).sum())
        self.missing_in_b += int((lacks_b & ~lacks_a).sum())
        both = ~(lacks_a | lacks_b)
        self.values += int(both.sum())
        if not both.any():
            self.rms.append(0.0)
            return
        a, b = self.a.unpacked(self.name, raw_a), self.b.unpacked(self.name, raw_b)
        away = less(a, b, cyclic=self.a.cyclic(self.name))
        away[~both] = 0.0
        size = np.abs(away)
        self.differing += int((size > 0.0).sum())
        self.sum += float(away.sum())
        squares = float((away**2).sum())
        self.squares += squares
        self.squares_of_a += float((a[both] ** 2).sum())
        self.rms.append(math.sqrt(squares / both.sum()))
        if size.max() > self.largest:
            self.largest, self.record = float(size.max()), at
            place = np.unravel_index(int(size.argmax()), size.shape)
            self.index = tuple(int(number) for number in place)
            self.at_largest = float(a[place]), float(b[place])
            one, other = (np.atleast_1d(raw[place]) for raw in (raw_a, raw_b))
            self.ulps_at_largest = float(ulps(one, other)[0])
        if not self.packed:
            self.ulps = max(self.ulps, float(ulps(raw_a[both], raw_b[both]).max()))

    def result(self) -> Difference:
        """The difference of all records."""
        count = max(self.values, 1)
        rms, rms_of_a = (math.sqrt(s / count) for s in (self.squares, self.squares_of_a))
        return Difference(
            self.name,
            self.a.units(self.name),
            (str(self.a.raw[self.name].dtype), str(self.b.raw[self.name].dtype)),
            self.identical,
            self.values,
            self.differing / count,
            max(self.largest, 0.0),
            self.sum / count,
            rms,
            rms / rms_of_a if rms_of_a > 0.0 else (math.inf if rms > 0.0 else 0.0),
            None if self.packed else self.ulps,
            None if self.packed else self.ulps_at_largest,
            self.record,
            self.index,
            self.a.place(self.name, self.record, self.index) if self.largest > 0.0 else "",
            self.at_largest,
            self.missing_in_a,
            self.missing_in_b,
            tuple(self.rms),
            growth(self.a.seconds, self.rms),
        )


def less(a: Numbers, b: Numbers, *, cyclic: bool = False) -> Numbers:
    """A - B, nothing where both are the same infinity; of directions the shorter arc [degree].

    >>> less(np.array([359.0, 5.0]), np.array([1.0, 3.0]), cyclic=True).tolist()
    [-2.0, 2.0]
    """
    with np.errstate(invalid="ignore"):
        away = np.where(a == b, 0.0, a - b)
    return (away + 180.0) % 360.0 - 180.0 if cyclic else away


def ulps(a: NDArray[Any], b: NDArray[Any]) -> Numbers:
    """Distance in units of the last place of the coarser type; of whole numbers as it is.

    >>> ulps(np.float32([1.0, -0.0]), np.float32([1.0000001, 0.0])).tolist()
    [1.0, 0.0]
    """
    if a.dtype.kind != "f" or b.dtype.kind != "f":
        return np.abs(a.astype(np.float64) - b.astype(np.float64))
    coarser = a.dtype if a.dtype.itemsize <= b.dtype.itemsize else b.dtype
    whole = np.dtype(f"i{coarser.itemsize}")
    with np.errstate(over="ignore"):
        x, y = (values.astype(coarser).view(whole) for values in (a, b))
    # Whole numbers of floats rise with them where they are positive, and fall where negative.
    lowest = np.iinfo(whole).min
    x, y = (np.where(values < 0, lowest - values, values) for values in (x, y))
    high, low = np.maximum(x, y), np.minimum(x, y)
    wide = np.dtype(f"u{coarser.itemsize}")
    return (high.view(wide) - low.view(wide)).astype(np.float64)


def growth(seconds: Numbers, rms: Sequence[float]) -> Growth | None:
    """The doubling time of a difference, where it grows exponentially.

    A line is fitted to its logarithm, from the first difference to half of the largest one, where
    it may be saturated. It must grow fourfold and steadily, and follow an exponential rather than a
    power of time.

    >>> found = growth(np.arange(8) * 60.0, [2.0 ** (n / 2) for n in range(8)])
    >>> round(found.doubling)
    120
    """
    values = np.asarray(rms, np.float64)
    if values.size != seconds.size or not (values > 0.0).any():
        return None
    first = int(np.argmax(values > 0.0))
    last = first + int(np.argmax(values[first:] >= 0.5 * values.max()))
    x, y = seconds[first : last + 1], values[first : last + 1]
    if x.size < fewest_of_growth or (y <= 0.0).any() or y.max() < least_growth * y[0]:
        return None
    slope, error, straight = _line(x - x[0], np.log(y))
    _, _, power = _line(np.log(x - x[0] + (x[1] - x[0])), np.log(y))
    if straight < 0.9 or straight < power or slope - 2.0 * error <= 0.0:
        return None
    once = math.log(2.0)
    return Growth(once / slope, once / (slope + 2.0 * error), once / (slope - 2.0 * error))


def _line(x: Numbers, y: Numbers) -> tuple[float, float, float]:
    """Slope of the fitted line, its standard error, and its share of the variance."""
    dx, dy = x - x.mean(), y - y.mean()
    slope = float((dx * dy).sum() / (dx**2).sum())
    rest = float(((dy - slope * dx) ** 2).sum())
    error = math.sqrt(rest / max(x.size - 2, 1) / float((dx**2).sum()))
    whole = float((dy**2).sum())
    return slope, error, 1.0 - rest / whole if whole > 0.0 else 0.0
