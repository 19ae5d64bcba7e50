"""Means and sums of what a member gives, over the time between two exchanges.

They are made of the values after each step of the source, in float64, step after step, and lie in
restarts: a run that is split in the midst of them gives the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import DTypeLike

from halocline.runtime.fields.field import Field


class Accumulated:
    """What an exchange gives of some fields, by its operator: `mean` or `sum`.

    Without a step since the exchange before, at the start and of a member that has ended, a mean is
    the value of the moment and a sum is 0.
    """

    def __init__(self, exchange: str, operator: str, given: Mapping[str, Field]) -> None:
        self.operator, self.steps = operator, 0
        self.sums = {
            name: _like(field, f"exchange {exchange}: sum of {name}", np.float64, restart=True)
            for name, field in given.items()
        }
        self.results = {
            name: _like(field, f"exchange {exchange}: {operator} of {name}", field.dtype)
            for name, field in given.items()
        }
        self.clear()

    @property
    def restart_fields(self) -> Sequence[Field]:
        """What a restart must hold."""
        return list(self.sums.values())

    def clear(self) -> None:
        """Begin anew."""
        self.steps = 0
        for some in self.sums.values():
            some.fill(0.0)

    def take(self, given: Mapping[str, Field]) -> None:
        """Add the values after a step."""
        self.steps += 1
        for name, total in self.sums.items():
            with total.change() as sums:
                for array, values in zip(sums, given[name].read(), strict=True):
                    array += values

    def give(self, given: Mapping[str, Field]) -> None:
        """Make what is given, `given` being the fields of now, and begin anew."""
        for name, total in self.sums.items():
            result = self.results[name]
            if not self.steps and self.operator == "mean":
                result.copy(given[name])
                continue
            count = self.steps if self.operator == "mean" else 1
            with result.change() as values:
                for array, sums in zip(values, total.read(), strict=True):
                    array[...] = sums / max(count, 1)
        self.clear()


def _like(field: Field, name: str, dtype: DTypeLike, *, restart: bool = False) -> Field:
    """A field with the points of another one."""
    return Field(
        name,
        field.units,
        field.space,
        axes=field.axes,
        place=field.place,
        dtype=dtype,
        restart=restart,
    )
