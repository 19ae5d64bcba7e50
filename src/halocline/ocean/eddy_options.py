"""Options of the eddies that a grid does not resolve."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class EddyOptions(Options):
    """What unresolved eddies do to tracers: both diffusivities 0 for nothing.

    Where they act `ocean.mixing.diffusivity`, which mixes along levels, is best 0.
    """

    along: float = option(
        0.0, "m2 s-1", "diffusivity along surfaces of density (Redi)", at_least=0.0
    )
    flattening: float = option(
        0.0, "m2 s-1", "diffusivity that flattens them (Gent and McWilliams)", at_least=0.0
    )
    length: float = option(
        0.0, "m", "of cells that have both, smaller ones less, by area; 0: all alike", at_least=0.0
    )
    taper: str = option(
        "smooth",
        "",
        "beyond `largest_slope` less by a hyperbolic tangent, or by the square of the slope",
        choices=("smooth", "square"),
        source="Danabasoglu and McWilliams 1995; Gerdes, Koeberle and Willebrand 1991",
    )
    largest_slope: float = option(4e-3, "1", "slope where tapers act", at_least=1e-9)
    slope_width: float = option(
        1e-3, "1", "slopes over which the smooth taper falls", at_least=1e-9
    )

    @property
    def act(self) -> bool:
        """Whether they do anything."""
        return bool(self.along or self.flattening)
