"""Who writes the output of a run, and what that has cost it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from halocline.component.case.case import Case
from halocline.core.errors import UserError
from halocline.experiment.server_advice import ServerCount, decided_servers
from halocline.experiment.simulation import Outcome
from halocline.experiment.stopping import ask_the_launcher, stop_signals
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.roles import split
from halocline.runtime.writing.serving import Server
from halocline.runtime.writing.writers import Cost, Writers

least_allowance = 1.0
"""A run is judged whose budget is this much or more [s]: opening files and trying ways of writing
once take some tenths."""
least_making = 0.02
"""Of the time of a run, from which on it is told that this went into what its files hold."""


@contextmanager
def writing(
    case: Case, world: Communicator, folder: Path | None, decided: ServerCount | None = None
) -> Iterator[Writers | None]:
    """The writers of a run, on ranks of the model; the number of servers may be `decided`.

    On output servers, None when the run has ended; what ended it is raised there too.
    """
    decided = decided or decided_servers(case, world, folder)
    wanted, servers = case.output, case.output.servers
    model, roles = split(world, decided.count, groups=servers.groups, placement=servers.placement)
    round_robin = servers.assignment == "round-robin"
    if model is None:
        with stop_signals(ask_the_launcher):
            Server(world, roles, wanted.writing, round_robin).serve()
        yield None
        return
    writers = Writers(
        model,
        wanted.writing,
        world=world,
        roles=roles if roles.servers else None,
        round_robin=round_robin,
        restart_way=case.restart.way,
    )
    writers.about = f"{roles.describe()}; {decided.reason}"
    try:
        yield writers
    except UserError as error:
        writers.abandon(str(error))
        raise
    writers.free()


def cost_lines(writers: Writers, outcome: Outcome) -> list[str]:
    """What each output has cost, a line each, and all of them; on rank 0, a call for all ranks."""
    costs = writers.costs()
    names = [name for name, cost in costs.items() if cost.frames]
    if not names:
        return []
    lost = writers.communicator.maximum(np.array([costs[name].lost for name in names]))
    lines = [
        _line(name, costs[name], float(seconds), outcome.seconds)
        for name, seconds in zip(names, lost, strict=True)
    ]
    verdict = budget_verdict(float(lost.sum()), outcome.seconds, writers.options.budget)
    (busy,) = writers.communicator.maximum(np.array([outcome.output_seconds]))
    making = making_words(float(busy) - float(lost.sum()), outcome.seconds)
    megabytes = sum(costs[name].bytes for name in names) / 1e6
    return [*lines, f"output: {megabytes:.1f} MB, {verdict}{making}"]


def making_words(making: float, seconds: float) -> str:
    """That what is written took some time to compute; nothing where it took none to speak of.

    >>> making_words(4.0, 16.0)
    '; 25.0% of the time went into computing what is written'
    >>> making_words(0.1, 16.0)
    ''
    """
    share = making / max(seconds, 1e-9)
    if share < least_making:
        return ""
    return f"; {share:.1%} of the time went into computing what is written"


def budget_verdict(lost: float, seconds: float, budget: float) -> str:
    """How a run of some wall time kept its budget; runs too short to tell are not judged.

    >>> budget_verdict(2.0, 200.0, 0.02)
    '1.00% of the time lost, within the budget of 2.0%'
    >>> budget_verdict(0.3, 3.0, 0.02)
    '10.00% of the time lost; too short a run to be judged by the budget of 2.0%'
    """
    words = f"{lost / max(seconds, 1e-9):.2%} of the time lost"
    if seconds * budget < least_allowance:
        return f"{words}; too short a run to be judged by the budget of {budget:.1%}"
    return (
        f"{words}, {'within' if lost <= seconds * budget else 'beyond'} the budget of {budget:.1%}"
    )


def _line(name: str, cost: Cost, lost: float, seconds: float) -> str:
    megabytes = cost.bytes / 1e6
    rate = megabytes / cost.writing if cost.writing else 0.0
    speed = f" at {rate:,.0f} MB/s" if rate >= 10 else f" at {rate:.2g} MB/s" if rate else ""
    return (
        f"{name}: {cost.frames} frame{'s' * (cost.frames != 1)}, {megabytes:.1f} MB by"
        f" '{cost.way}': {lost:.3f} s lost ({lost / max(seconds, 1e-9):.2%}),"
        f" {cost.writing:.3f} s to write{speed}"
    )
