"""Momentum of waves: what the air gives them, what they give the ocean, and what they carry.

Over the density of water waves have the momentum  M = g integral k / sigma (cos, sin) F df dtheta,
which is also the volume that Stokes' drift carries past a line of unit length, over the whole depth
(Phillips 1977, section 3.2). The air gives them tau_in, their sources of wind and swell as they
were in the sub-steps of the integration; friction gives tau_bottom to the bottom; what is left, and
does not stay in the waves, passes into the ocean (Janssen 1989, J. Phys. Oceanogr. 19, 745;
Breivik et al. 2015, J. Geophys. Res. Oceans 120, 2973, equation 9):

  tau_out = tau_in - tau_bottom - rho (M after the sources - M before them) / dt.

So it holds breaking, and what quadruplets, the limiter and the tail beyond the prognostic
frequencies take out of the spectrum.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.core import constants
from halocline.runtime.fields.field import Entry, Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.running.runner import Runner
from halocline.waves import _native
from halocline.waves.spectrum import SpectralGrid

if TYPE_CHECKING:
    from halocline.waves.model import WaveModel

kernels = kernels_of(_native)
Array = NDArray[Any]
of_transport = {"stokes_transport_u": "m2 s-1", "stokes_transport_v": "m2 s-1"}
of_air = {"wind_stress_east": "Pa", "wind_stress_north": "Pa"}
of_sources = {
    "stress_into_waves_east": "Pa",
    "stress_into_waves_north": "Pa",
    "stress_from_waves_east": "Pa",
    "stress_from_waves_north": "Pa",
}
"""What is there with `waves.momentum_fluxes` only."""
momentum_outputs = {**of_transport, **of_air, **of_sources}
"""Output fields with their units."""


def momentum_weights(grid: SpectralGrid, *, tail: bool) -> Array:
    """g / sigma times the widths of each frequency and of directions.

    With the `tail` F ~ f^-5 beyond the last frequency, in deep water: there sigma F goes as f^-4,
    whose integral is a third of its first value times the frequency.
    """
    width = grid.output_band_width.copy()
    if tail:
        width[-1] += grid.frequency[-1] / 3.0
    weights: Array = constants.gravity / grid.sigma * width * grid.direction_width
    return weights


class WaveMomentum:
    """Momentum over the density of water of the spectra of one model [m2 s-1], east and north."""

    def __init__(self, model: WaveModel, *, tail: bool) -> None:
        self.model, spectral = model, model.spectral
        self.field = model.new_field("wave_momentum", "m2 s-1", (2,))
        self.momentum_weight = model.static_field(
            "momentum_weight", "1", momentum_weights(spectral, tail=tail)
        )
        vectors = np.array([np.cos(spectral.direction), np.sin(spectral.direction)])
        self.unit_vector = model.static_field("unit_vector", "1", vectors)

    def compute(self, run: Runner) -> None:
        """That of now."""
        run(
            kernels["wave_momentum"],
            spectrum=self.model.spectrum,
            wavenumber=self.model.wavenumber,
            momentum_weight=self.momentum_weight,
            unit_vector=self.unit_vector,
            wave_momentum=self.field,
        )


class StokesTransport(WaveMomentum):
    """Volume that Stokes' drift carries, tail included."""

    def __init__(self, model: WaveModel) -> None:
        super().__init__(model, tail=True)
        self.fields = {
            name: Entry(self.field, number, name, units)
            for number, (name, units) in enumerate(of_transport.items())
        }


class MomentumFluxes:
    """What passed in the last step between air, waves and ocean; nothing before the first one."""

    def __init__(self, model: WaveModel) -> None:
        self.model = model
        self.from_sources = model.new_field("wave_stress", "m2 s-2", (4,))
        self.before, self.after = (WaveMomentum(model, tail=False) for _ in range(2))
        self.fields = {
            name: model.new_field(name, units, restart=True) for name, units in of_sources.items()
        }

    def begin(self, run: Runner) -> None:
        """The sources begin to act."""
        self.before.compute(run)

    def end(self, run: Runner) -> None:
        """They have acted over a global step, and left `from_sources`."""
        self.after.compute(run)
        per_step = 1.0 / self.model.time_step
        fields = (self.from_sources, self.before.field, self.after.field)
        blocks = zip(*(some.read() for some in fields), strict=True)
        parts = [_parts(stress, before, after, per_step) for stress, before, after in blocks]
        for number, field in enumerate(self.fields.values()):
            with field.change() as owned:
                for array, block in zip(owned, parts, strict=True):
                    array[...] = block[number]


def _parts(stress: Array, before: Array, after: Array, per_step: float) -> Array:
    """From the air, then into the ocean, each east and north [Pa]; in float64."""
    into, bottom = stress[:2].astype(np.float64), stress[2:].astype(np.float64)
    stays = (after.astype(np.float64) - before.astype(np.float64)) * per_step
    return constants.water_density * np.concatenate([into, into - bottom - stays])


def wind_stress(
    fields: Mapping[str, Field], wind: tuple[Field, Field], friction_velocity: Field
) -> None:
    """Fill the stress of the air on the surface, rho u*^2 along the wind [Pa].

    The wind is that which the waves feel.
    """
    east, north = fields.values()
    with east.change() as to_east, north.change() as to_north:
        sources = (some.read() for some in (*wind, friction_velocity))
        for x, y, u, v, star in zip(to_east, to_north, *sources, strict=True):
            speed = np.sqrt(u * u + v * v)
            pull = constants.air_density * star * star / np.where(speed > 0.0, speed, 1.0)
            x[...], y[...] = pull * u, pull * v
