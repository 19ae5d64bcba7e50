"""Runs under a real Slurm of one node, which the test starts.

Left out where no Slurm is installed, or who tests is not root (Debian: slurm-wlm). Judges no time.
"""

import os
import time
from pathlib import Path

import pytest

from named_programs import where_installed
from submission import real_slurm
from submission.sending import Desk, killed, small, stand_in

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not real_slurm.is_installed(), reason="no Slurm is installed here"),
]

working = """
mkdir -p results; : > results/halocline.toml; echo begun; trap 'echo told; : > {new}; exit 3' TERM
while :; do sleep 0.1; done""".format(new="results/restart_20000102T000000.safetensors")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    with real_slurm.a_slurm(tmp_path_factory.mktemp("slurm")) as configuration:
        yield configuration


@pytest.fixture
def desk(tmp_path: Path, monkeypatch, capsys, slurm) -> Desk:
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in real_slurm.programs:
        (folder / name).symlink_to(where_installed(name))
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_CONF", str(slurm))
    found = Desk(tmp_path, monkeypatch, capsys)
    found.sites(cluster=cluster())
    return found


def cluster(**facts):
    return {"kind": "slurm", "cores": 2, "longest": "00:10:00", "queue": "main", **facts}


def test_a_run_waits_computes_and_is_complete(desk: Desk) -> None:
    desk("submit", "duration-limited", "--to", "cluster", *small)
    desk.wait()
    assert "8 files with right checksums" in desk("job", "fetch")


def test_a_wall_time_is_followed_by_the_next_job(desk: Desk) -> None:
    script = """
mkdir -p results; : > results/halocline.toml; echo x >> called; n=$(wc -l < called)
: > results/restart_2000010${n}T000000.safetensors; [ $n = 3 ] && exit 0; exit 3"""
    desk.sites(cluster=cluster(halocline=stand_in(desk.folder / "stand-in", script)))
    desk("submit", "duration-limited", "--to", "cluster", "--walltime", "00:02:00", *small)
    said = desk.wait()
    assert "3 so far" in said
    (history,) = desk.histories().values()
    assert history == ["submitted", *["running", "continued"] * 2, "running", "complete"]


def test_a_running_job_and_a_waiting_one_are_cancelled(desk: Desk) -> None:
    program = stand_in(desk.folder / "stand-in", working)
    desk.sites(cluster=cluster(halocline=program))
    desk("submit", "duration-limited", "--to", "cluster", "-n", "2")
    first = desk.job
    while "begun" not in desk.printed():
        time.sleep(0.1)
    assert "RUNNING" in desk("job", "status")
    desk("submit", "duration-limited", "--to", "cluster", "-n", "2", "--again")
    second = desk.wait(first + "-2", until="PENDING").split()[1]
    assert second == first + "-2"
    assert "cancelled" in desk("job", "cancel", second)
    assert desk.histories()[second] == ["submitted", "cancelled"]
    assert "RUNNING" in desk("job", "status", first)
    assert "cancelled" in desk("job", "cancel", first)
    assert desk.printed() == "begun\ntold\n"
    desk("submit", "duration-limited", "--to", "cluster", "-n", "2")
    desk.wait(second, until="RUNNING")  # the newest of equal runs
    desk("job", "cancel", second)


def test_a_job_that_is_killed_without_a_word_is_taken_up_again(desk: Desk) -> None:
    script = """
echo x >> called; [ $(wc -l < called) = 2 ] && exit 0; kill -KILL $PPID"""
    desk.sites(cluster=cluster(halocline=stand_in(desk.folder / "stand-in", script)))
    desk("submit", "duration-limited", "--to", "cluster", *small)
    desk.wait(until="ended without a word")
    desk("submit", "duration-limited", "--to", "cluster", *small)
    desk.wait()


def test_killed_anywhere_one_job_is_submitted(desk: Desk) -> None:
    script = "echo x >> called; sleep 2; exit 0"
    desk.sites(cluster=cluster(halocline=stand_in(desk.folder / "stand-in", script)))
    count = 0
    for where in ("before", "after"):
        for at in range(1, 20):
            count += 1
            words = ("submit", "duration-limited", "--to", "cluster", "-n", "1")
            words += ("--set", f"perturbation.member={count}")
            if not killed("site_shell", "SiteShell.run", at, where, *words):
                break
            desk(*words)
    assert count >= 10
    for job in desk.histories():
        desk.wait(job)
    called = list(desk.there.glob("jobs/*/called"))
    assert len(called) == count
    assert all(path.read_text(encoding="utf-8") == "x\n" for path in called)


def test_slurm_tells_when_a_job_would_start(desk: Desk) -> None:
    program = stand_in(desk.folder / "stand-in", working)
    desk.sites(
        cluster=cluster(halocline=program),
        small=cluster(halocline=program, memory=0.001),
        slow={"kind": "local", "halocline": program, "cores": 2, "speed": 0.001},
    )
    said = desk("submit", "duration-limited", "--anywhere", "-n", "2", "--walltime", "00:05:00")
    assert "start told by Slurm" in said and "chosen: cluster" in said
    assert "small: The site 'small' has 0.001 GB of memory" in said
    while "begun" not in desk.printed():
        time.sleep(0.1)
    said = desk("submit", "duration-limited", "--anywhere", "-n", "2", "--walltime", "00:05:00",
                "--again")  # fmt: skip
    row = next(line for line in said.splitlines() if line.startswith("cluster "))
    assert "4 min" in row or "5 min" in row, said
    desk("job", "cancel")
    desk("job", "cancel", next(iter(desk.histories())))
