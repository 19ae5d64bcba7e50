"""A device that is none: memory of its own, which only its operations and its kernels reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from halocline.runtime.fields.memory import Memory

beyond = 1 << 61
"""Added to addresses: whoever takes them for the host's dies of it."""


class DeviceArray:
    """The shape of an array on the device; to the host it has no values."""

    __array_ufunc__ = None
    __iter__ = None
    __hash__ = object.__hash__

    def __init__(self, there: np.ndarray) -> None:
        self._there = there
        self.shape, self.dtype, self.ndim = there.shape, there.dtype, there.ndim
        self.strides, self.size = there.strides, there.size
        self.itemsize, self.nbytes = there.itemsize, there.nbytes

    def __getitem__(self, index: Any) -> DeviceArray:
        for one in index if isinstance(index, tuple) else (index,):
            if one is not Ellipsis and not isinstance(one, (int, np.integer, slice)):
                raise TypeError(f"the host takes elements {one!r} of an array on the device")
        view = self._there[index]
        return DeviceArray(view if isinstance(view, np.ndarray) else self._there[..., None][index])

    def reshape(self, *shape: int) -> DeviceArray:
        return DeviceArray(self._there.reshape(*shape))

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise TypeError("the host looks at values of an array on the device")

    def __eq__(self, other: object) -> bool:
        raise TypeError("the host compares values of an array on the device")


class Translating:
    """Native packers of the device: they alone know where its addresses are."""

    def __init__(self, native: Any, device: PretendedDevice) -> None:
        self.native, self.device, self.add = native, device, native.add

    def __len__(self) -> int:
        return len(self.native)

    def pack(self, arrays: Any, *more: Any) -> None:
        self.device.done["pack"] += 1
        self.native.pack(self._there(arrays), *more)

    def unpack(self, arrays: Any, *more: Any) -> None:
        self.device.done["unpack"] += 1
        self.native.unpack(self._there(arrays), *more)

    def run(self, arrays: Any) -> None:
        self.device.done["move"] += 1
        self.native.run(self._there(arrays))

    def _there(self, arrays: Any) -> Any:
        assert np.all(arrays[:, 0] >= beyond), "addresses of the host were given to the device"
        table: Any = arrays.copy()
        table[:, 0] -= beyond
        return table


class PretendedDevice(Memory):
    """The memory of the pretended device; `done` counts what it was asked for."""

    name, on_host = "pretended", False

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()

    def allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], before: int = 0) -> Any:
        self.done["allocate"] += 1
        return DeviceArray(super().allocate(shape, dtype, before))

    def read(self, array: Any) -> Any:
        self.done["read"] += 1
        copy = array._there.copy()
        copy.setflags(write=False)
        return copy

    def write(self, array: Any, values: Any) -> None:
        self.done["write"] += 1
        assert not isinstance(values, DeviceArray)
        array._there[...] = values

    def fill(self, array: Any, value: float) -> None:
        self.done["fill"] += 1
        array._there[...] = value

    def copy(self, source: Any, target: Any) -> None:
        self.done["copy"] += 1
        target._there[...] = source._there

    @contextmanager
    def change(self, arrays: Sequence[Any]) -> Iterator[Sequence[Any]]:
        copies = [array._there.copy() for array in arrays]
        yield copies
        for array, values in zip(arrays, copies, strict=True):
            self.write(array, values)

    def address(self, array: Any) -> int:
        return super().address(array._there) + beyond

    def parts(self) -> Any:
        return Translating(super().parts(), self)

    def copies(self) -> Any:
        return Translating(super().copies(), self)

    def turns(self) -> Any:
        return Translating(super().turns(), self)

    def bind(self, kernel: Any, calls: list[Any]) -> Callable[..., None]:
        there = [
            (box, *(None if array is None else array._there for array in arrays))
            for box, *arrays in calls
        ]
        function = super().bind(kernel, there)

        def launched(**scalars: Any) -> None:
            self.done["launch"] += 1
            function(**scalars)

        return launched
