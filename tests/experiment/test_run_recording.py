"""The record that every run leaves beside its results."""

import os
import subprocess
import sys

import numpy as np
import pytest

from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import world
from halocline.runtime.ranks.launch import mpi_environment
from halocline.runtime.record.run_record import periods
from halocline.runtime.record.run_record_file import read_record, record_name

settings = ["time.length=6h", "restart.at_end=true"]


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    run("swell", settings=settings, output=folder)
    return read_record(folder)


def seconds_of(record, name, rank=0):
    number = [region.name for region in record.regions].index(name)
    rows = record.statistics
    return rows[(rows["region"] == number) & (rows["rank"] == rank)]


def test_steps_kernels_and_output_are_on_record(record):
    assert record.about["steps"] == len(record.steps) == 6
    steps = seconds_of(record, "step")
    assert steps["calls"].sum() == 6 and periods[int(steps["period"][0])] == "steady"
    assert seconds_of(record, "propagate_space")["calls"].sum() >= 6
    output = seconds_of(record, "output")
    assert {periods[period] for period in output["period"].tolist()} == {
        "start-up", "steady", "end",
    }  # fmt: skip
    assert seconds_of(record, "restart")["calls"].sum() == 1


def test_own_times_add_up_to_no_more_than_the_run(record):
    rows = record.statistics[(record.statistics["rank"] == 0) & (record.statistics["thread"] == 0)]
    assert (rows["own_seconds"] > -1e-9).all()
    assert rows["own_seconds"].sum() <= record.seconds


def test_threads_of_kernels_are_known_though_they_leave_no_events(tmp_path, monkeypatch):
    """Without them a report would not see that there are more of them than cores."""
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    run("swell", settings=["time.length=1h"], output=tmp_path)
    assert read_record(tmp_path).ranks["threads"].tolist() == [3]


def test_ranks_and_servers_are_in_one_record(tmp_path):
    words = ["run", "swell", "-n", "2", "--set", "time.length=6h", "--output", str(tmp_path)]
    ways = ["--set", "output.servers.count=1", "--set", "output.writing.way=servers"]
    command = [sys.executable, "-m", "halocline", *words, *ways, "--quiet"]
    done = subprocess.run(
        command, env=mpi_environment(dict(os.environ)), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    record = read_record(tmp_path)
    roles = [record.about["roles"][role] for role in record.ranks["role"]]
    assert roles == ["model", "model", "output server"]
    kinds = record.kinds_of(record.messages["region"])
    sent, received = (record.messages[kinds == kind] for kind in ("start send", "start receive"))
    between = {(int(row["rank"]), int(row["partner"])) for row in sent}
    assert between == {(0, 1), (1, 0)}
    assert sent["count"].sum() == received["count"].sum() >= 2 * 6
    assert sent["bytes"].sum() == received["bytes"].sum()
    to_server = record.messages[kinds == "send"]
    assert set(to_server["partner"].tolist()) == {2}
    assert seconds_of(record, "output: assembling", rank=2)["calls"].sum() > 0


def test_kernels_know_their_work(record):
    names = [record.regions[region].name for region in record.work["region"]]
    assert "propagate_space" in names
    row = record.work[names.index("propagate_space")]
    assert row["calls"] >= 6
    assert row["bytes"] / row["calls"] > 4 * record.about["points"]
    assert np.isnan(row["operations"]) or row["operations"] > row["bytes"] / 8


def test_facts_of_the_run(record):
    about = record.about
    assert about["simulated_seconds"] == 6 * 3600.0
    assert about["points_of_ranks"] == [about["points"]]
    assert about["state_bytes"] == about["points"] * about["prognostic_variables"] * 4
    assert about["machine"]["cores"] >= 1


def test_no_record_where_none_is_wanted(tmp_path):
    run("swell", settings=[*settings, "record.write=false"], output=tmp_path)
    assert not (tmp_path / record_name).exists()
    assert world().size == 1
