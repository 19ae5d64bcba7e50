"""Files of measured times: what `halocline lab scale --json` leaves, or a CSV file of your own."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline_lab.scaling.placement_fit import Timing

columns = ("processes", "per_node", "seconds")


def read_timings(path: str | Path) -> list[Timing]:
    """Measured times: JSON of `lab scale`, or CSV with the columns processes, per_node, seconds.

    Without the column per_node, processes go one by one to the nodes (m = 1).
    """
    path = Path(path)
    try:
        words = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"Cannot read the times in '{path}': {error}.") from None
    rows = json_rows(words, path) if path.suffix == ".json" else csv_rows(words)
    try:
        return [_timing(row) for row in rows]
    except (KeyError, TypeError, ValueError):
        raise UserError(
            f"'{path}' has no times: expected are the columns {', '.join(columns)} with whole"
            " numbers of processes and positive seconds, or the JSON file of 'halocline lab scale'."
        ) from None


def csv_rows(words: str) -> list[dict[str, Any]]:
    """Rows of a CSV text with a heading."""
    lines = [line for line in words.splitlines() if line.strip() and not line.startswith("#")]
    return list(csv.DictReader(lines, skipinitialspace=True))


def json_rows(words: str, path: Path) -> list[dict[str, Any]]:
    """The list "rows" of a JSON file, or the list that the file is."""
    try:
        content = json.loads(words)
    except json.JSONDecodeError as error:
        raise UserError(f"'{path}' is no JSON file: {error}.") from None
    rows = content.get("rows") if isinstance(content, dict) else content
    if not isinstance(rows, list):
        raise UserError(f"'{path}' has no list \"rows\".")
    return rows


def _timing(row: dict[str, Any]) -> Timing:
    seconds = row["mean"] if "mean" in row else row["seconds"]
    timing = Timing(int(row["processes"]), int(row.get("per_node") or 1), float(seconds))
    if timing.seconds <= 0.0 or timing.processes < 1 or timing.per_node < 1:
        raise ValueError(timing)
    return timing
