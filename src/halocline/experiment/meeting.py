"""How the ranks of a run come together that are not all halocline's: what it is, and who is who.

Ranks that `halocline run` starts as MPI's launcher does, or a user by hand
(`mpiexec -n 4 halocline run CASE : -n 2 ./theirs`), know the case by their command; programs of
others are told.
"""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from halocline.core.errors import UserError
from halocline.runtime.ranks.communicator import Communicator

told_variable = "HALOCLINE_RUN"
"""The environment variable that tells a program of the run which it is to join."""

kept = ("case", "settings", "output", "walltime", "check", "quiet", "command")


class Met(NamedTuple):
    """What all ranks know: the options of the command, and of each rank whose program it is."""

    options: Namespace
    programs: Sequence[str]


def told(options: Any) -> str:
    """The options of a command as programs are told of them."""
    known: dict[str, Any] = {name: getattr(options, name) for name in kept}
    if Path(known["case"]).exists():
        known["case"] = str(Path(known["case"]).absolute())
    return json.dumps(known)


def meet(world: Communicator, options: Any | None, program_of: str) -> Met:
    """Tell programs what the run is, and all who is who: a call for all ranks of the world."""
    words = told(options) if options is not None else os.environ.get(told_variable, "")
    everyone = world.broadcast(world.gather((words, program_of)))
    known = next((words for words, _ in everyone if words), "")
    if not known:
        raise UserError(
            f"The program of '{program_of}' is started with no rank of halocline beside it, so that"
            " it cannot know the case. Start both by 'halocline run CASE'."
        )
    own = options if options is not None else Namespace(**json.loads(known))
    return Met(own, [program for _, program in everyone])
