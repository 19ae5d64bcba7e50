"""The runner: binds fields to kernels by name, fills stale halos, times, records, checks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from halocline.runtime.decomposition import Decomposition, Layout
from halocline.runtime.fields import Field, Rows, Storage
from halocline.runtime.halos import HaloExchange, Request
from halocline.runtime.kernel import Argument, Kernel
from halocline.runtime.recorder import Recorder
from halocline.runtime.transpose import move


@dataclass
class PerBlock:
    """A scalar argument that differs from block to block: `value(layout, place of the block)`."""

    value: Callable[[Layout, int], Any]


def local_rows(rows: Rows) -> PerBlock:
    """How many of the leading rows a block holds, as a scalar argument."""
    return PerBlock(lambda layout, _: rows.local(layout))


@dataclass
class Plan:
    """The list of what a step does, filled instead of doing it."""

    lines: list[str] = field(default_factory=list)


class Runner:
    """Runs kernels on the local blocks of one decomposition.

    With `check_halos` every halo that nobody promised to be fresh holds NaN. With a `plan` nothing
    is computed: the exchanges and kernels that would run are listed.
    """

    def __init__(
        self,
        decomposition: Decomposition,
        recorder: Recorder | None = None,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
    ) -> None:
        self.decomposition = decomposition
        self.recorder = recorder or Recorder()
        self.check_halos, self.plan = check_halos, plan
        self.exchange = HaloExchange(decomposition, self.recorder)

    def __call__(self, kernel: Kernel, state: Any = None, /, **given: Any) -> None:
        """Run `kernel` on every local block.

        Arguments of the contract come from `given` or from attributes of `state`, as fields or
        `Rows` of them; everything else in `given` is passed on as it is.
        """
        layout = self.decomposition.planes if kernel.horizontal else self.decomposition.home
        bound = [(a, _bind(a, state, given)) for a in kernel.arguments]
        names = {argument.name for argument in kernel.arguments}
        scalars = {name: value for name, value in given.items() if name not in names}
        self._bring(layout, bound)
        self._fill_halos(kernel, layout, bound)
        if self.plan is not None:
            self.plan.lines.append(_line(kernel, bound))
        else:
            self._call(kernel, layout, bound, scalars)
        for argument, value in bound:
            if argument.writes:
                self._written(layout, value)

    def _bring(self, layout: Layout, bound: list[tuple[Argument, Field | Rows]]) -> None:
        for _, value in bound:
            whole = value.field if isinstance(value, Rows) else value
            if not whole.move_to(layout):
                continue
            if self.plan is not None:
                self.plan.lines.append(f"transpose  {whole.name} to {layout.name}")
                whole.now_in(layout)
            else:
                with self.recorder.time("transpose"):
                    move(whole, layout, self.recorder)

    def _fill_halos(
        self, kernel: Kernel, layout: Layout, bound: list[tuple[Argument, Field | Rows]]
    ) -> None:
        """Fill, in one exchange, every halo that the kernel reads deeper than it is fresh."""
        stale: list[tuple[str, Storage, int, Request]] = []
        for argument, value in bound:
            depth = argument.depth
            if not depth or argument.access == "write":
                continue
            whole, rows = _whole(value, layout)
            storage = whole.storage(layout)
            if storage.fresh[:rows].size and storage.fresh[:rows].min() < depth:
                stale.append((whole.name, storage, rows, _request(whole, storage, rows, depth)))
        if not stale:
            return
        if self.plan is not None:
            fields = ", ".join(f"{name} (depth {r.depth})" for name, _, _, r in stale)
            self.plan.lines.append(f"exchange   {fields}")
        else:
            with self.recorder.time("halo exchange"):
                self.exchange(layout, [request for _, _, _, request in stale])
        for _, storage, rows, request in stale:
            storage.fresh[:rows] = request.depth

    def _call(
        self,
        kernel: Kernel,
        layout: Layout,
        bound: list[tuple[Argument, Field | Rows]],
        scalars: dict[str, Any],
    ) -> None:
        start = time.perf_counter()
        for at, block in enumerate(layout.blocks):
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
            kernel.function(box=block.box, **arrays, **local)
        self.recorder.add(kernel.name, time.perf_counter() - start)

    def _written(self, layout: Layout, value: Field | Rows) -> None:
        whole, rows = _whole(value, layout)
        whole.now_in(layout)
        storage = whole.storage(layout)
        storage.fresh[:rows] = 0
        if self.check_halos and self.plan is None and whole.on != "none":
            if whole.dtype.kind == "f":
                halo = self.decomposition.world.halo
                self.exchange.poison(layout, _request(whole, storage, rows, halo))


def _bind(argument: Argument, state: Any, given: dict[str, Any]) -> Field | Rows:
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


def _request(whole: Field, storage: Storage, rows: int, depth: int) -> Request:
    """What is asked of the exchange, the same object every time."""
    request = storage.requests.get((rows, depth))
    if request is None:
        request = Request([flat[:rows] for flat in storage.flat], whole.on, depth)
        storage.requests[rows, depth] = request
    return request


def _line(kernel: Kernel, bound: list[tuple[Argument, Field | Rows]]) -> str:
    writes = ", ".join(argument.name for argument, _ in bound if argument.writes)
    return f"kernel     {kernel.name} -> {writes}"
