"""Runs a small case, kills a process of it at a random moment, and resumes it, many times over.

As a program: `killing.py fork FOLDER COUNT SEED` (one process, forked: cheap), `killing.py ranks
FOLDER COUNT SEED` (two ranks and an output server, one of them killed) and `killing.py run FOLDER`
(a rank of those).
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from halocline.experiment.resuming import case_file, ended
from halocline.experiment.run import run
from halocline.experiment.server_advice import variable as servers
from halocline.experiment.verifying import verify_file
from halocline.runtime.ranks.communicator import world
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.runtime.writing.restart import find_restarts

maps = {"variables": ["significant_height"], "interval": "1h"}
case = {
    "component": "waves",
    "grid": {"nx": 12, "ny": 8, "dx": 10.0, "dy": 6.0, "y0": -20.0, "depth": 3000.0},
    "spectrum": {"frequencies": 5, "factor": 1.3, "directions": 8},
    "time": {"start": "2000-01-01", "length": "12h", "step": "1h"},
    "forcing": {"wind": {"speed": 17.0, "direction": 250.0}},
    "start": {"kind": "jonswap"},
    "restart": {"interval": "2h", "keep": 2},
    "output": {
        "fields": {
            "maps": maps,
            "means": {**maps, "interval": "3h", "processing": "mean"},
            "chunks": {**maps, "interval": "4h", "format": "zarr"},
        },
        "points": {"buoys": {"points": {"a": [50.0, 0.0]}, "interval": "2h"}},
    },
}
ranks = 3
"""Two of the model and a server."""


def final_files(folder):
    """All output and restart files under their final names."""
    return sorted([*folder.glob("*.nc"), *folder.glob("*.zarr"), *find_restarts(folder)])


def content(path):
    """The bytes of a file, or of all files of a folder."""
    if path.is_dir():
        return {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if p.is_file()}
    return path.read_bytes()


def assert_good(folder):
    for path in final_files(folder):
        verify_file(path)


def go_on(folder):
    """Begin the run in a folder, or resume it where it has begun."""
    begun = folder / case_file
    run(begun if begun.exists() else case, output=folder, resume=begun.exists())


def in_child(action):
    """Do something in a process of its own; its number."""
    number = os.fork()
    if number == 0:
        code = 1
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    return number


def assert_same_as(whole, folder):
    assert ended(folder) == ended(whole) != ""
    for path in final_files(whole):
        assert content(folder / path.name) == content(path), path.name


def finish(whole, folder):
    """Resume a broken run, if it is one, and compare all its files with those of a whole run."""
    assert_good(folder)
    if not ended(folder):
        _, status = os.waitpid(in_child(lambda: go_on(folder)), 0)
        assert status == 0
    assert_good(folder)
    assert_same_as(whole, folder)


def unbroken(folder):
    """A whole run, in a child so that no kernel has run in this process, and its duration [s]."""
    os.waitpid(in_child(lambda: go_on(folder)), 0)
    begin = time.monotonic()
    os.waitpid(in_child(lambda: go_on(folder.with_name("timed"))), 0)
    return time.monotonic() - begin


def kill_forks(folder, count, choice):
    """Kill runs and resumed runs of one process, `count` times in all."""
    whole = folder / "whole"
    duration, kills, moments = unbroken(whole), 0, []
    while kills < count:
        broken = Path(tempfile.mkdtemp(dir=folder))
        for _ in range(choice.randint(1, 3)):
            child = in_child(partial(go_on, broken))
            time.sleep(choice.uniform(0.0, duration))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            if not os.WIFSIGNALED(status):
                assert status == 0
                break
            kills += 1
            moments.append([len(content(path)) for path in final_files(broken)])
            assert_good(broken)
        finish(whole, broken)
    return len({str(moment) for moment in moments})


def begin_ranks(folder):
    """Begin a run on ranks in a new folder; the process, and the files with their numbers."""
    broken = Path(tempfile.mkdtemp(dir=folder))
    launcher = [*mpiexec_command(ranks, threads=1), sys.executable, __file__, "run", str(broken)]
    process = subprocess.Popen(
        launcher,
        env=mpi_environment() | {servers: "1 for the test"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    pids = [broken / f"rank{rank}" for rank in range(ranks)]
    while not all(path.exists() and path.read_text() for path in pids):
        assert process.poll() is None
        time.sleep(0.01)
    return process, pids


def kill_ranks(folder, count, choice):
    """Kill one of the ranks, the server included, `count` times."""
    whole = folder / "whole"
    unbroken(whole)
    process, pids = begin_ranks(folder)
    begin = time.monotonic()
    assert process.wait(60) == 0
    duration, kills = time.monotonic() - begin, 0
    finish(whole, pids[0].parent)
    while kills < count:
        process, pids = begin_ranks(folder)
        time.sleep(choice.uniform(0.0, duration))
        try:
            os.kill(int(choice.choice(pids).read_text()), signal.SIGKILL)
            kills += 1
        except ProcessLookupError:
            duration *= 0.9
        process.wait(60)
        finish(whole, pids[0].parent)
    return kills


def one_rank(folder):
    """A rank of a run that is to be killed."""
    world()
    (folder / f"rank{world().rank}").write_text(str(os.getpid()))
    go_on(folder)


if __name__ == "__main__":
    kind, where = sys.argv[1], Path(sys.argv[2])
    if kind == "run":
        one_rank(where)
    else:
        action = {"fork": kill_forks, "ranks": kill_ranks}[kind]
        print(action(where, int(sys.argv[3]), random.Random(int(sys.argv[4]))))
