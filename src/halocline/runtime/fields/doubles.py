"""Values that stand twice on a fold: the double of a point gets what its owner has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.runtime.fields.place import Place
from halocline.runtime.fields.sides import side_of
from halocline.runtime.transfer.side import Side
from halocline.runtime.transfer.transfer import Transfer

if TYPE_CHECKING:
    from halocline.runtime.fields.field import Field


def fill_doubles(field: Field) -> None:
    """Give doubles the values of their owners, components of vectors with the other sign.

    Exchanges of halos do so too: this is for those who look at what blocks own and read no halo. A
    call for all ranks; nothing happens without a fold, and to static fields, which were set so.
    """
    decomposition, place = field.decomposition, field.place
    if place == Place.none or field.static or decomposition.world.topology.seam(place) is None:
        return
    key = field.layout.name, place, field.by_component
    if key not in decomposition.doubles:
        decomposition.doubles[key] = Doubles(field)
    decomposition.doubles[key](field)


class Doubles:
    """The doubles among the values that this rank owns of fields like one; a call for all ranks."""

    def __init__(self, field: Field) -> None:
        world, place, side = field.decomposition.world, field.place, side_of(field)
        columns, seam = world.topology.shape(place)[1], world.topology.seam(place)
        owners, doubles = [], []
        for numbers, places in zip(side.numbers, side.places, strict=True):
            chosen = numbers // columns == seam
            numbers, places = numbers[chosen], places[chosen]
            points = world.topology.resolve(place, numbers // columns, numbers % columns)
            double = points.turned
            owners.append((numbers[~double], places[~double]))
            doubles.append(((points.j * columns + points.i)[double], places[double]))
        self.places = [places for _, places in doubles]
        source, target = (
            Side(tuple(n for n, _ in held), tuple(p for _, p in held), side.components)
            for held in (owners, doubles)
        )
        communicator = field.decomposition.communicator
        self._transfer = Transfer(source, target, communicator, name="doubles")

    def __call__(self, field: Field) -> None:
        """Fill them."""
        with field.memory.change(field.storage(field.layout).flat) as flat:
            self._transfer([flat], [flat])
            if field.vector:
                for values, places in zip(flat, self.places, strict=True):
                    values[:, places] *= -1
