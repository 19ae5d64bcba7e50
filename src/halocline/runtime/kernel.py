"""Kernels as Python sees them: a native function and the contract that says what it touches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Argument:
    """One array argument of a kernel, as its C++ contract states it."""

    name: str
    access: str  # read, write, update
    place: str  # center, x_face, y_face, corner, interface, point, none
    units: str
    reach: tuple[int, int, int, int]  # west, east, south, north, as signed offsets
    column: str  # own, whole

    @property
    def depth(self) -> int:
        """Depth of halo that the kernel reads [cells]."""
        return max(abs(offset) for offset in self.reach)

    @property
    def writes(self) -> bool:
        return self.access != "read"


@dataclass(frozen=True)
class Kernel:
    """A native function with its contract. The runner calls it once for every local block."""

    name: str
    arguments: tuple[Argument, ...]
    function: Callable[..., Any]

    @property
    def horizontal(self) -> bool:
        """Whether any argument is read beyond its own place, or lies on whole planes."""
        return any(argument.depth for argument in self.arguments)


def kernels_of(native: ModuleType) -> dict[str, Kernel]:
    """All kernels of a room's extension module, by name."""
    return {
        name: Kernel(name, tuple(Argument(*a) for a in arguments), getattr(native, name))
        for name, arguments in native.contracts.items()
    }
