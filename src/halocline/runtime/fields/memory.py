"""Where fields have their values: the memory of the host, or of a device, behind few operations.

>>> memory = Memory()
>>> array = memory.allocate((2, 3), np.dtype("f4"))
>>> memory.write(array[1], [1.0, 2.0, 3.0])
>>> memory.fill(array[..., 2], 7.0)
>>> memory.read(array).tolist()
[[0.0, 0.0, 7.0], [1.0, 2.0, 7.0]]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.fields.pages import HugePages

if TYPE_CHECKING:
    from halocline.runtime.fields.kernel import Call, Kernel

Array = NDArray[Any]
pages = HugePages()


class Memory:
    """The memory of the host; that of a device has the same operations.

    Arrays have a shape, a dtype, strides [bytes], and slices and integers for indices, which move
    nothing, as NumPy's. Their values are reached by `read`, `write`, `fill` and `change`, by the
    packers that this makes, which find arrays by their `address`, and by kernels that it binds.
    """

    name = "host"
    on_host = True
    """Whether arrays are NumPy's, and others may look at the values that fields have there."""

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], before: int = 0) -> Array:
        """Zeros, of which the one with so many `before` it begins on a cache line."""
        size = int(np.prod(shape)) * dtype.itemsize
        return pages.zeros(size, before * dtype.itemsize).view(dtype).reshape(shape)

    def read(self, array: Array) -> Array:
        """Values on the host, which nobody changes; a copy only where they are elsewhere."""
        view = array.view()
        view.setflags(write=False)
        return view

    def write(self, array: Array, values: Any) -> None:
        """Copy values from the host, spread over the shape of the array."""
        array[...] = values

    def fill(self, array: Array, value: float) -> None:
        """Give all elements one value."""
        array[...] = value

    def copy(self, source: Array, target: Array) -> None:
        """Copy values from array to array of this memory."""
        target[...] = source

    def change(self, arrays: Sequence[Array]) -> AbstractContextManager[Sequence[Array]]:
        """Values on the host, to be changed there until the context ends."""
        return nullcontext(arrays)

    def address(self, array: Array) -> int:
        """What the packers of this memory know an array by: one byte further, one more."""
        address: int = array.__array_interface__["data"][0]
        return address

    def parts(self) -> Any:
        """A packer between arrays here and buffers on the host, empty (`halos/parts.hpp`)."""
        return _native.Parts()

    def copies(self) -> Any:
        """Copies between arrays here, none yet."""
        return _native.Copies()

    def turns(self) -> Any:
        """Changes of sign in arrays here, none yet."""
        return _native.Turns()

    def bind(self, kernel: Kernel, calls: list[Call]) -> Callable[..., None]:
        """A function of the scalars that does these calls on arrays here."""
        return kernel.bound(calls)


host = Memory()
_in_use: Memory = host


def memory() -> Memory:
    """Where decompositions that are made now let their fields have their values."""
    return _in_use


@contextmanager
def using(other: Memory) -> Iterator[Memory]:
    """Let decompositions that are made meanwhile use another memory."""
    global _in_use
    before, _in_use = _in_use, other
    try:
        yield other
    finally:
        _in_use = before
