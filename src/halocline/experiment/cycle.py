"""Forecast after forecast: each starts from a restart of the one before, with new winds.

The results of a forecast lie in a folder of their own, named by its start, below one folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from halocline.component.case.case import Case
from halocline.core.clock import Date, date, duration_text, text
from halocline.core.errors import UserError
from halocline.runtime.writing.restart import restart_path

_stamp = "%Y%m%dT%H%M%S"


@dataclass(frozen=True)
class Forecast:
    """The next forecast: when it starts, from which restart (none: as the case says), and where."""

    start: Date
    restart: Path | None
    folder: Path
    length: str

    def settings(self) -> list[str]:
        """What differs from the case, as texts key=value."""
        changes = [f'time.start="{self.start.isoformat()}"', f'time.length="{self.length}"']
        changes += ['time.end=""', f'restart.source="{self.restart or ""}"']
        return changes


def next_forecast(case: Case, folder: Path, start: str = "") -> Forecast:
    """The forecast to run now, below `folder`: from `start`, or else from the newest restart.

    Without any restart there the first forecast begins as the case says. A `start` needs a restart
    of that date in an earlier forecast (option restart.interval writes them on the way).
    """
    clock = case.time.clock()
    length = duration_text(clock.end - clock.start)
    restarts = dict(sorted(_restarts(folder, clock.calendar), key=lambda item: item[0]))
    if not restarts and (not start or date(start, clock.calendar) == clock.start):
        return Forecast(clock.start, None, _below(folder, clock.start), length)
    wanted = date(start, clock.calendar) if start else max(restarts)
    if wanted not in restarts:
        there = ", ".join(text(time) for time in restarts) or "none"
        raise UserError(
            f"No restart of {text(wanted)} below '{folder}'; there are: {there}. Set"
            " restart.interval in the case, so that a forecast leaves restarts on its way."
        )
    return Forecast(wanted, restarts[wanted], _below(folder, wanted), length)


def _below(folder: Path, start: Date) -> Path:
    return folder / start.strftime(_stamp)


def _restarts(folder: Path, calendar: str) -> Iterator[tuple[Date, Path]]:
    """Dates and paths of all restarts of earlier forecasts, those of later forecasts last."""
    for path in sorted(folder.glob("*/restart_*")):
        try:
            time = date(datetime.strptime(path.stem.removeprefix("restart_"), _stamp), calendar)
            begun = date(datetime.strptime(path.parent.name, _stamp), calendar)
        except ValueError:
            continue
        if begun < time and restart_path(path.parent, time) == path:
            yield time, path
