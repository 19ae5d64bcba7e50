"""Small random changes of a run, for ensembles that show how far round-off can carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.file_series import Brackets
from halocline.core.options import Options, option

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class PerturbationOptions(Options):
    """Random factors on the state at the start and on what drives it, one for each point.

    They depend on the point and the member only, not on ranks or the time.
    """

    amplitude: float = option(
        0.0,
        "1",
        "greatest relative change of the start and of what drives it; 0: none",
        at_least=0.0,
        at_most=0.5,
    )
    member: int = option(1, "1", "number of the member: each has its own pattern", at_least=1)

    def factors(self, numbers: NDArray[np.integer]) -> Array:
        """Factors between 1 - amplitude and 1 + amplitude at points of these numbers.

        >>> PerturbationOptions(amplitude=0.5).factors(np.arange(3)).round(3).tolist()
        [0.676, 0.959, 1.025]
        """
        return 1.0 + self.amplitude * (2.0 * scattered(numbers, self.member) - 1.0)

    def of_forcing(self, forcing: Brackets, numbers: NDArray[np.integer]) -> Brackets:
        """What drives a component at the points of these numbers, changed."""
        if self.amplitude == 0.0:
            return forcing
        factors = self.factors(numbers)

        def changed(values: Sequence[Array]) -> tuple[Array, ...]:
            return tuple(factors * value for value in values)

        return replace(forcing, before=changed(forcing.before), after=changed(forcing.after))


def scattered(numbers: NDArray[np.integer], seed: int) -> Array:
    """Numbers from 0 to 1 that look random, the same for the same number and seed everywhere.

    SplitMix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators").
    """
    with np.errstate(over="ignore"):
        z = (np.asarray(numbers).astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z += np.uint64(seed) * np.uint64(0xD1B54A32D192ED03)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) / 2.0**53
