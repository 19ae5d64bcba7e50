"""What the surface is drawn to where files know only a part of the sea."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState


class PartialTarget:
    """A target of files where these know it, and the surface at the start elsewhere.

    `known` is the share that files know [1], `of_file` and `of_start` are in units of the tracer.
    """

    def __init__(self, name: str, target: Field, state: OceanState) -> None:
        def field(part: str, units: str) -> Field:
            return state.add(f"{name}_{part}", units, Place.center, restart=part == "of_start")

        self.target, units = target, target.units
        self.of_file, self.of_start = field("of_file", units), field("of_start", units)
        self.known = field("known", "1")

    def update(self) -> None:
        """Set the target from its parts."""
        parts = self.known.read(), self.of_file.read(), self.of_start.read()
        with self.target.change() as owned:
            for target, known, file, start in zip(owned, *parts, strict=True):
                target[...] = start + known * (file - start)
