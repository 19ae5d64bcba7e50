"""BFM in plain NumPy, per day, written from its equations: what the kernels are compared with.

Parameters are those of the preset OGS_PELAGIC, typed here a second time.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
State = dict[str, Array]
tiny = 1e-20

four = ("P1", "P2", "P3", "P4")


def _of_four(**lists: Any) -> dict[str, dict[str, Any]]:
    return {group: {name: v[at] for name, v in lists.items()} for at, group in enumerate(four)}


preset: dict[str, Any] = {
    **_of_four(
        q10=[2.0] * 4, cut=[0, 0, 0.75, 0], r0=[2.0, 2.5, 3.0, 0.75], b=[0.01, 0.05, 0.1, 0.1],
        d0=[0.05, 0.05, 0.05, 0], h=[0.1] * 4, extra=[0.0] * 4, extra_h=[0, 0, 0, 100.0],
        beta=[0.05, 0.2, 0.2, 0.05], gamma=[0.1, 0.2, 0.25, 0.1], doc=["R1c"] * 4,
        net=[False] * 4, both=["min"] * 4,
        a_n=[0.025, 0.025, 0.25, 0.025], l=[1, 1, 0, 1],
        n_min=[4.193e-3] * 3 + [6.87e-3], n_ref=[1.26e-2] * 4, n_lux=[2] * 4,
        a_p=[0.025, 0.025, 0.25, 0.025],
        p_min=[1.80e-4] * 3 + [4.29e-4], p_ref=[7.86e-4] * 4, p_lux=[2] * 4,
        si=["out", "no", "no", "no"], h_si=[1.0] * 4, s_ref=[0.01] * 4,
        a_s=[0.0025] * 4, s_min=[0.004] * 4, s_lux=[2] * 4, chl=["light"] * 4, d_l=[0.2] * 4,
        rain=[0, 0.3, 0, 0], alpha=[1.38e-5, 0.46e-5, 1.52e-5, 0.68e-5],
        q_max=[0.025, 0.015, 0.02, 0.02],
    ),
    "B1": {"q10": 2.95, "h_o": 30, "d": 0.1, "u1": 0.3, "u1_poor": 0, "u2": 0, "u3": 0, "u6": 0.01,
           "mu": 8.38, "act": 0.6, "anox": 0.2, "rest": 0.01, "n": 0.0167,
           "p": 0.00185, "h_n": 5, "h_p": 1},
    "Z5": {"b": 0.02, "r": 2, "eta": 0.6, "eps": 0.4},
    "Z6": {"b": 0.02, "r": 4, "eta": 0.5, "eps": 0.3},
    "Z3": {"b": 0.01, "eta": 0.6, "eps": 0.3},
    "Z4": {"b": 0.02, "eta": 0.6, "eps": 0.35},
    "diet": {
        "Z5": {"B1": 0.1, "P1": 0.2, "P2": 1.0, "P3": 0.1, "Z5": 1.0, "Z6": 0.8},
        "Z6": {"B1": 0.9, "P2": 0.1, "P3": 1.0, "Z6": 0.2},
        "Z3": {"Z3": 1.0, "Z4": 1.0},
        "Z4": {"P1": 1.0, "P4": 0.7, "Z5": 1.0, "Z4": 1.0},
    },
    "R1": {"c": 0.60, "n": 0.72, "p": 0.832},
    "q_ro": 0.5,
    "alkalinity": False,
}  # fmt: skip


def parameters() -> dict[str, Any]:
    """A copy of the preset, to be changed."""
    return copy.deepcopy(preset)


class Terms:
    """Sums of terms by tracer or production, and of their absolute values."""

    def __init__(self) -> None:
        self.rate: dict[str, Any] = defaultdict(float)
        self.size: dict[str, Any] = defaultdict(float)

    def add(self, tracer: str, term: Array) -> None:
        """One term of the equation of a tracer."""
        self.rate[tracer] = self.rate[tracer] + term
        self.size[tracer] = self.size[tracer] + np.abs(term)


def tendencies(
    state: State, temperature: Array, light: Array, calcite: Array, given: dict[str, Any]
) -> Terms:
    """d/dt of all tracers [per day]; `light` at mid-cell [umol m-2 s-1], `calcite` saturation."""
    terms = Terms()
    rains = {p: plant(p, state, temperature, light, given, terms) for p in four}
    anoxic = bacteria(state, temperature, given, terms)
    for name in ("Z5", "Z6"):
        micro(name, state, temperature, rains, given, terms)
    for name in ("Z3", "Z4"):
        meso(name, state, temperature, rains, given, terms)
    chemistry(state, temperature, calcite, anoxic, given, terms)
    if given["alkalinity"]:
        for nutrient, sign in (("N4n", 1.0), ("N3n", -1.0)):
            terms.rate["O3h"] = terms.rate["O3h"] + sign * terms.rate[nutrient]
            terms.size["O3h"] = terms.size["O3h"] + terms.size[nutrient]
    return terms


def _plus(x: Array) -> Array:
    return np.maximum(x, 0.0)


def _heat(temperature: Array, q10: float) -> Array:
    return q10 ** ((temperature - 10.0) / 10.0)


def plant(
    g: str, s: State, temperature: Array, light: Array, given: dict[str, Any], out: Terms
) -> Array:
    """Phytoplankton: its terms; its calcite per dead carbon."""
    o = given[g]
    c, n, p, chl = (s[g + x] for x in "cnpl")
    qn, qp = n / (c + tiny), p / (c + tiny)
    nn = np.clip((qn - o["n_min"]) / (o["n_ref"] - o["n_min"]), tiny, 1.0)
    np_ = np.clip((qp - o["p_min"]) / (o["p_ref"] - o["p_min"]), tiny, 1.0)
    short = {
        "min": np.minimum(nn, np_), "root": np.sqrt(nn * np_), "harm": 2 / (1 / nn + 1 / np_)
    }[o["both"]]  # fmt: skip
    sil = np.ones_like(c)
    if o["si"] == "out":
        sil = s["N5s"] / (s["N5s"] + o["h_si"])
    elif o["si"] == "in":
        qs = s[g + "s"] / (c + tiny)
        sil = np.clip((qs - o["s_min"]) / (o["s_ref"] - o["s_min"]), tiny, 1.0)
    heat = _plus(_heat(temperature, o["q10"]) - o["cut"])
    per_day = np.maximum(light, tiny) * 86400.0
    depth = chl / (c + tiny) * o["alpha"] * per_day / o["r0"]
    e = 1.0 - np.exp(-depth)
    gross = o["r0"] * heat * e * sil
    stress = 0.0 if o["net"] else gross * (1 - o["beta"] - o["gamma"]) * (1 - short)
    lysis = o["d0"] * o["h"] / (short + o["h"]) + o["extra"] * c / (c + o["extra_h"] + tiny)
    f6 = np.minimum(1.0, np.minimum(o["p_min"] / (qp + tiny), o["n_min"] / (qn + tiny)))

    out.add(g + "c", gross * c)
    out.add(g + "c", -(o["gamma"] * gross + heat * o["b"]) * c)
    out.add(g + "c", -(o["beta"] * gross + stress) * c)
    out.add(o["doc"], (o["beta"] * gross + stress) * c)
    for x, content in (("c", c), ("n", n), ("p", p)):
        out.add(g + x, -lysis * content)
        out.add("R6" + x, f6 * lysis * content)
        out.add("R1" + x, (1 - f6) * lysis * content)
    out.add("gross_production", gross * c)
    out.add("primary_production", (gross - o["gamma"] * gross - heat * o["b"]) * c)
    out.add("O2o", gross * c / 12.0)
    out.add("O2o", -(o["gamma"] * gross + heat * o["b"]) * c / 12.0)
    out.add("O3c", -gross * c)
    out.add("O3c", (o["gamma"] * gross + heat * o["b"]) * c)

    specific = gross - o["beta"] * gross - stress - o["gamma"] * gross - heat * o["b"]
    net = _plus(specific) * c
    pace = np.maximum(0.05, specific * c / (c + tiny)) if o["net"] else heat * o["r0"]
    like = o["l"] / (o["l"] + s["N4n"] + tiny)
    nitrate, ammonium = s["N3n"] * like, s["N4n"]
    both = nitrate + ammonium
    wanted = o["n_lux"] * o["n_ref"] * (net + pace * c) - pace * n
    got = np.minimum(o["a_n"] * c * both, wanted)
    out.add(g + "n", got)
    out.add("N3n", -_plus(got) * nitrate / (both + tiny))
    out.add("N4n", -_plus(got) * ammonium / (both + tiny))
    out.add("R1n", _plus(-got))
    got = np.minimum(o["a_p"] * c * s["N1p"], o["p_lux"] * o["p_ref"] * (net + pace * c) - pace * p)
    out.add(g + "p", got)
    out.add("N1p", -_plus(got))
    out.add("R1p", _plus(-got))

    stored = (gross - o["gamma"] * gross - o["beta"] * gross - stress) * c
    if o["si"] == "in":
        wanted = o["s_lux"] * o["s_ref"] * (net + pace * c) - pace * s["P1s"]
        got = np.minimum(o["a_s"] * c * s["N5s"], wanted)
        out.add("P1s", got)
        out.add("N5s", -got)
        out.add("P1s", -lysis * s["P1s"])
        out.add("R6s", lysis * s["P1s"])
    elif g == "P1":
        si = s["P1s"]
        lost = (heat * o["b"] + lysis) * si + _plus(si - o["s_ref"] * c)
        out.add("P1s", o["s_ref"] * stored)
        out.add("N5s", -o["s_ref"] * stored)
        out.add("P1s", -lost)
        out.add("R6s", lost)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = o["q_max"] * np.minimum(1.0, np.where(depth > 0, e / (depth + tiny), 0.0))
    if o["chl"] == "light":
        out.add(g + "l", rho * stored)
        out.add(g + "l", -lysis * chl)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(depth > 0, e / (depth + tiny), 0.0)
        out.add(g + "l", short * o["q_max"] * heat * sil * slope * net)
        out.add(g + "l", -np.maximum(o["d_l"] * (1 - short), lysis) * chl)
        out.add(g + "l", np.minimum(specific, 0.0) * _plus(chl - o["q_max"] * c))

    if not o["rain"]:
        return np.zeros_like(c)
    shape = c / (c + tiny)
    rain = np.clip(o["rain"] * np.minimum(short, sil) * heat * shape, 0.02, 0.8)
    _calcite(out, rain * f6 * lysis * c)
    return rain


def _calcite(out: Terms, made: Array) -> None:
    out.add("O3c", -made)
    out.add("O5c", made)
    out.add("O3h", -made * 2 / 12.0)


def bacteria(s: State, temperature: Array, given: dict[str, Any], out: Terms) -> Array:
    """Bacteria: their terms; the reduction equivalents that they make."""
    o = given["B1"]
    c, n, p, oxygen = s["B1c"], s["B1n"], s["B1p"], s["O2o"]
    heat = _heat(temperature, o["q10"])
    oxic = oxygen**3 / (oxygen**3 + o["h_o"] ** 3)

    def quality(group: str) -> Array:
        carbon = s[group + "c"] + tiny
        best = np.minimum(s[group + "n"] / carbon / o["n"], s[group + "p"] / carbon / o["p"])
        return np.minimum(1.0, best)

    q1 = quality("R1")
    rates = {
        "R1": o["u1"] * q1 + o["u1_poor"] * (1 - q1),
        "R2": o["u2"],
        "R3": o["u3"],
        "R6": o["u6"] * quality("R6"),
    }
    supply = sum(rate * s[group + "c"] for group, rate in rates.items())
    uptake = np.minimum(quality("B1") * heat * o["mu"] * c, supply)
    for group, rate in rates.items():
        part = uptake / (supply + tiny) * rate
        for x in "cnp" if group in ("R1", "R6") else "c":
            out.add(group + x, -part * s[group + x])
            out.add("B1" + x, part * s[group + x])
    aerobic, anaerobic = o["act"] * uptake + heat * o["rest"] * c, o["anox"] * (1 - oxic) * uptake
    out.add("bacterial_production", uptake - aerobic - anaerobic)
    out.add("B1c", -aerobic - anaerobic)
    out.add("O3c", aerobic + anaerobic)
    out.add("O2o", -oxic * aerobic / 12.0)
    reduced = given["q_ro"] * ((1 - oxic) * aerobic + anaerobic) / 12.0
    out.add("N6r", reduced)
    for x, content in (("c", c), ("n", n), ("p", p)):
        _split(out, "B1", x, o["d"] * heat * content, given)
    for x, nutrient, half in (("n", "N4n", o["h_n"]), ("p", "N1p", o["h_p"])):
        excess = s["B1" + x] - o[x] * c
        flux = np.where(excess > 0, excess, excess * s[nutrient] / (s[nutrient] + half))
        out.add("B1" + x, -flux)
        out.add(nutrient, flux)
    return reduced


def _split(out: Terms, group: str, x: str, lost: Array, given: dict[str, Any]) -> None:
    out.add(group + x, -lost)
    out.add("R1" + x, given["R1"][x] * lost)
    out.add("R6" + x, (1 - given["R1"][x]) * lost)


def _eat(
    group: str, parts: dict[str, Array], s: State, rains: State, egest: float, out: Terms
) -> dict[str, Array]:
    """Take `parts` [1/day] of every prey; ingested c, n, p."""
    total = {x: np.zeros_like(s["B1c"]) for x in "cnp"}
    for prey, part in parts.items():
        for x in "cnp":
            out.add(prey + x, -part * s[prey + x])
            out.add(group + x, part * s[prey + x])
            total[x] = total[x] + part * s[prey + x]
        if prey in four:
            out.add(prey + "l", -part * s[prey + "l"])
            _calcite(out, egest * rains[prey] * part * s[prey + "c"])
        if prey == "P1":
            out.add("P1s", -part * s["P1s"])
            out.add("R6s", part * s["P1s"])
    return total


def micro(
    z: str, s: State, temperature: Array, rains: State, given: dict[str, Any], out: Terms
) -> None:
    """Microzooplankton."""
    o, diet = given[z], given["diet"][z]
    c, heat = s[z + "c"], _heat(temperature, 2.0)
    food = sum(a * s[k + "c"] * s[k + "c"] / (s[k + "c"] + 20.0) for k, a in diet.items())
    parts = {
        k: heat * o["r"] / (food + 20.0) * c * a * s[k + "c"] / (s[k + "c"] + 20.0)
        for k, a in diet.items()
    }
    eaten = _eat(z, parts, s, rains, 0.5, out)
    respired = heat * o["b"] * c + (1 - o["eta"] - o["eps"]) * eaten["c"]
    out.add(z + "c", -respired)
    out.add("O3c", respired)
    out.add("O2o", -respired / 12.0)
    death = (1 - s["O2o"] / (s["O2o"] + 0.5)) * 0.25 + 0.05
    for x in "cnp":
        _split(out, z, x, o["eps"] * eaten[x], given)
        _split(out, z, x, death * s[z + x], given)
    for x, quota, nutrient in (("n", 1.67e-2, "N4n"), ("p", 1.85e-3, "N1p")):
        usable = (1 - o["eps"]) * eaten[x] + heat * o["b"] * s[z + x]
        excess = _plus(usable - quota * o["eta"] * eaten["c"])
        out.add(z + x, -excess)
        out.add(nutrient, excess)


def meso(
    z: str, s: State, temperature: Array, rains: State, given: dict[str, Any], out: Terms
) -> None:
    """Mesozooplankton."""
    o, diet = given[z], given["diet"][z]
    c, heat, oxygen = s[z + "c"], _heat(temperature, 2.0), s["O2o"]
    oxic = oxygen**3 / (oxygen**3 + 30.0**3)
    food = sum(a * s[k + "c"] for k, a in diet.items())
    parts = {k: heat * 2.0 * 0.025 / (0.025 * food + 2.0) * c * a for k, a in diet.items()}
    eaten = _eat(z, parts, s, rains, 0.75, out)
    eps, eta = o["eps"], o["eta"]
    respired = (1 - eta - eps) * eaten["c"] + heat * o["b"] * c
    out.add(z + "c", -respired)
    out.add("O3c", respired)
    out.add("O2o", -respired / 12.0)
    death = 0.01 * (1 - oxic) * heat + 0.02 * c
    for x in "cnp":
        out.add(z + x, -eps * eaten[x])
        out.add("R6" + x, eps * eaten[x])
        out.add(z + x, -death * s[z + x])
        out.add("R6" + x, death * s[z + x])
    for x, nutrient in (("n", "N4n"), ("p", "N1p")):
        basal = heat * o["b"] * oxic * s[z + x]
        out.add(z + x, -basal)
        out.add(nutrient, basal)

    u = eta * eaten["c"]
    own = {x: s[z + x] / (c + tiny) for x in "np"}
    new = {x: (1 - eps) * eaten[x] / (u + tiny) for x in "np"}
    rich = {x: new[x] / (own[x] + tiny) for x in "np"}
    by_p = (rich["p"] <= rich["n"]) & (new["p"] < own["p"])
    by_n = ~by_p & (rich["n"] < rich["p"]) & (new["n"] < own["n"])
    q = {"n": 0.015, "p": 1.67e-3}
    surplus = np.where(by_p, _plus(u - (1 - eps) * eaten["p"] / q["p"]), 0.0)
    surplus = np.where(by_n, _plus(u - (1 - eps) * eaten["n"] / q["n"]), surplus)
    out.add(z + "c", -surplus)
    out.add("R6c", surplus)
    for x, nutrient, limits in (("n", "N4n", by_n), ("p", "N1p", by_p)):
        excess = np.where(limits, 0.0, _plus((1 - eps) * eaten[x] - q[x] * (u - surplus)))
        out.add(z + x, -excess)
        out.add(nutrient, excess)


def chemistry(
    s: State, temperature: Array, calcite: Array, anoxic: Array, given: dict[str, Any], out: Terms
) -> None:
    """Nitrogen, sulphide, silica, calcite."""
    q_ro, heat, oxygen = given["q_ro"], _heat(temperature, 2.367), s["O2o"]
    oxic = oxygen / (oxygen + 10.0)
    nitrified = 0.01 * heat * oxic * s["N4n"]
    out.add("N4n", -nitrified)
    out.add("N3n", nitrified)
    out.add("O2o", -2.0 * nitrified)
    denitrified = 0.35 * heat * s["N6r"] / (s["N6r"] + 1.0) * (anoxic / q_ro) * s["N3n"]
    out.add("N3n", -denitrified)
    out.add("O4n", denitrified)
    out.add("N6r", -np.where(oxygen < s["N6r"] / q_ro, q_ro * 1.25 * denitrified, 0.0))
    reoxidised = 0.05 * s["N6r"] * oxic
    out.add("N6r", -reoxidised)
    out.add("O2o", -reoxidised / q_ro)
    dissolved = 0.02 * _heat(temperature, 1.49) * s["R6s"]
    out.add("R6s", -dissolved)
    out.add("N5s", dissolved)
    calcite_lost = 10.9 * _plus(1.0 - calcite) * s["O5c"]
    out.add("O5c", -calcite_lost)
    out.add("O3c", calcite_lost)
    out.add("O3h", calcite_lost * 2 / 12.0)
