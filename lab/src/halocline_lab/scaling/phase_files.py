"""Measured phases from files: records of runs, what `lab scale` leaves, tables of your own."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord, Table, periods
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.scaling.extrapolation import PhaseTime, pers
from halocline_lab.scaling.timing_files import csv_rows, json_rows

columns = "phase,per,seconds,ranks (and count: how often in these seconds; points)"


def read_phase_times(path: str | Path) -> list[PhaseTime]:
    """Phases from a record (file or folder), JSON of `lab scale`, or a table as CSV or JSON."""
    path = Path(path)
    if path.is_dir() or path.suffix in (".record", ".nc"):
        return phases_of_record(read_record(path))
    try:
        words = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"Cannot read the phases in '{path}': {error}.") from None
    rows = json_rows(words, path) if path.suffix == ".json" else csv_rows(words)
    try:
        if rows and "processes" in rows[0] and "phases" in rows[0]:
            refuse_varied(rows, path)
            points = float(json.loads(words)["points"])
            return [time for row in rows for time in _of_scaling(row, points)]
        return [_of_row(row) for row in rows]
    except (KeyError, TypeError, ValueError):
        raise UserError(
            f"'{path}' is no table of phases: expected are the columns {columns}, where per is"
            f" one of {', '.join(pers)}."
        ) from None


def refuse_varied(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Refuse rows of several values of an option: as phases they would be taken for one run."""
    settings = list(dict.fromkeys(row.get("setting", "") for row in rows))
    if len(settings) > 1:
        raise UserError(
            f"'{path}' holds runs of {', '.join(settings)} (--vary), whose phases are not those of"
            " one case. Give the records of one of them (--output), or run lab scale with --set."
        )


def _of_row(row: dict[str, Any]) -> PhaseTime:
    seconds, count = float(row["seconds"]), float(row.get("count") or 1.0)
    if row["per"] not in pers or seconds < 0.0 or count <= 0.0:
        raise ValueError(row)
    points = float(row.get("points") or 1.0)
    return PhaseTime(row["phase"], row["per"], seconds / count, int(row["ranks"]), points)


def _of_scaling(row: dict[str, Any], points: float) -> list[PhaseTime]:
    """Phases of a step, and what the slowest rank took more, of a row of `lab scale`."""
    ranks, steps = row["processes"], row["steps"]
    rest = max(0.0, row["median"] - sum(row["phases"].values()))
    seconds = {**row["phases"], "slowest rank": rest}
    found = [PhaseTime(n, "step", s / steps, ranks, points) for n, s in seconds.items() if s > 0.0]
    found.append(PhaseTime("start-up", "run", row["start_up"], ranks, points))
    return [replace(time, threads=int(row.get("threads", 0))) for time in found]


def phases_of_record(record: RunRecord) -> list[PhaseTime]:
    """Own times of all regions, mean over the ranks that compute.

    What is before and after the steps is done once in a run. Output is done once per frame, and so
    is what is called less often than half of the steps; all else once per step. Time outside all
    regions is "other". Noise is that of the steps: the standard error of the mean of several parts
    of the run.
    """
    model = _computing(record)
    steps = float(record.steps["count"][np.isin(record.steps["rank"], model)].sum())
    each = steps / max(1, len(model))
    if not each:
        raise UserError("The record has no steps, so nothing can be said of runs of other lengths.")
    points, noise = float(record.about.get("points") or 1.0), step_noise(record)
    found = []
    for number, period in enumerate(periods):
        lengths = _lengths(record, number)[model]
        if period != "steady":
            if lengths.mean() > 0.0:
                found.append(PhaseTime(period, "run", float(lengths.mean()), len(model), points))
            continue
        rows = record.statistics[
            (record.statistics["period"] == number)
            & (record.statistics["thread"] == 0)
            & np.isin(record.statistics["rank"], model)
        ]
        rest, frames = float(lengths.mean()), _frames(record, rows) / len(model)
        for at in np.unique(rows["region"]):
            mine, region = rows[rows["region"] == at], record.regions[at]
            seconds = float(mine["own_seconds"].sum()) / len(model)
            rest -= seconds
            calls = float(mine["calls"].sum()) / len(model)
            at_frames = frames > 0.0 and (region.kind == "output" or calls < each / 2.0)
            per, count = ("frame", frames) if at_frames else ("step", each)
            name = region.name if not region.site else f"{region.name} ({region.site})"
            if seconds > 0.0:
                found.append(PhaseTime(name, per, seconds / count, len(model), points, noise))
        found.append(PhaseTime("other", "step", max(rest, 0.0) / each, len(model), points, noise))
    threads = int(record.ranks["threads"][model].max())
    return [replace(time, threads=threads) for time in found]


def step_noise(record: RunRecord) -> float:
    """Relative standard error of the mean step: from the means of up to eight parts of the run.

    Steps that follow each other are alike, so parts tell more than single steps; 0 of fewer than
    four steps.
    """
    rows = record.steps[record.steps["rank"] == record.steps["rank"].min()]
    count = min(8, len(rows) // 2)
    if count < 2:
        return 0.0
    parts = np.array_split(rows, count)
    means = np.array([part["seconds"].sum() / part["count"].sum() for part in parts])
    return float(means.std(ddof=1) / math.sqrt(count) / means.mean())


def _frames(record: RunRecord, rows: Table) -> float:
    """Calls of the output region that is called most often, of all ranks."""
    calls = [
        float(rows["calls"][rows["region"] == at].sum())
        for at in np.unique(rows["region"])
        if record.regions[at].kind == "output"
    ]
    return max(calls, default=0.0)


def _computing(record: RunRecord) -> Any:
    """Ranks that took steps; all where roles are not told apart."""
    stepping = np.unique(record.steps["rank"])
    return stepping.astype(int) if stepping.size else np.arange(record.size)


def _lengths(record: RunRecord, period: int) -> Any:
    """Length of a period of every rank [s]."""
    ranks = record.ranks
    ends = [ranks["begin"], ranks["steady_begin"], ranks["steady_end"], ranks["end"]]
    return (ends[period + 1] - ends[period]) / 1e9


def read_all(paths: Sequence[str]) -> list[PhaseTime]:
    """Phases of several files together, of runs with equally many threads on a rank."""
    found = {path: read_phase_times(path) for path in paths}
    every = [time for times in found.values() for time in times]
    known = sorted({time.threads for time in every if time.threads})
    if len(known) > 1:
        where = [[path for path, times in found.items() if any(time.threads == n for time in times)]
                 for n in known]  # fmt: skip
        words = "; ".join(f"{n} in {', '.join(some)}" for n, some in zip(known, where, strict=True))
        raise UserError(
            f"The ranks of these runs have unlike numbers of threads ({words}), and their times are"
            " not of one law. Give the records of one number."
        )
    return every
