"""Planted programs find what a user would copy."""

import subprocess
import sys

from halocline.runtime.ranks.launch import mpi_environment


def test_planted_programs_find_the_calls_that_name_steps():
    script = (
        "from halocline_lab.diagnosis.planted import model;"
        " calls = model._region_calls(); print(callable(calls.step), callable(calls.region))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=mpi_environment(), capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True"], done.stderr
