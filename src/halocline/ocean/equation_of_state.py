"""Options of the density of sea water; the equations stand in `equation_of_state.hpp`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halocline.core.native_options import native_of
from halocline.core.options import Options, option
from halocline.ocean import _native

equations = ("linear", "mcdougall-2003", "jackett-1995", "unesco", "teos-10")
"""In the order of `Equation` in C++."""


@dataclass(frozen=True, kw_only=True)
class DensityOptions(Options):
    """Density of sea water: an equation of state, and the numbers of the linear one.

    Temperature is potential temperature, for `teos-10` conservative temperature, whose salinity is
    absolute salinity. All but the linear one know the pressure of a depth.
    """

    equation: str = option(
        "linear",
        "",
        "equation of state",
        choices=equations,
        source="McDougall et al. 2003; Jackett and McDougall 1995; Unesco 1981 (EOS-80);"
        " Roquet et al. 2015 (TEOS-10, 55 terms)",
    )
    reference: float = option(
        1026.0, "kg m-3", "density that pressure and stress are divided by", at_least=1.0
    )
    at: float = option(1026.0, "kg m-3", "density at `temperature` and `salinity`", at_least=1.0)
    expansion: float = option(0.2, "kg m-3 K-1", "less density per degree", at_least=0.0)
    contraction: float = option(0.77, "kg m-3", "more density per 1e-3 of salinity", at_least=0.0)
    temperature: float = option(10.0, "degree C", "where density is `at`")
    salinity: float = option(35.0, "1e-3", "where density is `at`", at_least=0.0)

    @property
    def numbers(self) -> Any:
        """The options as kernels take them."""
        return native_of(_native.DensityNumbers, self, equation=equations.index(self.equation))
