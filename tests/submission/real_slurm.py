"""A Slurm of one node, started for tests as plain processes: munged, slurmctld and slurmd."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from named_programs import where_installed

programs = ("sbatch", "squeue", "scancel", "sinfo")
servers = ("munged", "slurmctld", "slurmd")

configuration = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=0
ReturnToService=2
KillWait=10
NodeName={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def is_installed() -> bool:
    """Whether a Slurm can be started here; its node runs as root."""
    return os.getuid() == 0 and all(map(where_installed, programs)) and all(map(_server, servers))


def _server(name: str) -> str | None:
    return where_installed(name) or shutil.which(name, path="/usr/sbin")


@contextmanager
def a_slurm(folder: Path) -> Iterator[Path]:
    """Start one; yields its configuration."""
    for part in ("state", "spool"):
        (folder / part).mkdir()
    folder.chmod(0o755)
    key = folder / "key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    host = socket.gethostname().partition(".")[0]
    path = folder / "slurm.conf"
    words = configuration.format(host=host, folder=folder, ports=_free_ports(2))
    path.write_text(words, encoding="utf-8")
    files = {"key-file": key, "socket": folder / "munge.socket", "pid-file": folder / "munged.pid"}
    files |= {"log-file": folder / "munged.log", "seed-file": folder / "munged.seed"}
    munge = ["-F", "--force", *(f"--{name}={file}" for name, file in files.items())]
    environment = dict(os.environ, SLURM_CONF=str(path), PATH=os.environ["PATH"] + ":/usr/bin:/bin")
    started = []
    try:
        for name, words_of in zip(servers, (munge, ["-D"], ["-D"]), strict=True):
            log = (folder / f"{name}.out").open("wb")
            command = [_server(name), *words_of]
            started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
            log.close()
            time.sleep(0.5)
        _wait_until_idle(environment, folder)
        yield path
    finally:
        user = ["-u", str(os.getuid())]
        subprocess.run([where_installed("scancel"), *user], env=environment, capture_output=True)
        time.sleep(2.0)
        for process in reversed(started):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_until_idle(environment: dict[str, str], folder: Path) -> None:
    deadline = time.monotonic() + 60
    asked = [where_installed("sinfo"), "-h", "-o", "%t"]
    while True:
        said = subprocess.run(asked, env=environment, capture_output=True, text=True).stdout
        if said.strip() == "idle":
            return
        logs = "\n".join(path.read_text(errors="replace") for path in folder.glob("*.out"))
        assert time.monotonic() < deadline, said + logs
        time.sleep(0.2)


def _free_ports(count: int) -> list[int]:
    some = [socket.socket() for _ in range(count)]
    try:
        for one in some:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in some]
    finally:
        for one in some:
            one.close()
