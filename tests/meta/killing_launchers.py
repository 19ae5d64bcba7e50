"""Starts ranks, kills one of the processes at a random moment, and looks that all end.

As a program, `killing_launchers.py SETTINGS ANSWER` is a rank of the laboratory that never ends.
"""

import json
import os
import platform
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import numpy as np

from halocline.runtime.ranks.communicator import world
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command, rank_command, tethered
from meta.small_case import obedient, small_case

limit = 5.0
"""Time in which everything has to end [s]."""

ranks = 3
mark = "HALOCLINE_TEST_MARK"
case = small_case("3000d", "speed = 10.0", '[restart]\ninterval = "1d"\nkeep = 2\n')
laboratory = """
from halocline_lab.benchmarks.rank_programs import answer_of
answer_of("killing_launchers", {"late": LATE}, ranks=3)
"""


remote_shell = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
shift
exec sh -c "$*"
"""
"""Takes the place of ssh: leaves out options and node, and starts the daemon of the node here."""


def command(kind, folder, late):
    """A run of two ranks and an output server, or a program of the laboratory on three ranks.

    Of `nodes` it is the program on two nodes, both of them this machine.

    The ranks of the program come to MPI only after `late` seconds.
    """
    if kind == "laboratory":
        return [sys.executable, "-P", "-c", laboratory.replace("LATE", str(late))]
    if kind == "nodes":
        shell = folder / "remote_shell"
        shell.write_text(remote_shell)
        shell.chmod(0o755)
        (folder / "settings").write_text(json.dumps({"late": late}))
        words = [*mpiexec_command(ranks), "--host", f"{platform.node()}:2,127.0.0.2:1"]
        words += ["--prtemca", "plm_ssh_agent", str(shell)]
        return tethered([*words, *rank_command("killing_launchers", str(folder / "settings"))])
    (folder / "case.toml").write_text(case)
    words = ["run", str(folder), "-n", "2", "--set", "output.servers.count=1", "--quiet"]
    return [sys.executable, "-P", "-m", "halocline", *words, "--output", str(folder / "results")]


def around(kind):
    """Ranks on what MPI takes for two nodes cannot share memory in all its ways."""
    if kind != "nodes":
        return os.environ
    return mpi_environment() | {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_coll": "^han,xhc,sm"}


class Started:
    """A launcher and whatever it starts, found by a mark in the environment."""

    def __init__(self, kind, folder, late):
        folder.mkdir()
        self.name = uuid.uuid4().hex
        here = Path(__file__).parent
        paths = [str(here), str(here.parent), os.environ.get("PYTHONPATH", "")]
        with (folder / "err").open("wb") as errors:
            self.process = subprocess.Popen(
                command(kind, folder, late),
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={**around(kind), mark: self.name, "PYTHONPATH": ":".join(filter(None, paths))},
                preexec_fn=obedient,
            )

    def processes(self):
        """Those that run, by who they are: launcher, mpiexec (and its daemons), rank."""
        found = {"launcher": [], "mpiexec": [], "rank": []}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                around = (folder / "environ").read_bytes().split(b"\0")
                program = (folder / "comm").read_text().strip()
            except OSError:
                continue
            if f"{mark}={self.name}".encode() not in around:
                continue
            number = int(folder.name)
            if any(word.startswith(b"OMPI_COMM_WORLD_RANK=") for word in around):
                found["rank"].append(number)
            elif number == self.process.pid and not program.startswith("prte"):
                found["launcher"].append(number)
            elif program.startswith(("prte", "mpi", "orte", "hydra")):
                found["mpiexec"].append(number)
            else:
                found.setdefault("other", []).append(number)
        return found

    def seconds_to_end(self):
        """Time until nothing runs any more [s]; what does beyond the limit is told, and ended."""
        begin = time.monotonic()
        while any((left := self.processes()).values()) and time.monotonic() < begin + limit:
            self.process.poll()
            time.sleep(0.02)
        seconds = time.monotonic() - begin
        self.end()
        assert not any(left.values()), f"after {limit} s there still run {left}"
        return seconds

    def end(self):
        """End all that still runs."""
        for numbers in self.processes().values():
            for number in numbers:
                os.kill(number, signal.SIGKILL)
        self.process.wait(60)


def kill_one(kind, folder, victim, number, choice, early):
    """Send a signal to a random process of a kind; the time until all have ended [s].

    That is done at any moment: `early` while it starts up, else when all ranks are there.
    """
    started = Started(kind, folder, late=1.0 if early else 0.0)
    deadline = time.monotonic() + 60.0
    while len((found := started.processes())["rank"]) < (1 if early else ranks):
        if started.process.poll() is not None or time.monotonic() > deadline:
            started.end()
            raise AssertionError((folder / "err").read_text())
        time.sleep(0.02)
    time.sleep(choice.uniform(0.0, 1.0))
    os.kill(choice.choice(found[victim]), number)
    return started.seconds_to_end()


if __name__ == "__main__":
    time.sleep(json.loads(Path(sys.argv[1]).read_text())["late"])
    while True:
        world().sum(np.ones(1))
