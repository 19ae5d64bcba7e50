"""Halo exchange: one call for many fields and several blocks per rank, done in any of many ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime import _native
from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.freshness import Depths, all_around
from halocline.runtime.fields.place import Direction, Place
from halocline.runtime.halos.buffers import Arrays, Mechanism
from halocline.runtime.halos.choices import HaloChoice, all_choices, shared, simplest
from halocline.runtime.halos.derived_types import TypedMessages
from halocline.runtime.halos.messages import (
    Blocking,
    Messages,
    Partitioned,
    Persistent,
    partitioned_works,
)
from halocline.runtime.halos.neighbourhood import (
    Neighbours,
    TypedNeighbours,
    persistent_collectives_work,
)
from halocline.runtime.halos.patterns import Pattern, check_two_stages
from halocline.runtime.halos.shared import Shared
from halocline.runtime.halos.traffic import Item, Signature, Traffic
from halocline.runtime.halos.windows import Fence, Flags, Post
from halocline.runtime.ranks.communicator import Communicator, Ranks
from halocline.runtime.ranks.shared_memory import node_of
from halocline.runtime.record.recorder import Counter, Partners, Recorder

_numbers = count()
kept_exchanges = 256  # lists of requests whose addresses are kept


@dataclass(frozen=True, eq=False)
class Request:
    """One stale field: its flat arrays cut to the rows wanted, where it lies, how deep.

    `depths` count from what blocks own of the place. With a `direction` the field is a component of
    a vector, which changes sign beyond a fold, mirror or pole. Who keeps a request and uses it
    again spares the exchange looking up addresses.
    """

    flat: list[NDArray[Any]]
    place: Place
    depths: Depths
    direction: Direction = ""
    number: int = field(default_factory=_numbers.__next__)

    @property
    def depth(self) -> int:
        """How deep on all sides at least."""
        return min(self.depths)

    @property
    def item(self) -> Item:
        """What all ranks know of it."""
        array = self.flat[0]
        return Item(self.place, self.depths, array.dtype, array.shape[0], self.direction)


class _Nothing:
    """No messages: all blocks are in this process."""

    def start(self, arrays: Arrays) -> None:
        pass

    def finish(self, arrays: Arrays) -> None:
        pass

    def free(self) -> None:
        pass


class Route:
    """One exchange in one way: its messages, what carries them, and the copies of this rank."""

    def __init__(
        self,
        communicator: Communicator,
        comm: Any,
        stages: Sequence[Traffic],
        blocks: int,
        choice: HaloChoice,
    ) -> None:
        self.choice, self.stages = choice, tuple(stages)
        self.partners = Partners.of(
            ((message.peer, message.size) for traffic in stages for message in traffic.send),
            ((message.peer, message.size) for traffic in stages for message in traffic.receive),
        )
        made = [traffic.copies(blocks) for traffic in stages]
        self.copies = [copies if len(copies) else None for copies in made]
        self.turns = [traffic.turns(blocks) for traffic in stages]
        self.mechanisms = [
            _mechanism(communicator, comm, traffic, blocks, choice) for traffic in stages
        ]
        self.under_way = False

    def start(self, arrays: Arrays) -> None:
        self.under_way = True
        self.mechanisms[0].start(arrays)
        if self.copies[0] is not None:
            self.copies[0].run(arrays.table)

    def finish(self, arrays: Arrays) -> None:
        self.mechanisms[0].finish(arrays)
        self._turn(0, arrays)
        for stage in range(1, len(self.mechanisms)):
            mechanism, copies = self.mechanisms[stage], self.copies[stage]
            mechanism.start(arrays)
            if copies is not None:
                copies.run(arrays.table)
            mechanism.finish(arrays)
            self._turn(stage, arrays)
        self.under_way = False

    def _turn(self, stage: int, arrays: Arrays) -> None:
        """Change the sign of components of vectors that came from the other side."""
        if self.turns[stage] is not None:
            self.turns[stage].run(arrays.table)

    def free(self) -> None:
        for mechanism in self.mechanisms:
            mechanism.free()


def _mechanism(
    communicator: Communicator, comm: Any, traffic: Traffic, blocks: int, choice: HaloChoice
) -> Mechanism:
    if comm is None:
        return _Nothing()
    name = choice.mechanism
    if name in shared:
        return Shared(communicator, comm, traffic, blocks, choice)
    if name.startswith("neighbours"):
        if choice.types:
            return TypedNeighbours(comm, traffic, blocks, choice)
        return Neighbours(comm, traffic, blocks, choice)
    if choice.types:
        return TypedMessages(comm, traffic, blocks, choice)
    made: dict[str, Callable[[Any, Traffic, int, HaloChoice], Mechanism]] = {
        "messages": Messages,
        "blocking": Blocking,
        "persistent": Persistent,
        "partitioned": Partitioned,
        "fence": Fence,
        "post": Post,
        "flags": Flags,
    }
    return made[name.removeprefix("put-").removeprefix("get-")](comm, traffic, blocks, choice)


class PendingExchange:
    """An exchange under way. Owned values must not change, halos not be read, before `finish`."""

    def __init__(self, route: Route, arrays: Arrays, recorder: Recorder, counter: Counter) -> None:
        self.route, self.arrays = route, arrays
        self.recorder, self.counter = recorder, counter
        self._region = recorder.region("halo exchange", "halo")
        self._begin = 0

    @property
    def choice(self) -> HaloChoice:
        return self.route.choice

    def start(self) -> PendingExchange:
        self.recorder.recording.begin(self._region)
        self._begin = _native.now_ns()
        begin = perf_counter()
        self.route.start(self.arrays)
        self.counter.seconds += perf_counter() - begin
        return self

    def finish(self) -> None:
        """Wait for the halos and fill them."""
        begin = perf_counter()
        self.route.finish(self.arrays)
        self.counter.calls += 1
        self.counter.seconds += perf_counter() - begin
        if self.route.partners.targets.size or self.route.partners.sources.size:
            self.recorder.exchange("halo", self.route.partners, self._begin)
        self.recorder.recording.end()


Choose = Callable[[Signature], HaloChoice]


def simple(_: Signature) -> HaloChoice:
    """The rule: all fields packed into one non-blocking message per neighbour."""
    return simplest


def fixed(choice: HaloChoice) -> Choose:
    """The same choice for all exchanges."""
    return lambda _: choice


class HaloExchange:
    """Fills halos of many fields at once, in the way that `choose` names for each exchange.

    All ranks make the same calls in the same order. What an exchange needs (buffers, requests,
    types, windows) is made when it is first done and kept until `free`.
    """

    def __init__(
        self, decomposition: Decomposition, recorder: Recorder, choose: Choose = simple
    ) -> None:
        self.decomposition, self.recorder, self.choose = decomposition, recorder, choose
        self.chosen: dict[Signature, HaloChoice] = {}
        self.spent: dict[Signature, Counter] = {}  # calls and time of each exchange
        self.seen: dict[Signature, tuple[Layout, Sequence[Request]]] = {}  # one of each kind
        self.pattern = lru_cache(maxsize=None)(self._pattern)
        self._comm: Any = None
        self._routes: dict[tuple[Signature, HaloChoice], list[Route]] = {}
        self._pending: dict[tuple[Any, ...], PendingExchange] = {}

    def __call__(
        self, layout: Layout, requests: Sequence[Request], choice: HaloChoice | None = None
    ) -> None:
        """Fill the halos of all `requests`, in the same order on all ranks."""
        self.start(layout, requests, choice).finish()

    def start(
        self, layout: Layout, requests: Sequence[Request], choice: HaloChoice | None = None
    ) -> PendingExchange:
        """Begin to fill the halos of all `requests`, which must live on until `finish`."""
        key = (layout.name, choice, *[request.number for request in requests])
        pending = self._pending.get(key)
        if pending is None:
            if len(self._pending) >= kept_exchanges:
                self._pending.pop(next(iter(self._pending)))
            pending = self._pending[key] = self._bind(layout, requests, choice)
        elif pending.route.under_way:
            pending = self._bind(layout, requests, choice)
        return pending.start()

    def signature(self, layout: Layout, requests: Sequence[Request]) -> Signature:
        """What identifies this exchange on all ranks."""
        return Signature(layout.name, tuple(request.item for request in requests))

    def use(self, signature: Signature, choice: HaloChoice) -> None:
        """Do an exchange in one way from now on; a call for all ranks."""
        self.chosen[signature] = choice
        self._pending.clear()

    def choices(self, layout: Layout, requests: Sequence[Request]) -> list[HaloChoice]:
        """Ways that make sense for an exchange, the simplest first; a call for all ranks."""
        return choices(layout, requests, self.decomposition.communicator)

    def poison(self, layout: Layout, request: Request, beyond: int = 0) -> None:
        """Put NaN into the halos of one field, from `beyond` cells on up to its depths."""
        pattern = self.pattern(layout.name, request.place, request.depths)
        near = self.pattern(layout.name, request.place, all_around(beyond))
        for at, flat in enumerate(request.flat):
            _native.poison(flat, np.setdiff1d(pattern.halo(at), near.halo(at)))

    def route(self, layout: Layout, signature: Signature, choice: HaloChoice) -> Route:
        """What does an exchange in one way, made when first asked for; a call for all ranks."""
        if choice.problem:
            raise UserError(f"Halo exchange '{choice}' makes no sense: {choice.problem}.")
        if choice.needs_host and not layout.memory.on_host:
            raise UserError(
                f"Halo exchange '{choice}' reaches into the memory of fields, but they are in that"
                f" of '{layout.memory.name}', not of the host. Use one that packs, such as"
                f" '{simplest}'."
            )
        routes = self._routes.setdefault((signature, choice), [])
        for route in routes:
            if not route.under_way:
                return route
        # Other fields of the same kind are under way: they have buffers of their own.
        routes.append(self._make_route(layout, signature, choice))
        return routes[-1]

    def forget(self, signature: Signature, choice: HaloChoice) -> None:
        """Free what one way of doing an exchange holds; a call for all ranks."""
        self._pending.clear()
        for route in self._routes.pop((signature, choice), []):
            route.free()

    def free(self) -> None:
        """Free all that the exchanges hold; a call for all ranks."""
        self._pending.clear()
        while self._routes:
            for route in self._routes.popitem()[1]:
                route.free()
        if self._comm is not None:
            self._comm.Free()
            self._comm = None

    def _bind(
        self, layout: Layout, requests: Sequence[Request], choice: HaloChoice | None
    ) -> PendingExchange:
        signature = self.signature(layout, requests)
        counter = Counter()
        if choice is None:
            counter = self.spent.setdefault(signature, counter)
            self.seen.setdefault(signature, (layout, requests))
            if signature not in self.chosen:
                self.chosen[signature] = self.choose(signature)
            choice = self.chosen[signature]
        flat = [array for request in requests for array in request.flat]
        address = layout.memory.address
        table = np.array([(address(a), a.strides[0]) for a in flat], np.int64).reshape(-1, 2)
        route = self.route(layout, signature, choice)
        return PendingExchange(route, Arrays(table), self.recorder, counter)

    def _make_route(self, layout: Layout, signature: Signature, choice: HaloChoice) -> Route:
        communicator = self.decomposition.communicator
        stages = (1, 2) if choice.two_stage else (0,)
        if choice.two_stage:
            check_two_stages(layout, [item.place for item in signature.items])
        traffic = [
            Traffic(
                signature.items,
                [self.pattern(layout.name, i.place, i.depths, stage) for i in signature.items],
                choice,
                layout.memory,
            )
            for stage in stages
        ]
        comm = None
        if layout.components is None and isinstance(communicator, Ranks):
            if self._comm is None:
                self._comm = communicator.comm.Dup()
            comm = self._comm
        return Route(communicator, comm, traffic, len(layout.blocks), choice)

    def _pattern(self, layout_name: str, place: Place, depths: Depths, stage: int = 0) -> Pattern:
        layout = next(x for x in self.decomposition.layouts if x.name == layout_name)
        communicator = self.decomposition.communicator
        return Pattern(layout, place, depths, communicator.size, communicator.rank, stage)


def choices(
    layout: Layout, requests: Sequence[Request], communicator: Communicator
) -> list[HaloChoice]:
    """Ways that make sense for an exchange, the simplest first; a call for all ranks."""
    if not isinstance(communicator, Ranks) or layout.components is not None:
        return [simplest]
    items = [request.item for request in requests]
    patterns = [
        Pattern(layout, i.place, i.depths, communicator.size, communicator.rank) for i in items
    ]
    largest = max((message.size for message in Traffic(items, patterns, simplest).send), default=0)
    rows = max(item.rows for item in items)
    node = node_of(communicator).size
    # All ranks must see the same choices.
    largest, node = (int(x) for x in communicator.maximum(np.array([largest, node], float)))
    try:
        check_two_stages(layout, [item.place for item in items])
        grid = True
    except UserError:
        grid = False
    found = all_choices(
        fields=len(items),
        row_bytes=largest // rows,
        bytes_per_rank=largest,
        node=node > 1,
        grid=grid,
        partitioned=partitioned_works(communicator.size),
        persistent_collectives=persistent_collectives_work(),
    )
    return [choice for choice in found if layout.memory.on_host or not choice.needs_host]
