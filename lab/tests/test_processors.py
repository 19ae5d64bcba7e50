"""Ranks that share cores: what they lack is counted and said, and no gain is certain then."""

import sys

import numpy as np
import pytest

from halocline.runtime.ranks.launch import mpiexec_command
from halocline_lab.diagnosis.advice import advise
from halocline_lab.recording.record import record as recorded
from halocline_lab.reporting.report import report_of
from halocline_lab.reporting.report_words import notes, verdict
from records.simulated import Simulation
from records.simulated_faults import healthy, planted


def shared(record, cores, processor_share):
    """The record as of ranks that had one of so many cores for a share of the steady time."""
    record.about["cores"] = [cores]
    record.ranks["host"] = 0
    steady = (record.ranks["steady_end"] - record.ranks["steady_begin"]) / 1e9
    record.ranks["steady_processor_seconds"] = processor_share * steady
    return record


def test_four_ranks_on_two_cores_compute_half_of_the_time():
    record = Simulation(4, healthy).record()
    alone = report_of(record).analysis
    assert alone.efficiency.parallel.value > 0.9 and not alone.processors.words
    report = report_of(shared(record, 2, 0.5))
    found = report.analysis
    assert found.processors.cores == 2
    assert found.efficiency.parallel.value == pytest.approx(0.5, abs=0.01)
    assert "more ranks than cores: 4 ranks on 2 cores" in found.processors.words
    assert "a process computes 50.0 % on average" in verdict(report)
    assert "without a processor to compute on (more ranks than cores)" in verdict(report)
    assert any("More ranks than cores" in note for note in notes(report))
    cores = next(one for one in found.cpmip if one.name == "parallelisation")
    assert cores.value == 2


def test_no_gain_is_certain_without_processors_and_none_beyond_what_cores_compute():
    record = planted["per-variable messages"]().runs()[0]
    before = advise(record)[0]
    assert before.sure == "certain"
    found = advise(shared(record, 2, 0.3))
    room = record.steady_seconds * (1.0 - 4 * 0.3 / 2)
    assert found and all(one.sure == "possible" for one in found)
    assert all(one.gain.high <= room * 1.001 for one in found)
    assert "4 ranks on 2 cores" in found[0].evidence[-1]
    assert advise(shared(record, 2, 0.5)) == []


def test_ranks_that_others_disturb_are_said_to_lack_processors():
    report = report_of(shared(Simulation(4, healthy).record(), 4, 0.7))
    assert "others ran there, or they read or sleep" in report.analysis.processors.words
    assert "more ranks than cores" not in verdict(report)


def test_records_tell_cores_and_processor_time(tmp_path):
    """A rank bound to one core with another; on a busy machine it has less of it than half."""
    script = tmp_path / "two.py"
    script.write_text(
        "import os, time\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\nend = time.time() + 1.0\n"
        "while time.time() < end: pass\nMPI.COMM_WORLD.Barrier()\n"
    )
    words = ["timeout", "60", *mpiexec_command(2), sys.executable, str(script)]
    code, found = recorded(words, tmp_path / "a.record")
    assert code == 0
    (record,) = found
    assert record.about["cores"] == [1]
    used = record.ranks["steady_processor_seconds"]
    assert np.isfinite(used).all() and (used > 0.0).all()
    assert used.sum() < 1.1 * record.steady_seconds
    words = report_of(record).analysis.processors.words
    assert "more ranks than cores: 2 ranks on 1 core;" in words
