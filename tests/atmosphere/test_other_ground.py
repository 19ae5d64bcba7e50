"""Columns brought from one ground to another, against air in closed form. Ranks: 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmosphere.dynamics_cases import begun, values
from atmosphere.test_air_nests import ended
from atmosphere.test_moving_nests import peak, short
from halocline.atmosphere.air_column import AirColumn
from halocline.atmosphere.case import AtmosphereCase
from halocline.atmosphere.coordinate import AirLayerOptions, HybridCoordinate
from halocline.atmosphere.start.hybrid_column import HybridColumn
from halocline.atmosphere.start.other_ground import AirColumns, OtherGround
from halocline.atmosphere.starting_air import AirStartOptions, ReferenceColumns, StartingAir
from halocline.component.case.reading import make_case

base = AirColumn(kind="standard")
coordinate = HybridCoordinate.of(AirLayerOptions(count=25, top=16e3), base)
reference = ReferenceColumns(coordinate, base)
other = OtherGround(HybridColumn.of_coordinate(coordinate), reference, 1)
former = np.array([0.0, 50.0, 400.0, 900.0, 900.0])
ground = np.array([200.0, 50.0, 100.0, 1300.0, 500.0])
level = np.zeros(5)


def still(air: AirColumn, at: np.ndarray, vapor: float | None = None) -> AirColumns:
    """Air at rest over a ground, in the balance of the core, as starts have it."""
    found = StartingAir(coordinate, air, base, AirStartOptions()).columns(at, at, at)
    water = np.zeros((0, 25, at.size)) if vapor is None else np.full((2, 25, at.size), vapor)
    return AirColumns(found.mass, found.theta, found.geopotential, water)


def test_the_base_state_is_that_over_the_other_ground():
    found = other.columns(still(base, former), former, ground, level)
    assert_allclose(found.mass, 0.0, atol=1e-8)
    assert_allclose(found.geopotential, 0.0, atol=1e-8)
    wanted = reference.columns(ground).theta - 300.0
    assert_allclose(found.theta, wanted, atol=1e-8)


@pytest.mark.parametrize(
    ("kind", "most"), [("isothermal", 7.0), ("stable", 3.0), ("isentropic", 3.0)]
)
def test_air_at_rest_is_that_at_rest_over_the_other_ground(kind: str, most: float):
    """The pressure at the ground differs by 1 to 5 kPa, less the base state by up to 200 Pa."""
    air = AirColumn(kind=kind)
    before, wanted = still(air, former), still(air, ground)
    found = other.columns(before, former, ground, level)
    assert np.abs(before.mass - wanted.mass).max() > 30.0
    assert_allclose(found.mass, wanted.mass, atol=most)
    assert_allclose(found.theta, wanted.theta, atol=0.1)
    assert_allclose(found.geopotential[1:15], wanted.geopotential[1:15], atol=0.3 * most)


def test_the_same_ground_leaves_columns_as_they_are_out_of_balance_too():
    air = still(AirColumn(kind="stable"), former, 0.01)
    off = np.linspace(0.0, 200.0, 26)[:, None] * np.ones(5)
    found = other.columns(air._replace(geopotential=air.geopotential + off), former, former, level)
    assert_allclose(found.mass, air.mass, atol=1e-7)
    assert_allclose(found.theta, air.theta, atol=1e-9)
    assert_allclose(found.geopotential, air.geopotential + off, atol=1e-6)
    assert_allclose(found.water, 0.01, rtol=1e-12)


@pytest.mark.parametrize("kind", ["isothermal", "stable", "isentropic"])
def test_interpolated_air_at_rest_is_at_rest(kind: str):
    """Means of columns over ground 150 m higher and lower weigh over other ground 1 to 3 Pa more
    or less than air at rest, if their spread is not known; else a fifth of that at most."""
    air, spread = AirColumn(kind=kind), np.full(5, 150.0)
    middle = AirColumns(
        *(
            0.5 * (one + two)
            for one, two in zip(
                still(air, former + spread), still(air, former - spread), strict=True
            )
        )
    )
    error = {}
    for name, some in (("known", spread), ("unknown", level)):
        found = other.columns(middle, former, ground, some)
        whole = other.columns(still(air, former), former, ground, level)
        error[name] = np.abs(found.mass - whole.mass).max()
        assert_allclose(found.geopotential[-1], middle.geopotential[-1], atol=1e-6)
    assert 1.0 < error["unknown"] < 3.0 and error["known"] < 0.2 * error["unknown"]


def test_moist_columns_weigh_with_their_water():
    """A height of the top that stays, with a weight of water that counts; numbers do not weigh."""
    air = still(AirColumn(kind="stable"), former, 0.02)
    found = other.columns(air, former, ground, level)
    balanced = other.column.geopotential(
        9.81 * ground,
        reference.columns(ground).mass + found.mass,
        287.0
        * (found.theta + 300.0)
        / 1e5
        * (other.column.pressure(reference.columns(ground).mass + found.mass, found.water[0]) / 1e5)
        ** (2.0 / 7.0 - 1.0),
    )
    moist = other.column.geopotential(
        9.81 * former,
        reference.columns(former).mass + air.mass,
        287.0
        * (air.theta + 300.0)
        / 1e5
        * (other.column.pressure(reference.columns(former).mass + air.mass, air.water[0]) / 1e5)
        ** (2.0 / 7.0 - 1.0),
    )
    rise = [
        some[-1] - reference.columns(at).geopotential[-1]
        for some, at in ((balanced, ground), (moist, former))
    ]
    assert_allclose(rise[0], rise[1], atol=1e-3)
    assert_allclose(found.geopotential[-1], air.geopotential[-1], atol=1e-6)


def test_a_column_has_its_bits_alone():
    air = still(AirColumn(kind="stable"), former, 0.01)
    spread = np.array([0.0, 20.0, 100.0, 150.0, 50.0])
    together = other.columns(air, former, ground, spread)
    for n in range(5):
        one = AirColumns(*(some[..., n : n + 1] for some in air))
        alone = other.columns(one, *(some[n : n + 1] for some in (former, ground, spread)))
        for some, whole in zip(alone, together, strict=True):
            assert_array_equal(some, whole[..., n : n + 1])


def test_wind_stays_with_its_pressure():
    """Linear in the logarithm of pressure, and constant below the lowest layer."""
    pressure, there = (reference.columns(at).pressure for at in (former, ground))
    found = other.wind(10.0 - 3.0 * np.log(pressure / 1e5), former, ground)
    wanted = 10.0 - 3.0 * np.log(np.minimum(there, pressure[0]) / 1e5)
    assert np.ptp(wanted[0]) > 0.2
    assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize(("rate", "wanted"), [(-0.4, -2.0 / 7.0), (0.3, 0.0), (-0.1, -0.1)])
def test_heat_below_the_lowest_layer_is_bounded(rate: float, wanted: float):
    """An inversion goes on as air of one temperature, overturning air as neutral air."""
    air, low = still(base, former), np.full(5, 900.0)
    pressure = reference.columns(former).pressure
    theta = 300.0 * (1.0 + rate * np.log(pressure / pressure[0])) - 300.0
    found = other.columns(air._replace(theta=theta), low, low - 60.0, level)
    there = other.column.pressure(
        reference.columns(low - 60.0).mass + found.mass, np.zeros((25, 5))
    )
    start = reference.columns(low).pressure[0]
    beyond = np.log(there[0] / start)
    assert (beyond > 0.004).all()
    first = theta[0, 3] + 300.0
    expected = first * (1.0 + wanted * beyond[3])
    assert found.theta[0, 3] + 300.0 == pytest.approx(expected, abs=0.05)


def test_wind_at_the_sides_of_a_nest_stays_with_its_pressure():
    """In outer rows, where grounds differ, and nowhere else."""
    _, some = ended(short("6s", {}, **peak(17.5e3)))
    beside, given = some.beside, some.given
    assert beside is not None and given is not None
    for name, place in (("u", "x_ground"), ("v", "y_ground")):
        field = given.field("after", name)
        around, own = (
            np.asarray(fields[place].gather(), np.float64).ravel()
            for fields in (beside.around, beside.own)
        )
        pressure, there = (some.reference.columns(at).pressure for at in (around, own))
        field.set_global((10.0 - 3.0 * np.log(pressure / 1e5)).reshape(field.shape))
        before = field.gather()
        beside.settle()
        wanted = 10.0 - 3.0 * np.log(np.clip(there, pressure[-1], pressure[0]) / 1e5)
        wanted = wanted.reshape(before.shape)
        outer = some.sides[name].points & (np.abs(around - own) > 1e-3).reshape(before.shape[1:])
        assert np.abs(wanted - before)[:, outer].max() > 0.05
        assert_allclose(field.gather()[:, outer], wanted[:, outer], atol=1e-12)
        assert_array_equal(field.gather()[:, ~outer], before[:, ~outer])


def test_upward_wind_at_the_ground_is_along_its_slopes():
    """Of a nest that has come over a hill in uniform wind, the moment that it has come."""
    inner: dict[str, Any] = {"moves": ["12s east 10"], "feedback": False}
    air = peak(43.5e3) | {"start": {"wind_u": 5.0, "wind_v": -3.0}}
    _, some = ended(short("12s", inner, **air))
    height, w, u, v = (values(some, name) for name in ("ground", "w", "u", "v"))
    slope = [np.gradient(height, 500.0, axis=axis) for axis in (1, 0)]
    low = [0.5 * (u[0, :, 1:] + u[0, :, :-1]), 0.5 * (v[0, 1:] + v[0, :-1])]
    along = low[0] * slope[0] + low[1] * slope[1]
    here = np.s_[5:-5, 15:-5]
    assert np.abs(along[here]).max() > 1.0
    assert_allclose(w[0][here], along[here], atol=0.1)


def test_wind_that_grows_with_height_comes_at_its_height():
    """Of a nest that has come over a hill, after a step of the air around, and of one that begins
    there: layers that are 200 m higher have 0.4 m/s more."""
    shear = {"start": {"shear": {"kind": "linear", "speed": 20.0, "depth": 1e4}}}
    case = short("6s", {"moves": ["6s east 10"], "feedback": False}, **peak(43.5e3), **shear)
    outer, come = ended(case)
    member = case["members"]["inner"]
    place = member["grid"] | {"x0": member["grid"]["x0"] + 15e3}
    own = ("component", "precision", "time", "atmosphere")
    alone = make_case({key: member[key] for key in own} | {"grid": place})
    assert isinstance(alone, AtmosphereCase)
    there = begun(alone)
    height, around = values(there, "ground"), values(outer, "ground")
    assert_array_equal(values(come, "ground"), height)
    assert np.abs(height.reshape(12, 3, 14, 3).mean((1, 3)) - around[2:14, 21:35]).max() > 30.0
    here = np.s_[1:3, 5:-5, 15:-5]  # in the step the lowest wind changes by 0.4 m/s
    assert_allclose(values(come, "u")[here], values(there, "u")[here], atol=0.12)
