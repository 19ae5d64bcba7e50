"""Order-independent sums whose terms are made inside kernels, on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.sums.reductions import GlobalSums, PendingSums

folds = slice(0, _native.largest_place)


class KernelSums:
    """`count` sums of a kernel with an argument `parts`, each global point once.

    Call `begin`, run the kernel with `parts`, then `finish` (or `start`, and `finish` on what it
    gives). `again` is called where the scale of a sum was wrong: it must run a kernel that adds the
    same terms to `parts`.
    """

    def __init__(self, decomposition: Decomposition, count: int) -> None:
        self.sums = GlobalSums(decomposition.communicator, count)
        self.parts = Field(
            "parts", "1", decomposition, axes=(count, _native.part_count), place=Place.none,
            dtype=np.float64, summed=True,
        )  # fmt: skip
        self.again: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Empty sums on the kept scales."""
        self.parts.set_global(self.sums.new_parts())

    def total(self) -> NDArray[np.float64]:
        """Parts of all local blocks together."""
        first, *others = self.parts.read()
        total = first.copy()
        for other in others:
            total[:, folds] += other[:, folds]
            np.maximum(
                total[:, _native.largest_place],
                other[:, _native.largest_place],
                out=total[:, _native.largest_place],
            )
        return total

    def _fill_again(self, parts: NDArray[Any]) -> None:
        self.parts.set_global(parts)
        self.again()
        parts[...] = self.total()

    def start(self) -> PendingSums:
        """Begin to add over the ranks."""
        return self.sums.start_parts(self.total(), self._fill_again)

    def finish(self) -> NDArray[np.float64]:
        """The sums, the same bits on all ranks and for every decomposition."""
        return self.start().finish()
