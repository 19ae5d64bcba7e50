"""What passes the faces of the ocean's cells: by its velocity, and by what flattens density."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from halocline.ocean import _native
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean

kernels = kernels_of(_native)


def residual_flow(model: Ocean, axis: str, flux: Field) -> Callable[[], None]:
    """A call that sets `flux`, through faces across `axis`, to that of the present level [m3 s-1].

    It is what the velocity of the moment carries, and the drift of waves, levels as high as they
    are at rest, and what the flattening of surfaces of density does (Gent and McWilliams;
    `eddy_flow.hpp`).
    """
    state, options, given = model.state, model.options, {f"{axis}_volume_flux": flux}
    carried = model.run.bind(kernels[f"ocean_{axis}_volume_flux"], state, **given)

    def by_velocity() -> None:
        with model.carrying():
            carried()

    if model.eddies is None or not options.mixing.eddies.flattening:
        return by_velocity
    flatten = model.run.bind(kernels[f"ocean_eddy_{axis}_flow"], state, depth=state.depths, **given)
    numbers = {name: some for name, some in model.eddies.numbers.items() if name != "along"}

    def both() -> None:
        by_velocity()
        flatten(**numbers, tile=2 * options.tile_columns, numbers=options.density.numbers)

    return both
