"""Values from files where a rank wants them, between two records, the next one read ahead."""

from __future__ import annotations

import math
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.repeated_year import is_of_one_year, yearly
from halocline.core.clock import Date, duration_text, text
from halocline.core.counting import amount
from halocline.core.errors import UserError
from halocline.grids.files.axes import check_cover
from halocline.grids.files.gridded_files import GriddedFiles
from halocline.grids.files.sources import Unreadable
from halocline.grids.horizontal.gaps import GapsOverSea, open_sea
from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.file_field import FileField, WantedPoints
from halocline.runtime.files.read_ahead import ReadAhead, RecordError, agree
from halocline.runtime.ranks.communicator import Alone, Communicator
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.transfer.matching import Match, PointLink
from halocline.runtime.transfer.side import Side, in_order
from halocline.runtime.transfer.transfer import Transfer

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Share:
    """The sea points that a rank reads for, by ascending number, and with whom it reads."""

    numbers: NDArray[np.int64]
    communicator: Communicator = field(default_factory=Alone)
    recorder: Recorder = field(default_factory=Recorder)

    @classmethod
    def whole(cls, grid: Grid) -> Share:
        """All sea points, by one process."""
        return cls(np.arange(grid.sea_points))


@dataclass(frozen=True)
class Brackets:
    """Values at the points at two times around the present.

    `weight` is that of `after`; `number` changes whenever the values do.
    """

    before: tuple[Array, ...]
    after: tuple[Array, ...]
    weight: float
    number: int

    def now(self) -> tuple[Array, ...]:
        """Linear interpolation, element by element (same bits in any part of the points)."""
        share = self.weight
        return tuple(
            (1.0 - share) * a + share * b for a, b in zip(self.before, self.after, strict=True)
        )


@dataclass(frozen=True)
class Around:
    """The records before and after a moment, by their numbers, and their times."""

    before: int
    after: int
    times: tuple[Date, Date]

    def weight_at(self, moment: Date) -> float:
        """The weight of `after` at another moment, 0 before the two times and 1 after them."""
        first, last = self.times
        length = (last - first).total_seconds()
        share = (moment - first).total_seconds() / length if length else 0.0
        return min(max(share, 0.0), 1.0)


class Scatter:
    """Sends values at all sea points from the ranks that read them to those that need them."""

    def __init__(self, share: Share, quantities: int, points: int) -> None:
        communicator, own = share.communicator, share.numbers
        readers = np.arange(quantities) * communicator.size // quantities
        self.reads = np.flatnonzero(readers == communicator.rank)
        self._shape = quantities, own.size
        everyone = communicator.broadcast(communicator.gather(own.astype(np.int32)))
        source, give, every = Side(), list[PointLink](), np.arange(own.size, dtype=np.int32)
        if self.reads.size:
            source = replace(in_order(np.arange(points)), components=self.reads)
            give = [PointLink(rank, 0, 0, numbers) for rank, numbers in enumerate(everyone)]
        target = replace(in_order(own), components=np.arange(quantities))
        take = [PointLink(rank, 0, 0, every) for rank in np.unique(readers).tolist()]
        known = Match(give, take, np.empty((0, 2), np.int64))
        self._transfer = Transfer(source, target, communicator, known=known, name="input")

    def values(self, read: dict[int, Array]) -> tuple[Array, ...]:
        """All quantities at the own points; a call for all ranks."""
        own = np.empty(self._shape)
        mine = [read[place] for place in self.reads.tolist()]
        given = [[np.stack(mine, dtype=np.float64)]] if read else None
        self._transfer(given, [[own]])
        return tuple(own)


def _in_order(quantities: int, read: dict[int, Array]) -> tuple[Array, ...]:
    return tuple(read[place].astype(np.float64, copy=False) for place in range(quantities))


def _small(values: Array) -> NDArray[Any]:
    """The same values, in float32 where that holds them all.

    >>> _small(np.array([1.5, np.nan])).dtype, _small(np.array([0.1])).dtype
    (dtype('float32'), dtype('float64'))
    """
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    return single if np.array_equal(single, values, equal_nan=True) else values


class Readable(Protocol):
    """What has records that can be looked through before a run."""

    def look_through(self, deadline: float) -> tuple[int, int]: ...


def look_through_all(many: Iterable[Readable], deadline: float) -> tuple[int, int]:
    """Read all records of all of them until the `deadline`; how many of how many together."""
    counts = [some.look_through(deadline) for some in many]
    return sum(done for done, _ in counts), sum(total for _, total in counts)


class FileSeries:
    """Some quantities from files in time, at the sea points of a share or at points `wanted`.

    `what` names them in messages. With `held`, the record of that date serves at all times; else
    values are interpolated linearly `between` two records, or in "steps" those of a record hold
    from its time until the next. With `every_year` the records are of one year, which repeats;
    None: whoever asks cannot say so. Points may have to be `exact` places of the files' grid.
    Records that are `daily`, or of another regular interval, hold for half of it before the first
    and after the last one; where one is left out they are refused. Quantities without a short name
    are brought to `units`.

    A rank reads the rows and columns that its points need. Where a file gives hardly less than
    whole maps for sea points (`scattered` if nothing else is said), one rank for each quantity
    reads them and sends the others the values at their points. Either way the next record is read
    while the model computes, values do not depend on the share, and a mistake in a record that any
    rank finds all ranks raise. To make one is a call for all ranks.
    """

    def __init__(
        self,
        files: GriddedFiles,
        short_names: tuple[str, ...],
        variables: tuple[str, ...],
        grid: Grid,
        period: tuple[Date, Date],
        what: str,
        share: Share,
        held: Date | None = None,
        *,
        wanted: WantedPoints | None = None,
        between: str = "linear",
        every_year: bool | None = None,
        scattered: bool | None = None,
        exact: bool = False,
        daily: bool = False,
        units: tuple[str, ...] = (),
    ) -> None:
        if not grid.spherical and grid.curvilinear is None:
            raise UserError(
                f"The {what} is to come from a file with longitudes and latitudes, but the"
                " grid is Cartesian. Use a constant or a function."
            )
        self.files, self.short_names, self.grid, self.what = files, short_names, grid, what
        (self.start, self.end), self.share, self.held = period, share, held
        self.between, self.number, self.exact = between, 0, exact
        self.units = units or ("",) * len(short_names)
        self._pair = -1, -1
        on_levels = wanted is not None and wanted.depth is not None
        self.variables = tuple(
            files.find(short_name, variable, levels=on_levels)
            for short_name, variable in zip(short_names, variables, strict=True)
        )
        self.every_year = every_year
        self.records = yearly(files, period) if every_year else files.records
        self._times = [record.time for record in self.records]
        self._beyond = self._half_interval() if daily else timedelta()
        self._of_sea = wanted is None
        if self._of_sea:
            whose = f"The {what} in {files.name}", "the sea of the model grid"
            check_cover(files.latitude, grid.point_y, *whose)
            check_cover(files.longitude, grid.point_x, *whose)
        self._check_period()
        places = range(len(self.variables))
        if scattered is None:
            several = self._of_sea and share.communicator.size > 1
            scattered = several and any(files.comes_whole(name) for name in self.variables)
        mine, numbers = list(places), share.numbers
        if scattered:
            self._scatter = Scatter(share, len(places), grid.sea_points)
            mine = self._scatter.reads.tolist()
            numbers = np.arange(grid.sea_points)
        if wanted is None:
            wanted = WantedPoints(grid.point_x[numbers], grid.point_y[numbers])
        self.fields = self._fields(mine, wanted)
        self.reader: ReadAhead[tuple[Array, ...]] = ReadAhead(
            self._read,
            share.communicator,
            share.recorder,
            self._scatter.values if scattered else partial(_in_order, len(places)),
        )
        self._loaded: dict[int, tuple[Array, ...]] = {}

    def _fields(self, places: list[int], wanted: WantedPoints) -> dict[int, FileField]:
        """The quantities that this rank reads; what is wrong for one rank all ranks tell."""
        fields, failure = {}, None
        try:
            for place in places:
                fields[place] = FileField(
                    self.files,
                    self.variables[place],
                    wanted,
                    short_name=self.short_names[place],
                    units=self.units[place],
                    refused=lambda: self._sea_places,
                    exact=self.exact,
                )
        except UserError as error:
            failure = error
        agree(self.share.communicator, failure)
        return fields

    def _check_period(self) -> None:
        times = self._times
        if self.held is not None:
            if self.held not in times:
                raise UserError(
                    f"The {self.what} of {text(self.held)} is not in {self.files.name}, which has"
                    f" {len(times)} times from {text(times[0])} to {text(times[-1])}."
                )
            return
        first, last = times[0] - self._beyond, times[-1] + self._beyond
        if first > self.start or last < self.end:
            raise UserError(
                f"The {self.what} in {self.files.name} covers {text(first)} to"
                f" {text(last)}, but the run needs {text(self.start)} to {text(self.end)}."
                f" Shorten the run or add a file that covers the rest.{self._longer_run()}"
                f"{self._climatology()}"
            )

    def _climatology(self) -> str:
        """How records of one year are repeated, in words, where whoever asks can say so."""
        if self.every_year is not False or not is_of_one_year(self.files.records):
            return ""
        return " If they are of any year, as a climatology is, set every_year = true beside it."

    def _longer_run(self) -> str:
        """The command that makes files which another run has made for long enough, in words."""
        folders, begin = self.files.paths[0].parts[:-1], self._times[0] - self._beyond
        if folders[-2:-1] != ("results",) or begin > self.start:
            return ""
        days = math.ceil((self.end - begin) / timedelta(days=1))
        return (
            " It belongs to the results of another run:"
            f" 'halocline run {folders[-1]} --set time.length={days}d' makes one that is long"
            " enough."
        )

    def _half_interval(self) -> timedelta:
        """Half of the time between records; one that is left out is refused.

        Of one or two records this is the time that they are means over, where the file says it.
        """
        steps = [after - before for before, after in pairwise(self._times)]
        if len(steps) < 2:
            steps += [over for record in self.records if (over := record.mean_over)]
        usual = min(steps, default=timedelta())
        for before, after in pairwise(self._times):
            if after - before > 1.5 * usual and before < self.end and after > self.start:
                raise UserError(
                    f"The {self.what} in {self.files.name} has a gap: no record between"
                    f" {text(before)} and {text(after)}, where others are {duration_text(usual)}"
                    " apart. Add the file that is missing."
                )
        return usual / 2

    @cached_property
    def _sea_places(self) -> NDArray[np.bool_]:
        """Places of the files' grid that lie in open sea; for sea points those that serve any."""
        sea = open_sea(self.grid, self.files)
        if not self._of_sea:
            return sea
        points = self.grid.point_x, self.grid.point_y
        return sea & self.files.weights(points, "", "").used(self.files.shape)

    @cached_property
    def _span(self) -> tuple[int, int]:
        """The first and the last record that the run needs."""
        if self.held is not None:
            held = self._times.index(self.held)
            return held, held
        first = max(bisect_right(self._times, self.start) - 1, 0)
        if self.between == "steps":
            return first, max(bisect_right(self._times, self.end) - 1, 0)
        return first, min(bisect_left(self._times, self.end), len(self._times) - 1)

    def brackets(self, moment: Date) -> Brackets:
        """Values at the records before and after a moment; a call for all ranks."""
        before, after, weight = self._around(moment)
        if (before, after) != self._pair:
            self._pair, self.number = (before, after), self.number + 1
        first, second = self._values(before), self._values(after)
        for old in [number for number in self._loaded if number not in (before, after)]:
            del self._loaded[old]
        if after < self._span[1]:
            self.reader.prepare(after + 1)
        return Brackets(first, second, weight, self.number)

    def around(self, moment: Date) -> Around:
        """The records before and after a moment, for who keeps what `record` gives."""
        before, after, _ = self._around(moment)
        return Around(before, after, (self._times[before], self._times[after]))

    def record(self, number: int) -> tuple[Array, ...]:
        """Values at one record, kept nowhere; the next one is read ahead. A call for all ranks."""
        found = self.reader.take(number)
        if number < self._span[1]:
            self.reader.prepare(number + 1)
        return found

    def _around(self, moment: Date) -> tuple[int, int, float]:
        """The records before and after a moment, and the weight of the latter, never 1.

        Whatever follows a record that a moment meets: its values are that record's, to the bit.
        """
        if self.held is not None:
            at = self._times.index(self.held)
            return at, at, 0.0
        at = bisect_right(self._times, moment) - 1
        if at < 0 or at + 1 == len(self._times):
            at = max(at, 0)
            assert abs(self._times[at] - moment) <= self._beyond
            return at, at, 0.0
        if self.between == "steps":
            return at, at, 0.0
        after = min(at + 1, max(self._span[1], bisect_left(self._times, moment)))
        length = (self._times[after] - self._times[at]).total_seconds()
        weight = (moment - self._times[at]).total_seconds() / length if length else 0.0
        return at, after, weight

    def now(self, moment: Date) -> tuple[Array, ...]:
        """Values at a moment, interpolated linearly."""
        return self.brackets(moment).now()

    def _values(self, number: int) -> tuple[Array, ...]:
        if number not in self._loaded:
            self._loaded[number] = self.reader.take(number)
        return self._loaded[number]

    def _read(self, number: int) -> dict[int, Array]:
        """What this rank reads of a record, by the place of the quantity, small until its time."""
        return {place: _small(self._at_points(number, place)) for place in self.fields}

    def _at_points(self, number: int, place: int) -> Array:
        record, variable = self.records[number], self.variables[place]
        try:
            return self.fields[place].of_record(record)
        except GapsOverSea as gaps:
            raise RecordError(
                f"The {self.what} in {self.files.name} is missing (NaN) over sea at"
                f" {text(record.time)}: {amount(gaps.count, 'place')}, first at {gaps.place}."
                " Fill these values, or use another file.",
                place,
            ) from None
        except (OSError, RuntimeError, Unreadable) as error:
            path = self.files.paths[record.file]
            reason = error.reason if isinstance(error, Unreadable) else str(error)
            raise RecordError(
                f"Cannot read '{variable}' at {text(record.time)} from '{path}': {reason}. Is the"
                " file complete?",
                place,
            ) from None
        except UserError as error:
            raise RecordError(str(error), place) from None

    def look_through(self, deadline: float) -> tuple[int, int]:
        """Read all records that a run needs, for what is wrong in them; how many of how many.

        Nothing more is begun after the `deadline` (of `time.monotonic`). Not for several ranks.
        """
        first, last = self._span
        numbers = range(first, last + 1)
        for done, number in enumerate(numbers):
            if time.monotonic() > deadline:
                return done, len(numbers)
            self._read(number)
        return len(numbers), len(numbers)

    def close(self) -> None:
        """Let a reading end and close the files."""
        self.reader.wait()
        self.files.close()
