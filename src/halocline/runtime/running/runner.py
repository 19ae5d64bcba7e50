"""The runner: binds fields to kernels by name, fills stale halos, times, records, checks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.field import Field, Rows, Storage
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.kernel import Argument, Box, Kernel, rim
from halocline.runtime.fields.place import Place
from halocline.runtime.halos.exchange import HaloExchange, Request
from halocline.runtime.halos.patterns import can_extend, extended_box
from halocline.runtime.halos.traffic import Item
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.running.halo_trials import Held
from halocline.runtime.running.halo_truth import HaloTruth
from halocline.runtime.transfer.transpose import move


@dataclass
class PerBlock:
    """A scalar argument that differs from block to block: `value(layout, place of the block)`."""

    value: Callable[[Layout, int], Any]


def local_rows(rows: Rows) -> PerBlock:
    """How many of the leading rows a block holds, as a scalar argument."""
    return PerBlock(lambda layout, _: rows.local(layout))


Bound = tuple[Argument, Field | Rows]


@dataclass(frozen=True)
class Stale:
    """A field whose halo has to be filled."""

    name: str
    storage: Storage
    rows: int
    request: Request


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
        self.recorder = recorder or Recorder(ranks=decomposition.communicator.size)
        self.check_halos, self.plan = check_halos, plan
        self.overlap, self.recompute_halos = overlap, recompute_halos
        self._extends: dict[int, bool] = {}
        self.exchange = HaloExchange(decomposition, self.recorder)
        self.truth: HaloTruth | None = None
        if check_halos and plan is None:
            self.truth = HaloTruth(decomposition, self.recorder)

    def __call__(self, kernel: Kernel, state: Any = None, /, **given: Any) -> None:
        """Run `kernel` on every local block.

        Arguments of the contract come from `given` or from attributes of `state`, as fields or
        `Rows` of them; everything else in `given` is passed on as it is.
        """
        layout = self.decomposition.planes if kernel.horizontal else self.decomposition.home
        bound = [(a, bind(a, state, given)) for a in kernel.arguments]
        names = {argument.name for argument in kernel.arguments}
        scalars = {name: value for name, value in given.items() if name not in names}
        self._bring(layout, bound)
        stale = self._stale(kernel, layout, bound)
        beyond = self._beyond(kernel, layout, bound, stale)
        if self.plan is not None:
            if stale:
                fields = ", ".join(f"{s.name} (depth {s.request.depth})" for s in stale)
                self.plan.lines.append(f"exchange   {fields}")
                self.plan.exchanges.append(tuple(s.request.item for s in stale))
            self.plan.lines.append(_line(kernel, bound))
        else:
            compute = partial(self._compute, kernel, layout, bound, scalars, stale, beyond)
            if self.truth is None:
                compute()
            else:
                boxes = [[block.box] for block in layout.blocks]
                self.truth.watch(
                    kernel,
                    layout,
                    [_held(argument, value, layout) for argument, value in bound],
                    [(one.storage, one.request) for one in stale],
                    compute,
                    partial(self._call, kernel, layout, bound, scalars, boxes),
                    beyond,
                )
        for one in stale:
            one.storage.fresh[: one.rows] = one.request.depth
        for argument, value in bound:
            if argument.writes:
                self._written(layout, value, beyond)

    def _bring(self, layout: Layout, bound: list[Bound]) -> None:
        for _, value in bound:
            whole = value.field if isinstance(value, Rows) else value
            if not whole.move_to(layout):
                continue
            if self.plan is not None:
                self.plan.lines.append(f"transpose  {whole.name} to {layout.name}")
                self.plan.transposes.append(whole)
                whole.now_in(layout)
            else:
                with self.recorder.time("transpose", "transpose"):
                    move(whole, layout, self.recorder)

    def _stale(self, kernel: Kernel, layout: Layout, bound: list[Bound]) -> list[Stale]:
        """Every halo that the kernel reads deeper than it is fresh."""
        stale = []
        for argument, value in bound:
            depth = argument.depth
            if not depth or argument.access == "write":
                continue
            whole, rows = _whole(value, layout)
            storage = whole.storage(layout)
            if storage.fresh[:rows].size and storage.fresh[:rows].min() < depth:
                if self.recompute_halos and whole.place.planar:
                    depth = self.decomposition.world.halo
                request = _request(whole, storage, rows, depth)
                stale.append(Stale(whole.name, storage, rows, request))
        return stale

    def _beyond(
        self, kernel: Kernel, layout: Layout, bound: list[Bound], stale: list[Stale]
    ) -> int:
        """How many cells into the halos the kernel can compute what an exchange would bring."""
        if not (self.recompute_halos and kernel.splits):
            return 0
        halo = self.decomposition.world.halo
        beyond = halo
        coming = {id(one.storage): one.request.depth for one in stale}
        for argument, value in bound:
            whole, rows = _whole(value, layout)
            if not whole.place.planar:
                continue
            storage = whole.storage(layout)
            if argument.access != "write":
                fresh = coming.get(id(storage), int(storage.fresh[:rows].min(initial=halo)))
                beyond = min(beyond, min(fresh, halo) - argument.depth)
        while beyond > 0 and not self._can_extend(beyond):
            beyond -= 1
        return max(beyond, 0)

    def _can_extend(self, beyond: int) -> bool:
        if beyond not in self._extends:
            layout, communicator = self.decomposition.planes, self.decomposition.communicator
            self._extends[beyond] = can_extend(layout, beyond, communicator)
        return self._extends[beyond]

    def _compute(
        self,
        kernel: Kernel,
        layout: Layout,
        bound: list[Bound],
        scalars: dict[str, Any],
        stale: list[Stale],
        beyond: int,
    ) -> None:
        """Fill the stale halos in one exchange and call the kernel, overlapped where asked."""
        boxes = [[extended_box(b, beyond) if beyond else b.box] for b in layout.blocks]
        if not stale:
            self._call(kernel, layout, bound, scalars, boxes)
            return
        requests = [one.request for one in stale]
        begun = time.perf_counter()
        pending = self.exchange.start(layout, requests)
        spent = time.perf_counter() - begun
        if (self.overlap or pending.choice.overlap) and kernel.splits and _apart(bound):
            inner = [kernel.inner(block.box) for block in layout.blocks]
            whole = [i[0] < i[1] and i[2] < i[3] for i in inner]
            first = [[i] if w else [] for i, w in zip(inner, whole, strict=True)]
            self._call(kernel, layout, bound, scalars, first)
            boxes = [rim(b[0], i) if w else b for b, i, w in zip(boxes, inner, whole, strict=True)]
        begun = time.perf_counter()
        pending.finish()
        self.recorder.count("halo exchange", spent + time.perf_counter() - begun)
        self._call(kernel, layout, bound, scalars, boxes)

    def _call(
        self,
        kernel: Kernel,
        layout: Layout,
        bound: list[Bound],
        scalars: dict[str, Any],
        boxes: list[list[Box]],
    ) -> None:
        """Call the kernel on some boxes of every block."""
        begun, moved = self.recorder.kernel_begins(), 0
        for at in range(len(layout.blocks)):
            arrays = {}
            for argument, value in bound:
                whole, _ = _whole(value, layout)
                array = whole.storage(layout).arrays[at]
                arrays[argument.name] = (
                    array[: value.local(layout)] if isinstance(value, Rows) else array
                )
            local = {
                name: item.value(layout, at) if isinstance(item, PerBlock) else item
                for name, item in scalars.items()
            }
            for box in boxes[at]:
                kernel.function(box=box, **arrays, **local)
                moved += kernel.bytes_of(box, arrays)
        self.recorder.kernel_ends(kernel.name, begun, moved)

    def _written(self, layout: Layout, value: Field | Rows, beyond: int) -> None:
        whole, rows = _whole(value, layout)
        whole.now_in(layout)
        storage = whole.storage(layout)
        storage.fresh[:rows] = beyond
        if self.check_halos and self.plan is None and whole.place != Place.none:
            if whole.dtype.kind == "f":
                halo = self.decomposition.world.halo
                self.exchange.poison(layout, _request(whole, storage, rows, halo), beyond)


def _apart(bound: list[Bound]) -> bool:
    """Whether no field is written that is also read beyond its own place."""
    written = {id(_field(value)) for argument, value in bound if argument.writes}
    return not any(a.depth and not a.writes and id(_field(v)) in written for a, v in bound)


def _field(value: Field | Rows) -> Field:
    return value.field if isinstance(value, Rows) else value


def bind(argument: Argument, state: Any, given: dict[str, Any]) -> Field | Rows:
    value = given[argument.name] if argument.name in given else getattr(state, argument.name, None)
    assert isinstance(value, Field | Rows), (
        f"no field '{argument.name}' for a kernel that needs one; got {value!r}"
    )
    return value


def _whole(value: Field | Rows, layout: Layout) -> tuple[Field, int]:
    """The field of an argument, and how many leading rows of its flat arrays are meant."""
    if isinstance(value, Rows):
        inner = 1
        for extent in value.field.outer[1:]:
            inner *= extent
        return value.field, value.local(layout) * inner
    return value, value.storage(layout).fresh.size


def _held(argument: Argument, value: Field | Rows, layout: Layout) -> Held:
    whole, rows = _whole(value, layout)
    return Held(argument, whole, whole.storage(layout), rows)


def _request(whole: Field, storage: Storage, rows: int, depth: int) -> Request:
    """What is asked of the exchange, the same object every time."""
    request = storage.requests.get((rows, depth))
    if request is None:
        request = Request([flat[:rows] for flat in storage.flat], whole.place, all_around(depth))
        storage.requests[rows, depth] = request
    return request


def _line(kernel: Kernel, bound: list[Bound]) -> str:
    writes = ", ".join(argument.name for argument, _ in bound if argument.writes)
    return f"kernel     {kernel.name} -> {writes}"
