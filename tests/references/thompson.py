"""Thompson et al. (2008), a cell at a time: integrals over sizes are sums over many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
names = ("vapor", "cloud", "rain", "ice", "snow", "graupel", "rain_number", "ice_number")
cp, lv, lf, ls, t0 = 1004.5, 2.5e6, 3.5e5, 2.85e6, 273.15
rho_0 = 101325.0 / (287.05 * 298.0)
fewest = 1e-9  # kg m-3

a, b, f = (
    {"rain": 4854.0, "snow": 40.0, "graupel": 442.0, "ice": 1847.5},
    {"rain": 1.0, "snow": 0.55, "graupel": 0.89, "ice": 1.0},
    {"rain": 195.0, "snow": 100.0, "graupel": 0.0, "ice": 0.0},
)
c = {k: np.pi / 6.0 * v for k, v in {"rain": 1000.0, "graupel": 400.0, "ice": 890.0}.items()}


def phi(x: Array) -> Array:
    return 490.6 * np.exp(-20.78 * x) + 17.46 * x**0.6357 * np.exp(-3.29 * x)


@dataclass
class Bins:
    """Particles of a kind: numbers of each size [m-3], diameters, masses, speeds."""

    n: Array
    d: Array
    m: Array
    v: Array
    kind: str

    def sum(self, values: Array) -> float:
        return float((self.n * values).sum())

    def ventilated(self, still: float, moved: float, thin: float, viscosity: float) -> float:
        reynolds = self.v * thin * self.d / viscosity
        return self.sum(self.d * (still + moved * 0.632 ** (1 / 3) * np.sqrt(reynolds)))

    @property
    def swept(self) -> float:
        return self.sum(0.25 * np.pi * self.d**2 * self.v)


def bins(kind: str, length: float, scale: float, count: int = 3000) -> Bins:
    """`scale` times phi, or the exponential function, of D / length."""
    edges = length * (10.0 if kind == "snow" else 45.0) * np.linspace(0.0, 1.0, count + 1) ** 2
    d = 0.5 * (edges[1:] + edges[:-1])
    shape = phi(d / length) if kind == "snow" else np.exp(-d / length)
    mass = 0.069 * d**2 if kind == "snow" else c[kind] * d**3
    speed = a[kind] * d ** b[kind] * np.exp(-f[kind] * d)
    return Bins(scale * shape * np.diff(edges), d, mass, speed, kind)


def counted(kind: str, content: float, number: float, low: float, high: float) -> Bins:
    length = np.clip((content / (6 * c[kind] * max(number, 1e-30))) ** (1 / 3), low, high)
    return bins(kind, length, content / (6 * c[kind] * length**4))


def snow_length(content: float, celsius: float) -> float:
    t, n = np.clip(celsius, -55.0, -0.1), 3.0
    terms = np.array([1, t, n, t * n, t * t, n * n, t * t * n, t * n * n, t**3, n**3])
    scale = np.array(
        [5.065339, -0.062659, -3.032362, 0.029469, -0.000285, 0.31255, 0.000204, 0.003199, 0.0,
         -0.015952]
    )  # fmt: skip
    power = np.array(
        [0.476221, -0.015896, 0.165977, 0.007468, -0.000141, 0.060366, 0.000079, 0.000594, 0.0,
         -0.003577]
    )  # fmt: skip
    second = content / 0.069
    third = 10 ** (scale @ terms) * second ** (power @ terms)
    return float(np.clip(third / second, 50e-6, 5e-3))


def water_saturation(t: float, p: float) -> float:
    e = 611.2 * np.exp(17.67 * (t - t0) / (t - 29.65))
    return 287.0 / 461.6 * e / (p - e)


def ice_saturation(t: float, p: float) -> float:
    e = 611.2 * np.exp(22.514 - 6150.0 / t)
    return 287.0 / 461.6 * e / (p - e)


class Cell:
    """What particles a cell has, and `rates`: per second, of `names`."""

    def __init__(self, water: Array, t: float, p: float, rho: float, nc: float = 1e8) -> None:
        self.q = dict(zip(names, water, strict=True))
        self.t, self.p, self.rho, self.nc, self.celsius = t, p, rho, nc, t - t0
        self.thin = float(np.sqrt(rho_0 / rho))
        t_c = self.celsius
        self.mu = (1.718 + 0.0049 * t_c - (1.2e-5 * t_c**2 if t_c < 0 else 0.0)) * 1e-5
        self.dv = 2.11e-5 * (t / t0) ** 1.94 * 101325.0 / p
        self.ka = (5.69 + 0.0168 * t_c) * 1e-5 * 418.936
        self.nu = self.mu / rho
        r = {k: rho * self.q[k] for k in names}
        self.rain = self.ice = self.snow = self.graupel = None
        if r["rain"] > fewest:
            self.rain = counted("rain", r["rain"], r["rain_number"], 10e-6, 680e-6)
        if r["ice"] > fewest:
            self.ice = counted("ice", r["ice"], r["ice_number"], 5e-6, 75e-6)
        if r["snow"] > fewest:
            length = snow_length(r["snow"], min(t_c, 0.0))
            self.snow = bins("snow", length, r["snow"] / 0.069 / length**3)
        if r["graupel"] > fewest:
            n0 = np.clip(200.0 / self.q["graupel"], 1e4, 5e6)
            length = (r["graupel"] / (6 * c["graupel"] * n0)) ** 0.25
            self.graupel = bins("graupel", length, n0)
        self.droplet = (r["cloud"] / (c["rain"] * nc)) ** (1 / 3)
        self.rates = dict.fromkeys(names, 0.0)

    def move(self, giver: str, taker: str, rate: float) -> None:
        self.rates[giver] -= rate
        self.rates[taker] += rate

    def all(self, dt: float) -> dict[str, float]:
        """Rates of a step of `dt`, before saturation."""
        self.warm()
        growth = self.growth()
        self.rime(growth["snow"])
        if self.celsius < 0:
            self.crystals()
            self.freeze(dt)
        self.collide()
        if self.celsius > 0:
            self.melt(dt)
        self.vapor(growth, dt)
        return self.rates

    def stokes(self, d: float, v: float) -> float:
        return self.droplet**2 * v * 1000.0 / (9 * self.mu * d)

    def warm(self) -> None:
        rc = self.rho * self.q["cloud"]
        if rc > fewest:
            mu = min(15.0, 1e9 / self.nc + 2.0)
            d = np.linspace(0.0, 12.0 * self.droplet, 20001)[1:]
            slope = (c["rain"] * self.nc * (mu + 1) * (mu + 2) * (mu + 3) / rc) ** (1 / 3)
            n = d**mu * np.exp(-slope * d)
            wide = ((n * d**6).sum() / (n * d**3).sum()) ** (1 / 3) * 1e6
            mean = self.droplet * 1e6
            spread = max(mean**3 * wide**3 - mean**6, 0.0) ** (1 / 6)
            length, haste = 6.25e-6 * mean * spread**3 - 0.4, 0.5 * spread - 7.5
            if length > 0 and haste > 0:
                rate = 0.027 * rc * length / (3.72 / (rc * haste)) / self.rho
                self.move("cloud", "rain", rate)
                self.rates["rain_number"] += rate / (c["rain"] * 50e-6**3)
        if self.rain is None:
            return
        number = self.rain.n.sum()
        median = 3.672 * (self.rho * self.q["rain"] / (6 * c["rain"] * number)) ** (1 / 3)
        if rc > fewest and median > 50e-6 and self.droplet < median:
            speed = self.thin * a["rain"] * median * np.exp(-f["rain"] * median)
            g = np.log(self.rho * median * speed / self.mu)
            z = np.log(self.stokes(median, speed)) - (-0.1007 - 0.358 * g + 0.0261 * g * g)
            h = np.polyval([0.293, -0.607, 1.302, 0.1465], z)
            ratio = self.droplet / median
            caught = min(((2 / np.pi * np.arctan(h) + ratio) / (1 + ratio)) ** 2, 0.95)
            if h > 0:
                self.move("cloud", "rain", caught * self.thin * self.rain.swept * self.q["cloud"])
        stick = 1.0 - np.exp(min(2300 * (median - 1950e-6), 2.0))
        self.rates["rain_number"] -= 2 * stick * number / self.rho * self.rho * self.q["rain"]

    def driving(self, saturated: float, latent: float) -> float:
        heat = self.rho * latent**2 / (self.ka * 461.6 * self.t**2)
        return (self.q["vapor"] / saturated - 1.0) / (heat + 1.0 / (saturated * self.dv))

    def growth(self) -> dict[str, float]:
        cold = self.celsius < 0
        over = self.driving(ice_saturation(self.t, self.p), ls) if cold else None
        if over is None:
            over = min(self.driving(water_saturation(self.t, self.p), lv), 0.0)
        made = {"ice": 0.0, "snow": 0.0, "graupel": 0.0}
        if self.ice is not None and cold:
            made["ice"] = 4 * np.pi * over * self.ice.sum(0.5 * self.ice.d)
        for kind, shape in (("snow", 0.3), ("graupel", 0.5)):
            some: Any = getattr(self, kind)
            if some is not None:
                aired = some.ventilated(0.86, 0.28, self.thin, self.nu)
                made[kind] = 4 * np.pi * shape * over * aired
        return made

    def rime(self, growth: float) -> None:
        if self.rho * self.q["cloud"] <= fewest:
            return
        on_snow = on_graupel = 0.0
        if self.snow is not None:
            some = self.snow
            size = some.sum(some.d**3) / some.sum(some.d**2)
            k = self.stokes(size, self.thin * some.sum(some.m * some.v) / some.sum(some.m))
            on_snow = (k / (k + 0.5)) ** 2 * self.thin * some.swept * self.q["cloud"]
        if self.graupel is not None:
            some = self.graupel
            size = 3.672 * some.sum(some.d) / some.n.sum()
            k = self.stokes(size, self.thin * some.sum(some.m * some.v) / some.sum(some.m))
            caught = 0.0 if k < 0.4 else 0.77 if k > 10 else 0.55 * np.log10(2.51 * k)
            on_graupel = caught * self.thin * some.swept * self.q["cloud"]
        if self.celsius >= 0:
            self.move("cloud", "rain", on_snow + on_graupel)
            return
        ratio = on_snow / growth if growth > 0 else 0.0
        turned = np.interp(ratio, [5.0, 30.0], [0.15, 0.85]) if ratio > 5 else 0.0
        self.move("cloud", "snow", (1 - turned) * on_snow)
        self.move("cloud", "graupel", on_graupel + turned * on_snow)
        born = 3.5e8 * np.interp(self.celsius, [-8.0, -5.0, -3.0], [0.0, 1.0, 0.0])
        self.move("snow", "ice", born * 1e-12 * (1 - turned) * on_snow)
        self.move("graupel", "ice", born * 1e-12 * (on_graupel + turned * on_snow))
        self.rates["ice_number"] += born * (on_snow + on_graupel)

    def crystals(self) -> None:
        if self.ice is None:
            return
        per_mass = self.q["ice_number"]
        if self.snow is not None:
            rate = 0.05 * self.thin * self.snow.swept
            self.move("ice", "snow", rate * self.q["ice"])
            self.rates["ice_number"] -= rate * per_mass
        if self.rain is not None:
            some = self.rain
            rate = 0.95 * self.thin * some.swept
            self.move("ice", "graupel", rate * self.q["ice"])
            heavy = some.sum(0.25 * np.pi * some.d**2 * some.v * some.m)
            self.move("rain", "graupel", 0.95 * self.thin * heavy * per_mass)
            for number in ("ice_number", "rain_number"):
                self.rates[number] -= rate * per_mass
        large = self.ice.d > 200e-6
        share = self.ice.sum(self.ice.m * large) / self.ice.sum(self.ice.m)
        self.move("ice", "snow", share * self.q["ice"] / 60.0)
        self.rates["ice_number"] -= self.ice.sum(1.0 * large) / self.ice.n.sum() * per_mass / 60.0

    def freeze(self, dt: float) -> None:
        at_once = self.celsius < -38.0
        rate = 100.0 * (np.exp(0.66 * min(-self.celsius, 50.0)) - 1.0) * dt
        if self.rho * self.q["cloud"] > fewest:
            mu = min(15.0, 1e9 / self.nc + 2.0)
            volume = self.rho * self.q["cloud"] / (1000.0 * self.nc)
            wide = (mu + 6) * (mu + 5) * (mu + 4) / ((mu + 3) * (mu + 2) * (mu + 1))
            mass, number = (1.0 if at_once else -np.expm1(-rate * volume * w) for w in (wide, 1.0))
            self.move("cloud", "ice", mass * self.q["cloud"] / dt)
            self.rates["ice_number"] += number * self.nc / self.rho / dt
        if self.rain is None:
            return
        some = self.rain
        gone = 1.0 if at_once else -np.expm1(-rate * np.pi / 6 * some.d**3)
        small = some.d < 200e-6
        self.move("rain", "ice", some.sum(some.m * gone * small) / self.rho / dt)
        self.move("rain", "graupel", some.sum(some.m * gone * ~small) / self.rho / dt)
        self.rates["ice_number"] += some.sum(gone * small) / self.rho / dt
        self.rates["rain_number"] -= some.sum(gone * np.ones_like(some.d)) / self.rho / dt

    def collide(self) -> None:
        if self.rain is None:
            return
        melts = 4218.0 / lf * max(self.celsius, 0.0)
        r = self.rain
        for kind, sticks in (("snow", 0.95), ("graupel", 0.75)):
            o: Any = getattr(self, kind)
            if o is None:
                continue
            x = slice(None, None, 5)  # every fifth of five times as many
            area = 0.25 * np.pi * (r.d[x, None] + o.d[None, x]) ** 2
            met = area * abs(r.v[x, None] - o.v[None, x])
            met = 25 * sticks * self.thin / self.rho * met * r.n[x, None] * o.n[None, x]
            heavy = (r.m[x, None] > o.m[None, x]) | (kind == "graupel")
            drops = (met * r.m[x, None] * heavy).sum()
            light = (met * r.m[x, None] * ~heavy).sum()
            others = (met * o.m[None, x] * heavy).sum() if kind == "snow" else 0.0
            if self.celsius < 0:
                self.move("rain", "graupel", drops)
                self.move("rain", kind, light)
                self.move(kind, "graupel", others)
                self.rates["rain_number"] -= met.sum()
            else:
                self.move(kind, "rain", others + melts * (drops + light))

    def melt(self, dt: float) -> None:
        self.move("ice", "cloud", self.q["ice"] / dt)
        self.rates["ice_number"] -= self.q["ice_number"] / dt
        for kind, shape, few in (("snow", 0.3, 0.25), ("graupel", 0.5, 0.5)):
            some: Any = getattr(self, kind)
            if some is None:
                continue
            aired = some.ventilated(0.86, 0.28, self.thin, self.nu)
            rate = 4 * np.pi * shape * self.ka * self.celsius / lf / self.rho * aired
            self.move(kind, "rain", rate)
            number = some.n.sum() / some.sum(some.m)
            self.rates["rain_number"] += rate * number * 10 ** (-few * self.celsius)

    def vapor(self, growth: dict[str, float], dt: float) -> None:
        """Where nothing limits it."""
        over_water = water_saturation(self.t, self.p)
        if self.rain is not None and self.q["vapor"] < over_water:
            aired = self.rain.ventilated(0.78, 0.308, self.thin, self.nu)
            rate = 2 * np.pi * self.driving(over_water, lv) * aired
            self.move("vapor", "rain", rate)
            self.rates["rain_number"] += rate * self.q["rain_number"] / self.q["rain"]
        self.move("vapor", "ice", growth["ice"])
        if growth["ice"] < 0:
            self.rates["ice_number"] += growth["ice"] * self.q["ice_number"] / self.q["ice"]
        self.move("vapor", "snow", growth["snow"])
        self.move("vapor", "graupel", min(growth["graupel"], 0.0))
        ice_ratio = self.q["vapor"] / ice_saturation(self.t, self.p)
        in_cloud = self.celsius < -12 and self.q["vapor"] > 0.999 * over_water
        if self.celsius < 0 and (in_cloud or ice_ratio > 1.25):
            number = min(5 * np.exp(-0.304 * self.celsius), 250e3) / self.rho
            born = max(number - self.q["ice_number"], 0.0) / dt
            self.move("vapor", "ice", 1e-12 * born)
            self.rates["ice_number"] += born
