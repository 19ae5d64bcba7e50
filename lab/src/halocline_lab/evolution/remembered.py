"""What a history remembers: one line of JSON for every run of a benchmark."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError

schema = 1
added_flags = "added flags"
"""In what is told of a build: flags that were given beside those of the version."""

keys = {
    "schema": "version of these lines",
    "date": "when it was measured (UTC)",
    "benchmark": "its name, as `halocline lab` knows it",
    "arguments": "what else was given on the command line",
    "batch": "runs with the same word were made in turns, on one day of one system",
    "turn": "number of the run in its batch",
    "code": "version; commit, its date, and whether files differed from it",
    "build": "compiler, flags and variant, as the compiled modules tell them",
    "system": "kernel, C library, message passing, Python, NumPy",
    "machine": "processor, cores, memory [byte], bandwidth by STREAM [byte s-1] where measured",
    "measurements": "what was found",
    "measurements.name": "what was measured, on what",
    "measurements.value": "median of the runs",
    "measurements.units": "units of value, low and high",
    "measurements.low": "lower end of the spread or bounds, where the benchmark gives some",
    "measurements.high": "upper end",
    "measurements.runs": "how many runs the median is of, where that is known",
    "measurements.ratio": "true for ratios, which other machines may have too",
    "measurements.better": "higher, where that is better",
}


@dataclass(frozen=True)
class Measurement:
    """One number of a benchmark; see `keys`."""

    name: str
    value: float
    units: str
    low: float | None = None
    high: float | None = None
    runs: int | None = None
    ratio: bool = False
    better: str = "lower"


@dataclass(frozen=True)
class Result:
    """One run of a benchmark; see `keys`."""

    date: str
    benchmark: str
    arguments: tuple[str, ...]
    batch: str
    turn: int
    code: Mapping[str, Any]
    build: Mapping[str, Any]
    system: Mapping[str, Any]
    machine: Mapping[str, Any]
    measurements: tuple[Measurement, ...]

    @property
    def version(self) -> str:
        """The commit, with a + where files differed from it; else the version of the package.

        With the flags that it was built with beside its own.
        """
        commit = str(self.code.get("commit", ""))[:7]
        name = f"{commit}{'+' * bool(self.code.get('dirty'))}" or str(self.code["version"])
        return f"{name} {self.build.get(added_flags, '')}".rstrip()

    @property
    def command(self) -> str:
        """The benchmark and its arguments."""
        return " ".join([self.benchmark, *self.arguments])


def matches(result: Result, row: Measurement, only: Sequence[str]) -> bool:
    """Whether 'command: name' of a measurement holds one of some words; without words, yes."""
    return not only or any(word in f"{result.command}: {row.name}" for word in only)


def append(path: Path, result: Result) -> None:
    """Add a line to a file of history, whole or not at all, whoever else adds to it."""
    rows = [_told(row) for row in result.measurements]
    table = {"schema": schema, **asdict(result), "measurements": rows}
    line = json.dumps(table, allow_nan=False) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("ab+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
                if file.read(1) != b"\n":
                    raise UserError(f"'{path}' does not end with a line's end: mend its last line.")
            file.write(line.encode())
    except OSError as error:
        raise UserError(f"Cannot add to the history '{path}': {error.strerror}.") from None


def _told(row: Measurement) -> dict[str, Any]:
    """What there is to tell of a measurement: six digits, nothing that is as usual."""
    usual = {field.name: field.default for field in fields(Measurement)}
    return {
        name: float(f"{value:.6g}") if isinstance(value, float) else value
        for name, value in asdict(row).items()
        if value != usual[name]
    }


def read_history(path: Path) -> list[Result]:
    """All results of a file, as they were added."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"Cannot read the history '{path}': {error}. Any benchmark begins one:"
            f" halocline lab transport --remember={path}"
        ) from None
    return [_read(line, f"Line {number} of '{path}'") for number, line in enumerate(lines, 1)]


def _read(line: str, where: str) -> Result:
    try:
        found = json.loads(line)
        version = found.pop("schema")
        if version != schema:
            raise UserError(
                f"{where} has version {version} of the lines of a history; this program knows"
                f" {schema}. Use the Halocline that wrote it, or a newer one."
            )
        rows = tuple(Measurement(**row) for row in found.pop("measurements"))
        arguments = tuple(found.pop("arguments"))
        return Result(measurements=rows, arguments=arguments, **found)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{where} is no result of a benchmark ({error}). Remove it.") from None
