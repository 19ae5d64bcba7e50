"""Options of the surface layer."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class SurfaceLayerOptions(Options):
    """Fluxes between air and ground by similarity (Jimenez et al. 2012)."""

    charnock: float = option(
        0.0185,
        "1",
        "roughness of waves: times the square of the friction velocity over gravity",
        at_least=0.0,
        at_most=0.1,
        source="Wu 1980, J. Phys. Oceanogr. 10, 727",
    )
    zilitinkevich: float = option(
        0.1,
        "1",
        "how much smoother land is for heat than for momentum; 0: as rough",
        at_least=0.0,
        at_most=1.0,
        source="Chen et al. 1997, Boundary-Layer Meteorol. 85, 391",
    )
    gustiness: float = option(
        1.0,
        "1",
        "gusts over the velocity of free convection",
        at_least=0.0,
        at_most=5.0,
        source="Beljaars 1995, Q. J. R. Meteorol. Soc. 121, 255",
    )
    least_wind: float = option(
        0.1, "m s-1", "wind of calm air in the formulas", at_least=1e-3, at_most=2.0
    )
    sea_saturation: float = option(
        0.98,
        "1",
        "saturation over salt water, over that over fresh water",
        at_least=0.9,
        at_most=1.0,
        source="Kraus 1972, Atmosphere-Ocean Interaction, p. 46",
    )

    @property
    def numbers(self) -> dict[str, float]:
        """Those that are the same everywhere: all but Charnock's, which waves may give."""
        found: dict[str, float] = asdict(self)
        found.pop("charnock")
        return found
