"""A run on several ranks: one that dies ends all, signals stop it cleanly, codes come through."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from halocline.experiment import exit_codes
from halocline.experiment.launching import at_once
from halocline.experiment.stopping import Stopping, signals
from halocline.runtime.ranks.communicator import Alone
from meta.small_case import obedient, small_case


def begin(folder: Path, wind: str, *arguments: str, length: str = "1h") -> subprocess.Popen[str]:
    """Start a run on two ranks whose wind is a function of ours."""
    (folder / "case.toml").write_text(small_case(length, 'function = "wind.py:wind"'))
    (folder / "wind.py").write_text(wind)
    command = [sys.executable, "-P", "-m", "halocline", "run", str(folder), "-n", "2"]
    command += ["--output", str(folder / "results"), *arguments]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        preexec_fn=obedient,
    )


def finish(process: subprocess.Popen[str], timeout: float = 60.0) -> tuple[int, str, str]:
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out, err


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60.0
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


calm = """
def wind(t, x, y):
    return 0 * x, 0 * x
"""
failing = """
import os, signal
def wind(t, x, y):
    if t > 1000 and os.environ["OMPI_COMM_WORLD_RANK"] == "1":
        {action}
    return 0 * x, 0 * x
"""
slow = """
import pathlib, time
def wind(t, x, y):
    if t > 0:
        pathlib.Path(__file__).with_name("running").touch()
    time.sleep(0.05)
    return 0 * x, 0 * x
"""


def test_run_ends_well(tmp_path: Path) -> None:
    code, out, err = finish(begin(tmp_path, calm))
    assert code == exit_codes.done, err
    assert "starting 2 ranks of 1 thread: mpiexec -n 2" in out
    assert "6 steps to 2000-01-01 01:00" in out
    assert "Traceback" not in err
    assert "ranks 2" in (tmp_path / "results" / "halocline.log").read_text()


def test_failure_of_one_rank_ends_all_with_its_message(tmp_path: Path) -> None:
    fails = failing.format(action="raise ValueError('gust')")
    begun = time.monotonic()
    code, _, err = finish(begin(tmp_path, fails))
    assert code == exit_codes.internal_error
    assert "ValueError: gust" in err
    assert "(on rank 1)" in err
    assert time.monotonic() - begun < 45.0


def test_message_and_code_come_through_a_launcher_that_crashes(tmp_path: Path) -> None:
    """As that of Open MPI 5 does after some MPI_Abort: here it is killed in that moment."""
    crash = "lambda self, code: os.kill(os.getppid(), signal.SIGKILL)"
    action = (
        f"from halocline.runtime.ranks import communicator; communicator.Ranks.abort = {crash};"
    )
    code, _, err = finish(
        begin(tmp_path, failing.format(action=f"{action} raise ValueError('gust')"))
    )
    assert code == exit_codes.internal_error
    assert "ValueError: gust" in err
    assert "(on rank 1)" in err


def test_killed_rank_is_noticed(tmp_path: Path) -> None:
    dies = failing.format(action="os.kill(os.getpid(), signal.SIGKILL)")
    code, _, err = finish(begin(tmp_path, dies))
    assert code == exit_codes.internal_error
    assert "a rank ended without a word" in err


def test_mistake_found_by_all_ranks_is_said_once(tmp_path: Path) -> None:
    process = begin(tmp_path, calm, "--set", "forcing.wind.function=wind.py:breeze")
    code, _, err = finish(process)
    assert code == exit_codes.user_error
    assert err.count("halocline: ") == 1
    assert "has no function 'breeze'" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("number", signals)
def test_signal_stops_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    process = begin(tmp_path, slow, length="30d")
    wait_for(tmp_path / "running", process)
    os.kill(process.pid, number)
    code, out, err = finish(process)
    assert code == exit_codes.stopped, err
    assert "stopped by" in out
    assert "Traceback" not in err
    assert list((tmp_path / "results").glob("restart_*.safetensors"))


def test_signal_at_one_rank_stops_all_cleanly(tmp_path: Path) -> None:
    gets = failing.format(action="os.kill(os.getpid(), signal.SIGHUP)")
    code, out, err = finish(begin(tmp_path, gets, length="30d"))
    assert code == exit_codes.stopped, err
    assert "stopped by" in out


def children_of(process: int) -> list[int]:
    stats = {int(p.parent.name): p.read_text() for p in Path("/proc").glob("[0-9]*/stat")}
    return sorted(n for n, s in stats.items() if int(s.rpartition(")")[2].split()[1]) == process)


@pytest.mark.parametrize(
    "whom",
    ["all", *(pytest.param(one, marks=pytest.mark.slow) for one in ("mpiexec", "server"))],
)
def test_signal_sent_to_other_processes_stops_cleanly(tmp_path: Path, whom: str) -> None:
    """Batch systems send it to all, `timeout` twice: mpiexec and servers do not end by it."""
    servers = ("--set", "output.servers.count=1", "--set", "output.writing.way=servers")
    process = begin(tmp_path, slow, *servers, length="30d")
    wait_for(tmp_path / "running", process)
    (mpiexec,) = children_of(process.pid)
    *_, server = children_of(mpiexec)
    everyone = (server, mpiexec, *children_of(mpiexec), process.pid)
    for one in {"all": everyone, "mpiexec": (mpiexec,), "server": (server,)}[whom]:
        os.kill(one, signal.SIGTERM)
    if whom == "all":
        time.sleep(0.05)
        os.kill(process.pid, signal.SIGTERM)
    code, out, err = finish(process)
    assert code == exit_codes.stopped, err
    assert "stopped by" in out
    assert list((tmp_path / "results").glob("restart_*.safetensors"))


@pytest.mark.parametrize("number", signals)
def test_every_signal_asks_to_stop_and_the_second_ends(number: signal.Signals) -> None:
    stopping = Stopping(Alone())
    with stopping.listening():
        assert not stopping.asked()
        os.kill(os.getpid(), number)
        assert stopping.asked()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)


def test_nohup_keeps_a_run_from_ending_with_its_terminal() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        stopping = Stopping(Alone())
        with stopping.listening():
            os.kill(os.getpid(), signal.SIGHUP)
            assert not stopping.asked()
    finally:
        signal.signal(signal.SIGHUP, before)


stuck = """
import pathlib, time
def wind(t, x, y):
    if t > 0:
        pathlib.Path(__file__).with_name("running").touch()
        time.sleep(60)
    return 0 * x, 0 * x
"""


def test_second_signal_ends_at_once(tmp_path: Path) -> None:
    process = begin(tmp_path, stuck, length="30d")
    wait_for(tmp_path / "running", process)
    os.kill(process.pid, signal.SIGTERM)
    time.sleep(2.0 * at_once)
    os.kill(process.pid, signal.SIGINT)
    code, _, err = finish(process, timeout=10.0)
    assert code == exit_codes.interrupted, err
    assert "halocline: ended at once by a second signal." in err


def test_signal_while_ranks_start_stops_cleanly(tmp_path: Path) -> None:
    """At the moment at which a rank appears, long before it listens."""
    process = begin(tmp_path, slow, "--threads", "2", length="30d")
    assert process.stdout is not None and "starting 2 ranks" in process.stdout.readline()
    os.kill(process.pid, signal.SIGUSR1)
    code, out, err = finish(process)
    assert code == exit_codes.stopped, err
    assert "stopped by" in out


early = """
import os, signal
def wind(t, x, y):
    os.kill(os.getpid(), signal.SIGUSR1)
    return 0 * x, 0 * x
"""


def test_a_signal_before_the_first_step_stops_cleanly(tmp_path: Path) -> None:
    code, out, err = finish(begin(tmp_path, early, length="30d"))
    assert code == exit_codes.stopped, err
    assert "stopped by" in out


def test_walltime_stops_cleanly(tmp_path: Path) -> None:
    code, out, err = finish(begin(tmp_path, slow, "--walltime", "00:00:03", length="30d"))
    assert code == exit_codes.stopped, err
    assert "stopped by the wall time" in out
