"""Runs sent to this machine: whole, continued, cancelled, and taken up again wherever killed.

They start processes of their own, and judge no time.
"""

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

import halocline as package
from halocline.component.case.shipped import case_folder
from halocline.submission.schedulers import NoQueue
from halocline.submission.submissions import all_submissions, load, working_on
from submission.sending import Desk, halocline, killed, small, stand_in


@pytest.fixture
def desk(tmp_path: Path, monkeypatch, capsys) -> Desk:
    found = Desk(tmp_path, monkeypatch, capsys)
    found.sites(here={"kind": "local", "cores": 2})
    return found


def blown_case(folder: Path) -> Path:
    """A case whose wind is a function of a file beside it, with names that shells would read."""
    folder.mkdir()
    text = (case_folder() / "duration-limited/case.toml").read_text(encoding="utf-8")
    strange = 'the "wind\'s" $(touch stray);.py'
    (folder / strange).write_text(
        "import numpy as np\n\n\n"
        "def blow(seconds, x, y):\n    return np.full(x.shape, 12.0), np.zeros(x.shape)\n",
        encoding="utf-8",
    )
    setting = f"function = '''{strange}:blow'''"
    text = text.replace("speed = 10.0\ndirection = 270.0", setting)
    (folder / "case.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_run_there_is_the_run_here(desk: Desk) -> None:
    """Input goes there under odd names, results come back bit for bit; the same command again
    does nothing, `--again` runs once more without sending input."""
    case = blown_case(desk.folder / "a case's")
    said = desk("submit", str(case), "--to", "here", *small)
    assert "4 files" in said and "submitted a-case-s." in said
    desk.wait()
    assert f"{desk.job}: complete" in desk("job", "log")
    said = desk("job", "fetch", "--output", "fetched")
    assert "8 files with right checksums" in said and "not complete" not in said
    assert all_submissions()[0].stage == "fetched" and all_submissions()[0].took
    package.run(str(case), settings=["time.length=2h"], output="plain")
    for name in ("maps.nc", "spectra.nc"):
        assert Path("fetched", name).read_bytes() == Path("plain", name).read_bytes()
    assert not list(desk.folder.rglob("stray"))
    said = desk("submit", str(case), "--to", "here", *small)
    assert "already: complete" in said and len(desk.histories()) == 1
    said = desk("submit", str(case), "--to", "here", "--again", *small)
    assert sum(size > 0 for size in sizes_of_stores(desk)) == 6  # two scripts more
    desk.wait()
    assert len(desk.histories()) == 2
    assert desk("job", "list").count("here") == 2


def sizes_of_stores(desk: Desk) -> list[int]:
    return [path.stat().st_size for path in desk.there.glob("store/*")]


@pytest.mark.slow
def test_a_run_that_a_wall_time_stops_goes_on_to_its_end(desk: Desk) -> None:
    """Jobs follow each other; what they write is what one run writes.

    A slow disk makes the run last twice as long as a job.
    """
    slow = ["export HALOCLINE_DISK=slow:60000"]
    desk.sites(here={"kind": "local", "cores": 2, "setup": slow})
    length = "time.length=8d"
    desk("submit", "duration-limited", "--to", "here", "-n", "1", "--walltime", "00:00:10",
         "--set", length)  # fmt: skip
    said = desk.wait(within=240.0)
    (history,) = desk.histories().values()
    assert history.count("running") >= 2
    assert history.count("continued") == history.count("running") - 1
    assert f"{history.count('running')} so far" in said
    desk("job", "fetch", "--output", "fetched")
    package.run("duration-limited", settings=[length], output="plain")
    for name in ("maps.nc", "spectra.nc"):
        assert Path("fetched", name).read_bytes() == Path("plain", name).read_bytes()


def test_a_run_without_progress_is_not_continued(desk: Desk) -> None:
    """A job that leaves no newer restart is the last one; one that does is followed."""
    script = """
echo "$@" >> called; mkdir -p results; : > results/halocline.toml; n=$(wc -l < called)
[ $n -lt 4 ] && : > results/restart_2000010${n}T000000.safetensors
exit 3"""
    desk.sites(here={"kind": "local", "halocline": stand_in(desk.folder / "stand-in", script)})
    desk("submit", "duration-limited", "--to", "here", "--walltime", "00:01:00", *small)
    said = desk.wait(until="comes no step further")
    assert "2000-01-03 00:00" in said
    (called,) = desk.there.glob("jobs/*/called")
    lines = called.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("run case.toml --output results --walltime ")
    assert all(line.startswith("resume results --walltime ") for line in lines[1:])
    assert 0 < int(lines[0].split()[5]) <= 48  # a fifth of the minute is kept


def test_a_failed_run_says_why_and_is_taken_up_again(desk: Desk) -> None:
    broken = stand_in(desk.folder / "stand-in", "echo 'halocline: no such wind' >&2; exit 2")
    desk.sites(here={"kind": "local", "halocline": broken})
    desk("submit", "duration-limited", "--to", "here", *small)
    said = desk.wait(until="failed 2")  # the folder of this test is called so, too
    assert "no such wind" in said
    desk.sites(here={"kind": "local", "halocline": halocline})
    desk("submit", "duration-limited", "--to", "here", *small)
    desk.wait()


def test_a_run_that_ends_while_it_is_looked_at_is_not_lost(desk: Desk, monkeypatch) -> None:
    """It puts down how it ended, and is gone when the queue is asked for it."""
    broken = stand_in(desk.folder / "stand-in", "exit 2")
    desk.sites(here={"kind": "local", "halocline": broken})
    desk("submit", "duration-limited", "--to", "here", *small)
    desk.wait(until="failed 2")
    (history,) = desk.there.glob("jobs/*/history")
    *before, end = history.read_text(encoding="utf-8").splitlines(keepends=True)
    history.write_text("".join(before), encoding="utf-8")
    monkeypatch.setattr(NoQueue, "ask", lambda *_: f"echo {end.strip()!r} >> history")
    said = desk("job", "status")
    assert "failed 2" in said and "ended without a word" not in said


def test_a_run_is_cancelled_with_a_restart_and_goes_on(desk: Desk) -> None:
    words = ("submit", "duration-limited", "--to", "here", "-n", "1", "--set", "time.length=20d")
    desk(*words)
    results = desk.there / "jobs" / desk.job / "results"
    while not (results / "maps.nc").exists():
        time.sleep(0.1)
    said = desk("job", "fetch", "--output", "early")
    assert "the run is not complete: running" in said
    said = desk("job", "cancel")
    assert "cancelled, with a restart" in said
    assert list(results.glob("restart_*")) and not (results / "halocline.end").exists()
    assert "does not run" in desk("job", "cancel")
    desk(*words)
    desk.wait(within=240.0)
    desk("job", "fetch", "--output", "early")
    assert Path("early/halocline.end").exists()


@pytest.mark.slow
def test_killed_anywhere_it_is_taken_up_again(desk: Desk) -> None:
    """The process dies before or after each thing that it does at the site or puts down here."""
    count = 0
    for module, function in (("site_shell", "SiteShell.run"), ("submitting", "save")):
        for where in ("before", "after"):
            for at in range(1, 20):
                count += 1
                words = ("submit", "duration-limited", "--to", "here", "-n", "1")
                words += ("--set", "time.length=1h", "--set", f"perturbation.member={count}")
                if not killed(module, function, at, where, *words):
                    break
                assert "Traceback" not in desk(*words)
            assert at >= 3
    jobs = desk.histories()
    assert len(jobs) == count
    for job in jobs:
        desk.wait(job)
    for job, history in desk.histories().items():
        assert history.count("running") == history.count("complete") == 1, job
        known = load(job)
        assert known is not None and known.stage == "submitted", job


def test_killed_while_it_fetches_it_goes_on(desk: Desk) -> None:
    desk("submit", "duration-limited", "--to", "here", *small)
    desk.wait()
    there = desk.there / "jobs" / desk.job / "results"
    for where in ("before", "after"):
        for at in range(1, 20):
            shutil.rmtree("fetched", ignore_errors=True)
            words = ("job", "fetch", "--output", "fetched")
            if not killed("transfer", "_take_one", at, where, *words):
                break
            before = len(list(Path("fetched").glob("*.nc")))
            desk(*words)
            assert before < 3
            for path in there.iterdir():
                assert Path("fetched", path.name).read_bytes() == path.read_bytes()
            assert len(list(Path("fetched").iterdir())) == len(list(there.iterdir()))
        assert at == 9  # one more than there are files


def processes_in(folder: Path) -> list[int]:
    """All processes that work in a folder."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if link.resolve() == folder.resolve():
                found.append(int(link.parent.name))
    return found


@pytest.mark.slow
def test_a_run_that_dies_with_its_machine_goes_on_from_its_last_restart(desk: Desk) -> None:
    """Everything there is killed at once, as by a power failure, twice."""
    desk.sites(here={"kind": "local", "setup": ["export HALOCLINE_DISK=slow:60000"]})
    settings = ["time.length=4d", "restart.interval=1d"]
    words = ("submit", "duration-limited", "--to", "here", "-n", "1")
    words += ("--set", settings[0], "--set", settings[1])
    desk(*words)
    folder = desk.there / "jobs" / desk.job
    for date in ("20000102", "20000103"):
        deadline = time.monotonic() + 90
        while not list(folder.glob(f"results/restart_{date}*.safetensors")):
            assert time.monotonic() < deadline, desk.printed()
            time.sleep(0.05)
        for process in processes_in(folder):
            os.kill(process, signal.SIGKILL)
        assert "ended without a word" in desk("job", "status")
        desk(*words)
    desk.wait()
    (history,) = desk.histories().values()
    assert history == ["submitted", "running"] * 3 + ["complete"]
    assert "20000103T000000" in desk.printed()
    desk("job", "fetch", "--output", "fetched")
    package.run("duration-limited", settings=settings, output="plain")
    assert Path("fetched/maps.nc").read_bytes() == Path("plain/maps.nc").read_bytes()


def test_status_tells_how_far_it_is(desk: Desk) -> None:
    """What the run printed last, unless a restart is newer; what it takes is remembered."""
    line = "2000-01-01 06:00   12%  1,234 simulated days per day, 1 min 15 s left"
    script = f"""
mkdir -p results; echo '2000-01-01 03:00    6%  x'; echo '{line}'
while [ ! -e go ]; do sleep 0.1; done; : > results/restart_20000101T073000.safetensors
while [ ! -e end ]; do sleep 0.1; done; exit 0"""
    desk.sites(here={"kind": "local", "halocline": stand_in(desk.folder / "stand-in", script)})
    desk("submit", "duration-limited", "--to", "here", "-n", "1")
    told = "12%  1,234 simulated days per day, 1 min 15 s left"
    said = desk.wait(until=told)
    assert f"reached   2000-01-01 06:00 of 2000-01-03 00:00, {told}" in said
    folder = desk.there / "jobs" / desk.job
    (folder / "go").touch()
    said = desk.wait(until="newest restart")
    assert "reached   2000-01-01 07:30 of 2000-01-03 00:00, newest restart" in said
    (folder / "end").touch()
    desk.wait()
    (known,) = all_submissions()
    assert known.took >= 1.0 and known.steps == 192
    assert "complete" in desk("job", "list")


def test_the_log_is_followed_byte_by_byte(desk: Desk) -> None:
    """It is printed once, whole, though letters come in halves, and ends with the run."""
    script = """
for n in 1 2 3; do printf 'gr\\303'; sleep 1.2; printf '\\266\\303\\237e %s\\n' $n; done"""
    desk.sites(here={"kind": "local", "halocline": stand_in(desk.folder / "stand-in", script)})
    desk("submit", "duration-limited", "--to", "here", "-n", "1")
    said = desk("job", "log")
    assert said.splitlines()[:3] == [f"größe {n}" for n in (1, 2, 3)]
    assert said.splitlines()[3:] == [f"-- {desk.job}: complete"]


def test_a_run_is_removed_once_it_has_ended(desk: Desk) -> None:
    """With its input, unless another run has that or it came within a day."""
    script = "while [ ! -e end ]; do sleep 0.1; done; exit 0"
    desk.sites(here={"kind": "local", "halocline": stand_in(desk.folder / "stand-in", script)})
    desk("submit", "duration-limited", "--to", "here", "-n", "1")
    first = desk.job
    assert "has not ended" in desk("job", "remove", code=2)
    (desk.there / "jobs" / first / "end").touch()
    desk.wait()
    desk("submit", "duration-limited", "--to", "here", "-n", "1", "--again")
    for path in desk.there.glob("store/*"):
        os.utime(path, (0, 0))
    assert "removed at 'here'" in desk("job", "remove", first)
    assert list(desk.histories()) == [desk.job] == [f"{first}-2"]
    assert len(list(desk.there.glob("store/*"))) == 3
    (desk.there / "jobs" / desk.job / "end").touch()
    desk.wait()
    new = desk.there / "store/new"
    new.touch()
    desk("job", "remove")
    assert list(desk.there.glob("store/*")) == [new]
    assert not all_submissions() and not desk.histories()


def test_two_commands_do_not_work_on_one_run(desk: Desk) -> None:
    desk("submit", "duration-limited", "--to", "here", *small)
    desk.wait()
    with working_on(desk.job):
        said = desk("submit", "duration-limited", "--to", "here", *small, code=2)
    assert "Another command works on the job" in said


def test_nothing_of_the_users_environment_is_there(desk: Desk, monkeypatch) -> None:
    monkeypatch.setenv("A_SECRET", "of the user")
    script = "env > seen; mkdir -p results; exit 0"
    desk.sites(here={"kind": "local", "halocline": stand_in(desk.folder / "stand-in", script)})
    desk("submit", "duration-limited", "--to", "here", *small)
    desk.wait()
    (seen,) = desk.there.glob("jobs/*/seen")
    assert "PATH=" in seen.read_text(encoding="utf-8")
    for path in desk.there.rglob("*"):
        assert path.is_dir() or "of the user" not in path.read_text(errors="replace")
