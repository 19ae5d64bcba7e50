"""Carbonate system: published constants, a twin, any water at all, the same bits. Ranks: 1.

Check values at salinity 35 and 25 degree C: Dickson, Sabine and Christian 2007 (constants), Zeebe
and Wolf-Gladrow 2001 (solubilities, and the effect of 300 bar), Unesco 1983 (density).
"""

import numpy as np
import pytest

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.carbonate import CarbonateOptions, carbonate_tracers
from halocline.biogeochemistry.gas_exchange import GasExchangeOptions
from references import carbonate as reference

names = [
    "K1", "K2", "KB", "KW", "KP1", "KP2", "KP3", "KSi", "KS", "KF", "calcite", "aragonite",
    "boron", "sulphate", "fluoride", "calcium", "bound",
]  # fmt: skip
numbers = CarbonateOptions().numbers


def constants(t, s, p):
    """Of single places, by name."""
    water = np.ascontiguousarray(np.atleast_2d(np.broadcast_arrays(t, s, p)).reshape(3, -1), float)
    results = np.empty((len(names), water.shape[1]))
    _native.carbonate_constants(4.16e-4, water, results)
    return dict(zip(names, results, strict=True))


def states(water, totals, known_ph=0.0, dtype=np.float64, numbers=numbers):
    """Rows of pH, CO2, HCO3-, CO3-- and saturation states."""
    results = np.full((6, water.shape[1]), np.nan, dtype)
    known = np.broadcast_to(known_ph, water.shape[1]).astype(dtype)
    given = [np.ascontiguousarray(x, dtype) for x in (water, totals)]
    _native.carbonate_states(numbers, *given, known, results)
    return results


def sea(random, count):
    """Water of seas, from the Baltic to the Red Sea, down to 6 km."""
    low, high = np.array([(-1.8, 33), (5, 42), (0, 6000)]).T
    water = low[:, None] + (high - low)[:, None] * random.random((3, count))
    low, high = 1e-6 * np.array([(1000, 3000), (1200, 3400), (0, 4), (0, 200)]).T
    totals = low[:, None] + (high - low)[:, None] * random.random((4, count))
    totals[1] = np.maximum(totals[1], 0.8 * totals[0])
    return water, totals


def to_sea_water(k):
    """The total scale's factor to the sea-water scale."""
    return (k["bound"] + k["fluoride"] * k["bound"] / k["KF"]) / k["bound"]


@pytest.mark.parametrize(
    ("name", "value", "digits"),
    [
        ("K1", -5.8472 * np.log(10), 3e-4), ("K2", -8.9660 * np.log(10), 3e-4),
        ("KB", -19.7964, 1e-4), ("KF", -6.09, 5e-3),
        ("calcite", -6.3693 * np.log(10), 3e-4), ("aragonite", -6.1883 * np.log(10), 3e-4),
    ],
)  # fmt: skip
def test_published_constants(name, value, digits):
    assert np.log(constants(25, 35, 0)[name]) == pytest.approx(value, abs=digits)


@pytest.mark.parametrize(
    ("name", "value", "digits"),
    [("KW", -30.434, 6e-4), ("KP1", -3.71, 6e-3), ("KP2", -13.727, 6e-4), ("KP3", -20.24, 6e-3),
     ("KSi", -21.61, 6e-3)],
)  # fmt: skip
def test_published_constants_on_the_sea_water_scale(name, value, digits):
    """The guide takes 0.015 off their logarithms to bring them to the total scale, about."""
    k = constants(25, 35, 0)
    assert np.log(k[name] * to_sea_water(k)) - 0.015 == pytest.approx(value, abs=digits)


def test_published_bisulphate():
    k = constants(25, 35, 0)
    assert np.log(k["KS"] / k["bound"]) == pytest.approx(-2.30, abs=5e-3)


def test_published_effects_of_pressure():
    """At 300 bar over the surface, on the scale on which each is corrected."""
    published = {
        "K1": 1.30804, "K2": 1.21341, "KB": 1.38024, "KW": 1.23784, "KS": 1.21844, "KF": 1.13151,
        "KP1": 1.14852, "KP2": 1.27298, "KP3": 1.32217, "calcite": 1.52962, "aragonite": 1.47866,
    }  # fmt: skip
    both = [constants(25, 35, p) for p in (0, 3000)]
    for name, value in published.items():
        if name in ("calcite", "aragonite"):
            top, deep = (k[name] for k in both)
        elif name in ("KS", "KF"):
            top, deep = (k[name] / k["bound"] for k in both)
        else:
            top, deep = (k[name] * to_sea_water(k) for k in both)
        assert deep / top == pytest.approx(value, abs=1e-5), name


@pytest.mark.parametrize(
    ("s", "t", "p", "value"),
    [(0, 5, 0, 999.96675), (35, 5, 0, 1027.67547), (35, 25, 0, 1023.34306),
     (0, 25, 10000, 1037.90204), (35, 5, 10000, 1069.48914), (35, 25, 10000, 1062.53817)],
)  # fmt: skip
def test_published_density(s, t, p, value):
    result = of_water("density", *(np.array([float(x)]) for x in (t, s, p)))
    assert result[0] == pytest.approx(value, abs=6e-6)


def test_a_twin_finds_the_same():
    water, totals = sea(np.random.default_rng(1), 300)
    expected = reference.states(*water, *totals)
    found = states(water, totals)
    np.testing.assert_allclose(found[0], expected[0], atol=2e-10)
    np.testing.assert_allclose(found[1:], expected[1:], rtol=2e-9)
    single = states(water, totals, dtype=np.float32)
    np.testing.assert_allclose(single[0], expected[0], atol=2e-4)


def strange(random, count):
    """Water of no sea: fresh to 50, acid and alkaline beyond all, with and without carbon."""
    water = random.uniform([[-2], [0], [0]], [[40], [50], [11000]], (3, count))
    totals = 10 ** random.uniform(-9, 0, (4, count)) * (random.random((4, count)) > 0.2)
    totals[1] *= random.choice([-1, 1], count)
    water[1] *= random.random(count) > 0.1
    return water, totals


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_any_water_has_a_ph_whatever_the_guess(dtype):
    random = np.random.default_rng(2)
    water, totals = (x.astype(dtype).astype(float) for x in strange(random, 3000))
    guesses = random.uniform(0.1, 14, 3000)
    found, other = (states(water, totals, guess, dtype) for guess in (0.0, guesses))
    assert np.isfinite(found).all()
    close = 1e-7 if dtype == "float64" else 2e-3
    np.testing.assert_allclose(found[0], other[0], atol=close)
    if dtype == "float64":
        some = slice(0, 300)
        k = reference.constants(*water[:, some])
        sulphate = reference.totals(water[1, some])[1]
        for sign in (-1, 1):  # the alkalinity lies between those of pH just beside
            beside = reference.alkalinity(
                k, water[1, some], *totals[[0, 2, 3]][:, some], found[0, some] + sign * 1e-6
            )
            room = 1e-13 + 1e-14 * np.abs(totals).sum(0)[some] + 1e-15 * sulphate
            assert (sign * (beside - totals[1, some]) > -room).all()


def test_the_last_ph_is_a_better_guess():
    """With it, two steps are enough for water that has changed a little."""
    water, totals = sea(np.random.default_rng(3), 500)
    known = states(water, totals)[0]
    totals[0] *= 1.001
    few = CarbonateOptions(most_steps=2).numbers
    exact = states(water, totals)[0]
    assert np.abs(states(water, totals, known, numbers=few)[0] - exact).max() < 1e-6
    assert np.abs(states(water, totals, numbers=few)[0] - exact).max() > 1e-3


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_neighbours_in_a_pack_change_no_bit(dtype):
    water, totals = strange(np.random.default_rng(4), 53)
    together = states(water, totals, dtype=dtype)
    alone = [states(water[:, n : n + 1], totals[:, n : n + 1], dtype=dtype) for n in range(53)]
    np.testing.assert_array_equal(together, np.concatenate(alone, axis=1))


def of_water(name, t, s, p):
    """A function of water at points."""
    result = np.empty(t.size)
    given = np.stack([x.ravel() for x in (t, s, p, p)])
    _native.of_water(name, GasExchangeOptions().numbers, given, result)
    return result.reshape(t.shape)


def small_sea(dtype=np.float64):
    """Fields of 5 tracers on 2 levels of 1 x 11 cells, one of them land."""
    random = np.random.default_rng(5)
    water, totals = sea(random, 22)
    fields = {name: row.reshape(2, 1, 11) for name, row in zip("tsp", water, strict=True)}
    depth = np.array([1000.0, 5.0])
    pressure = np.repeat(1.005525 * depth, 11)
    density = of_water("density", water[0], water[1], pressure)
    tracer = np.concatenate([1e3 * totals * density, random.uniform(100, 400, (1, 22))])
    tracer[0] *= 12
    volume = np.full((2, 1, 11), 5e3)
    volume[:, 0, 3] = 0
    expected = states(np.array([water[0], water[1], pressure]), totals)
    arrays = {
        "tracer": tracer.reshape(5, 2, 1, 11), "temperature": fields["t"], "salinity": fields["s"],
        "volume": volume, "depth": depth,
    }  # fmt: skip
    tracers = carbonate_tracers(
        ["c", "a", "p", "n", "o"], carbon="c", alkalinity="a", phosphate="p", silicate="n",
        oxygen="o", carbon_per_mmol=12.0,
    )  # fmt: skip
    return arrays, tracers, expected.reshape(6, 2, 1, 11)


def test_the_kernel_takes_tracers_per_volume():
    arrays, tracers, expected = small_sea()
    found = {
        name: np.zeros((2, 1, 11)) for name in ("ph", "calcite_saturation", "aragonite_saturation")
    }
    _native.carbonate((0, 1, 0, 11, 0), **arrays, **found, numbers=numbers, of=tracers)
    sea_cells = arrays["volume"] > 0
    for values, row in zip(found.values(), (0, 4, 5), strict=True):
        np.testing.assert_allclose(values[sea_cells], expected[row][sea_cells], rtol=1e-9)
        assert (values[~sea_cells] == 0).all()


def test_the_air_gives_what_the_sea_takes():
    """The content of the uppermost cells changes by the fluxes, and by nothing in the others."""
    arrays, tracers, _ = small_sea()
    random = np.random.default_rng(6)
    before = arrays["tracer"].copy()
    t, s = arrays["temperature"][1], arrays["salinity"][1]
    density = of_water("density", t, s, 0 * t)
    totals = 1e-3 * before[:4, 1, 0] / density
    totals[0] /= 12
    at_surface = states(np.stack([t[0], s[0], 0 * t[0]]), totals)
    ph = np.stack([at_surface[0]] * 2)[:, None]
    wind, air = random.uniform(0, 20, (1, 11)), random.uniform(300, 500, (1, 11))
    ice = np.maximum(random.uniform(-1, 1, (1, 11)), 0)
    carbon, oxygen = np.full((2, 1, 11), np.nan)
    del arrays["depth"]
    _native.air_sea_exchange(
        (0, 1, 0, 11, 0), **arrays, area=np.full((1, 11), 100.0), ph=ph, wind_speed=wind,
        ice_fraction=ice, air_carbon_dioxide=air, carbon_dioxide_uptake=carbon,
        oxygen_uptake=oxygen, numbers=numbers,
        gas=GasExchangeOptions().numbers, of=tracers, dt=1800.0,
    )  # fmt: skip
    change = arrays["tracer"] - before
    assert (change[:, 0] == 0).all() and (change[1:4] == 0).all()
    assert carbon[0, 3] == oxygen[0, 3] == 0 and (change[:, 1, 0, 3] == 0).all()
    np.testing.assert_allclose(change[0, 1], 12 * carbon * 1800 / 50, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(change[4, 1], oxygen * 1800 / 50, rtol=1e-9, atol=1e-10)
    kelvin = t + 273.15
    schmidt = 2116.8 - 136.25 * t + 4.7353 * t**2 - 0.092307 * t**3 + 0.0007555 * t**4
    piston = 0.251 * wind**2 * (schmidt / 660) ** -0.5 / 3.6e5
    solubility = np.exp(
        -60.2409 + 93.4517 * 100 / kelvin + 23.3585 * np.log(kelvin / 100)
        + s * (0.023517 - 0.023656 * kelvin / 100 + 0.0047036 * (kelvin / 100) ** 2)
    )  # fmt: skip
    vapour = np.exp(24.4543 - 6745.09 / kelvin - 4.8489 * np.log(kelvin / 100) - 0.000544 * s)
    virial = -1636.75 + 12.0408 * kelvin - 0.0327957 * kelvin**2 + 3.16528e-5 * kelvin**3
    fugacity = np.exp((virial + 2 * (57.7 - 0.118 * kelvin) * (1 - 1e-6 * air) ** 2)
                      / (82.05736 * kelvin))  # fmt: skip
    saturated = solubility * 1e-6 * air * (1 - vapour) * fugacity
    flux = (1 - ice) * 1e3 * density * piston * (saturated - at_surface[1])
    wet = arrays["volume"][1] > 0
    np.testing.assert_allclose(carbon[wet], flux[wet], rtol=1e-6)
