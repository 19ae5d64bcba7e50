"""Calls of kernels: bound once to fields, then done again and again."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from halocline.runtime.fields.field import Field, Part
from halocline.runtime.fields.freshness import all_around, nowhere
from halocline.runtime.fields.kernel import Kernel
from halocline.runtime.fields.transpose import move
from halocline.runtime.halos.exchange import Request
from halocline.runtime.running.bound import Bound, BoundHalo, PerBlock, request_of
from halocline.runtime.running.checks import KernelMismatch, check

if TYPE_CHECKING:
    from halocline.runtime.running.runner import Runner

Value = Field | Part | None
most_kept = 16
"""Sets of memory that a call keeps at most: time levels take turns in few."""


class BoundCall:
    """A kernel bound to fields, every mismatch refused; calling it runs it on every local block.

    What fields hold may be swapped between calls. Scalars that are not given when it is bound are
    given to each call.
    """

    def __init__(
        self, run: Runner, kernel: Kernel, values: list[Value], fixed: dict[str, Any]
    ) -> None:
        self.run, self.kernel, self.values, self.fixed = run, kernel, values, fixed
        decomposition = run.decomposition
        self.layout = decomposition.planes if kernel.horizontal else decomposition.home
        self._parts = [Part(value) if isinstance(value, Field) else value for value in values]
        check(kernel, self._parts, decomposition)
        self._fields = [part.field for part in self._parts if part is not None]
        self._moves = decomposition.home is not decomposition.planes
        examined = run.plan is not None or run.truth is not None
        self._plain = not (self._moves or examined or run.recompute_halos)
        fold = decomposition.world.topology.fold
        self._splits = kernel.splits and self._is_apart() and not fold
        self._kept: dict[tuple[int, ...], Bound] = {}
        self._swaps = -1
        self._bound: Bound

    def holds(self, kernel: Kernel, values: list[Value], fixed: dict[str, Any]) -> bool:
        """Whether it is this kernel on these fields."""
        return kernel is self.kernel and values == self.values and fixed == self.fixed

    def __call__(self, **scalars: Any) -> None:
        """Fill the halos that are stale, run the kernel, record it, mark halos as stale."""
        if Field.swaps != self._swaps:
            self._look()
        bound = self._bound
        if not self._plain:
            self._call(scalars)
            return
        for halo in bound.halos:
            if halo.fresh.depths is not halo.enough and halo.is_stale:
                self._call(scalars)
                return
        bound.own(self.run.recorder, scalars)
        for fresh, rows in bound.marks:
            if fresh.depths is not nowhere:
                fresh.set(nowhere, rows)

    def _call(self, scalars: dict[str, Any]) -> None:
        """The same where there may be more to do than to run the kernel on what is owned."""
        run, bound = self.run, self._bound
        if self._moves:
            self._bring()
        stale = [halo for halo in bound.halos if halo.is_stale]
        requests = self._requests(stale) if stale else []
        beyond = self._beyond(stale, requests) if run.recompute_halos else 0
        if run.plan is not None:
            self._plan(stale, requests)
        elif run.truth is not None:
            self._watch(stale, requests, beyond, scalars)
        elif stale:
            self._exchange_and_compute(requests, beyond, scalars)
        else:
            (bound.on_own(beyond) if beyond else bound.own)(run.recorder, scalars)
        for halo, request in zip(stale, requests, strict=True):
            halo.held.storage.fresh.set(request.depths, halo.held.rows)
        bound.mark(all_around(beyond) if beyond else nowhere)
        if self._moves or run.truth is not None:
            self._tell(beyond)

    def _look(self) -> None:
        """Find, or make, what belongs to the memory that the fields have now."""
        storages = [field.storage(self.layout) for field in self._fields]
        key = tuple(map(id, storages))
        bound = self._kept.get(key)
        if bound is None:
            if len(self._kept) >= most_kept:
                self._kept.pop(next(iter(self._kept)))
            bound = Bound(self.kernel, self.layout, self._parts, self.fixed)
            self._kept[key] = bound
        self._bound, self._swaps = bound, Field.swaps

    def _bring(self) -> None:
        """Bring the values of all fields to the layout of the kernel."""
        run, layout = self.run, self.layout
        for one in self._fields:
            if not one.move_to(layout):
                continue
            if run.plan is not None:
                run.plan.lines.append(f"transpose  {one.name} to {layout.name}")
                run.plan.transposes.append(one)
                one.now_in(layout)
            else:
                with run.recorder.time("transpose", "transpose"):
                    move(one, layout, run.recorder)

    def _requests(self, stale: list[BoundHalo]) -> list[Request]:
        """What is asked of the exchange: what is read, whole rings where they are examined, all
        that there is on planes where others are computed from it."""
        run = self.run
        if not run.recompute_halos:
            return [one.request if run.truth is None else one.whole for one in stale]
        deepest = all_around(run.decomposition.world.halo)
        return [
            request_of(one.held, deepest) if one.held.field.place.planar else one.whole
            for one in stale
        ]

    def _beyond(self, stale: list[BoundHalo], requests: list[Request]) -> int:
        """How many cells into the halos the kernel can compute what an exchange would bring."""
        if not self.kernel.splits:
            return 0
        beyond = halo = self.run.decomposition.world.halo
        coming = {s.held.memory: r.depth for s, r in zip(stale, requests, strict=True)}
        for held in self._bound.held:
            if held.field.place.planar and held.argument.access != "write":
                fresh = coming.get(held.memory, held.fresh)
                beyond = min(beyond, min(fresh, halo) - held.argument.depth)
        while beyond > 0 and not self.run.can_extend(beyond):
            beyond -= 1
        return max(beyond, 0)

    def _plan(self, stale: list[BoundHalo], requests: list[Request]) -> None:
        """Write down what would be done."""
        plan = self.run.plan
        assert plan is not None
        if stale:
            pairs = zip(stale, requests, strict=True)
            fields = [f"{s.held.field.name} (depth {max(r.depths)})" for s, r in pairs]
            plan.lines.append(f"exchange   {', '.join(fields)}")
            plan.exchanges.append(tuple(one.item for one in requests))
        writes = ", ".join(a.name for a in self.kernel.arguments if a.writes)
        plan.lines.append(f"kernel     {self.kernel.name} -> {writes}")

    def _watch(
        self, stale: list[BoundHalo], requests: list[Request], beyond: int, scalars: dict[str, Any]
    ) -> None:
        """Compute under examination."""
        truth, recorder, bound = self.run.truth, self.run.recorder, self._bound
        assert truth is not None
        if stale:
            compute = partial(self._exchange_and_compute, requests, beyond, scalars)
        else:
            compute = partial(bound.on_own(beyond), recorder, scalars)
        again = partial(bound.own, recorder, scalars)
        coming = list(zip([one.held for one in stale], requests, strict=True))
        truth.watch(self.kernel, self.layout, bound.held, coming, compute, again, beyond)

    def _exchange_and_compute(
        self, requests: list[Request], beyond: int, scalars: dict[str, Any]
    ) -> None:
        """Fill the stale halos in one exchange and compute, overlapped where asked."""
        run, bound = self.run, self._bound
        compute = bound.on_own(beyond)
        begun = time.perf_counter()
        pending = run.exchange.start(self.layout, requests)
        spent = time.perf_counter() - begun
        if self._splits and (run.overlap or pending.choice.overlap):
            bound.on_inner()(run.recorder, scalars)
            compute = bound.on_rim(beyond)
        begun = time.perf_counter()
        pending.finish()
        run.recorder.count("halo exchange", spent + time.perf_counter() - begun)
        compute(run.recorder, scalars)

    def _tell(self, beyond: int) -> None:
        """Say where the newest values of what was written are; NaN where nobody promised any."""
        run = self.run
        for one in self._bound.written:
            one.field.now_in(self.layout)
            if run.truth is not None and one.judged:
                halo = request_of(one, all_around(run.decomposition.world.halo))
                run.exchange.poison(self.layout, halo, beyond)

    def _is_apart(self) -> bool:
        """Whether no field is written that is also read beyond its own place."""
        pairs = [
            (argument, part.field)
            for argument, part in zip(self.kernel.arguments, self._parts, strict=True)
            if part is not None
        ]
        written = [field for argument, field in pairs if argument.writes]
        return not any(a.depth and not a.writes and f in written for a, f in pairs)


def lookup(kernel: Kernel, state: Any, given: dict[str, Any]) -> tuple[list[Value], dict[str, Any]]:
    """Fields of the contract, from `given` or from attributes of `state`; the other arguments."""
    values: list[Value] = []
    rest = dict(given)
    for argument in kernel.arguments:
        name = argument.name
        value = rest.pop(name) if name in rest else getattr(state, name, "none of this name")
        if not (value is None or isinstance(value, Field | Part)):
            raise KernelMismatch(
                f"Kernel '{kernel.name}', argument '{name}': its contract wants a field, got"
                f" {value!r}. Give it by this name, or have it as an attribute of the state."
            )
        values.append(value)
    strange = [name for name, value in rest.items() if isinstance(value, Field | Part)]
    if strange:
        raise KernelMismatch(
            f"Kernel '{kernel.name}' takes no field '{strange[0]}', got {rest[strange[0]]}. It"
            f" takes {', '.join(argument.name for argument in kernel.arguments)}."
        )
    return values, rest


def split(scalars: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Scalars that differ from block to block, which are bound, and all others."""
    bound = {name: value for name, value in scalars.items() if isinstance(value, PerBlock)}
    return bound, {name: value for name, value in scalars.items() if name not in bound}
