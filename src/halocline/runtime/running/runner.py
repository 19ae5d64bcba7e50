"""The runner: binds fields to kernels by name, fills stale halos, times, records, checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from halocline.core.errors import UserError
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import Kernel
from halocline.runtime.halos.exchange import HaloExchange
from halocline.runtime.halos.patterns import can_extend
from halocline.runtime.halos.traffic import Item
from halocline.runtime.record.recorder import Recorder, recorder_here
from halocline.runtime.running.calls import BoundCall, lookup, split
from halocline.runtime.running.halo_truth import HaloTruth


@dataclass
class Plan:
    """The list of what a step does, filled instead of doing it."""

    lines: list[str] = field(default_factory=list)
    exchanges: list[tuple[Item, ...]] = field(default_factory=list)
    transposes: list[Field] = field(default_factory=list)


class Runner:
    """Runs kernels on the local blocks of one decomposition.

    With `check_halos` every halo that nobody promised to be fresh holds NaN, stale halos that are
    read are refused, and `truth` reports on the exchanges. With a `plan` nothing is computed: the
    exchanges and kernels that would run are listed. With `overlap` kernels that
    can compute their inner cells while halos are under way, even where the choice of the exchange
    does not say so. With `recompute_halos` fields on cells are exchanged as deep as their halos
    are, and kernels compute as far into the halos as their inputs are fresh, so that their outputs
    need no exchange.
    """

    def __init__(
        self,
        decomposition: Decomposition,
        recorder: Recorder | None = None,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        overlap: bool = False,
        recompute_halos: bool = False,
    ) -> None:
        self.decomposition = decomposition
        self.recorder = recorder or recorder_here(decomposition.communicator.size)
        self.check_halos, self.plan = check_halos, plan
        self.overlap, self.recompute_halos = overlap, recompute_halos
        self._extends: dict[int, bool] = {}
        self._last: dict[str, BoundCall] = {}
        self.exchange = HaloExchange(decomposition, self.recorder)
        self.truth: HaloTruth | None = None
        if check_halos and plan is None:
            _check_on_host(decomposition)
            self.truth = HaloTruth(decomposition, self.recorder)

    def bind(self, kernel: Kernel, state: Any = None, /, **given: Any) -> BoundCall:
        """A call of `kernel` that is checked once and then done again and again.

        Arrays of the contract come from `given` or from attributes of `state`, now and once for
        all: fields, parts of them, or None for a result that nobody wants. Everything else in
        `given` is passed on with every call.
        """
        return BoundCall(self, kernel, *lookup(kernel, state, given))

    def __call__(self, kernel: Kernel, state: Any = None, /, **given: Any) -> None:
        """Run `kernel` once on every local block; arguments as in `bind`.

        The last call of every kernel is kept bound, for when it comes again.
        """
        values, scalars = lookup(kernel, state, given)
        fixed, scalars = split(scalars)
        call = self._last.get(kernel.name)
        if call is None or not call.holds(kernel, values, fixed):
            call = self._last[kernel.name] = BoundCall(self, kernel, values, fixed)
        call(**scalars)

    def can_extend(self, beyond: int) -> bool:
        """Whether kernels can compute so many cells into the halos of every block."""
        if beyond not in self._extends:
            layout, communicator = self.decomposition.planes, self.decomposition.communicator
            self._extends[beyond] = can_extend(layout, beyond, communicator)
        return self._extends[beyond]


def _check_on_host(decomposition: Decomposition) -> None:
    """Refuse to examine what the host cannot look at."""
    memory = decomposition.home.memory
    if not memory.on_host:
        raise UserError(
            "The check of halos looks at all values of fields, but they are in the memory of"
            f" '{memory.name}'. Use the memory of the host for it; the bits are the same."
        )
