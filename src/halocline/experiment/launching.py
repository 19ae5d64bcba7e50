"""A run on several ranks, as the process sees it that starts mpiexec and passes signals on."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread, Timer
from types import FrameType
from typing import TypeVar

from halocline.experiment import exit_codes
from halocline.experiment.ending import code_file
from halocline.experiment.limits import limits_in_force, refuse_low_limits
from halocline.experiment.meeting import told_variable
from halocline.experiment.stopping import hold_back, stop_signals
from halocline.runtime.ranks.communicator import world
from halocline.runtime.ranks.launch import (
    are_pending,
    mpi_environment,
    mpiexec_command,
    rank_command,
    tethered,
)
from halocline.runtime.ranks.launched import rank_started, under_mpi
from halocline.runtime.ranks.roles import count_words

held = (signal.SIGTERM, signal.SIGHUP)
"""Signals that mpiexec does not get, which would end the ranks: whoever stops a batch job may send
them to all of its processes."""

look_interval = 0.5
"""How often this process looks whether mpiexec has been sent one of these [s]."""

at_once = 0.5
"""Signals no further apart are one: `timeout` sends it to a process and to its group [s]."""

grace = 4.0
"""Time that mpiexec gets to end its ranks before it is killed itself [s]."""

patience = 120.0
"""Time within which programs that compute members join the run [s]."""

seconds_between = 1.0
"""Time by which each rank waits longer than the one before it, so that one of them tells [s]."""

Found = TypeVar("Found")

_resume_words = "'halocline resume' goes on from its last restart file."


def on_ranks(
    arguments: list[str],
    ranks: int,
    threads: int,
    *,
    servers: int = 0,
    quiet: bool = False,
    parts: Sequence[tuple[int, Sequence[str]]] = (),
    told: str = "",
) -> int:
    """Run `halocline` with `arguments` on `ranks` ranks and some servers; return its exit code.

    `parts` are how many of these, in order, run which command, empty for halocline; such programs
    are `told` of the run.

    Signals reach the ranks as SIGUSR1, which mpiexec passes on instead of ending them; those that
    are sent to mpiexec itself, too.
    """
    refuse_low_limits()
    commands = [(count, own or None) for count, own in parts] or [(ranks + servers, None)]
    launcher = mpiexec_command(commands[0][0], threads)
    ours = rank_command("halocline", *arguments)
    said, command = ["mpiexec", *launcher[1:]], launcher
    for number, (count, own) in enumerate(commands):
        more = [":", "-n", str(count)] if number else []
        command = [*command, *more, *(own or ours)]
        said += [*more, *(own or ["halocline", *arguments])]
    words = shlex.join(said)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "exit_code")
        environment = mpi_environment() | {code_file: str(path), told_variable: told}
        process = subprocess.Popen(tethered(command, held), env=environment, start_new_session=True)
        with _passing_on_signals(process, listening=path.exists) as received:
            if not quiet:
                print(f"starting {_start_words(ranks, threads, servers)}: {words}", flush=True)
            late: list[str] = []
            if any(own for _, own in commands):
                watch = partial(_end_without_programs, process, path.exists, late.append)
                Thread(target=watch, daemon=True).start()
            code = process.wait()
        told = path.read_text(encoding="utf-8") if path.exists() else ""
        if told:
            return int(told)
    if late:
        print(f"halocline: {late[0]}", file=sys.stderr)
        return exit_codes.user_error
    if len(received) > 1:
        print("halocline: ended at once by a second signal.", _resume_words, file=sys.stderr)
        return exit_codes.interrupted
    if code:
        message = f"halocline: a rank ended without a word; mpiexec ended with code {code}."
        print(f"{message} Was it killed, or out of memory?{limits_in_force()}", file=sys.stderr)
        print(_resume_words, file=sys.stderr)
        return exit_codes.internal_error
    return exit_codes.done


def _start_words(ranks: int, threads: int, servers: int) -> str:
    """What is started.

    >>> _start_words(2, 1, 0), _start_words(1, 2, 3)
    ('2 ranks of 1 thread', '1 rank of 2 threads and 3 output servers')
    """
    words = f"{ranks} rank{'s' * (ranks > 1)} of {threads} thread{'s' * (threads > 1)}"
    return f"{words} and {count_words(servers)}" if servers else words


def ready_to_stop(
    meeting: Callable[[], Found], wait_for_programs: Callable[[], bool] = lambda: False
) -> Found:
    """Meet all ranks; say so on one that `on_ranks` has started: all can take its signal then.

    Of ranks that a user has started nobody else looks whether programs join that they wait for.
    """
    path = os.environ.get(code_file)
    if path is None:
        with _ending_without_programs(wait_for_programs):
            return meeting()
    hold_back()
    found = meeting()  # every rank holds back before it comes there, where all wait for all
    if world().rank == 0:
        Path(path).touch()
    return found


@contextmanager
def _ending_without_programs(wait_for_them: Callable[[], bool]) -> Iterator[None]:
    """End this rank, and with it all others, where programs have not joined in time.

    The first rank tells.
    """

    def end() -> None:
        if wait_for_them():
            print(f"halocline: error: {_not_joined()}", file=sys.stderr, flush=True)
            os._exit(exit_codes.user_error)

    timer = Timer(patience + seconds_between * rank_started(), end)
    timer.daemon = True
    if under_mpi():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _not_joined() -> str:
    return (
        f"A program of this run has not joined it within {patience:g} s: it has ended, or"
        " computes without having joined. Let it call halocline_join (in Python"
        " halocline.join) first of all."
    )


def _end_without_programs(
    process: subprocess.Popen[bytes], met: Callable[[], bool], tell: Callable[[str], None]
) -> None:
    """End ranks that wait for programs which do not join them, and tell why."""
    deadline = time.monotonic() + patience
    while process.poll() is None and not met():
        time.sleep(0.1)
        if time.monotonic() > deadline:
            tell(_not_joined())
            return _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    time.sleep(grace)
    process.kill()


@contextmanager
def _passing_on_signals(
    process: subprocess.Popen[bytes], listening: Callable[[], bool]
) -> Iterator[list[int]]:
    """The first signal asks the ranks to stop cleanly, as soon as they listen; the next ends them.

    Yields the signals that come. What takes time is done in threads: this one waits for mpiexec.
    """
    received: list[int] = []
    last: list[float] = []

    def ask() -> None:
        while process.poll() is None and not listening():
            time.sleep(0.05)
        process.send_signal(signal.SIGUSR1)

    def look() -> None:
        seen = False
        while process.poll() is None and not received:
            if seen:  # for so long, so that whoever signals all processes has signalled this one
                return pass_on(signal.SIGTERM, None)
            seen = are_pending(held, process.pid)
            time.sleep(look_interval)

    def pass_on(number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if received and now - last[-1] < at_once:
            return
        last.append(now)
        Thread(target=partial(_end, process) if received else ask, daemon=True).start()
        received.append(number)

    with stop_signals(pass_on):
        Thread(target=look, daemon=True).start()
        yield received
