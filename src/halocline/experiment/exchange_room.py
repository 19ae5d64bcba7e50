"""What exchanges add to the restarts of a member: ports, sums, and values on their way."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from halocline.component.case.case import Case
from halocline.component.component import Component
from halocline.component.streams.field_stream import MapShape
from halocline.experiment.exchange_table import ExchangePlan

of_an_entry = 256
"""What the header of a restart file says of a field, at most [byte]."""


def bytes_of_exchanges(
    plans: Sequence[ExchangePlan], name: str, case: Case, component: Component
) -> int:
    """Bytes that a restart of a member has besides the state of its component, at most.

    Planes of cells count for fields that are not made yet.
    """
    known = {field.name for field in component.restart_fields()}
    topology, shapes, found = component.plane.topology, case.map_shapes(), 0
    plane = prod(topology.shape(MapShape().place)) * np.dtype(case.precision).itemsize
    for plan in plans:
        if plan.kind != "fields":
            continue
        if plan.link.target == name:
            for word in plan.taken:
                port = component.ports.get(word)
                size = plane if port is None else prod(port.field.shape) * port.field.dtype.itemsize
                found += (size + of_an_entry) * (
                    plan.late + (port is None or port.field.name not in known)
                )
        if plan.link.source == name and plan.options.operator != "instant":
            for word in plan.given:
                shape = shapes.get(word, MapShape())
                points = prod(shape.extents) * prod(topology.shape(shape.place))
                found += points * np.dtype(np.float64).itemsize + of_an_entry
    return found
