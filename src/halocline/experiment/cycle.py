"""Forecast after forecast: each starts from a restart of the one before, with new input.

The results of a forecast lie in a folder of their own, named by its start, below one folder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from halocline.core.clock import Clock, Date, date, duration_text, text
from halocline.core.errors import UserError
from halocline.experiment.members import Members
from halocline.runtime.writing.restart import (
    find_restarts,
    restart_path,
    restart_stamp,
    restarts_of_all,
)

_stamp = "%Y%m%dT%H%M%S"


@dataclass(frozen=True)
class Forecast:
    """The next forecast: when it starts, from which restart (none: as the case says), and where.

    Of several members `restart` is the name without a member's, and `lengths` are those of each.
    """

    start: Date
    restart: Path | None
    folder: Path
    lengths: Mapping[str, str]

    def settings(self) -> list[str]:
        """What differs from the case, as texts key=value."""
        changes = [f'time.start="{self.start.isoformat()}"', 'time.end=""']
        for name, length in self.lengths.items():
            own = f"members.{name}." if name else ""
            changes += [f'{own}time.length="{length}"']
        return [*changes, f'restart.source="{self.restart or ""}"']


def next_forecast(members: Members, folder: Path, start: str = "") -> Forecast:
    """The forecast to run now, below `folder`: from `start`, or else from the newest restart.

    Without any restart there the first forecast begins as the case says. A `start` needs a restart
    of that date in an earlier forecast (option restart.interval writes them on the way), of all
    members.
    """
    clocks = {name: member.clock for name, member in members.members.items()}
    lengths = {name: duration_text(clock.end - clock.start) for name, clock in clocks.items()}
    clock = clocks[members.first.name]
    restarts = dict(sorted(_restarts(folder, clocks), key=lambda item: item[0]))
    if not restarts and (not start or date(start, clock.calendar) == clock.start):
        if members.several:
            _refuse_restarts_of_some(folder, clocks)
        return Forecast(clock.start, None, _below(folder, clock.start), lengths)
    wanted = date(start, clock.calendar) if start else max(restarts)
    if wanted not in restarts:
        there = ", ".join(text(time) for time in restarts) or "none"
        raise UserError(
            f"No restart of {text(wanted)} below '{folder}'; there are: {there}. Set"
            " restart.interval in the case, so that a forecast leaves restarts on its way."
        )
    return Forecast(wanted, restarts[wanted], _below(folder, wanted), lengths)


def _below(folder: Path, start: Date) -> Path:
    return folder / start.strftime(_stamp)


def _restarts(folder: Path, clocks: Mapping[str, Clock]) -> Iterator[tuple[Date, Path]]:
    """Dates and paths of restarts of all members in earlier forecasts, those of later ones last."""
    calendar = next(iter(clocks.values())).calendar
    for below in sorted(folder.glob("*/")):
        for stamp in _of_all(below, clocks):
            try:
                time = date(datetime.strptime(stamp, _stamp), calendar)
                begun = date(datetime.strptime(below.name, _stamp), calendar)
            except ValueError:
                continue
            if begun < time:
                yield time, restart_path(below, time)


def _of_all(folder: Path, names: Collection[str]) -> list[str]:
    """Dates of the restarts that all members have in a folder, as files are named by."""
    own = ({restart_stamp(path, name) for path in find_restarts(folder, name)} for name in names)
    return sorted(set.intersection(*own))


def _refuse_restarts_of_some(folder: Path, names: Collection[str]) -> None:
    """Refuse to begin anew where earlier forecasts left restarts, but none of all members."""
    for path in (path for below in folder.glob("*/") for path in restarts_of_all(below)):
        raise UserError(
            f"No forecast below '{folder}' left restarts of all members ({', '.join(names)}) of one"
            f" date; there is '{path}'. Let all members end together, or set restart.interval to a"
            " time at which none of them has ended."
        )
