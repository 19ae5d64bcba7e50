"""Restarts of several members, which count where all members have one of the same moment.

A member that ends before the others stays at its end: what it left there is of all later moments.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from halocline.core.clock import Clock, Date, date, duration_text, text
from halocline.core.errors import UserError
from halocline.runtime.writing.restart import find_restarts, restart_path, restart_stamp


def moments(
    folder: Path, clocks: Mapping[str, Clock], interval: timedelta
) -> list[tuple[Date, dict[str, Path]]]:
    """Moments of which every member has a restart in a folder, and their files, newest first.

    Only those at the end of an `interval` of the schedule, within the run.
    """
    start = next(iter(clocks.values())).start
    last = max(clock.end for clock in clocks.values())
    times = {
        _time(restart_stamp(path, name), clock.calendar)
        for name, clock in clocks.items()
        for path in find_restarts(folder, name)
    }
    found = []
    for time in sorted(times, reverse=True):
        whole = time == last or not (time - start) % interval
        paths = _paths(folder, clocks, time)
        if start <= time <= last and whole and all(path.exists() for path in paths.values()):
            found.append((time, paths))
    return found


def candidates(
    folder: Path | None,
    source: str,
    clocks: Mapping[str, Clock],
    interval: timedelta,
    *,
    resume: bool,
) -> list[dict[str, Path]]:
    """The files that a run can begin with, by moment, the best first.

    A run that is resumed takes its own, in `folder`, or else those of the `source` of the case.
    """
    if resume and folder is not None:
        if own := moments(folder, clocks, interval):
            return [paths for _, paths in own]
        _refuse_another_schedule(folder, clocks, interval)
    if not source:
        return []
    there = _before_or_at(Path(source), clocks, interval)
    if not there:
        names = ", ".join(clocks)
        raise UserError(
            f"restart.source = '{source}' is no folder with restarts of all members ({names}) at"
            " one moment within this run. Name the folder of results of such a run, or one moment"
            " in it as restart_YYYYMMDDTHHMMSS.safetensors."
        )
    return [paths for _, paths in there]


def _before_or_at(
    source: Path, clocks: Mapping[str, Clock], interval: timedelta
) -> list[tuple[Date, dict[str, Path]]]:
    """Moments in a folder, or in that of a named moment up to it."""
    if source.is_dir():
        return moments(source, clocks, interval)
    stamp = restart_stamp(source)
    if not stamp:
        return []
    last = _time(stamp, next(iter(clocks.values())).calendar)
    found = moments(source.parent, clocks, interval)
    named = [some for some in found if some[0] <= last]
    return named if named and named[0][0] == last else []


def _refuse_another_schedule(
    folder: Path, clocks: Mapping[str, Clock], interval: timedelta
) -> None:
    """Refuse to begin anew where restarts are of moments that the schedule does not have."""
    for time, _ in moments(folder, clocks, timedelta(microseconds=1)):
        raise UserError(
            f"The newest restart in '{folder}' is of {text(time)}, and the schedule has all members"
            f" at one moment every {duration_text(interval)} only. Resume with the schedule and the"
            " steps of before, or begin anew ('halocline run')."
        )


def remove_old(
    folder: Path, clocks: Mapping[str, Clock], interval: timedelta, keep: int
) -> list[Path]:
    """Remove restarts that are too many: the newest `keep` moments stay; 0: all.

    What lies behind them goes only where as many are complete, of all members.
    """
    complete = moments(folder, clocks, interval)[:keep]
    if not keep or len(complete) < keep:
        return []
    needed = {path for _, paths in complete for path in paths.values()}
    removed = []
    for name in clocks:
        files = find_restarts(folder, name)
        oldest = restart_path(folder, complete[-1][0], name).name
        for path in files[keep:]:
            if path.name < oldest and path not in needed:
                path.unlink(missing_ok=True)
                removed.append(path)
    return removed


def _paths(folder: Path, clocks: Mapping[str, Clock], moment: Date) -> dict[str, Path]:
    return {
        name: restart_path(folder, min(moment, clock.end), name) for name, clock in clocks.items()
    }


def _time(stamp: str, calendar: str) -> Date:
    """The date of a stamp.

    >>> _time("20110115T180000", "standard").isoformat()
    '2011-01-15T18:00:00'
    """
    day, _, hour = stamp.partition("T")
    return date(f"{day[:4]}-{day[4:6]}-{day[6:]}T{hour[:2]}:{hour[2:4]}:{hour[4:]}", calendar)
