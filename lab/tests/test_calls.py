"""`halocline lab calls`: kernels that add up, what a row says of known times, the table."""

import json

import numpy as np
import pytest

from halocline.experiment.command_line import main
from halocline_lab.benchmarks import calls


@pytest.mark.parametrize("count", calls.counts)
def test_kernels_add_up_all_their_arrays(count):
    kernel = calls.kernels[f"add_up_{count}"]
    assert len(kernel.arguments) == count
    run, state = calls.made(kernel, 4)
    run.bind(kernel, state)(times=1)
    run(kernel, state, times=3)
    assert np.array_equal(state.total.gather(), np.full((4, 4), 1.0 + 4 * count))


def test_a_row_tells_kernel_and_call_apart():
    """A kernel of 2 us, of 40 us on a larger block; 0.5, 3 and 8 us around it by the three ways."""

    def many_and_once(kernel):
        return kernel * calls.times + 0.5e-6, kernel + 0.5e-6

    small = [*many_and_once(2e-6), 2e-6 + 3e-6, 2e-6 + 8e-6]
    assert calls.row(5, 1024, small, many_and_once(40e-6)) == pytest.approx(
        {
            "arguments": 5,
            "cells": 1024,
            "kernel_microseconds": 40.0,
            "compiled_microseconds": 0.5,
            "bound_microseconds": 3.0,
            "run_microseconds": 8.0,
            "bound_over_kernel": 3.0 / 40.0,
            "bound_over_compiled": 6.0,
        }
    )


def test_the_command_writes_its_rows(tmp_path, capsys):
    path = tmp_path / "calls.json"
    assert main(f"lab calls --rounds 3 --seconds 0 --json {path}".split()) == 0
    found = json.loads(path.read_text())
    assert found["keys"] == calls.keys
    assert all(set(row) == set(calls.keys) for row in found["rows"])
    sizes = [(count, side**2) for count in calls.counts for side in calls.sides]
    assert [(row["arguments"], row["cells"]) for row in found["rows"]] == sizes
    assert all(row["bound_microseconds"] > row["compiled_microseconds"] for row in found["rows"])
    shown = capsys.readouterr().out
    assert shown.count("\n") == len(sizes) + 1 and "16,384" in shown
