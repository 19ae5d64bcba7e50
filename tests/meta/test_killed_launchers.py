"""Whoever of a run on ranks is killed at whatever moment, everything ends within 5 s.

Ranks: 3, in runs two of the model and an output server; started by the tests.
"""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from meta.killing_launchers import kill_one

kills = [
    (victim, number)
    for victim in ("launcher", "mpiexec", "rank")
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
]


def kill(kind, folder, victim, number, count, seed):
    choice = random.Random(seed)
    taken = [
        kill_one(kind, folder / str(at), victim, number, choice, early=at % 2 == 1)
        for at in range(count)
    ]
    print(f"{kind} {victim} {number.name}: at most {max(taken):.2f} s of {count}")


@pytest.mark.parametrize("victim", ["launcher", "mpiexec", "rank"])
def test_a_run_ends_whoever_is_killed(tmp_path, victim):
    kill("run", tmp_path, victim, signal.SIGKILL, 1, seed=1)


@pytest.mark.parametrize("victim, number", kills)
def test_the_laboratory_ends_whoever_is_killed(tmp_path, victim, number):
    kill("laboratory", tmp_path, victim, number, 2, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["run", "laboratory"])
@pytest.mark.parametrize("victim, number", kills)
def test_all_end_however_often(tmp_path, kind, victim, number):
    kill(kind, tmp_path, victim, number, 20, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["mpiexec", "rank"])
def test_all_end_on_two_nodes(tmp_path, victim):
    """A victim of mpiexec is it, or the daemon of the other node."""
    kill("nodes", tmp_path, victim, signal.SIGKILL, 10, seed=4)


def test_a_rank_that_computes_ends_with_its_parent(tmp_path):
    """Also where it neither comes to MPI nor lets go of the interpreter's lock."""
    child = (
        "import ctypes, os, pathlib, sys\n"
        "from halocline.runtime import _native\n"
        "_native.end_with_parent()\n"
        "pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))\n"
        "ctypes.PyDLL(None).sleep(60)\n"
    )
    told = tmp_path / "child"
    words = f'"{sys.executable}" -c "$0" "{told}" & wait'
    with subprocess.Popen(["sh", "-c", words, child]) as parent:
        while not told.exists() or not told.read_text():
            time.sleep(0.01)
        parent.kill()
    number, deadline = int(told.read_text()), time.monotonic() + 5.0
    while os.path.exists(f"/proc/{number}") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not os.path.exists(f"/proc/{number}")


def test_a_rank_does_not_go_on_alone():
    """As MPI would have it where the launcher has ended, or is that of another MPI."""
    alone = {"OMPI_COMM_WORLD_SIZE": "2"}
    program = "from halocline.runtime.ranks.communicator import world; world()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **alone},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("halocline: 2 ranks were started, but MPI knows only this one.")
    assert len(done.stderr.splitlines()) == 1
