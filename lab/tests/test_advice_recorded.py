"""Healthy programs of MPI, recorded: their messages get no advice. 3 ranks."""

from __future__ import annotations

import os
import sys

import pytest

from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline_lab.diagnosis.advice import advise
from halocline_lab.recording.record import record
from records.told import programs

of_messages = {"per-variable messages", "late sender", "blocking all-to-one"}


@pytest.mark.parametrize(
    "name", ["ring_all_gather", "ping_pong", "neighbours", "master_and_workers", "pipeline"]
)
def test_healthy_programs_get_no_advice_on_messages(name, tmp_path, monkeypatch):
    for key, value in mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"}).items():
        monkeypatch.setenv(key, value)
    words = [sys.executable, str(programs / "healthy.py"), name]
    code, found = record(["timeout", "100", *mpiexec_command(3), *words], tmp_path / "a.record")
    assert code == 0
    advice = advise(found[0])
    assert not of_messages & {one.fault for one in advice}
    assert not [one for one in advice if one.sure == "certain"]
