"""Options of the carbonate system; the equations stand in `carbonate.hpp`.

Constants of acids are those of the guide to best practices (Dickson, Sabine and Christian 2007),
`carbonate_constants.hpp` names their sources; fluoride is on the total scale, as there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from halocline.biogeochemistry import _native
from halocline.core.native_options import native_of
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class CarbonateOptions(Options):
    """What pH is found of, and how closely.

    >>> CarbonateOptions().numbers.most_steps
    50
    """

    boron: float = option(
        4.16e-4,
        "mol kg-1",
        "total boron of water of salinity 35; 4.326e-4 after Lee et al. 2010",
        at_least=0.0,
        source="Uppstrom 1974",
    )
    tolerance: float = option(
        1e-8,
        "1",
        "last step of Newton's method, over [H+]; in float32 at least 4e-6",
        at_least=1e-14,
        at_most=1e-3,
        source="Munhoven 2013",
    )
    most_steps: int = option(
        50, "1", "of Newton's method or halvings", at_least=1, source="Munhoven 2013"
    )
    first_ph: float = option(
        8.0, "1", "guess where no pH has been found yet", at_least=1.0, at_most=13.0
    )

    @property
    def numbers(self) -> Any:
        """The options as kernels take them."""
        return native_of(_native.CarbonateNumbers, self)


def carbonate_tracers(
    tracers: Sequence[str],
    *,
    carbon: str = "",
    alkalinity: str = "",
    phosphate: str = "",
    silicate: str = "",
    oxygen: str = "",
    carbon_per_mmol: float = 1.0,
) -> Any:
    """Which of a model's tracers is what, as kernels take it; empty names are none.

    >>> carbonate_tracers(["a", "b"], oxygen="b").oxygen
    1
    """
    names = {
        "carbon": carbon,
        "alkalinity": alkalinity,
        "phosphate": phosphate,
        "silicate": silicate,
        "oxygen": oxygen,
    }
    numbers = {what: tracers.index(name) if name else -1 for what, name in names.items()}
    return native_of(_native.CarbonateTracers, None, carbon_per_mmol=carbon_per_mmol, **numbers)
