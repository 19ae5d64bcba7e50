"""Fields that one component gives another one, on other grids and other ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.remapping.weights import Index, RemapWeights
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import side_of
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.transfer.side import Side, in_order
from halocline.runtime.transfer.transfer import Transfer

Remap = Callable[[Place, Place, Index, Index], RemapWeights]
"""Weights from a place of the source's grid for points (j, i) of a place of the target's."""


@dataclass(frozen=True, eq=False)
class Port:
    """A field that others may fill, at all of its points or at some (`points`, a global plane)."""

    field: Field
    points: NDArray[np.bool_] | None = None

    def spots(self) -> list[tuple[Index, Index]]:
        """Rows and columns of its points in each block of this rank, of what the block owns."""
        found = []
        for block in self.field.layout.blocks:
            assert isinstance(block, Block), f"{self.field.name} lies in blocks"
            j0, j1, i0, i1 = block.world.owned(block.rectangle, self.field.place)
            j, i = np.mgrid[j0:j1, i0:i1]
            chosen = np.ones(j.shape, bool) if self.points is None else self.points[j, i]
            found.append((j[chosen], i[chosen]))
        return found


class _Facts(NamedTuple):
    """What both sides must know of a field."""

    name: str
    units: str
    place: Place
    outer: tuple[int, ...]
    dtype: str

    @classmethod
    def of(cls, name: str, field: Field) -> _Facts:
        return cls(name, field.units, field.place, tuple(field.outer), field.dtype.str)


class _Bundle:
    """Fields of one place that travel together, in one message per pair of ranks."""

    def __init__(
        self,
        facts: Sequence[tuple[_Facts, _Facts]],
        given: Sequence[Field] | None,
        ports: Sequence[Port] | None,
        remap: Remap,
        communicator: Communicator,
        recorder: Recorder | None,
        name: str,
    ) -> None:
        self.given, self.ports = given, ports
        self.spots: list[tuple[Index, Index]] = []
        self.weights: RemapWeights | None = None
        target = Side()
        if ports:
            self.spots = ports[0].spots()
            j, i = (np.concatenate(some) for some in zip(*self.spots, strict=True))
            self.weights = remap(facts[0][0].place, facts[0][1].place, j, i)
            target = in_order(self.weights.numbers)
        source = side_of(given[0]) if given else Side()
        self.transfer = Transfer(source, target, communicator, recorder=recorder, name=name)
        count = target.numbers[0].size if ports else 0
        shapes = [(int(np.prod(one.outer)), count, one.dtype) for one, _ in facts]
        self.buffers = [np.empty((rows, size), dtype) for rows, size, dtype in shapes]

    def __call__(self) -> None:
        flats = [field.storage(field.layout).read() for field in self.given or []] or None
        self.transfer(flats, [[some] for some in self.buffers] if self.ports else None)
        if not self.ports or self.weights is None:
            return
        for port, buffer in zip(self.ports, self.buffers, strict=True):
            self._put(port.field, self.weights(buffer))

    def _put(self, field: Field, values: NDArray[Any]) -> None:
        at = 0
        with field.change() as owned:
            for array, block, (j, i) in zip(owned, field.layout.blocks, self.spots, strict=True):
                assert isinstance(block, Block)
                j0, _, i0, _ = block.world.owned(block.rectangle, field.place)
                here = values[:, at : at + j.size].reshape(*array.shape[:-2], j.size)
                array[..., j - j0, i - i0] = here
                at += j.size


class Exchange:
    """Brings fields of a source to the ports of a target; a rank without one of them gives None.

    Making it is a call for all ranks of `communicator`, which agree on what travels; calling it is
    one for those that have the source or the target. Every target point is the same sum of the
    same source points in the same order, whoever computes it.
    """

    def __init__(
        self,
        name: str,
        given: Mapping[str, Field] | None,
        ports: Mapping[str, Port] | None,
        remap: Remap,
        communicator: Communicator,
        recorder: Recorder | None = None,
    ) -> None:
        self.name = name
        pairs = _agreed(name, given, ports, communicator)
        self.bundles = []
        for kind in dict.fromkeys((one.place, other.place) for one, other in pairs):
            some = [pair for pair in pairs if (pair[0].place, pair[1].place) == kind]
            names = [one.name for one, _ in some]
            self.bundles.append(
                _Bundle(
                    some,
                    [given[each] for each in names] if given is not None else None,
                    [ports[each] for each in names] if ports is not None else None,
                    remap,
                    communicator,
                    recorder,
                    f"exchange {name}",
                )
            )

    def __call__(self) -> None:
        """Give the values of now."""
        for bundle in self.bundles:
            bundle()


def _agreed(
    exchange: str,
    given: Mapping[str, Field] | None,
    ports: Mapping[str, Port] | None,
    communicator: Communicator,
) -> list[tuple[_Facts, _Facts]]:
    """What source and target know of each field; refused alike on all ranks where they differ."""
    own = (
        None if given is None else [_Facts.of(name, field) for name, field in given.items()],
        None if ports is None else [_Facts.of(name, port.field) for name, port in ports.items()],
    )
    everyone = communicator.broadcast(communicator.gather(own))
    sources = next(one for one, _ in everyone if one is not None)
    targets = {fact.name: fact for fact in next(two for _, two in everyone if two is not None)}
    for one in sources:
        other = targets[one.name]
        for what, here, there in (
            ("units", one.units, other.units),
            ("levels or entries", one.outer, other.outer),
        ):
            if here != there:
                raise UserError(
                    f"The exchange '{exchange}' gives '{one.name}' with {what} {here}, and the one"
                    f" who takes it has {there}. Let both have the same."
                )
    return [(one, targets[one.name]) for one in sources]
