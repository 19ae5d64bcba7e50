"""WSM6 in NumPy, after the equations of docs/microphysics.md, a process a line."""

from __future__ import annotations

from math import gamma, pi

import numpy as np
from numpy.typing import NDArray

from references.kessler import saturated, vapor_pressure

Array = NDArray[np.float64]
cp, lv, lf, rv, t0, rho_w = 1004.5, 2.5e6, 3.5e5, 461.6, 273.15, 1000.0
nc, n0r, n0s, n0g = 3e8, 8e6, 2e6, 4e6
rho_s, rho_g, a_g = 100.0, 500.0, 330.0
weak_if_scarce = True
names = ("vapor", "cloud", "rain", "ice", "snow", "graupel")


def saturated_over_ice(temperature: Array, pressure: Array) -> Array:
    """Mixing ratio of vapour [1]."""
    e = 611.2 * np.exp(22.514 - 6150.0 / temperature)
    return 287.0 / 461.6 * e / (pressure - e)


def snow_intercept(temperature: Array) -> Array:
    """N0 of snow [m-4]."""
    return np.minimum(n0s * np.exp(0.12 * np.maximum(t0 - temperature, 0.0)), 1e11)


def slope(content: Array, density: float, intercept: Array | float, most: float) -> Array:
    """Lambda of exponential sizes [m-1]."""
    with np.errstate(divide="ignore"):
        return np.minimum((pi * density * intercept / content) ** 0.25, most)


def slopes(water: dict[str, Array], temperature: Array, rho: Array) -> tuple[Array, Array, Array]:
    """Of rain, snow and graupel [m-1]."""
    return (
        slope(rho * water["rain"], rho_w, n0r, 8e4),
        slope(rho * water["snow"], rho_s, snow_intercept(temperature), 1e5),
        slope(rho * water["graupel"], rho_g, n0g, 6e4),
    )


def speeds(
    water: dict[str, Array], temperature: Array, rho: Array, one_speed: bool
) -> tuple[Array, Array, Array, Array]:
    """Of rain, snow, graupel and ice, by mass [m s-1]."""
    lr, ls, lg = slopes(water, temperature, rho)
    thin = np.sqrt(1.28 / rho)
    vr = 841.9 * gamma(4.8) / 6.0 * lr**-0.8 * thin
    vs = 11.72 * gamma(4.41) / 6.0 * ls**-0.41 * thin
    vg = a_g * gamma(4.8) / 6.0 * lg**-0.8 * thin
    if one_speed:
        total = water["snow"] + water["graupel"]
        mean = (water["snow"] * vs + water["graupel"] * vg) / np.where(total > 0, total, 1.0)
        vs = vg = np.where(total > 0, mean, 0.0)
    return vr, vs, vg, 1.49e4 * crystals(rho * water["ice"])[1] ** 1.31


def crystals(content: Array) -> tuple[Array, Array]:
    """Number [m-3] and diameter [m] of crystals of cloud ice."""
    number = np.clip(5.38e7 * content**0.75, 1e3, 1e6)
    return number, np.minimum(11.9 * np.sqrt(content / number), 500e-6)


def air_of(temperature: Array, pressure: Array, rho: Array) -> tuple[Array, Array, Array]:
    """Conductivity of heat, diffusivity of vapour, and Sc^(1/3) nu^(-1/2) (1.28 / rho)^(1/4)."""
    nu = 1.496e-6 * temperature**1.5 / (temperature + 120.0) / rho
    conductivity = 1.414e3 * nu * rho
    diffusivity = 8.794e-5 * temperature**1.81 / pressure
    flow = (nu / diffusivity) ** (1 / 3) * nu**-0.5 * (1.28 / rho) ** 0.25
    return conductivity, diffusivity, flow


def exchanges(
    water: dict[str, Array], temperature: Array, rho: Array, flow: Array
) -> tuple[Array, Array, Array]:
    """N0 (a / lambda^2 + b Gamma((5 + b)/2) a^(1/2) flow / lambda^((5 + b)/2)) of falling kinds."""
    lr, ls, lg = slopes(water, temperature, rho)
    drops = 0.78 * lr**-2 + 0.31 * gamma(2.9) * 841.9**0.5 * flow * lr**-2.9
    flakes = 0.65 * ls**-2 + 0.44 * gamma(2.705) * 11.72**0.5 * flow * ls**-2.705
    grains = 0.78 * lg**-2 + 0.31 * gamma(2.9) * a_g**0.5 * flow * lg**-2.9
    return n0r * drops, snow_intercept(temperature) * flakes, n0g * grains


def melt_and_freeze(
    water: dict[str, Array], temperature: Array, pressure: Array, rho: Array, dt: float
) -> Array:
    """Change the water in place; the new temperature [K]."""
    q = water
    conductivity, _, flow = air_of(temperature, pressure, rho)
    _, flakes, grains = exchanges(q, temperature, rho, flow)
    heat = 2.0 * pi * conductivity * np.maximum(temperature - t0, 0.0) / (lf * rho) * dt
    snow, graupel = np.minimum(heat * flakes, q["snow"]), np.minimum(heat * grains, q["graupel"])
    ice = np.where(temperature > t0, q["ice"], 0.0)
    q["snow"] = q["snow"] - snow
    q["graupel"] = q["graupel"] - graupel
    q["ice"] = q["ice"] - ice
    q["rain"] = q["rain"] + snow + graupel
    q["cloud"] = q["cloud"] + ice
    temperature = temperature - lf / cp * (snow + graupel + ice)

    supercooled = np.clip(t0 - temperature, 0.0, 50.0)
    rate = 100.0 * (np.exp(0.66 * supercooled) - 1.0) * dt
    cloud = np.minimum(rate * rho / (rho_w * nc) * q["cloud"] ** 2, q["cloud"])
    cloud = np.where(t0 - temperature > 40.0, q["cloud"], cloud)
    lr = slopes(q, temperature, rho)[0]
    rain = np.minimum(20.0 * pi**2 * n0r * rho_w / rho * rate * lr**-7, q["rain"])
    q["cloud"] = q["cloud"] - cloud
    q["ice"] = q["ice"] + cloud
    q["rain"] = q["rain"] - rain
    q["graupel"] = q["graupel"] + rain
    return temperature + lf / cp * (cloud + rain)


def collisions(
    q: dict[str, Array], temperature: Array, rho: Array, dt: float, one_speed: bool
) -> dict[tuple[str, str], Array]:
    """Rates by giver and taker [s-1]."""
    lr, ls, lg = slopes(q, temperature, rho)
    vr, vs, vg, vi = speeds(q, temperature, rho, one_speed)
    ns, thin, cold = snow_intercept(temperature), np.sqrt(1.28 / rho), temperature < t0
    ni, di = crystals(rho * q["ice"])

    def both(one: str, other: str, rate: Array) -> Array:
        return np.where((q[one] > 1e-9) & (q[other] > 1e-9), rate, 0.0)

    def weak(collector: str, collected: str) -> Array | float:
        ratio = q[collector] / np.maximum(q[collected], 1e-9)
        return np.minimum(ratio, 1.0) ** 2 if weak_if_scarce else 1.0

    def crystals_by(n0: Array | float, lam: Array, v: Array) -> Array:
        area = 2.0 / lam**3 + 2.0 * di / lam**2 + di**2 / lam
        return pi / 4.0 * q["ice"] * n0 * np.abs(v - vi) * area

    def mass(
        n0: Array | float, lam: Array, n1: Array | float, lam1: Array, dv: Array, density: float
    ) -> Array:
        """Of particles 1 by particles 0."""
        sizes = 5 / lam1**6 / lam + 2 / lam1**5 / lam**2 + 0.5 / lam1**4 / lam**3
        return pi**2 * n0 * n1 * np.abs(dv) * density / rho * sizes

    threshold = 4.0 / 3.0 * pi * rho_w * (8e-6) ** 3 * nc / rho
    praut = 0.104 * 9.81 * 0.55 * rho ** (4 / 3) / (1.718e-5 * (nc * rho_w) ** (1 / 3))
    praut = np.where(q["cloud"] > threshold, praut * q["cloud"] ** (7 / 3), 0.0)
    pracw = pi / 4 * 841.9 * n0r * q["cloud"] * gamma(3.8) * lr**-3.8 * thin
    psacw = pi / 4 * 11.72 * ns * q["cloud"] * gamma(3.41) * ls**-3.41 * thin
    pgacw = pi / 4 * a_g * n0g * q["cloud"] * gamma(3.8) * lg**-3.8 * thin
    pracw, psacw = (
        both("rain", "cloud", pracw),
        both("snow", "cloud", psacw * weak("snow", "cloud")),
    )
    pgacw = both("graupel", "cloud", pgacw * weak("graupel", "cloud"))
    sticking = np.exp(0.07 * (temperature - t0))
    praci = crystals_by(n0r, lr, vr) * weak("rain", "ice")
    praci = np.where(cold, both("rain", "ice", praci), 0.0)
    psaci = np.where(cold, both("snow", "ice", crystals_by(ns, ls, vs) * sticking), 0.0)
    pgaci = np.where(cold, both("graupel", "ice", crystals_by(n0g, lg, vg) * sticking), 0.0)
    piacr = pi**2 * 841.9 * n0r * rho_w * ni * gamma(6.8) / (24.0 * rho) * lr**-6.8 * thin
    piacr = np.where(cold, both("rain", "ice", piacr * weak("ice", "rain")), 0.0)
    pracs = both("rain", "snow", mass(n0r, lr, ns, ls, vr - vs, rho_s) * weak("rain", "snow"))
    psacr = both("rain", "snow", mass(ns, ls, n0r, lr, vr - vs, rho_w) * weak("snow", "rain"))
    pgacr = both(
        "rain", "graupel", mass(n0g, lg, n0r, lr, vr - vg, rho_w) * weak("graupel", "rain")
    )
    pgacs = both("snow", "graupel", mass(n0g, lg, ns, ls, vg - vs, rho_s))
    pgacs = pgacs * np.exp(0.09 * np.minimum(temperature - t0, 0.0))
    psaut = np.where(cold, np.maximum(q["ice"] - 2.08e22 * (500e-6) ** 8 / rho, 0.0) / dt, 0.0)
    pgaut = 1e-3 * np.exp(0.09 * (temperature - t0)) * np.maximum(q["snow"] - 6e-4, 0.0)
    pgaut = np.where(cold, pgaut, 0.0)
    melts = 4190.0 / lf * np.maximum(temperature - t0, 0.0)
    few_drops = q["rain"] < 1e-4
    few = few_drops & (q["snow"] < 1e-4)
    return {
        ("cloud", "rain"): praut + pracw + np.where(cold, 0.0, psacw + pgacw),
        ("cloud", "snow"): np.where(cold, psacw, 0.0),
        ("cloud", "graupel"): np.where(cold, pgacw, 0.0),
        ("rain", "snow"): np.where(few_drops, piacr, 0.0) + np.where(cold & few, psacr, 0.0),
        ("rain", "graupel"): np.where(few_drops, 0.0, piacr)
        + np.where(cold, pgacr + np.where(few, 0.0, psacr), 0.0),
        ("ice", "snow"): psaut + psaci + np.where(few_drops, praci, 0.0),
        ("ice", "graupel"): pgaci + np.where(few_drops, 0.0, praci),
        ("snow", "graupel"): pgaut + pgacs + np.where(cold & ~few, pracs, 0.0),
        ("snow", "rain"): melts * (psacw + psacr),
        ("graupel", "rain"): melts * (pgacw + pgacr),
    }


def vapor_flows(
    q: dict[str, Array], temperature: Array, pressure: Array, rho: Array, dt: float
) -> dict[str, Array]:
    """Vapour that kinds of water take; negative: give [s-1]."""
    cold = temperature < t0
    conductivity, diffusivity, flow = air_of(temperature, pressure, rho)
    drops, flakes, grains = exchanges(q, temperature, rho, flow)
    ni, di = crystals(rho * q["ice"])

    def drive(most: Array, latent: float) -> Array:
        heat = rho * latent**2 / (conductivity * rv * temperature**2)
        return (q["vapor"] / most - 1.0) / (heat + 1.0 / (most * diffusivity))

    water, ice = saturated(temperature, pressure), saturated_over_ice(temperature, pressure)
    to_water, to_ice = drive(water, lv), drive(ice, lv + lf)
    drives = np.where(cold, to_ice, to_water)
    over = (q["vapor"] - water) / dt
    excess = np.where(cold, (q["vapor"] - ice) / dt, np.minimum(over, 0.0))

    def allowed(rate: Array, excess: Array, left: Array, stock: Array) -> Array:
        rate = np.where(stock > 0, rate, 0.0)
        most = np.where(excess > 0, np.maximum(np.minimum(excess / 2, left), 0.0), 0.0)
        least = np.where(excess < 0, np.minimum(np.maximum(excess / 2, left), 0.0), 0.0)
        return np.clip(rate, np.maximum(least, -stock / dt), most)

    flows = {"rain": allowed(2.0 * pi * drops * to_water, over, over, q["rain"])}
    left = excess - flows["rain"]
    wanted = {
        "ice": np.where(cold, 4.0 * di * ni * to_ice, 0.0),
        "snow": 4.0 * flakes * drives,
        "graupel": 2.0 * pi * grains * drives,
    }
    for name, rate in wanted.items():
        flows[name] = allowed(rate, excess, left, q[name])
        left = left - flows[name]
    born = 4.92e-11 * (1e3 * np.exp(0.1 * np.maximum(t0 - temperature, 0.0))) ** 1.33 / rho
    new = np.minimum(np.minimum(np.maximum(born - q["ice"], 0.0) / dt, excess), left)
    flows["ice"] = flows["ice"] + np.where(cold, np.maximum(new, 0.0), 0.0)
    return flows


def change(
    theta: Array,
    water: Array,
    pressure: Array,
    exner: Array,
    rho: Array,
    dt: float,
    one_speed: bool = True,
) -> tuple[Array, Array]:
    """Potential temperature [K] and water [1] after changes of phase at points."""
    q = dict(zip(names, water.copy(), strict=True))
    before = theta * exner
    temperature = melt_and_freeze(q, before, pressure, rho, dt)
    flows = collisions(q, temperature, rho, dt, one_speed)
    flows |= {
        (giver, taker): np.maximum(sign * rate, 0.0)
        for name, rate in vapor_flows(q, temperature, pressure, rho, dt).items()
        for giver, taker, sign in (("vapor", name, 1.0), (name, "vapor", -1.0))
    }
    old = dict(q)
    for name in names:
        out = dt * sum(rate for (giver, _), rate in flows.items() if giver == name)
        share = np.minimum(old[name] / np.maximum(out, 1e-30), 1.0) if name != "vapor" else 1.0
        for (giver, taker), rate in flows.items():
            if giver == name:
                q[giver] = q[giver] - dt * share * rate
                q[taker] = q[taker] + dt * share * rate
    solid = sum(q[name] - old[name] for name in ("ice", "snow", "graupel"))
    temperature = temperature + (lf * solid - lv * (q["vapor"] - old["vapor"])) / cp

    most, e = saturated(temperature, pressure), vapor_pressure(temperature)
    rise = most * pressure / (pressure - e) * 17.67 * 243.5 / (temperature - 29.65) ** 2
    condensed = np.maximum((q["vapor"] - most) / (1.0 + lv / cp * rise), -q["cloud"])
    q["vapor"], q["cloud"] = q["vapor"] - condensed, q["cloud"] + condensed
    temperature = temperature + lv / cp * condensed
    return theta + (temperature - before) / exner, np.stack([q[name] for name in names])


def fall(
    q: dict[str, Array], temperature: Array, rho: Array, depth: Array, dt: float, one_speed: bool
) -> dict[str, float]:
    """Change the water of a column in place; what fell on the ground [kg m-2]."""
    ground: dict[str, float] = {}
    for kinds in (("rain",), ("snow", "graupel"), ("ice",)):
        left = dt
        ground |= dict.fromkeys(kinds, 0.0)
        while left > 0.0:
            all_speeds = dict(
                zip(("rain", "snow", "graupel", "ice"), speeds(q, temperature, rho, one_speed),
                    strict=True)
            )  # fmt: skip
            speed = {name: np.where(q[name] > 0, all_speeds[name], 0.0) for name in kinds}
            fastest = max(np.max(speed[name] / depth) for name in kinds)
            parts = int(left * fastest / 0.75) + 1
            step = left / parts
            for name in kinds:
                flux = np.append(rho * q[name] * speed[name], 0.0)
                q[name] = q[name] + step * np.diff(flux) / (rho * depth)
                ground[name] += step * flux[0]
            left = left - step if parts > 1 else 0.0
    return ground
