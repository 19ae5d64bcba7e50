"""What a report says adds up, for records of all kinds: parts are the whole, no share above 1."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import halocline
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.prediction.platform_model import read_platform
from halocline_lab.prediction.program_patterns import halo, solver
from halocline_lab.prediction.replay import replay
from halocline_lab.recording.interposer_build import find_mpicc
from halocline_lab.recording.record import summary
from halocline_lab.reporting.report import report_of
from halocline_lab.reporting.report_words import verdict
from records.made import made_record
from records.small import two_ranks
from records.told import programs


@pytest.fixture(scope="module")
def strips(tmp_path_factory):
    """Records of the ways of lab/tests/recorded/strips.c."""
    folder = tmp_path_factory.mktemp("strips")
    environment = {**os.environ, **mpi_environment({})}
    words = [find_mpicc(mpiexec_command(1)), "-g", "-Wall", "-Werror", "-pthread", "-o"]
    subprocess.run([*words, folder / "strips", programs / "strips.c"], check=True)
    found = {}
    for way in ("strips", "windows", "threads"):
        path = folder / f"{way}.record"
        record = [sys.executable, "-m", "halocline", "lab", "record", "--output", path, "--"]
        started = ["timeout", "60", *mpiexec_command(4), folder / "strips", way]
        subprocess.run([*record, *started], check=True, env=environment, capture_output=True)
        found[way] = read_record(path)
    return found


@pytest.fixture(scope="module")
def of_model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    halocline.run("swell", settings=["time.length=1h"], output=str(folder))
    return read_record(folder)


def replayed(program, imbalance=0.2):
    return replay(program, read_platform("cray-x1"), record=True).record()


made = {
    "two ranks": two_ranks,
    "made": lambda: made_record(4, 5),
    "solver": lambda: replayed(solver(16, imbalance=0.2, steps=5)),
    "halo": lambda: replayed(halo(16, grid=(4, 4), steps=5)),
}


@pytest.fixture(params=["strips", "windows", "threads", "model", *made])
def record(request):
    if request.param in made:
        return made[request.param]()
    if request.param == "model":
        return request.getfixturevalue("of_model")
    return request.getfixturevalue("strips")[request.param]


def test_what_is_said_of_a_record_adds_up(record):
    found = report_of(record).analysis
    steady = found.accounting.steady
    whole = (record.ranks["end"] - record.ranks["begin"]).sum() / 1e9

    # The steady time of each rank has five parts, which headline, load and states share.
    parts = (found.accounting.computing, found.accounting.lacking, found.accounting.files,
             found.accounting.communicating, found.accounting.waiting)  # fmt: skip
    for part in parts:
        assert (np.array(part) >= -1e-9).all()
    assert np.sum(parts, axis=0) == pytest.approx(steady, rel=1e-6)
    load = found.balance.user.mean + found.balance.mpi.mean + found.balance.mpi_sync.mean
    assert load == pytest.approx(np.mean(steady), rel=1e-6)
    assert found.balance.mpi_sync.mean <= np.mean(found.accounting.waiting) + 1e-9
    assert found.states.busy_share + found.states.overhead_share + found.states.idle_share == (
        pytest.approx(1.0)
    )
    if found.spans_share > 0.99:
        idle = sum(found.states.idle)
        assert idle == pytest.approx(sum(found.accounting.waiting), rel=1e-3, abs=1e-6)
        assert sum(wait.seconds for wait in found.waits) == pytest.approx(idle, rel=1e-3, abs=1e-6)

    # Phases: periods are the run, and computation and MPI the phase.
    periods = [row for row in found.phases if row.kind == "period"]
    assert sum(row.share for row in periods) == pytest.approx(1.0, rel=1e-6)
    for row in found.phases:
        assert row.computation.mean + row.mpi.mean == pytest.approx(row.total.mean, rel=1e-6)
        assert -1e-9 <= row.computation.mean and row.share <= 1.0 + 1e-9
    (row,) = [row for row in periods if row.name == "steady"]
    assert row.mpi.mean == pytest.approx(
        found.balance.mpi.mean + found.balance.mpi_sync.mean, rel=1e-6
    )

    # Calls: each place once, no share and no waiting beyond what there is.
    sites = found.messages.sites
    assert len({(one.name, one.site) for one in sites}) == len(sites)
    assert sum(one.share for one in sites) <= 1.0 + 1e-9
    for one in sites:
        assert one.waiting is None or -1e-9 <= one.waiting <= one.seconds.mean * record.size + 1e-9
    assert whole > 0.0

    # Messages are from rank to rank, wherever they are counted.
    assert found.messages.count == sum(found.messages.matrix.count)
    assert found.messages.count == sum(found.messages.histogram.count)
    assert found.messages.bytes == sum(found.messages.histogram.bytes)
    for one in (found.efficiency.parallel, found.efficiency.load_balance):
        assert one.value <= 1.0 + 1e-9


def test_the_headline_adds_up_and_is_what_the_load_says(record):
    shown = report_of(record)
    accounting = shown.analysis.accounting
    numbers = [float(part.split()[-1]) for part in verdict(shown).split(" %")[:-1]]
    whole = sum(accounting.steady)
    assert numbers[0] == pytest.approx(100 * sum(accounting.computing) / whole, abs=0.06)
    if "almost nothing" in verdict(shown):
        return
    assert numbers[0] + numbers[1] == pytest.approx(100, abs=0.11)
    assert f"{100 * sum(accounting.waiting) / whole:.1f} % waiting" in verdict(shown) or (
        sum(accounting.waiting) < 0.006 * whole
    )


def test_messages_to_nobody_are_no_messages(strips, tmp_path):
    record = strips["strips"]
    (tmp_path / "r").touch()
    assert "messages     120 with 61.4 kB" in summary(record, tmp_path / "r")
    assert report_of(record).analysis.messages.count == 120


def test_a_send_and_receive_in_one_call_is_one_place(strips):
    found = report_of(strips["strips"]).analysis.messages
    ways = [one for one in found.sites if one.name == "MPI_Sendrecv"]
    assert [one.kind for one in ways] == ["send receive"] * 2
    assert [one.pattern.name for one in ways] == ["pipeline"] * 2
    assert found.pattern.name == "halo 1D"


def test_a_fence_is_where_ranks_wait(strips):
    accounting = report_of(strips["windows"]).analysis.accounting
    assert sum(accounting.at_collectives) == pytest.approx(sum(accounting.waiting), rel=1e-6)
    assert max(accounting.waiting) > 0.02  # rank 0 computes 20 times 10 ms longer
