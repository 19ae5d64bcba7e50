"""Options of the exchange of gases with the air; the equations stand in `gas_exchange.hpp`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halocline.biogeochemistry import _native
from halocline.core.native_options import native_of
from halocline.core.options import Options, option

OMIP = "Wanninkhof 2014; OMIP-2, Orr et al. 2017"


@dataclass(frozen=True, kw_only=True)
class GasExchangeOptions(Options):
    """Carbon dioxide and oxygen between air and sea.

    >>> f"{GasExchangeOptions().numbers.transfer:.3e}"
    '6.972e-07'
    """

    transfer: float = option(
        0.251,
        "cm h-1 m-2 s2",
        "transfer velocity at Schmidt number 660 over the square of the wind's speed",
        at_least=0.0,
        source=OMIP,
    )
    air_carbon_dioxide: float = option(
        370.0, "1e-6", "share of dry air", at_least=0.0, source="BFM v5, preset OGS_PELAGIC"
    )
    pressure: float = option(
        1013.25, "hPa", "of the air at the sea", at_least=500.0, at_most=1100.0
    )

    @property
    def numbers(self) -> Any:
        """The options as kernels take them."""
        return native_of(
            _native.GasExchangeNumbers,
            transfer=0.01 / 3600.0 * self.transfer,
            pressure=self.pressure / 1013.25,
        )
