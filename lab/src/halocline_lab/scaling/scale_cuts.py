"""Which numbers of ranks a case can be cut for, found without running it."""

from __future__ import annotations

from collections.abc import Sequence

from halocline.component.case.case import Case
from halocline.core.errors import UserError
from halocline.experiment.building import build_component
from halocline.experiment.imagined import Imagined
from halocline.runtime.running.runner import Plan


def refuse_impossible_cuts(case: Case, ranks: Sequence[int]) -> None:
    """Say at once which numbers of ranks cannot be, and why the first of them."""
    wrong: dict[int, UserError] = {}
    for count in ranks:
        try:
            build_component(case, case.time.clock(), Imagined(count), plan=Plan()).close()
        except UserError as error:
            wrong[count] = error
    if wrong:
        numbers = ", ".join(map(str, wrong))
        raise UserError(
            f"The case cannot run on {numbers} ranks: {next(iter(wrong.values()))} Leave them out"
            " (--ranks), or cut the case otherwise (--set decomposition...)."
        )
