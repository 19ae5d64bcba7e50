"""What all schemes of microphysics say of themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from halocline.core.options import Options


@dataclass(frozen=True, kw_only=True)
class MicrophysicsScheme(Options, ABC):
    """A scheme: its kernel, its kinds of water, and numbers that are its options."""

    kernel: ClassVar[str]
    """The name of its kernel, which takes `numbers` and `dt` beside its arrays."""
    species: ClassVar[tuple[str, ...]]
    """Entries of `water`: mixing ratios [1], then numbers [kg-1], whose names end in "_number"."""
    fallen: ClassVar[tuple[str, ...]]
    """What the kernel says of the ground [kg m-2]."""
    echo: ClassVar[str] = "atmosphere_reflectivity"
    """The kernel of what a radar sees, which takes `reflectivity`."""

    @property
    @abstractmethod
    def numbers(self) -> dict[str, float]:
        """What the kernel takes beside its arrays and `dt`."""

    def start_numbers(
        self, water: Mapping[str, NDArray[np.float64]], density: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        """Numbers [kg-1] of a start that has mixing ratios alone, in dry air of a density [kg m-3].

        None of a scheme without numbers.
        """
        return {}

    @property
    @abstractmethod
    def reflectivity(self) -> dict[str, float]:
        """What `echo` takes beside its arrays."""
