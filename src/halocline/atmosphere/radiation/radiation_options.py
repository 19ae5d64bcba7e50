"""Options of radiation."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class RadiationOptions(Options):
    """Long and short wave by correlated k with the tables of RRTMGP (Pincus et al. 2019)."""

    tables: str = option("", "", "folder of RRTMGP's files; empty: those shipped")
    interval: float = option(600.0, "s", "between calls", at_least=0.0)
    carbon_dioxide: float = option(
        420e-6, "1", "molecules per molecule of dry air", at_least=0.0, at_most=0.1
    )
    solar_constant: float = option(
        1361.0,
        "W m-2",
        "of the sun at its mean distance",
        at_least=0.0,
        at_most=5000.0,
        source="Kopp and Lean 2011, Geophys. Res. Lett. 38, L01706",
    )
    drop_radius: float = option(
        10.0, "1", "effective radius of drops [micrometre]", at_least=2.5, at_most=21.5
    )
    crystal_diameter: float = option(
        60.0, "1", "effective diameter of crystals [micrometre]", at_least=10.0, at_most=180.0
    )
    extra_layers: int = option(
        8, "1", "layers between the top of the model and 1 Pa", at_least=0, at_most=20
    )
