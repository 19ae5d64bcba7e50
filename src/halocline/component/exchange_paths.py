"""How values get from the ranks of a source to those of a target: two paths behind one call.

`parallel`: every rank of the target gets the points that its own are made of from the ranks that
have them, and remaps them. `serial`: the first rank of the source gathers the fields and gives the
first rank of the target what that one needs, which remaps all of it and scatters it; two ranks only
need to reach each other (Govett 2004 has both). No path changes a bit: every target point is the
same sum, of the same numbers, in the same order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.grids.remapping.vectors import VectorWeights
from halocline.grids.remapping.weights import Index, RemapWeights
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.transfer.side import Side, in_order
from halocline.runtime.transfer.transfer import Flats, Transfer

Array = NDArray[Any]
Weights = Callable[[Index], RemapWeights | VectorWeights]
Finish = Callable[[], list[Array] | None]
"""Waits for what was begun; values (rows, points) of each field, None where nothing is taken."""


class PartTimes:
    """Time of an exchange by its parts, on record as each of its two members sees it."""

    def __init__(self, name: str, giver: Recorder | None, taker: Recorder | None) -> None:
        self.name, self.giver, self.taker = name, giver, taker
        self.work = 0.0  # all that was spent on this rank but in waiting for the source [s]

    def gives(self, part: str) -> AbstractContextManager[None]:
        """A part that is the source's."""
        return self._part(self.giver, part)

    def takes(self, part: str) -> AbstractContextManager[None]:
        """A part that is the target's."""
        return self._part(self.taker, part)

    @contextmanager
    def _part(self, recorder: Recorder | None, part: str) -> Iterator[None]:
        begin = time.perf_counter()
        with nullcontext() if recorder is None else recorder.time(f"{self.name}: {part}"):
            yield
        self.work += time.perf_counter() - begin

    @contextmanager
    def receives(self, transfer: Transfer) -> Iterator[None]:
        """What the target waits until messages are begun, and what they take from then on."""
        begin = time.time_ns()
        with self.takes("receive"):
            yield
            end = time.time_ns()
            waited = 1e-9 * min(max(transfer.begun - begin, 0), end - begin)
            if self.taker is not None:
                self.taker.add(f"{self.name}: wait", waited, "phase")
                self.taker.count(f"{self.name}: transfer", 1e-9 * (end - begin) - waited)
        self.work -= waited


@dataclass(frozen=True, eq=False)
class Wire:
    """One field on its way: its rows, its precision on the wire, and what becomes of it there.

    Sums are made in the wider of both precisions; then values are times `factor` and plus `offset`.
    """

    rows: int
    dtype: DTypeLike
    target_dtype: DTypeLike
    factor: float = 1.0
    offset: float = 0.0

    def empty(self, count: int) -> Array:
        """Room for so many points."""
        return np.zeros((self.rows, count), self.dtype)

    def remapped(self, weights: RemapWeights, values: Array) -> Array:
        """Values at the points of the target, in its units and precision.

        Of a vector `values` are those of both components, the first ones first.
        """
        found = weights(values.astype(np.result_type(self.dtype, self.target_dtype), copy=False))
        if (self.factor, self.offset) != (1.0, 0.0):
            found = found.astype(np.float64) * self.factor + self.offset
        return found.astype(self.target_dtype, copy=False)


@dataclass(frozen=True, eq=False)
class Ends:
    """What a path joins, as a rank sees it that has some of the source, of the target, or both.

    `roots` are the first ranks of source and target, `size` the number of all values at the
    source's place, `wanted` numbers of points of the target here.
    """

    name: str
    communicator: Communicator
    recorder: Recorder | None
    times: PartTimes
    source: Side | None
    size: int
    wanted: Index | None
    weights: Weights
    wires: Sequence[Wire]
    roots: tuple[int, int]

    def transfer(self, source: Side | None, target: Side | None, what: str = "") -> Transfer:
        """From some points to others; a call for all ranks."""
        return Transfer(
            source or Side(),
            target or Side(),
            self.communicator,
            recorder=self.recorder,
            name=f"{self.name}{what}",
            stamped=True,
        )

    def remapped(
        self, weights: RemapWeights | VectorWeights, buffers: Sequence[Array]
    ) -> list[Array]:
        """All fields at points of the target; of vectors both components one after the other."""
        if isinstance(weights, VectorWeights):
            found = []
            for n in range(0, len(buffers), 2):
                both = np.concatenate(buffers[n : n + 2], axis=1)
                found.append(self.wires[n].remapped(weights.first, both))
                found.append(self.wires[n + 1].remapped(weights.second, both))
            return found
        return [
            wire.remapped(weights, buffer) for wire, buffer in zip(self.wires, buffers, strict=True)
        ]


class Path(Protocol):
    """A way from source to target: made by all ranks, begun and finished by those of an end."""

    def start(self, given: Sequence[Flats] | None) -> Finish:
        """Begin; fields of the source may change as soon as this returns."""


class ParallelPath:
    """All ranks of the target get their points from all ranks of the source."""

    def __init__(self, ends: Ends) -> None:
        self.ends = ends
        self.weights = None if ends.wanted is None else ends.weights(ends.wanted)
        target = None if self.weights is None else in_order(self.weights.numbers)
        self.transfer = ends.transfer(ends.source, target)

    def start(self, given: Sequence[Flats] | None) -> Finish:
        ends, weights = self.ends, self.weights
        buffers = [wire.empty(weights.numbers.size) for wire in ends.wires] if weights else []
        into = [[buffer] for buffer in buffers] if weights else None
        if given is None:
            wait = self.transfer.start(None, into)
        else:
            with ends.times.gives("send"):
                wait = self.transfer.start(given, into)

        def finish() -> list[Array] | None:
            if weights is None:
                with ends.times.gives("send"):
                    wait()
                return None
            with ends.times.receives(self.transfer):
                wait()
            with ends.times.takes("remap"):
                return ends.remapped(weights, buffers)

        return finish


class SerialPath:
    """From root to root: gathered at the source's, remapped and scattered at the target's."""

    def __init__(self, ends: Ends) -> None:
        self.ends = ends
        communicator = ends.communicator
        self.gives_root, self.takes_root = (communicator.rank == root for root in ends.roots)
        everyone = communicator.broadcast(communicator.gather(ends.wanted))
        points = np.concatenate([some for some in everyone if some is not None])
        self.weights = ends.weights(points) if self.takes_root else None
        whole = in_order(np.arange(ends.size)) if self.gives_root else None
        needed = None if self.weights is None else in_order(self.weights.numbers)
        self.gather = ends.transfer(ends.source, whole, ": gather")
        self.between = ends.transfer(whole, needed)
        remapped = in_order(points) if self.takes_root else None
        target = None if ends.wanted is None else in_order(ends.wanted)
        self.scatter = ends.transfer(remapped, target, ": scatter")
        self.count = points.size

    def start(self, given: Sequence[Flats] | None) -> Finish:
        ends, weights = self.ends, self.weights
        gathered = [wire.empty(ends.size) for wire in ends.wires] if self.gives_root else []
        gathering = None
        if given is not None:
            with ends.times.gives("gather"):
                gathering = self.gather.start(given, [[some] for some in gathered] or None)
                if self.gives_root:
                    gathering()
        buffers = [wire.empty(weights.numbers.size) for wire in ends.wires] if weights else []
        wait: Callable[[], None] | None = None
        if self.gives_root or self.takes_root:
            one, other = ([[some] for some in each] or None for each in (gathered, buffers))
            if self.gives_root:
                with ends.times.gives("send"):
                    wait = self.between.start(one, other)
            else:
                wait = self.between.start(None, other)

        def finish() -> list[Array] | None:
            if gathering is not None and not self.gives_root:
                with ends.times.gives("gather"):
                    gathering()
            if self.gives_root and not self.takes_root and wait is not None:
                with ends.times.gives("send"):
                    wait()
            return self._finish(buffers, wait)

        return finish

    def _finish(
        self, buffers: Sequence[Array], wait: Callable[[], None] | None
    ) -> list[Array] | None:
        ends, found = self.ends, None
        if self.weights is not None and wait is not None:
            with ends.times.receives(self.between):
                wait()
            with ends.times.takes("remap"):
                found = [[some] for some in ends.remapped(self.weights, buffers)]
        if ends.wanted is None:
            return None
        result = [np.empty((w.rows, ends.wanted.size), w.target_dtype) for w in ends.wires]
        with ends.times.takes("scatter"):
            self.scatter(found, [[some] for some in result])
        return result


paths: dict[str, Callable[[Ends], Path]] = {"parallel": ParallelPath, "serial": SerialPath}
"""All of them, by the word of the option."""
