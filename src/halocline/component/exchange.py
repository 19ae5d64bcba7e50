"""Fields that one component gives another one, on other grids and other ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.component.exchange_paths import (
    Ends,
    Finish,
    PartTimes,
    Path,
    Weights,
    Wire,
    paths,
)
from halocline.component.port import Port, Sites, cell_place
from halocline.core.errors import UserError
from halocline.core.units import conversion
from halocline.grids.remapping.vectors import Vector, VectorWeights
from halocline.grids.remapping.weights import Index, RemapWeights
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import side_of
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.transfer.transfer import Flats

Remap = Callable[[Place, Place, Index, Index], RemapWeights]
"""Weights from a place of the source's grid for points (j, i) of a place of the target's."""

Turn = Callable[[Place, Place, Index, Index, Vector], VectorWeights | None]
"""The same for both components of a vector; None where they go each by its own."""

Array = NDArray[Any]


class _Facts(NamedTuple):
    """What both sides must know of a field."""

    name: str
    units: str
    place: Place
    outer: tuple[int, ...]
    dtype: str
    shape: tuple[int, ...]  # of the place

    @classmethod
    def of(cls, name: str, field: Field) -> _Facts:
        place = cell_place(field.place)
        shape = field.decomposition.world.topology.shape(place)
        return cls(name, field.units, place, tuple(field.outer), field.dtype.str, tuple(shape))


class Pair(NamedTuple):
    """A field by its name at the source, and by that of the port that takes it."""

    given: str
    taken: str


class _Bundle:
    """Fields of one place that travel together, in one message per pair of ranks."""

    def __init__(
        self,
        facts: Sequence[tuple[_Facts, _Facts]],
        ports: Sequence[Port] | None,
        weights: Weights,
        make: Callable[[str, int, Index | None, Sequence[Wire]], Ends],
        words: Sequence[str],
        precision: str,
    ) -> None:
        self.names, self.ports = [one.name for one, _ in facts], ports
        self.wires = [_wire(one, other, precision) for one, other in facts]
        self.sites: Sites | None = None
        self.beyond = 0  # points here that the source has nothing for
        if ports:
            sites = Sites.of(ports[0])
            self.sites = sites.that(lambda numbers: weights(numbers).counts > 0)
            self.beyond = sites.all.size - self.sites.all.size
        wanted = None if self.sites is None else self.sites.all
        size = int(np.prod(facts[0][0].shape))
        self.paths: dict[str, Path] = {
            word: paths[word](make(word, size, wanted, self.wires)) for word in words
        }

    def start(self, path: str, given: Mapping[str, Field] | None) -> Finish:
        """Begin to give the values of now."""
        flats = None
        if given is not None:
            flats = [_flats(given[n], wire) for n, wire in zip(self.names, self.wires, strict=True)]
        return self.paths[path].start(flats)


class Exchange:
    """Brings fields of a source to the ports of a target; a rank without one of them gives None.

    Making it is a call for all ranks of the communicator, which agree on what travels; starting and
    finishing it are ones for those that have the source or the target. Every target point is the
    same sum of the same source points in the same order, whoever computes it, by any path.

    All ranks may `prepare` weights between places. `ends` are the recorders of source and target,
    where they are here.
    """

    def __init__(
        self,
        name: str,
        pairs: Sequence[Pair],
        given: Mapping[str, Field] | None,
        ports: Mapping[str, Port] | None,
        remap: Remap,
        communicator: Communicator,
        recorder: Recorder | None = None,
        *,
        vectors: Sequence[Vector] = (),
        turn: Turn | None = None,
        prepare: Callable[[Sequence[tuple[Place, Place]]], None] = lambda places: None,
        known_paths: Sequence[str] = ("parallel",),
        precision: str = "",
        ends: tuple[Recorder | None, Recorder | None] = (None, None),
    ) -> None:
        self.name = name
        self.times = {word: PartTimes(f"exchange {name}", *ends) for word in known_paths}
        facts, roots = _agreed(name, pairs, given, ports, communicator)
        prepare(list(dict.fromkeys((one.place, other.place) for one, other in facts)))
        self.ports: list[Port] = []
        self.bundles = []
        for kind, some in _together(facts, vectors if turn is not None else ()):
            here = None if ports is None else [ports[other.name] for _, other in some]
            source = None if given is None else [given[one.name] for one, _ in some]
            columns = some[0][1].shape[-1]

            def weights(
                numbers: Index, kind: _Kind = kind, columns: int = columns
            ) -> RemapWeights | VectorWeights:
                j, i = np.divmod(numbers, columns)
                if turn is not None and kind.vector is not None:
                    turned = turn(kind.source, kind.target, j, i, kind.vector)
                    if turned is not None:
                        return turned
                return remap(kind.source, kind.target, j, i)

            def make(
                word: str,
                size: int,
                wanted: Index | None,
                wires: Sequence[Wire],
                source: Sequence[Field] | None = source,
                weights: Weights = weights,
            ) -> Ends:
                return Ends(
                    f"exchange {name}", communicator, recorder, self.times[word],
                    side_of(source[0]) if source else None, size, wanted, weights, wires, roots,
                )  # fmt: skip

            self.bundles.append(_Bundle(some, here, weights, make, known_paths, precision))
            self.ports += here or []

    @property
    def beyond(self) -> int:
        """Points of ports on this rank that the source has nothing for: they stay as they are."""
        return sum(bundle.beyond for bundle in self.bundles)

    @property
    def wanted(self) -> int:
        """Points of ports on this rank that get values."""
        return sum(bundle.sites.all.size for bundle in self.bundles if bundle.sites is not None)

    def start(
        self, path: str, given: Mapping[str, Field] | None
    ) -> Callable[[], list[Array] | None]:
        """Begin to give the values of now of fields, None where the source is not.

        The call that this gives waits for them.
        It gives values of all ports, in order, for `put`; None where there is no target.
        """
        begun = [bundle.start(path, given) for bundle in self.bundles]

        def finish() -> list[Array] | None:
            found = [one() for one in begun]
            return [some for part in found if part is not None for some in part] or None

        return finish

    def places(self) -> list[Index]:
        """Of each port the numbers of the points of this rank that get values."""
        return [sites.all for sites in self._sites()]

    def put(self, values: Sequence[Array], fields: Sequence[Field] | None = None) -> None:
        """Set the fields of all ports, or others like them."""
        fields = fields or [port.field for port in self.ports]
        for sites, field, some in zip(self._sites(), fields, values, strict=True):
            sites.put(some, field)

    def read(self, fields: Sequence[Field]) -> list[Array]:
        """What `put` had set in fields like those of the ports."""
        return [sites.read(field) for sites, field in zip(self._sites(), fields, strict=True)]

    def _sites(self) -> list[Sites]:
        return [
            bundle.sites
            for bundle in self.bundles
            for _ in bundle.ports or []
            if bundle.sites is not None
        ]


class _Kind(NamedTuple):
    """What fields have in common that travel together."""

    source: Place
    target: Place
    vector: Vector | None = None  # of both components, of the first one of this kind


def _together(
    facts: Sequence[tuple[_Facts, _Facts]], vectors: Sequence[Vector]
) -> list[tuple[_Kind, list[tuple[_Facts, _Facts]]]]:
    """Fields by their places at both ends, those of vectors apart, components side by side."""
    found: dict[tuple[Any, ...], list[int]] = {}
    kinds: dict[tuple[Any, ...], _Kind] = {}
    of_vectors: set[int] = set()
    for vector in vectors:
        (one, other), (two, another) = (facts[number] for number in vector.fields)
        alike = (one.place, other.place) == (two.place, another.place)
        if alike and one.outer == two.outer:
            key = one.place, other.place, vector.given, vector.taken
            kinds.setdefault(key, _Kind(one.place, other.place, vector))
            found.setdefault(key, []).extend(vector.fields)
            of_vectors.update(vector.fields)
    for number, (one, other) in enumerate(facts):
        if number not in of_vectors:
            kinds.setdefault((one.place, other.place), _Kind(one.place, other.place))
            found.setdefault((one.place, other.place), []).append(number)
    return [(kinds[key], [facts[n] for n in numbers]) for key, numbers in found.items()]


def _wire(one: _Facts, other: _Facts, precision: str) -> Wire:
    """How a field travels: no wider than it is."""
    dtype, wanted = np.dtype(one.dtype), np.dtype(precision or one.dtype)
    dtype = min(dtype, wanted, key=lambda some: some.itemsize)
    factor, offset = conversion(one.units, other.units) or (1.0, 0.0)
    return Wire(int(np.prod(one.outer)), dtype, np.dtype(other.dtype), factor, offset)


def _flats(field: Field, wire: Wire) -> Flats:
    found = field.storage(field.layout).read()
    narrow: DTypeLike = wire.dtype
    return [flat.astype(narrow, copy=False) for flat in found]


def _agreed(
    exchange: str,
    pairs: Sequence[Pair],
    given: Mapping[str, Field] | None,
    ports: Mapping[str, Port] | None,
    communicator: Communicator,
) -> tuple[list[tuple[_Facts, _Facts]], tuple[int, int]]:
    """What source and target know of each field, and their first ranks.

    Refused alike on all ranks where they differ by more than units of one dimension.
    """
    own = (
        None if given is None else [_Facts.of(pair.given, given[pair.given]) for pair in pairs],
        None
        if ports is None
        else [_Facts.of(pair.taken, ports[pair.taken].field) for pair in pairs],
    )
    everyone = communicator.broadcast(communicator.gather(own))
    givers = [rank for rank, (one, _) in enumerate(everyone) if one is not None]
    takers = [rank for rank, (_, two) in enumerate(everyone) if two is not None]
    sources, targets = everyone[givers[0]][0], everyone[takers[0]][1]
    for one, other in zip(sources, targets, strict=True):
        refuse_other_units(exchange, one.name, one.units, other.units)
        if one.outer != other.outer:
            raise UserError(
                f"The exchange '{exchange}' gives '{one.name}' with levels or entries {one.outer},"
                f" and the one who takes it has {other.outer}. Let both have the same."
            )
    return list(zip(sources, targets, strict=True)), (givers[0], takers[0])


def refuse_other_units(exchange: str, name: str, one: str, other: str) -> None:
    """Refuse units of which no factor or offset makes the others."""
    if conversion(one, other) is None:
        raise UserError(
            f"The exchange '{exchange}' gives '{name}' with units {one}, and the one who takes it"
            f" has {other}, to which nothing converts. Let both have units of one kind."
        )
