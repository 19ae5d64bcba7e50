"""Kain and Fritsch's clouds of one column, written anew with SciPy's roots and integrals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

g, cp, lv, lf, eps = 9.81, 1004.5, 2.5e6, 3.5e5, 287.0 / 461.6


def saturated(t: float, p: float, icy: bool = True) -> float:
    """Mixing ratio, blended from water at -5 degrees C to ice at -25."""

    def ratio(e: float) -> float:
        return float(eps * e / (p - e))

    water = ratio(611.2 * np.exp(17.67 * (t - 273.15) / (t - 29.65)))
    cold = ratio(611.2 * np.exp(22.514 - 6150.0 / t))
    share = np.clip((268.16 - t) / 20.0, 0.0, 1.0) if icy else 0.0
    return float(water + share * (cold - water))


def phases(h: float, q: float, z: float, p: float) -> tuple[float, float, float, float]:
    """Temperature, vapour, liquid, ice."""

    def split(t: float) -> tuple[float, float, float]:
        vapor = min(saturated(t, p), q)
        ice = np.clip((268.16 - t) / 20.0, 0.0, 1.0) * (q - vapor)
        return vapor, q - vapor - ice, ice

    def energy(t: float) -> float:
        vapor, _, ice = split(t)
        return cp * t + g * z + lv * vapor - lf * ice

    dry = (h - g * z) / cp
    t = brentq(lambda t: energy(t) - h, dry - lv * q / cp - 1.0, dry + lf * q / cp + 1.0, xtol=1e-9)
    return (t, *split(t))


def virtual(t: float, q: float) -> float:
    return t * (1.0 + (1.0 / eps - 1.0) * q)


def bell(x: float) -> float:
    return float(np.exp(-((x - 0.5) ** 2) * 18.0) - np.exp(-4.5))


area = quad(bell, 0.0, 1.0)[0]


def within(x: float) -> float:
    """Surroundings in mixtures with a share of them up to x."""
    return 2.0 * quad(lambda s: s * bell(s), 0.0, x)[0] / area


@dataclass(frozen=True)
class Lift:
    """Air of 50 hPa where it is saturated."""

    energy: float
    water: float
    temperature: float
    height: float
    last: int  # layer


def lift_of(c: dict[str, Any], base: int = 0) -> Lift:
    m, z = c["air_density"] * c["layer_depth"], np.cumsum(c["layer_depth"]) - 0.5 * c["layer_depth"]
    t, q = temperature(c), c["water"][0]
    last = base + int(np.searchsorted(np.cumsum(g * m[base:]), 5e3))
    part = slice(base, last + 1)
    hs, qs, ps, zs = (
        float(np.average(x[part], weights=m[part]))
        for x in (cp * t + g * z + lv * q, q, c["air_pressure"], z)
    )
    ts = (hs - lv * qs - g * zs) / cp
    e = ps * qs / (eps + qs) / 100.0
    tl = min(2840.0 / (3.5 * np.log(ts) - np.log(e) - 4.805) + 55.0, ts)
    return Lift(hs, qs, tl, zs + cp * (ts - tl) / g, last)


@dataclass
class Cloud:
    """Fluxes through the upper faces of layers, and what falls and is left in them."""

    flux: Any
    energy: Any
    water: Any
    rain: Any
    snow: Any
    liquid: Any
    ice: Any
    entrained: Any
    base: float = 0.0
    neutral: int = -1
    top: int = -1


def critical_share(
    cloud: tuple[float, float], around: tuple[float, float], z: float, p: float, heavy: float
) -> float:
    """The most surroundings with which a mixture is not heavier than they are."""

    def loaded(x: float) -> float:
        h, q = (a + x * (b - a) for a, b in zip(cloud, around, strict=True))
        t, vapor, liquid, ice = phases(h, q, z, p)
        return virtual(t, vapor) - t * (liquid + ice) - heavy

    if loaded(0.0) <= 0:
        return 0.0
    return 1.0 if loaded(0.95) > 0 else float(brentq(loaded, 0.0, 0.95))


def cloud_of(c: dict[str, Any], spacing: float, base: int = 0, rate: float = 0.03) -> Cloud:
    """The cloud of the source of 50 hPa from layer `base` on."""
    m, dz, p = c["air_density"] * c["layer_depth"], c["layer_depth"], c["air_pressure"]
    t, q = temperature(c), c["water"][0]
    top = np.cumsum(dz)
    z = top - 0.5 * dz
    h = cp * t + g * z + lv * q
    n = len(z)
    lifted = lift_of(c, base)
    hs, qs, tl, zl, last = (
        lifted.energy, lifted.water, lifted.temperature, lifted.height, lifted.last
    )  # fmt: skip
    use = slice(base, last + 1)
    wl = np.interp(zl, z, c["mean_rise"])
    lift = wl * spacing / 25e3 - 0.02 * min(zl / 2000.0, 1.0)
    warmer = max(np.cbrt(100.0 * lift), 0.0)
    speed2 = min(1.0 + 1.1 * np.sqrt((zl - top[base] + dz[base]) * warmer / tl), 3.0) ** 2
    radius = 1000.0 * (1.0 + np.clip(lift / 0.1, 0.0, 1.0))
    k = max(int(np.searchsorted(top, zl)), last + 1)
    made = Cloud(*(np.zeros(n) for _ in range(8)))
    made.base = max(zl, top[k - 1])
    for j in range(base, k):
        part = slice(base, min(j, last) + 1)
        made.flux[j] = m[part].sum() / m[use].sum()
        made.energy[j] = np.average(h[part], weights=m[part])
        made.water[j] = np.average(q[part], weights=m[part])
    start, flux, hu, qu = made.base, 1.0, hs, qs

    def at(height: float, profile: Any) -> float:
        """Between centres, as beyond the last two."""
        i = min(max(int(np.searchsorted(z, height)) - 1, 0), n - 2)
        return profile[i] + (height - z[i]) / (z[i + 1] - z[i]) * (profile[i + 1] - profile[i])

    def phases_at(k: int, start: float, hu: float, qu: float) -> tuple[Any, ...]:
        """Phases of air in layer k, and the virtual temperature around."""
        middle = 0.5 * (top[k] + start)
        pm = float(np.exp(at(middle, np.log(p))))
        return phases(hu, qu, middle, pm), virtual(at(middle, t), at(middle, q)), middle, pm

    def leave(k: int, mass: float, left: float, found: Any, slow: float) -> tuple[float, float]:
        """What falls out of air and stays of it in layer k; energy and water lost."""
        lm, im = found[2:]
        falls = 1.0 - np.exp(-rate * (top[k] - start) / slow)
        made.rain[k], made.snow[k] = mass * lm * falls, mass * im * falls
        made.liquid[k], made.ice[k] = left * lm * (1 - falls), left * im * (1 - falls)
        return lf * im * falls, (lm + im) * falls

    squares = np.zeros(n)
    while k < n:
        path = top[k] - start
        _, heavy, middle, pm = phases_at(k, start, hu, qu)
        critical = critical_share((hu, qu), (h[k], q[k]), middle, pm, heavy)
        mixing = flux * 0.03 * g * m[k] * path / dz[k] / radius
        entrained = mixing * max(within(critical), 0.5)
        detrained = mixing * within(1.0 - critical)
        mass = flux + entrained
        hm, qm = (flux * hu + entrained * h[k]) / mass, (flux * qu + entrained * q[k]) / mass
        found = phases(hm, qm, middle, pm)
        buoyancy = virtual(*found[:2]) / heavy - 1.0
        push = 2 * path * g * (buoyancy - found[2] - found[3]) / 1.5
        new2 = speed2 + push - 2 * entrained / flux * speed2
        ends = new2 <= 1e-4 or k == n - 1
        if ends:
            mass, entrained, (hm, qm) = flux, 0.0, (hu, qu)
            found = phases(hm, qm, middle, pm)
            new2 = max(new2, 0.0)
        left = mass if ends else min(detrained, 0.95 * mass)
        warmed, lost = leave(k, mass, left, found, max(0.5 * (speed2**0.5 + new2**0.5), 0.1))
        hu, qu, flux = hm + warmed, qm - lost, mass - left
        made.flux[k], made.energy[k], made.water[k] = flux, hu, qu
        made.entrained[k] = entrained
        squares[k] = speed2 = new2
        made.top = k
        if flux <= 0:
            break
        if buoyancy > 0:
            made.neutral = k
        start, k = top[k], k + 1
    if made.neutral < 0 or made.neutral == made.top:
        return made

    # Above, all of it is left in proportion to mass, unmixed.
    low = made.neutral
    hu, qu, whole = made.energy[low], made.water[low], made.flux[low]
    above = m[low + 1 : made.top + 1].sum()
    for k in range(low + 1, made.top + 1):
        start, left = top[k - 1], whole * m[k] / above
        found, heavy, *_ = phases_at(k, start, hu, qu)
        push = 2 * dz[k] * g * (virtual(*found[:2]) / heavy - 1.0 - found[2] - found[3]) / 1.5
        fast = max(squares[k - 1] + push, 0.0)
        mass = whole * m[k : made.top + 1].sum() / above
        warmed, lost = leave(
            k, mass, left, found, max(0.5 * (squares[k - 1] ** 0.5 + fast**0.5), 0.1)
        )
        hu, qu = hu + warmed, qu - lost
        made.flux[k], made.energy[k], made.water[k] = mass - left, hu, qu
        made.entrained[k], squares[k] = 0.0, fast
    return made


def available(c: dict[str, Any], like: Cloud, base: int) -> float:
    """What buoyancy does to air of a source that entrains as a cloud did."""
    t, q = temperature(c), c["water"][0]
    top = np.cumsum(c["layer_depth"])
    z = top - 0.5 * c["layer_depth"]
    lifted = lift_of(c, base)
    h, water, total = lifted.energy, lifted.water, 0.0
    first = max(int(np.searchsorted(top, lifted.height)), lifted.last + 1)
    for k in range(first, like.neutral + 1):
        low = max(lifted.height, top[k - 1])
        share = like.entrained[k] / (like.flux[k - 1] + like.entrained[k])
        h += share * (cp * t[k] + g * z[k] + lv * q[k] - h)
        water += share * (q[k] - water)
        middle = 0.5 * (low + top[k])
        around = virtual(np.interp(middle, z, t), np.interp(middle, z, q))
        warm, vapor, *_ = phases(
            h, water, middle, float(np.exp(np.interp(middle, z, np.log(c["air_pressure"]))))
        )
        total += g * (top[k] - low) * max(virtual(warm, vapor) / around - 1.0, 0.0)
    return total


def evaporated(c: dict[str, Any], cloud: Cloud, base: int = 0) -> float:
    """Rain that keeps sinking air humid: what enters it over 150 hPa above the source is twice the
    flux at the cloud's base times what lacks to saturation; it spreads below by mass."""
    m, p, t = c["air_density"] * c["layer_depth"], c["air_pressure"], temperature(c)
    q, z = c["water"][0], np.cumsum(c["layer_depth"]) - 0.5 * c["layer_depth"]
    last = lift_of(c, base).last
    high = last + 1 + int(np.searchsorted(np.cumsum(g * m[last + 1 :]), 150e2))
    over = slice(last + 1, high + 1)
    humid = [min(v / saturated(*at, icy=False), 1.0) for v, *at in zip(q, t, p, strict=True)]
    strength = 2.0 * (1.0 - np.average(humid[over], weights=m[over]))
    h, energy, water, flux, sum_of = cp * t + g * z + lv * q, 0.0, 0.0, 0.0, 0.0
    for k in range(high, -1, -1):
        gain = strength * m[k] / m[over].sum() if k > last else 0.0
        flux += gain
        energy += gain / flux * (h[k] - energy)
        water += gain / flux * (q[k] - water)
        wanted = max(1.0 - 0.2e-3 * max(cloud.base - z[k], 0.0), 0.1)

        def excess(t: float, k: int = k, wanted: float = wanted, energy: float = energy) -> float:
            return cp * t + g * z[k] + lv * wanted * saturated(t, p[k], icy=False) - energy

        cold = brentq(excess, 150.0, 350.0, xtol=1e-9)
        vapor = max(wanted * saturated(cold, p[k], icy=False), water)
        sum_of += flux * (vapor - water)
        water = vapor
        if k <= last:
            flux -= strength * m[k] / m[: last + 1].sum()
    return float(min(sum_of, 0.9 * (cloud.rain + cloud.snow).sum()))


def temperature(c: dict[str, Any]) -> Any:
    return (c["dry_theta"] + 300.0) * c["exner"]
