"""A kernel on memory: what fields hold at the moment, ready to be called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from halocline.runtime._native import now_ns
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Layout
from halocline.runtime.fields.field import Part
from halocline.runtime.fields.freshness import Depths, Freshness, all_around, nowhere
from halocline.runtime.fields.kernel import Box, Call, Kernel, rim
from halocline.runtime.fields.memory import Memory
from halocline.runtime.fields.place import Place
from halocline.runtime.halos.exchange import Request
from halocline.runtime.halos.patterns import extended_box
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.running.halo_trials import HeldArgument

Boxes = list[list[Box]]
"""What to compute of every block, in parts."""


@dataclass
class PerBlock:
    """A scalar argument that differs from block to block: `value(layout, place of the block)`."""

    value: Callable[[Layout, int], Any]


def local_count(part: Part) -> PerBlock:
    """How many entries of a part a block holds, as a scalar argument."""
    return PerBlock(lambda layout, _: part.count(layout))


@dataclass
class BoundHalo:
    """A halo that a kernel reads, and what is asked of the exchange when it is stale."""

    held: HeldArgument
    wanted: Depths
    enough: object = field(default_factory=object, init=False)
    """Depths of all rows that were found deep enough: while they stand it is fresh."""
    fresh: Freshness = field(init=False)

    def __post_init__(self) -> None:
        self.fresh = self.held.storage.fresh

    @property
    def is_stale(self) -> bool:
        depths = self.fresh.depths
        if depths is self.enough:
            return False
        if not self.fresh.covers(self.wanted, self.held.rows):
            return True
        if depths is not None:
            self.enough = depths
        return False

    @property
    def request(self) -> Request:
        """What fills it, side by side no less than is fresh, so that it grows."""
        fresh = self.held.storage.fresh.of(self.held.rows)
        if fresh == nowhere:
            return request_of(self.held, self.wanted)
        west, east, south, north = map(max, fresh, self.wanted)
        return request_of(self.held, (west, east, south, north))

    @property
    def whole(self) -> Request:
        """What fills as much on all sides as it has to be on any."""
        return request_of(self.held, all_around(max(self.request.depths)))


class Native:
    """Native calls on some boxes of every block, and the bytes that they must move."""

    def __init__(
        self,
        kernel: Kernel,
        memory: Memory,
        calls: Sequence[list[Call]],
        fixed: Sequence[dict[str, Any]],
    ) -> None:
        self.name = kernel.name
        self.moved = sum(kernel.bytes_of(call) for some in calls for call in some)
        self.functions: list[Callable[..., None]] = []
        if fixed and all(scalars == fixed[0] for scalars in fixed):
            calls, fixed = [[call for some in calls for call in some]], fixed[:1]
        for some, scalars in zip(calls, fixed, strict=True):
            function = memory.bind(kernel, some)
            self.functions.append(partial(function, **scalars) if scalars else function)

    def __call__(self, recorder: Recorder, scalars: dict[str, Any]) -> None:
        begun = recorder.kernel_begins() if recorder.hardware else now_ns()
        for function in self.functions:
            function(**scalars)
        recorder.kernel_ends(self.name, begun, self.moved)


class Bound:
    """A kernel on the memory that its fields have at the moment.

    `halos` are those that it reads and that may be stale, `written` is what it writes. Native calls
    are made when they are first done, and kept.
    """

    def __init__(
        self,
        kernel: Kernel,
        layout: Layout,
        parts: Sequence[Part | None],
        fixed: dict[str, Any],
    ) -> None:
        self.kernel, self.layout, self._parts, self._fixed = kernel, layout, parts, fixed
        self.held = [
            HeldArgument(argument, part.field, part.field.storage(layout), rows)
            for argument, part in zip(kernel.arguments, parts, strict=True)
            if part is not None
            for rows in part.rows(layout)
        ]
        self.halos = [
            BoundHalo(one, depths) for one in self.held if any(depths := _depths(one, kernel))
        ]
        self.written = [one for one in self.held if one.argument.writes]
        self.marks = [(one.storage.fresh, one.rows) for one in self.written]
        self._native: dict[tuple[str, int], Native] = {}

    def mark(self, depths: Depths) -> None:
        """Say how deep the halos of all that was written are fresh now."""
        for fresh, rows in self.marks:
            if fresh.depths is not depths:
                fresh.set(depths, rows)

    @cached_property
    def own(self) -> Native:
        """Calls on all that is owned."""
        return self._make([[box] for box in self._boxes(0)])

    def on_own(self, beyond: int) -> Native:
        """Calls on all that is owned, and `beyond` cells into the halos."""
        if not beyond:
            return self.own
        return self._made("own", beyond, lambda: [[box] for box in self._boxes(beyond)])

    def on_inner(self) -> Native:
        """Calls on what reads no halo, where there is such."""
        return self._made("inner", 0, lambda: [[i] if _is(i) else [] for i in self._inner()])

    def on_rim(self, beyond: int) -> Native:
        """Calls on what the inner ones leave."""

        def boxes() -> Boxes:
            pairs = zip(self._boxes(beyond), self._inner(), strict=True)
            return [rim(box, inner) if _is(inner) else [box] for box, inner in pairs]

        return self._made("rim", beyond, boxes)

    def _boxes(self, beyond: int) -> list[Box]:
        place, blocks = self.kernel.place, self.layout.blocks
        return [extended_box(b, beyond, place) if beyond else b.box_of(place) for b in blocks]

    def _inner(self) -> list[Box]:
        return [self.kernel.inner(box) for box in self._boxes(0)]

    def _made(self, what: str, beyond: int, boxes: Callable[[], Boxes]) -> Native:
        native = self._native.get((what, beyond))
        if native is None:
            native = self._native[what, beyond] = self._make(boxes())
        return native

    def _make(self, boxes: Boxes) -> Native:
        nothing: list[Any] = [None] * len(self.layout.blocks)
        arrays = [nothing if p is None else p.arrays(self.layout) for p in self._parts]
        calls = [
            [(box, *(some[at] for some in arrays)) for box in parts]
            for at, parts in enumerate(boxes)
        ]
        if any(part is not None and part.field.summed for part in self._parts):
            pairs = zip(self.layout.blocks, calls, strict=True)
            calls = [self._each_point_once(block, some) for block, some in pairs]
        fixed = [
            {
                name: value.value(self.layout, at) if isinstance(value, PerBlock) else value
                for name, value in self._fixed.items()
            }
            for at in range(len(boxes))
        ]
        return Native(self.kernel, self.layout.memory, calls, fixed)

    def _each_point_once(self, block: Any, calls: list[Call]) -> list[Call]:
        """The same calls, whose sums leave out doubles: what these add goes to arrays of no use."""
        if not isinstance(block, Block):
            return calls
        found: list[Call] = []
        allocate = self.layout.memory.allocate
        for box, *arrays in calls:
            once, doubles = block.split(box, self.kernel.place)
            points = any(argument.place == Place.point for argument in self.kernel.arguments)
            assert not (doubles and points), "lists of points cannot be cut at doubles"
            aside = [
                allocate(array.shape, array.dtype) if part and part.field.summed else array
                for part, array in zip(self._parts, arrays, strict=True)
            ]
            found += [(some, *arrays) for some in once] + [(some, *aside) for some in doubles]
        return found


def _is(box: Box) -> bool:
    """Whether a box has any cell."""
    return box[0] < box[1] and box[2] < box[3]


def _depths(held: HeldArgument, kernel: Kernel) -> Depths:
    """How far a kernel reads what others may have changed beyond what blocks own of an argument."""
    if held.argument.access == "write" or held.field.static or held.field.place == Place.none:
        return nowhere
    topology = held.field.decomposition.world.topology
    return topology.depths(held.field.place, held.argument.depths, kernel.place)


def request_of(held: HeldArgument, depths: Depths) -> Request:
    """What is asked of the exchange, the same object every time."""
    key, requests = (held.rows.start, held.rows.stop, *depths), held.storage.requests
    if key not in requests:
        requests[key] = Request(held.flat, held.field.place, depths, held.field.direction)
    request: Request = requests[key]
    return request
