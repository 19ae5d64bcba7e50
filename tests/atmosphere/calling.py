"""Kernels of the atmosphere called on arrays by name, without those that nobody wants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere import _native
from halocline.runtime.fields.kernel import kernels_of


def call(
    name: str,
    box: tuple[int, int, int, int, int],
    arrays: Mapping[str, NDArray[np.floating] | None],
    **scalars: Any,
) -> None:
    """Run a kernel once; None, or no array of a name, stands for what is not wanted."""
    kernel = kernels_of(_native)[name]
    given = [arrays.get(argument.name) for argument in kernel.arguments]
    kernel.bound([(box, *given)])(**scalars)
