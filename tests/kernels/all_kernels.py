"""All kernels of all rooms that are compiled here, by name."""

import importlib
from collections.abc import Iterator

from halocline.runtime.fields.kernel import Kernel, kernels_of

rooms = ["numerics", "waves", "biogeochemistry", "ocean", "atmosphere", "coupler"]


def _all() -> Iterator[Kernel]:
    for room in rooms:
        package = importlib.import_module(f"halocline.{room}")
        try:
            native = importlib.import_module(f"{package.__name__}._native")
        except ModuleNotFoundError:
            continue
        if hasattr(native, "contracts"):
            yield from kernels_of(native).values()


kernels = {kernel.name: kernel for kernel in _all()}
