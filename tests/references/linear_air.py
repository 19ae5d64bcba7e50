"""Linear gravity and sound waves over flat ground in air of one temperature, exact.

The setting is that of Baldauf and Brdar (2013, Quart. J. Roy. Meteor. Soc. 139, 1977): a warm spot
at the pressure around it, in a channel of constant depth. Its top is a lid, as theirs, or a surface
of constant pressure. With the displacement (X, Y, Z) of the air, D = div, the equations are

    rho0 X_tt = -p'_x + rho0 f Y_t,  Y_t = -f X,  rho0 Z_tt = -p'_z - g rho',
    p' = -rho0 c^2 D + rho0 g Z,  rho' = rho'_start - rho0 D - rho0_z Z,

and p' = rho0 g Z at the top; hydrostatic air has no Z_tt. Each wave along x has polynomials across:
their weak form is symmetric and holds the condition at the top, so that the answer is one of
oscillators, exact in time.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import eigh

gravity, gas_constant, gamma, surface_pressure = 9.81, 287.0, 1.4, 1e5


@dataclass(frozen=True)
class Channel:
    """Air at rest of one temperature [K], of a depth [m], on a plane that turns [s-1]."""

    temperature: float = 250.0
    depth: float = 10e3
    rotation: float = 0.0
    lid: bool = False
    hydrostatic: bool = False
    terms: int = 28

    @property
    def scale(self):
        """Height over which pressure falls by e [m]."""
        return gas_constant * self.temperature / gravity

    def density(self, z):
        at_ground = surface_pressure / (gas_constant * self.temperature)
        return at_ground * np.exp(-z / self.scale)

    def polynomials(self, z):
        """Values and slopes at heights of what X and Z are sums of, (terms, z)."""
        s, units = 2.0 * np.asarray(z) / self.depth - 1.0, np.eye(self.terms)
        values, slopes = legendre.legval(s, units), legendre.legval(s, legendre.legder(units))
        fits, steep = (1.0 - s**2, -2.0 * s) if self.lid else (1.0 + s, 1.0)
        upward = fits * values, (fits * slopes + steep * values) * 2.0 / self.depth
        return (values, slopes * 2.0 / self.depth), upward

    @cached_property
    def points(self):
        """Heights and weights of Gauss."""
        s, weight = legendre.leggauss(2 * self.terms)
        return 0.5 * self.depth * (s + 1.0), 0.5 * self.depth * weight

    def oscillators(self, k):
        """Squared frequencies, shapes of the waves of wavenumber k [m-1] in X and Z, and the Z of a
        balance that a force holds without X, as a matrix on the force."""
        z, weight = self.points
        (x, _), (up, up_slope) = self.polynomials(z)
        none_x, none_z = np.zeros_like(x), np.zeros_like(up)
        x, spread = np.concatenate([x, none_z]), np.concatenate([k * x, up_slope])
        up = np.concatenate([none_x, up])
        heavy = weight * self.density(z)

        def product(a, b, by=1.0):
            return (a * (heavy * by)) @ b.T

        sound = gamma * gas_constant * self.temperature
        stiff = sound * product(spread, spread) + self.rotation**2 * product(x, x)
        stiff -= gravity * (product(spread, up) + product(up, spread))
        stiff += gravity * product(up, up, 1.0 / self.scale)
        if not self.lid:
            at_top = np.append(np.zeros(self.terms), self.polynomials(self.depth)[1][0])
            stiff += gravity * self.density(self.depth) * np.outer(at_top, at_top)
        heavy_x, n = product(x, x), self.terms
        if not self.hydrostatic:
            return *eigh(stiff, heavy_x + product(up, up)), np.zeros((n, n))
        held = np.linalg.inv(stiff[n:, n:])
        follows = -held @ stiff[n:, :n]  # Z of X
        squared, shapes = eigh(stiff[:n, :n] + stiff[:n, n:] @ follows, heavy_x[:n, :n])
        return squared, np.concatenate([shapes, follows @ shapes]), held

    def waves(self, k, start, time, z):
        """Amplitudes of u [m s-1] along sin(k x), v [m s-1], w [m s-1], p' [Pa] and rho' [kg m-3].

        v goes along sin(k x), the others along cos(k x); `start(z)` is the density [kg m-3] of the
        start less that at rest; at heights z [m] at a time [s].
        """
        squared, shapes, held = self.oscillators(k)
        points, weight = self.points
        up = self.polynomials(points)[1][0]
        pull = up @ (-gravity * weight * start(points))
        force = shapes[self.terms :].T @ pull
        rate = np.sqrt(np.maximum(squared, 0.0))
        moved = 0.5 * time**2 * np.sinc(0.5 * rate * time / np.pi) ** 2 * force
        moving = time * np.sinc(rate * time / np.pi) * force
        (x, _), (up, slope) = self.polynomials(z)
        across, upward = shapes[: self.terms].T @ x, shapes[self.terms :].T @ up
        spread = k * across + shapes[self.terms :].T @ slope
        displaced, rho = moved @ upward + (held @ pull) @ up, self.density(z)
        divergence = moved @ spread + (held @ pull) @ slope
        pressure = rho * (
            gravity * displaced - gamma * gas_constant * self.temperature * divergence
        )
        density = start(z) - rho * divergence + rho / self.scale * displaced
        return (
            moving @ across,
            -self.rotation * (moved @ across),
            moving @ upward,
            pressure,
            density,
        )


@dataclass(frozen=True)
class WarmSpot:
    """Air warmer by T exp(z / 2 H) exp(-x^2 / r^2) sin(pi z / depth), again every `period` [m]."""

    channel: Channel
    amplitude: float
    radius: float
    period: float

    def warmth(self, z):
        """At x = 0 [K]."""
        c = self.channel
        return self.amplitude * np.exp(0.5 * z / c.scale) * np.sin(np.pi * z / c.depth)

    def density(self, z):
        """Of the start at x = 0, less that at rest [kg m-3]."""
        return -self.channel.density(z) * self.warmth(z) / self.channel.temperature

    def shape(self, x):
        """Share of all this at places along x."""
        return sum(np.exp(-(((x + n * self.period) / self.radius) ** 2)) for n in (-1, 0, 1))

    def after(self, time, x, z):
        """u, v, w [m s-1], p' [Pa] and potential temperature [K] less that at rest, (z, x)."""
        c, spot = self.channel, np.arange(512) / 512.0 * self.period
        amplitudes = np.fft.rfft(self.shape(np.minimum(spot, self.period - spot))).real / 256.0
        amplitudes[0] *= 0.5
        found = np.zeros((5, len(z), len(x)))
        for number in np.flatnonzero(abs(amplitudes) > 1e-9 * amplitudes.max()):
            k = 2.0 * np.pi * number / self.period
            waves = c.waves(k, self.density, time, z)
            for total, wave, along in zip(found, waves, "ssccc", strict=True):
                way = np.sin(k * x) if along == "s" else np.cos(k * x)
                total += amplitudes[number] * np.outer(wave, way)
        u, v, w, pressure, density = found
        at_rest = surface_pressure * np.exp(-z / c.scale)[:, None]
        theta = c.temperature * (at_rest / 1e5) ** (-2.0 / 7.0)
        rho = c.density(z)[:, None]
        return u, v, w, pressure, theta * (pressure / (gamma * at_rest) - density / rho)
