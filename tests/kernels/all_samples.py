"""The samples of all kernels, by name: every room has a file of its own."""

import importlib

from kernels.all_kernels import rooms
from kernels.samples import samples

for room in rooms:
    importlib.import_module(f"kernels.{room}_samples")

__all__ = ["samples"]
