"""Benchmarks that are remembered, where a result comes from, and the file that holds it."""

import json
import math
import threading
from dataclasses import fields, replace
from pathlib import Path

import pytest

import halocline
from halocline.core.errors import UserError
from halocline.experiment import command_line
from halocline_lab.evolution import provenance, remembering
from halocline_lab.evolution.remembered import (
    Measurement,
    Result,
    append,
    keys,
    read_history,
    schema,
)

package = Path(halocline.__file__).parent


def a_result(**changes) -> Result:
    found = Result(
        date="2026-11-21T10:00:00+00:00",
        benchmark="transport",
        arguments=("--levels", "4"),
        batch="a",
        turn=0,
        code={"version": "0.1.0", "commit": "0123456789ab", "dirty": False},
        build={"compiler": "c"},
        system={"kernel": "k"},
        machine={"name": "m"},
        measurements=(Measurement("nanoseconds", 2.0, "ns", 1.9, 2.1, 5),),
    )
    return replace(found, **changes)


def test_a_file_gives_back_what_was_added(tmp_path):
    path = tmp_path / "some" / "history.jsonl"
    results = [a_result(turn=turn) for turn in range(3)]
    for result in results:
        append(path, result)
    assert read_history(path) == results
    line = json.loads(path.read_text().splitlines()[0])
    named = {key for key in keys if "." not in key}
    assert set(line) == named
    told = {key.split(".")[1] for key in keys if "." in key}
    assert told == {field.name for field in fields(Measurement)}
    assert set(line["measurements"][0]) == told - {"ratio", "better"}  # they are as usual


def test_lines_of_many_writers_do_not_mix(tmp_path):
    path = tmp_path / "history.jsonl"
    long = a_result(arguments=("x" * 20_000,))

    def write(turn: int) -> None:
        for _ in range(20):
            append(path, replace(long, turn=turn))

    writers = [threading.Thread(target=write, args=(turn,)) for turn in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(result.turn for result in read_history(path)) == sorted([0, 1, 2, 3] * 20)


def test_what_is_no_history_is_named(tmp_path):
    path = tmp_path / "history.jsonl"
    with pytest.raises(UserError, match="Cannot read the history"):
        read_history(path)
    append(path, a_result())
    good = path.read_text()
    path.write_text(good + good.replace(f'"schema": {schema}', '"schema": 99'))
    with pytest.raises(UserError, match="Line 2 .* version 99"):
        read_history(path)
    path.write_text(good + '{"schema": 1}\n')
    with pytest.raises(UserError, match="Line 2 .* no result"):
        read_history(path)
    path.write_text(good + good[: len(good) // 2])
    with pytest.raises(UserError, match="does not end"):
        append(path, a_result())


def test_a_value_that_is_no_number_is_not_written(tmp_path):
    broken = a_result(measurements=(Measurement("nanoseconds", math.nan, "ns"),))
    with pytest.raises(ValueError):
        append(tmp_path / "history.jsonl", broken)


def test_a_benchmark_remembers_itself(tmp_path, capsys):
    path = tmp_path / "history.jsonl"
    words = "--tracers 2 --precision float32 --threads 1 --levels 3 --repeats 2".split()
    for _ in range(2):
        assert command_line.main(["lab", "transport", *words, f"--remember={path}"]) == 0
    assert "remembered in" in capsys.readouterr().out
    results = read_history(path)
    assert [result.benchmark for result in results] == ["transport"] * 2
    assert results[0].arguments == tuple(words)
    assert results[0].batch != results[1].batch
    rows = {row.name: row for row in results[0].measurements}
    floor = rows["nanoseconds over floor, tracers 2, float32, threads 1, advection"]
    time = rows["nanoseconds, tracers 2, float32, threads 1, advection"]
    assert floor.ratio and not time.ratio and time.units == "ns" and time.runs == 2
    assert time.low <= time.value <= time.high
    assert floor.low <= floor.value <= floor.high
    assert results[0].machine["stream"]["1"]["triad"] > 1e8
    assert results[0].code["version"] == halocline.__version__


def test_where_the_variable_names_a_file_all_is_remembered(tmp_path, monkeypatch):
    path = tmp_path / "history.jsonl"
    monkeypatch.setenv(remembering.variable, str(path))
    words = "--tracers 2 --precision float32 --threads 1 --levels 2 --repeats 1".split()
    kept = tmp_path / "kept.json"
    assert command_line.main(["lab", "transport", *words, "--json", str(kept)]) == 0
    assert json.loads(kept.read_text())["rows"]
    assert read_history(path)[0].arguments == tuple(words)


@pytest.mark.parametrize(
    ("benchmark", "table", "names"),
    [
        (
            "waves",
            {
                "rows": [
                    {"ranks": 1, "threads": 2, "nanoseconds": 9, "spread": [8, 10], "speed_up": 1}
                ],
                "sweep_over_copy": 1.5,
            },
            ["nanoseconds, ranks 1, threads 2", "speed_up, ranks 1, threads 2", "sweep_over_copy"],
        ),
        (
            "solver",
            {
                "rows": [
                    {
                        "choice": "chebyshev, diagonal",
                        "solution": "smooth",
                        "ranks": 4,
                        "nanoseconds": 3.0,
                        "over_reference": 0.5,
                        "over_triad": None,
                        "iterations": 70,
                    }
                ]
            },
            [
                "nanoseconds, chebyshev, diagonal, smooth, ranks 4",
                "over_reference, chebyshev, diagonal, smooth, ranks 4",
                "iterations, chebyshev, diagonal, smooth, ranks 4",
            ],
        ),
        (
            "communication",
            {
                "rows": [
                    {
                        "benchmark": "halo",
                        "exchange": "x",
                        "ranks": 2,
                        "size": 8,
                        "choice": "packed",
                        "microseconds": 3.0,
                        "low": 2.0,
                        "high": 4.0,
                        "ratio": 1.0,
                        "ratio_low": 0.9,
                        "ratio_high": 1.1,
                    }
                ]
            },
            ["microseconds, halo, x, ranks 2, size 8, packed", "ratio, halo, x, ranks 2, size 8,"],
        ),
        (
            "output",
            {
                "sections": [
                    {
                        "name": "table 5.2",
                        "rows": [
                            {"name": "all", "units": "s", "new": 1.0, "low": 0.5, "high": 2.0}
                        ],
                    }
                ]
            },
            ["new, table 5.2, all"],
        ),
        (
            "decompose",
            {"rows": [{"ranks": 2, "threads": 1, "cut": "1 x 2", "measured": 0.1, "ratio": 1.0}]},
            ["measured, ranks 2, threads 1, 1 x 2", "ratio, ranks 2, threads 1, 1 x 2"],
        ),
        (
            "calls",
            {
                "rows": [
                    {
                        "arguments": 21,
                        "cells": 64,
                        "bound_over_kernel": 9.0,
                        "bound_over_compiled": 3.0,
                    }
                ]
            },
            ["bound_over_kernel, arguments 21, cells 64", "bound_over_compiled, arguments 21,"],
        ),
        (
            "recorder",
            {"rows": [{"case": "swell", "ranks": 2, "overhead": 0.001}]},
            ["overhead, swell, ranks 2"],
        ),
    ],
)
def test_all_benchmarks_are_read(benchmark, table, names):
    found = remembering.measurements(benchmark, table, 3)
    assert len(found) == len(names)
    for row, name in zip(found, names, strict=True):
        assert row.name.startswith(name)
        assert row.low is None or row.low <= row.value <= row.high


def test_columns_are_those_that_benchmarks_write():
    from halocline_lab.benchmarks import (
        calls,
        communication_rows,
        decompose,
        solver,
        transport,
        waves,
    )
    from halocline_lab.output_cost import output_results

    known = {
        "transport": {key.removeprefix("rows.") for key in transport.keys},
        "solver": {key.removeprefix("rows.") for key in solver.keys},
        "calls": set(calls.keys),
        "decompose": {key.removeprefix("rows.") for key in decompose.keys},
        "communication": set(communication_rows.columns),
        "output": {"name", "units", *(k.split(".")[-1] for k in output_results.keys)},
        "waves": {"ranks", "threads", *waves.keys},
    }
    for benchmark, columns in known.items():
        for source in remembering.sources[benchmark]:
            wanted = {source.value, *source.by, *source.bounds, source.over} - {""}
            assert wanted <= columns, (benchmark, wanted - columns)


def test_provenance_names_code_build_system_and_machine():
    found = provenance.provenance()
    assert found["code"]["version"] == halocline.__version__
    assert found["build"]["compiler"].startswith(("GCC", "clang"))
    assert "-ffp-contract=off" in found["build"]["flags"]
    assert "-O" in found["build"]["flags"]
    assert found["build"]["variant"] in ("in place", "installed")
    assert found["machine"]["cores"] >= 1 and found["machine"]["memory"] > 2**28
    assert all(found["system"].values())


def test_a_package_in_a_foreign_checkout_has_no_commit(tmp_path):
    provenance.git(tmp_path, "init", "--quiet")
    folder = tmp_path / "halocline"
    folder.mkdir()
    (folder / "__init__.py").write_text('__version__ = "9.9"\n')
    assert provenance.code(folder) == {"version": "9.9"}
    for words in (
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
    ):
        provenance.git(tmp_path, *words)
    found = provenance.code(folder)
    assert found["dirty"] is False and len(found["commit"]) == 12
    (folder / "__init__.py").write_text('__version__ = "9.10"\n')
    assert provenance.code(folder)["dirty"] is True


def test_a_file_that_is_no_module_has_no_sections(tmp_path):
    assert provenance.section(b"#!/bin/sh", b".comment") == b""
    module = next(package.glob("numerics/_native*.so")).read_bytes()
    assert b"GCC" in provenance.section(module, b".comment") or b"clang" in module
    assert provenance.section(module, b".no_such") == b""
