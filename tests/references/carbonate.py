"""The carbonate system in NumPy and SciPy, from the formulas of the guide to best practices.

Dickson, Sabine and Christian 2007, PICES Special Publication 3, chapter 5, with constants of
Millero 1995 on the sea-water scale and the pressure effects of Millero 1995. pH is the root of the
alkalinity by bisection and interpolation (Brent), in a range that holds any water.
"""

import numpy as np
from scipy.optimize import brentq

volumes = {
    "K1": (-25.5, 0.1271, 0, -3.08, 0.0877),
    "K2": (-15.82, -0.0219, 0, 1.13, -0.1475),
    "KB": (-29.48, 0.1622, -0.002608, -2.84, 0),
    "KW": (-20.02, 0.1119, -0.001409, -5.13, 0.0794),
    "KS": (-18.03, 0.0466, 0.000316, -4.53, 0.09),
    "KF": (-9.78, -0.009, -0.000942, -3.91, 0.054),
    "KP1": (-14.51, 0.1211, -0.000321, -2.67, 0.0427),
    "KP2": (-23.12, 0.1758, -0.002647, -5.15, 0.09),
    "KP3": (-26.57, 0.202, -0.003042, -4.08, 0.0714),
    "KSi": (-29.48, 0.1622, -0.002608, -2.84, 0),
    "calcite": (-48.76, 0.5304, 0, -11.76, 0.3692),
    "aragonite": (-45.96, 0.5304, 0, -11.76, 0.3692),
}


def at_surface(t, s):
    """Constants as published, each on its own scale."""
    T = t + 273.15
    ionic = 19.924 * s / (1000 - 1.005 * s)
    logs = {
        "K1": -np.log(10) * (3633.86 / T - 61.2172 + 9.6777 * np.log(T) - 0.011555 * s
                             + 0.0001152 * s**2),
        "K2": -np.log(10) * (471.78 / T + 25.929 - 3.16967 * np.log(T) - 0.01781 * s
                             + 0.0001122 * s**2),
        "KB": (-8966.9 - 2890.53 * s**0.5 - 77.942 * s + 1.728 * s**1.5 - 0.0996 * s**2) / T
        + 148.0248 + 137.1942 * s**0.5 + 1.62142 * s
        - (24.4344 + 25.085 * s**0.5 + 0.2474 * s) * np.log(T) + 0.053105 * s**0.5 * T,
        "KW": 148.9802 - 13847.26 / T - 23.6521 * np.log(T)
        + (118.67 / T - 5.977 + 1.0495 * np.log(T)) * s**0.5 - 0.01615 * s,
        "KP1": -4576.752 / T + 115.54 - 18.453 * np.log(T) + (-106.736 / T + 0.69171) * s**0.5
        + (-0.65643 / T - 0.01844) * s,
        "KP2": -8814.715 / T + 172.1033 - 27.927 * np.log(T) + (-160.34 / T + 1.3566) * s**0.5
        + (0.37335 / T - 0.05778) * s,
        "KP3": -3070.75 / T - 18.126 + (17.27039 / T + 2.81197) * s**0.5
        + (-44.99486 / T - 0.09984) * s,
        "KSi": -8904.2 / T + 117.4 - 19.334 * np.log(T) + (-458.79 / T + 3.5913) * ionic**0.5
        + (188.74 / T - 1.5998) * ionic + (-12.1652 / T + 0.07871) * ionic**2
        + np.log(1 - 0.001005 * s),
        "KS": -4276.1 / T + 141.328 - 23.093 * np.log(T)
        + (-13856 / T + 324.57 - 47.986 * np.log(T)) * ionic**0.5
        + (35474 / T - 771.54 + 114.723 * np.log(T)) * ionic - 2698 / T * ionic**1.5
        + 1776 / T * ionic**2 + np.log(1 - 0.001005 * s),
        "KF": 874 / T - 9.68 + 0.111 * s**0.5,
        "calcite": np.log(10) * (
            -171.9065 - 0.077993 * T + 2839.319 / T + 71.595 * np.log10(T)
            + (-0.77712 + 0.0028426 * T + 178.34 / T) * s**0.5 - 0.07711 * s + 0.0041249 * s**1.5
        ),
        "aragonite": np.log(10) * (
            -171.945 - 0.077993 * T + 2903.293 / T + 71.595 * np.log10(T)
            + (-0.068393 + 0.0017276 * T + 88.135 / T) * s**0.5 - 0.10018 * s
            + 0.0059415 * s**1.5
        ),
    }  # fmt: skip
    return {name: np.exp(value) for name, value in logs.items()}


def pressure_effect(name, t, p):
    """A constant at p [dbar] over that at the surface."""
    a0, a1, a2, b0, b1 = volumes[name]
    bar, gas = p / 10, 83.14472 * (t + 273.15)
    volume, compression = a0 + a1 * t + a2 * t**2, (b0 + b1 * t) / 1000
    return np.exp(-volume * bar / gas + 0.5 * compression * bar**2 / gas)


def totals(s, boron=4.16e-4):
    """Boron, sulphate, fluoride and calcium [mol kg-1]."""
    chlorinity = s / 1.80655
    return (boron * s / 35, 0.14 / 96.062 * chlorinity, 0.000067 / 18.998 * chlorinity,
            0.02128 / 40.087 * chlorinity)  # fmt: skip


def constants(t, s, p):
    """All on the total scale, but for those of sulphate and fluoride, on the free one."""
    _, sulphate, fluoride, _ = totals(s)
    known = at_surface(t, s)
    known["KF"] = known["KF"] / (1 + sulphate / known["KS"])
    deep = {name: value * pressure_effect(name, t, p) for name, value in known.items()}

    def total_per_sea_water(k):
        return (1 + sulphate / k["KS"]) / (1 + sulphate / k["KS"] + fluoride / k["KF"])

    for name in ("K1", "K2", "KB"):
        deep[name] = deep[name] / total_per_sea_water(known)
    for name in ("K1", "K2", "KB", "KW", "KP1", "KP2", "KP3", "KSi"):
        deep[name] = deep[name] * total_per_sea_water(deep)
    return deep


def alkalinity(k, s, carbon, phosphate, silicate, ph):
    """Total alkalinity [mol kg-1] at a pH on the total scale."""
    h, (boron, sulphate, fluoride, _) = 10.0**-ph, totals(s)
    free = h / (1 + sulphate / k["KS"])
    carbonates = h**2 + k["K1"] * h + k["K1"] * k["K2"]
    phosphates = h**3 + k["KP1"] * h**2 + k["KP1"] * k["KP2"] * h + k["KP1"] * k["KP2"] * k["KP3"]
    return (
        carbon * (k["K1"] * h + 2 * k["K1"] * k["K2"]) / carbonates
        + boron / (1 + h / k["KB"])
        + k["KW"] / h
        + phosphate
        * (k["KP1"] * k["KP2"] * h + 2 * k["KP1"] * k["KP2"] * k["KP3"] - h**3)
        / phosphates
        + silicate / (1 + h / k["KSi"])
        - free
        - sulphate / (1 + k["KS"] / free)
        - fluoride / (1 + k["KF"] / free)
    )


def states(t, s, p, carbon, total, phosphate, silicate):
    """Rows: pH, CO2, HCO3-, CO3--, saturation of calcite and aragonite."""
    found = []
    for one in np.broadcast(t, s, p, carbon, total, phosphate, silicate):
        t1, s1, p1, carbon1, total1, phosphate1, silicate1 = map(float, one)
        k = constants(t1, s1, p1)
        ph = brentq(
            lambda ph, k=k, s1=s1, c=carbon1, f=phosphate1, n=silicate1, a=total1: (
                alkalinity(k, s1, c, f, n, ph) - a
            ),
            -3, 17, xtol=1e-14, rtol=1e-14,
        )  # fmt: skip
        h = 10.0**-ph
        dioxide = carbon1 * h**2 / (h**2 + k["K1"] * h + k["K1"] * k["K2"])
        carbonate = dioxide * k["K1"] * k["K2"] / h**2
        calcium = totals(s1)[3]
        found.append([ph, dioxide, dioxide * k["K1"] / h, carbonate,
                      calcium * carbonate / k["calcite"],
                      calcium * carbonate / k["aragonite"]])  # fmt: skip
    return np.array(found).T
