"""Between the layouts of one decomposition: cards to planes and back.

Components go in a few batches, so that buffers stay small beside the two copies of the field.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.freshness import nowhere
from halocline.runtime.fields.sides import side_of
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.transfer.side import Index
from halocline.runtime.transfer.transfer import Flats, Transfer

batches = 8
_known: WeakKeyDictionary[Decomposition, dict[tuple[str, int], list[Transfer]]]
_known = WeakKeyDictionary()
"""Transfers by the layout that they lead to and the number of components, one for each batch."""


def move(field: Field, layout: Layout, recorder: Recorder) -> None:
    """Bring the values of a field to `layout`; halos there are stale afterwards."""
    known = _known.setdefault(field.decomposition, {})
    key = layout.name, field.outer[0] if field.by_component else 0
    if key not in known:
        known[key] = _transfers(field, layout)
    given, wanted = field.storage(field.layout).flat, field.storage(layout).flat
    for batch, transfer in enumerate(known[key]):
        transfer.recorder = recorder
        have, want = (
            _batch(flats, where, batch) if field.by_component else flats
            for flats, where in ((given, field.layout), (wanted, layout))
        )
        with layout.memory.change(want) as into:
            transfer([[field.memory.read(array) for array in have]], [into])
    field.storage(layout).fresh.set(nowhere)
    field.now_in(layout)


def _transfers(field: Field, layout: Layout) -> list[Transfer]:
    begin, communicator = field.layout, field.decomposition.communicator
    sides = side_of(field, begin), side_of(field, layout)
    whole = Transfer(*sides, communicator, name="transpose")
    if not field.by_component:
        return [whole]
    assert field.outer[1:] == (), "a transposed field has components as its only outer axis"
    return [
        whole.of_components(*(_components(field, one, batch) for one in (begin, layout)))
        for batch in range(batches)
    ]


def _components(field: Field, layout: Layout, batch: int) -> Index:
    if layout.components is None:
        return np.arange(field.outer[0])
    return layout.components[batch::batches].astype(np.int64)


def _batch(flats: Flats, layout: Layout, batch: int) -> Flats:
    """The rows of a batch, where a layout has some of the components only."""
    return flats if layout.components is None else [flat[batch::batches] for flat in flats]
