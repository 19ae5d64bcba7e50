"""Runs in queues: what is said to batch systems and read from them, with small ones of the tests'.

`test_slurm.py` does it with a real Slurm. Judges no time.
"""

import os
import time
from pathlib import Path

import pytest

from halocline.submission.schedulers import Pbs, Slurm
from submission import batch_programs
from submission.sending import Desk, killed, small, stand_in

kinds = {"slurm": batch_programs.slurm, "pbs": batch_programs.pbs}
three = """
mkdir -p results; : > results/halocline.toml; echo "$@" >> called; n=$(wc -l < called)
: > results/restart_2000010${n}T000000.safetensors; [ $n = 3 ] && exit 0; exit 3"""


@pytest.fixture(params=kinds)
def desk(request, tmp_path: Path, monkeypatch, capsys) -> Desk:
    found = Desk(tmp_path, monkeypatch, capsys)
    found.kind = request.param
    found.queue = batch_programs.install(kinds[request.param], tmp_path / "programs")
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
    return found


def cluster(desk: Desk, script: str, **facts) -> None:
    program = stand_in(desk.folder / "stand-in", script)
    desk.sites(cluster={"kind": desk.kind, "halocline": program, "longest": "01:00:00", **facts})


def said_to(desk: Desk) -> list[list[str]]:
    """The words with which each job was submitted."""
    paths = sorted(desk.queue.glob("words.*"))
    return [path.read_text(encoding="utf-8").splitlines() for path in paths]


def test_jobs_follow_each_other_until_the_run_is_complete(desk: Desk) -> None:
    cluster(desk, three)
    (desk.queue / "held").touch()
    desk("submit", "duration-limited", "--to", "cluster", *small)
    said = desk("job", "status")
    assert "waits in the queue" in said and "101" in said
    assert ("expected to start Sat Nov 28 18:00" in said) == (desk.kind == "pbs")
    (desk.queue / "held").unlink()
    desk.wait(within=30.0)
    (history,) = desk.histories().values()
    assert history == ["submitted", *["running", "continued"] * 2, "running", "complete"]
    assert len(said_to(desk)) == 3 and said_to(desk)[0] == said_to(desk)[2]
    (called,) = desk.there.glob("jobs/*/called")
    words = [line.split() for line in called.read_text(encoding="utf-8").splitlines()]
    assert [some[0] for some in words] == ["run", "resume", "resume"]
    limits = [int(some[some.index("--walltime") + 1]) for some in words]
    assert all(3400 <= limit <= 3480 for limit in limits)  # an hour less two minutes


def test_what_is_asked_of_the_queue(desk: Desk) -> None:
    cluster(desk, "exit 0", nodes=3, cores=4, queue="long one", account="o'cean",
            job_options=["--constraint=rome&x"], launcher="srun -n {ranks}")  # fmt: skip
    desk("submit", "duration-limited", "--to", "cluster", "-n", "9", "--walltime", "00:30:00")
    desk.wait(within=30.0)
    assert desk.printed() == "srun 9\n"
    name = f"hl-{desk.job.rpartition('.')[2]}"
    (words,) = said_to(desk)
    if desk.kind == "slurm":
        wanted = ["--parsable", f"--job-name={name}", "--ntasks=9", "--nodes=3", "--time=00:30:00"]
        wanted += ["--partition=long one", "--account=o'cean", "--output=scheduler.log"]
        assert words == [*wanted, "--open-mode=append", "--constraint=rome&x", "job.sh"]
    else:
        text = " ".join(words)
        assert f"-N {name} -l select=3:ncpus=3:mpiprocs=3 -l walltime=00:30:00" in text
        assert "-q long one -A o'cean -j oe -o scheduler.log --constraint=rome&x job.sh" in text


def test_a_waiting_job_is_taken_out_of_the_queue(desk: Desk) -> None:
    cluster(desk, three)
    (desk.queue / "held").touch()
    desk("submit", "duration-limited", "--to", "cluster", *small)
    assert "cancelled" in desk("job", "cancel")
    assert not list(desk.queue.glob("1*"))
    (desk.queue / "held").unlink()
    time.sleep(0.5)
    assert list(desk.histories().values()) == [["submitted", "cancelled"]]
    desk("submit", "duration-limited", "--to", "cluster", *small)
    desk.wait(within=30.0)


def test_a_queue_that_refuses_is_one_message_and_then_gone_on(desk: Desk) -> None:
    cluster(desk, three)
    (desk.queue / "refuses").touch()
    said = desk("submit", "duration-limited", "--to", "cluster", *small, code=2)
    assert "Cannot submit the job at the site 'cluster'" in said
    assert "the queue takes nothing" in said and "Traceback" not in said
    (desk.queue / "refuses").unlink()
    desk("submit", "duration-limited", "--to", "cluster", *small)
    desk.wait(within=30.0)


def test_where_jobs_may_not_submit_the_user_goes_on(desk: Desk) -> None:
    cluster(desk, f": > '{desk.queue}/refuses'\n{three}")
    desk("submit", "duration-limited", "--to", "cluster", *small)
    desk.wait(until="its next job was refused")
    for until in ("its next job was refused", "complete"):
        (desk.queue / "refuses").unlink()
        desk("submit", "duration-limited", "--to", "cluster", *small)
        desk.wait(until=until)


def test_killed_anywhere_one_job_is_submitted(desk: Desk) -> None:
    cluster(desk, "echo x >> called; exit 0")
    (desk.queue / "held").touch()
    count = 0
    for where in ("before", "after"):
        for at in range(1, 20):
            count += 1
            words = ("submit", "duration-limited", "--to", "cluster", "-n", "1")
            words += ("--set", f"perturbation.member={count}")
            if not killed("site_shell", "SiteShell.run", at, where, *words):
                break
            desk(*words)
    assert count >= 10 and len(said_to(desk)) == count
    (desk.queue / "held").unlink()
    for job in desk.histories():
        desk.wait(job)


def test_a_queue_that_cannot_be_asked_gets_no_second_job(desk: Desk) -> None:
    cluster(desk, three)
    (desk.queue / "held").touch()
    desk("submit", "duration-limited", "--to", "cluster", *small)
    (desk.queue / "down").touch()
    said = desk("submit", "duration-limited", "--to", "cluster", *small, code=2)
    assert "Unable to contact" in said
    assert len(said_to(desk)) == 1
    (desk.queue / "down").unlink()
    (desk.queue / "held").unlink()
    desk.wait(within=30.0)


def test_what_queues_say_is_read() -> None:
    """Of several jobs of a run that counts which waits, then which runs."""
    entry = Slurm().read("7 COMPLETING 2026-01-01T00:00:00\n8 PENDING 2026-01-02T00:00:00\n")
    assert entry is not None and (entry.identity, entry.state) == ("8", "waiting")
    assert entry.said == "job 8 PENDING, expected to start 2026-01-02T00:00:00"
    assert Slurm().read("\n") is None and Pbs().read("") is None
    said = "Job Id: 1.a\n    job_state = {}\n\nJob Id: 2.a\n    job_state = {}\n"
    for one, other, state in (("E", "R", "running"), ("F", "H", "waiting"), ("C", "E", "ending")):
        entry = Pbs().read(said.format(one, other))
        assert entry is not None and (entry.identity, entry.state) == ("2.a", state)
    assert Pbs().read(said.format("C", "F")) is None
