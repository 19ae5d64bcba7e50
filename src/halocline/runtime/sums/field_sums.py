"""Global sums of values on the points of fields: every global point counts once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.field import Field
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.sums.choice import SumChoice
from halocline.runtime.sums.reductions import Fill, GlobalSums, MadeTerms, Parts, Terms


class FieldSums(GlobalSums):
    """`count` sums over the wet points at which a field has values, each global point once.

    `terms[sum]` are one array per block of this rank, of the shape of `field.owned`, or of its last
    axes (levels, rows, columns). What is dry is left out, and of two values at one point of a fold
    one, whatever they are. Sums inside kernels leave out as much (`numerics/kernel_sums.py`).

    >>> from halocline.runtime.fields.decomposition import Decomposition
    >>> from halocline.runtime.fields.place import Place
    >>> from halocline.runtime.fields.topology import Topology
    >>> folded = Topology(2, 4, periodic_i=True, fold="centres")
    >>> cut = Decomposition(np.ones((2, 4), bool), folded, halo=1)
    >>> field = Field("a", "1", cut, place=Place.center)
    >>> FieldSums(field, 1)([[np.ones((2, 4))]]).tolist()
    [7.0]
    """

    def __init__(
        self,
        field: Field,
        count: int,
        choice: SumChoice | None = None,
        *,
        ordinary: bool = False,
        recorder: Recorder | None = None,
    ) -> None:
        communicator = field.decomposition.communicator
        super().__init__(communicator, count, choice, ordinary=ordinary, recorder=recorder)
        self.field = field

    @cached_property
    def counted(self) -> list[NDArray[np.bool_]]:
        """Which values count, as in `Field.counted`."""
        return self.field.counted

    def _parts(self, terms: Terms) -> tuple[Parts, Fill]:
        return super()._parts(MadeTerms(len(terms), lambda: map(self._once, terms)))

    def _once(self, arrays: Any) -> Iterator[NDArray[Any]]:
        """Terms, 0 where they do not count, one array after the other."""
        for counted, a in zip(self.counted, arrays, strict=True):
            yield np.where(counted, a, np.zeros((), np.asarray(a).dtype))
