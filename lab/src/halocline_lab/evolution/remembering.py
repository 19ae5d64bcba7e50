"""Every benchmark can be remembered: what of its JSON goes into a history, and when."""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halocline_lab.evolution.provenance import provenance
from halocline_lab.evolution.remembered import Measurement, Result, append

default_file = "halocline-history.jsonl"
variable = "HALOCLINE_HISTORY"
"""Where this names a file, every benchmark is remembered there."""


@dataclass(frozen=True)
class Source:
    """Where measurements stand in the JSON of a benchmark: one in each of some rows.

    `rows` names a list of the result, or lists within a list (`sections.rows`); without, the result
    itself is the row. `by` are the columns that tell rows apart, `bounds` one column with both
    bounds or two with one each. Value and bounds are divided by the column `over` where there is
    one.
    """

    value: str
    units: str
    rows: str = "rows"
    by: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    over: str = ""
    ratio: bool = False
    better: str = "lower"


_waves = ("ranks", "threads")
_transport = ("tracers", "precision", "threads", "processes")
_air = ("precision", "ranks", "threads")
_solver = ("choice", "solution", "ranks")
_communication = ("benchmark", "exchange", "ranks", "size", "choice")
_scale = ("processes", "per_node", "threads", "smt", "setting")
_gain = ("speed_up_low", "speed_up_high")
_calls = ("arguments", "cells")
_decompose = ("ranks", "threads", "cut")

sources: dict[str, tuple[Source, ...]] = {
    "waves": (
        Source("nanoseconds", "ns", by=_waves, bounds=("spread",)),
        Source("speed_up", "1", by=_waves, ratio=True, better="higher"),
        Source("sweep_over_copy", "1", rows="", ratio=True),
    ),
    "transport": (
        Source("nanoseconds", "ns", by=_transport, bounds=("spread",)),
        Source("nanoseconds", "1", "rows", _transport, ("spread",), over="floor", ratio=True),
        Source("processor_nanoseconds", "1", by=_transport, over="floor", ratio=True),
    ),
    "atmosphere": (
        Source("nanoseconds", "ns", by=_air, bounds=("spread",)),
        Source("processor_nanoseconds", "ns", by=_air),
        Source("nanoseconds", "1", "rows", _air, ("spread",), over="floor", ratio=True),
        Source("speed_up", "1", by=_air, ratio=True, better="higher"),
    ),
    "solver": (
        Source("nanoseconds", "ns", by=_solver),
        Source("over_reference", "1", by=_solver, ratio=True),
        Source("over_triad", "1", by=_solver, ratio=True),
        Source("iterations", "1", by=_solver),
    ),
    "communication": (
        Source("microseconds", "us", by=_communication, bounds=("low", "high")),
        Source("ratio", "1", by=_communication, bounds=("ratio_low", "ratio_high"), ratio=True),
    ),
    "output": (Source("new", "units", "sections.rows", ("name",), ("low", "high")),),
    "decompose": (
        Source("measured", "s", by=_decompose),
        Source("ratio", "1", by=_decompose, ratio=True),
    ),
    "scale": (
        Source("median", "s", by=_scale, bounds=("least", "most")),
        Source("speed_up", "1", by=_scale, bounds=_gain, ratio=True, better="higher"),
    ),
    "calls": (
        Source("bound_over_kernel", "1", by=_calls, ratio=True),
        Source("bound_over_compiled", "1", by=_calls, ratio=True),
    ),
    "recorder": (Source("overhead", "1", by=("case", "ranks"), ratio=True),),
}
"""By benchmark; units that are the name of a column are read from it."""

runs: dict[str, Callable[[argparse.Namespace], int]] = {
    "waves": lambda options: options.rounds * options.repeats,
    "transport": lambda options: options.repeats,
    "atmosphere": lambda options: options.rounds,
    "solver": lambda options: options.rounds,
    "calls": lambda options: options.rounds,
    "scale": lambda options: options.repeat,
}
"""How many runs a median is of, where the arguments of the benchmark say so."""


def offer(parser: argparse.ArgumentParser, benchmark: str) -> None:
    """Add the argument that has the benchmark remembered."""
    if benchmark in sources:
        parser.add_argument(
            "--remember",
            metavar="FILE",
            nargs="?",
            const=default_file,
            default=os.environ.get(variable) or None,
            help=f"add the result to a history ({default_file}; always, where the variable"
            f" {variable} names a file)",
        )


def run(
    benchmark: str,
    main: Callable[[argparse.Namespace], int],
    options: argparse.Namespace,
    given: Sequence[str],
) -> int:
    """Run a benchmark; add its result to a history if that is asked for."""
    history = getattr(options, "remember", None)
    if not history:
        return main(options)
    with tempfile.TemporaryDirectory() as folder:
        path = options.json = options.json or str(Path(folder) / "result.json")
        code = main(options)
        # Under a launcher of MPI only the first rank has a result.
        if code == 0 and Path(path).exists():
            table = json.loads(Path(path).read_text(encoding="utf-8"))
            arguments = measured_by(given)
            rows = measurements(benchmark, table, runs_of(benchmark, options))
            append(Path(history), result(benchmark, arguments, rows, table))
            print(f"remembered in {history}")
    return code


def runs_of(benchmark: str, options: argparse.Namespace) -> int | None:
    """How many runs a median is of, where that is known."""
    return runs[benchmark](options) if benchmark in runs else None


def measured_by(given: Sequence[str]) -> tuple[str, ...]:
    """The arguments that say what is measured, without those on where results go.

    >>> measured_by(["--levels", "4", "--remember=a.jsonl", "--json", "b", "--repeats", "3"])
    ('--levels', '4', '--repeats', '3')
    """
    kept: list[str] = []
    words = list(given)
    while words:
        word = words.pop(0)
        if word in ("--remember", "--json", "--output", "--page"):
            if words and not words[0].startswith("-"):
                words.pop(0)
        elif not word.startswith(("--remember=", "--json=", "--output=", "--page=")):
            kept.append(word)
    return tuple(kept)


def result(
    benchmark: str,
    arguments: Sequence[str],
    rows: Sequence[Measurement],
    table: Mapping[str, Any],
    *,
    package: Path | None = None,
    batch: str = "",
    turn: int = 0,
) -> Result:
    """The result of a run that has just ended, of the package in this folder or that which runs."""
    origin = provenance(package)
    bandwidth = table.get("stream")
    if bandwidth:
        origin["machine"]["stream"] = bandwidth
    return Result(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        benchmark=benchmark,
        arguments=tuple(arguments),
        batch=batch or uuid.uuid4().hex[:8],
        turn=turn,
        measurements=tuple(rows),
        **origin,
    )


def measurements(
    benchmark: str, table: Mapping[str, Any], count: int | None = None
) -> list[Measurement]:
    """What the JSON of a benchmark holds for a history; older versions may have less of it."""
    return [
        _measurement(source, prefix, row, count)
        for source in sources[benchmark]
        for prefix, row in _rows(source.rows.split(".") if source.rows else [], table)
        if _is_number(row.get(source.value))
    ]


def _measurement(
    source: Source, prefix: Sequence[str], row: Mapping[str, Any], count: int | None
) -> Measurement:
    unit = float(row[source.over]) if source.over else 1.0
    what = f"{source.value} over {source.over}" if source.over else source.value
    low, high = _bounds(source, row)
    return Measurement(
        ", ".join(filter(None, [what, *prefix, *(_words(row, name) for name in source.by)])),
        float(row[source.value]) / unit,
        str(row.get(source.units, source.units)),
        None if low is None else low / unit,
        None if high is None else high / unit,
        count,
        source.ratio,
        source.better,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _rows(
    path: Sequence[str], table: Mapping[str, Any], prefix: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """The rows at the end of a path of lists, with the names of the rows around them."""
    if not path:
        yield prefix, table
        return
    for row in table.get(path[0], ()):
        around = (*prefix, str(row["name"])) if len(path) > 1 else prefix
        yield from _rows(path[1:], row, around)


def _words(row: Mapping[str, Any], column: str) -> str:
    value = row.get(column)
    return f"{column} {value}" if isinstance(value, int | float) else str(value)


def _bounds(source: Source, row: Mapping[str, Any]) -> tuple[float | None, float | None]:
    values = [row.get(name) for name in source.bounds]
    pair = values[0] if len(values) == 1 else values
    if not isinstance(pair, list) or len(pair) != 2 or None in pair:
        return None, None
    return float(pair[0]), float(pair[1])
