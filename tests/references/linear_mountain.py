"""Steady linear waves over low ground in air of one buoyancy frequency and one wind.

Smith 1979 (Advances in Geophysics 21, 87). A wave exp(ikx) of the ground h makes w = ik U h there
and goes upward as exp(imz) with m^2 = N^2 / U^2 - k^2 - 1 / (4 H^2), H the scale height, or fades.
Waves that go upward carry the momentum rho U^2 k m |h|^2, which is the drag of the ridge.

Ground that is not low has steady waves by Long's equation (Long 1953, Tellus 5, 42), which in air
of one frequency and wind is linear too: displacements are the same sum of waves, but h at z = h.
"""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class RidgeWaves:
    """Ground of heights [m] at places `spacing` [m] apart; wind, frequency, scale height in SI."""

    ground: Array
    spacing: float
    wind: float
    frequency: float
    scale_height: float
    padding: int = 16

    def _waves(self) -> tuple[Array, Array, Array]:
        """Wave numbers, what m^2 is, and transforms of the ground, of a longer line."""
        n = self.padding * self.ground.size
        k = 2.0 * np.pi * np.fft.rfftfreq(n, self.spacing)
        square = (self.frequency / self.wind) ** 2 - k**2 - 0.25 / self.scale_height**2
        return k, square, np.fft.rfft(self.ground, n)

    def drag(self, density: float) -> float:
        """Per metre of the ridge [N m-1]."""
        k, square, h = self._waves()
        n = self.padding * self.ground.size
        power = 2.0 * np.abs(h) ** 2 * self.spacing / n
        return float(density * self.wind**2 * (k * np.sqrt(np.maximum(square, 0.0)) * power).sum())

    def drag_by_height(self, shortest: float = 2e3) -> float:
        """The drag by the height of the ground over that of low ground [1]; of waves as short as
        so [m]."""
        length = self.spacing * self.ground.size
        k = 2.0 * np.pi * np.arange(1, int(length / shortest) + 1) / length
        square = (self.frequency / self.wind) ** 2 - k**2
        m = np.where(square > 0.0, np.sqrt(np.abs(square)), 1j * np.sqrt(np.abs(square)))
        place = self.spacing * np.arange(self.ground.size)[:, None]
        waves = np.exp(1j * (k * place + m * self.ground[:, None]))
        parts = np.concatenate([waves.real, -waves.imag, np.ones_like(place)], axis=1)
        found = np.linalg.lstsq(parts, self.ground, rcond=1e-12)[0]
        low = 2.0 * np.fft.rfft(self.ground)[1 : k.size + 1] / self.ground.size
        carried = k * np.sqrt(np.maximum(square, 0.0))
        high = found[: k.size] ** 2 + found[k.size : -1] ** 2
        return float((carried * high).sum() / (carried * np.abs(low) ** 2).sum())

    def rise(self, z: float) -> Array:
        """Upward wind at a height [m s-1], at the places of the ground."""
        k, square, h = self._waves()
        m = np.where(square > 0.0, np.sqrt(np.abs(square)), 1j * np.sqrt(np.abs(square)))
        waves = 1j * k * self.wind * h * np.exp(1j * m * z + 0.5 * z / self.scale_height)
        n = self.padding * self.ground.size
        return np.asarray(np.fft.irfft(waves, n)[: self.ground.size])
