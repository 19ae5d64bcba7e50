"""Options of horizontal viscosity."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class ViscousOptions(Options):
    """Horizontal viscosity: what dissipates velocity, and by how much.

    The Laplacian acts on each component and on the metric terms. The other schemes are divergences
    of a stress tensor, which no solid rotation feels; `biharmonic` is one of the force of another.
    Least viscosities are `ocean.mixing.viscosity`, and `biharmonic` of the biharmonic scheme.
    """

    scheme: str = option(
        "laplacian",
        "",
        "what acts on velocity",
        choices=("laplacian", "stress", "anisotropic", "biharmonic"),
        source="Griffies and Hallberg 2000; Smith and McWilliams 2003; Large et al. 2001",
    )
    smagorinsky: float = option(
        0.0, "1", "C of Smagorinsky's viscosity (C L / pi)^2 |strain|, L^2 / 8 times that for"
        " `biharmonic`, where it is more; not of `laplacian`; 0: none",
        at_least=0.0,
    )  # fmt: skip
    biharmonic: float = option(
        1e12, "m4 s-1", "biharmonic viscosity; smaller cells than `viscosity_length` have less, by"
        " the square of area",
        at_least=0.0,
    )  # fmt: skip
    across: float = option(
        1e3, "m2 s-1", "viscosity across the axis, of `anisotropic`", at_least=0.0
    )
    smagorinsky_across: float = option(
        1.0, "1", "part of Smagorinsky's viscosity that acts across the axis", at_least=0.0,
        at_most=1.0,
    )  # fmt: skip
    axis: str = option(
        "grid", "", "axis of `anisotropic`: x of the grid, or east", choices=("grid", "east")
    )
