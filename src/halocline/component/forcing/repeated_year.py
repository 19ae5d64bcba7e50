"""Records of one year, such as a climatology's, in all years of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from halocline.core.clock import Date, duration_text, first_year, text
from halocline.core.errors import UserError
from halocline.grids.files.gridded_files import GriddedFiles, Record


def yearly(files: GriddedFiles, period: tuple[Date, Date]) -> list[Record]:
    """Records of one year again in every year of a period, and in those beside it.

    29 February is left out in years that have none.
    """
    records = files.records
    first, last = records[0].time, records[-1].time
    if not is_of_one_year(records):
        raise UserError(
            f"{files.name} has records from {text(first)} to {text(last)}, which cannot be repeated"
            " every year: they are of more than one."
        )
    again = []
    for year in range(max(period[0].year - 2, first_year), period[1].year + 2):
        for record in records:
            try:
                time = record.time.replace(year=year + record.time.year - first.year)
            except ValueError:
                continue
            again.append(replace(record, time=time))
    _refuse_half_years(files, again, period)
    return again


def is_of_one_year(records: Sequence[Record]) -> bool:
    """Whether there is no more than a year from the first to the last one."""
    first, last = records[0].time, records[-1].time
    same_year = last.year == first.year
    return same_year or last.year == first.year + 1 and _in_year(last) < _in_year(first)


def _refuse_half_years(
    files: GriddedFiles, again: Sequence[Record], period: tuple[Date, Date]
) -> None:
    """Refuse records that leave more than twice their greatest distance empty in a period."""
    usual = max((b.time - a.time for a, b in pairwise(files.records)), default=None)
    for before, after in pairwise(record.time for record in again):
        needed = before < period[1] and after > period[0]
        if needed and usual is not None and after - before > 2 * usual:
            raise UserError(
                f"{files.name} is to be repeated every year, but has no record between"
                f" {text(before)} and {text(after)}, where others are at most"
                f" {duration_text(usual)} apart, and the run needs {text(period[0])} to"
                f" {text(period[1])}. Add the records of the rest of the year, or shorten the run."
            )


def _in_year(moment: Date) -> tuple[int, ...]:
    """What orders dates within a year."""
    return moment.month, moment.day, moment.hour, moment.minute, moment.second
