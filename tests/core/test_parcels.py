"""Rising parcels against MetPy's numbers, against a plain twin and against cases in closed form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.core import moist_air
from halocline.core.parcels import (
    ParcelAscent,
    most_unstable_parcel,
    parcel_from,
    parcel_temperature,
    surface_parcel,
)

# The sounding of the examples of metpy.calc.cape_cin and others (MetPy 1.7): hPa, degrees, 1.
pressure = 100 * np.array(
    [1008, 1000, 950, 900, 850, 800, 750, 700, 650, 600, 550, 500, 450, 400, 350, 300, 250, 200,
     175, 150, 125, 100, 80, 70, 60, 50, 40, 30, 25, 20.0]
)  # fmt: skip
temperature = 273.15 + np.array(
    [29.3, 28.1, 23.5, 20.9, 18.4, 15.9, 13.1, 10.1, 6.7, 3.1, -0.5, -4.5, -9.0, -14.8, -21.5,
     -29.7, -40.0, -52.4, -59.2, -66.5, -74.1, -78.5, -76.0, -71.6, -66.7, -61.3, -56.3, -51.7,
     -50.7, -47.5]
)  # fmt: skip
humidity = np.array(
    [0.85, 0.65, 0.36, 0.39, 0.82, 0.72, 0.75, 0.86, 0.65, 0.22, 0.52, 0.66, 0.64, 0.20, 0.05,
     0.75, 0.76, 0.45, 0.25, 0.48, 0.76, 0.88, 0.56, 0.88, 0.39, 0.67, 0.15, 0.04, 0.94, 0.35]
)  # fmt: skip


def vapour(t=temperature, rh=humidity):
    return moist_air.mixing_ratio(rh * moist_air.saturation_pressure(t), pressure)


def capped():
    """The same with a cold, dry ground and warm, moist air at 900 hPa."""
    t, rh = temperature.copy(), humidity.copy()
    t[:4], rh[:4] = 273.15 + np.array([16.0, 16.5, 21.0, 21.5]), [0.9, 0.8, 0.75, 0.8]
    return t, vapour(t, rh)


def column(values):
    return values[:, None]


def fine(t, q):
    """A sounding on 200 levels, lines in log p between those given; columns (200, 1)."""
    log = np.linspace(np.log(pressure[0]), np.log(pressure[-1]), 200)
    lines = (np.interp(-log, -np.log(pressure), values) for values in (t, q))
    return np.exp(log)[:, None], *(line[:, None] for line in lines)


def test_the_example_of_metpy():
    """metpy.calc.cape_cin: 4830.74608 and 0 J/kg; el: 112.252 hPa; lcl: 967.310 hPa.

    On these coarse levels it takes what lies above 900 hPa only; on 200 levels it has 4899.8 J/kg,
    and we have 1.4 % more: 0.06 K of warmth by the constants of ARW and Bolton's saturation.
    """
    for ascent in (surface_parcel, most_unstable_parcel):
        coarse = ascent(column(pressure), column(temperature), column(vapour()))
        assert coarse.cape[0] == pytest.approx(4830.7, rel=0.03)
        found = ascent(*fine(temperature, vapour()))
        assert found.cape[0] == pytest.approx(4899.8, rel=0.016)
        assert found.cin[0] == 0.0
        assert found.equilibrium_level[0] / 100 == pytest.approx(112.28, abs=0.6)
        assert found.condensation_level[0] / 100 == pytest.approx(967.31, abs=0.8)
        assert found.free_convection_level[0] == pytest.approx(found.condensation_level[0])


def test_a_capped_sounding_as_metpy_has_it():
    """MetPy 1.7.1 on 200 levels: nothing from the ground, 146.94 and -44.69 J/kg from 900 hPa."""
    ground = surface_parcel(*fine(*capped()))
    assert ground.cape[0] == 0.0 and ground.cin[0] == 0.0
    assert np.isnan(ground.free_convection_level[0])
    found = most_unstable_parcel(*fine(*capped()))
    assert found.cape[0] == pytest.approx(146.9, abs=6.0)
    assert found.cin[0] == pytest.approx(-44.69, abs=1.5)


def twin(start: int, p: np.ndarray, t: np.ndarray, q: np.ndarray) -> ParcelAscent:
    """One parcel by small steps in log p, everything looked up as it goes."""
    step = 5e-4
    fine = np.log(p[start]) - step * np.arange(int(np.log(p[start] / p[-1]) / step) + 1)
    vapor = moist_air.vapor_pressure(q[start], p[start])
    reached = 2840.0 / (3.5 * np.log(t[start]) - np.log(vapor / 100) - 4.805) + 55.0
    condensation = p[start] * (reached / t[start]) ** 3.5
    virtual, parcel = t * (1 + q * 461.6 / 287) / (1 + q), t[start]
    light = np.empty(fine.size)
    for n, log in enumerate(fine):
        here, held = np.exp(log), q[start]
        if here >= condensation:
            parcel = t[start] * (here / p[start]) ** (2 / 7)
        else:
            e = 611.2 * np.exp(17.67 * (parcel - 273.15) / (parcel - 29.65))
            held = min(q[start], 287 / 461.6 * e / (here - e))
        outside = np.interp(-log, -np.log(p), virtual)
        light[n] = 287 * (parcel * (1 + held * 461.6 / 287) / (1 + held) - outside)
        if np.exp(log - step) < condensation:  # the next place is above condensation
            along = min(step, np.log(condensation) - log + step)
            if along < step:
                parcel = reached
            top = 287 * parcel + 2.5e6 * held
            parcel -= along * top / (1004.5 + 2.5e6**2 * held / (461.6 * parcel**2))
    above = np.exp(fine) <= condensation
    nothing = np.array(np.nan)
    if not (light[above] > 0).any():
        return ParcelAscent(np.array(0.0), np.array(0.0), condensation, nothing, nothing)
    first = int(np.flatnonzero(above & (light > 0))[0])
    last = int(np.flatnonzero(light > 0)[-1])
    cape, cin = light[first : last + 1].sum() * step, light[:first].sum() * step
    return ParcelAscent(cape, min(cin, 0.0), condensation, np.exp(fine[first]), np.exp(fine[last]))


def test_many_soundings_against_a_plain_twin():
    """Levels lie close, so that lines between them are the same for both."""
    log = np.linspace(np.log(pressure[0]), np.log(pressure[-1]), 200)
    soundings = []
    for k, (t, q) in enumerate([(temperature, vapour()), capped(), (temperature + 3.0, vapour())]):
        fine_t = np.interp(-log, -np.log(pressure), t) - 0.5 * k
        soundings.append((fine_t, np.interp(-log, -np.log(pressure), q) * (1 - 0.05 * k)))
    soundings[2][0][:] += 14.0 * np.exp(-(((log - np.log(4e4)) / 0.08) ** 2))  # a lid at 400 hPa
    t, q = (np.stack(some, axis=1) for some in zip(*soundings, strict=True))
    p = np.broadcast_to(np.exp(log)[:, None], t.shape)
    for start in (6, 0):
        found = parcel_from(np.full(3, start), p, t, q)
        for n in range(3):
            plain = twin(start, p[:, n], t[:, n], q[:, n])
            assert found.cape[n] == pytest.approx(plain.cape, rel=5e-3, abs=3.0)
            assert found.cin[n] == pytest.approx(plain.cin, rel=2e-2, abs=1.0)
            assert found.condensation_level[n] == pytest.approx(plain.condensation_level, rel=1e-9)
            for name in ("free_convection_level", "equilibrium_level"):
                assert_allclose(getattr(found, name)[n], getattr(plain, name), rtol=3e-3)
    assert (found.cape > 100).any()


def test_dry_air_that_is_warmer_all_the_way_up():
    """Saturation far above: no free convection below the top, nothing to gain."""
    p = np.linspace(1e5, 5e4, 20)[:, None]
    t = 300.0 * (p / 1e5) ** 0.35  # lapse greater than the dry adiabat's
    found = surface_parcel(p, t, np.full_like(p, 1e-8))
    assert found.cape[0] == 0.0 and found.condensation_level[0] == pytest.approx(5e4)


def test_buoyancy_in_closed_form():
    """Isothermal surroundings one kelvin colder than a saturated parcel's path: Rd ln(p0/p1)."""
    p = np.geomspace(9e4, 3e4, 60)[:, None]
    start_t = np.array([290.0])
    path = moist_air.lifted_saturated(
        np.broadcast_to(start_t, p.shape), np.full(p.shape, 9e4), p, longest=0.02
    )
    q = moist_air.mixing_ratio(moist_air.saturation_pressure(path), p)
    around = path * moist_air.virtual_factor(q) - 1.0  # virtual temperature
    dry = np.full_like(q, 1e-9)
    t, vapor = around.copy(), dry
    t[0], vapor[0] = 290.0, q[0]
    found = surface_parcel(p, t, vapor)
    # The lowest level is the parcel itself, without buoyancy: half a layer less.
    wanted = 287.0 * (np.log(3.0) - 0.5 * np.log(p[0, 0] / p[1, 0]))
    assert found.cape[0] == pytest.approx(wanted, rel=2e-2)
    assert found.equilibrium_level[0] == pytest.approx(3e4)


def test_columns_of_an_analysis_at_once():
    """Planes of columns give what each column gives alone."""
    t = np.broadcast_to(temperature[:, None, None], (30, 2, 3)) + np.array([0.0, -1, -2])
    q = np.broadcast_to(vapour()[:, None, None], t.shape) * np.array([[1.0], [0.8]])
    p = np.broadcast_to(pressure[:, None, None], t.shape)
    whole = most_unstable_parcel(p, t, q)
    for j, i in np.ndindex(2, 3):
        alone = most_unstable_parcel(p[:, j, i], t[:, j, i], q[:, j, i])
        assert whole.cape[j, i] == alone.cape and whole.cin[j, i] == alone.cin
    assert whole.cape.std() > 0


def test_path_of_a_parcel():
    """Along a dry adiabat up to condensation, then along the pseudo-adiabat; nothing below."""
    p = np.array([1010.0, 990.0, 970.0, 700.0, 300.0]) * 100
    found = parcel_temperature(p, (1e5, 300.0, 0.016))
    level = moist_air.condensation_level(np.array(300.0), np.array(0.016), np.array(1e5))
    assert 9e4 < level < 97e3 and np.isnan(found[0])
    assert_allclose(found[1:3], 300.0 * (p[1:3] / 1e5) ** (2 / 7), rtol=1e-12)
    begin = 300.0 * (level / 1e5) ** (2 / 7)
    for k in (3, 4):
        wanted = moist_air.lifted_saturated(np.array(begin), level, p[k], longest=1e-3)
        assert found[k] == pytest.approx(float(wanted), abs=1e-3)
