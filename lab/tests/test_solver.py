"""`halocline lab solver`: what it measures, at small size, and what it makes of it."""

import pytest

from halocline_lab.benchmarks import solver, solver_run

two = [solver.reference, {"method": "chebyshev", "preconditioner": "polynomial"}]


def test_rows_ratios_and_table():
    result = solver.measure(rounds=1, ranks=(), chosen=two)
    assert {f"rows.{name}" for name in result["rows"][0]} < set(solver.keys)
    assert set(result) < set(solver.keys)
    by_choice = {(r["choice"], r["solution"]): r for r in result["rows"]}
    assert len(by_choice) == 4
    for row in result["rows"]:
        assert 0.05 < row["nanoseconds"] < 1e3 and row["milliseconds"] > 0.0
        assert row["over_triad"] == pytest.approx(row["nanoseconds"] / result["triad"])
        assert row["error"] < 1e-8
    diagonal, best = (by_choice[solver.label(choice), "smooth"] for choice in two)
    assert (diagonal["over_reference"], diagonal["iterations"]) == (1.0, 604)
    spent = best["nanoseconds"] * best["iterations"] / (diagonal["nanoseconds"] * 604)
    assert best["over_reference"] == pytest.approx(spent)
    assert best["iterations"] < 40
    text = solver.table(result)
    assert text.count("chebyshev, polynomial") >= 2 and "to stay below 0.4" in text


def run(ranks: int, seconds: float) -> dict:
    found = {"seconds": [seconds] * 2, "processor": [seconds] * 2, "iterations": 100, "error": 0.0}
    rows = [{"smooth": found, "random": found}]
    return {"ranks": ranks, "cells": 1000, "rows": rows, "triad": [1e-4, 1e-4]}


def test_time_per_iteration_of_ranks_is_held_to_one_rank():
    rows = solver._rows([solver.reference], run(1, 0.02))
    rows += solver._rows([solver.reference], run(4, 0.03))
    (ratio,) = [
        one
        for one in solver.ratios(rows)
        if "4 ranks" in one["asked"] and one["solution"] == "smooth"
    ]
    assert ratio["found"] == pytest.approx(1.5) and ratio["level"] == 1.5
    assert rows[0]["over_triad"] == pytest.approx(2.0) and rows[-1]["over_triad"] is None


def test_all_choices_can_be_made_on_ranks():
    wide = [c for c in solver.choices if c.get("block_columns", 0) > solver_run.columns]
    assert len(wide) == 1 and solver.label(wide[0]).endswith("32 x 32")
    assert solver.choices[0] == solver.reference


def test_several_ranks_find_the_same():
    settings = {"rounds": 1, "choices": two[1:]}
    alone, pair = solver_run.timed(settings), solver.on_ranks(2, settings)
    assert (alone["ranks"], pair["ranks"]) == (1, 2)
    for name in ("smooth", "random"):
        for what in ("iterations", "error"):
            assert alone["rows"][0][name][what] == pair["rows"][0][name][what]


def test_an_extrapolated_first_guess_saves_iterations():
    rows = solver.steps_in_time(5, [solver.reference])
    mean = {row["guess"]: row["mean"] for row in rows}
    assert mean["extrapolated"] < mean["last"] < mean["zero"]
