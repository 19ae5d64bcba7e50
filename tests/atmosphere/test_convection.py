"""Clouds smaller than the grid: against a column written anew, accounts, what sets them off."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from atmosphere.column import run_columns
from atmosphere.convection_column import (
    available,
    cloud_of,
    evaporated,
    lift_of,
    temperature,
    virtual,
)
from halocline.atmosphere.convection.kain_fritsch_options import KainFritschOptions
from halocline.atmosphere.sounding import SoundingOptions
from halocline.core import moist_air

cp, lv, lf, layers = 1004.5, 2.5e6, 3.5e5, 40
faces = 16e3 * np.linspace(0.0, 1.0, layers + 1) ** 1.3
usual = {key: value for key, value in asdict(KainFritschOptions()).items() if key != "interval"}


def column(dry: float = 1.0, lid: float = 0.0, under: float = 2500.0) -> dict[str, Any]:
    """Weisman and Klemp's air in 40 layers up to 16 km; `dry` times the vapour above 1.5 km, and
    warmer by `lid` above `under` [m]."""
    p = SoundingOptions(kind="weisman-klemp").profile(5e3)
    z = centers()
    pressure = np.exp(np.interp(z, p.height, np.log(p.pressure)))
    theta = np.interp(z, p.height, p.theta) + lid * (z > under)
    q = np.interp(z, p.height, p.vapor) * np.where(z > 1500.0, dry, 1.0)
    return air(pressure, theta, q)


def winter(dry: float = 1.0) -> dict[str, Any]:
    """Air below freezing: neutral up to 1 km, then less and less stable, 85 % humid; `dry` times
    the vapour above 1.2 km."""
    z = centers()
    theta = 271.0 + np.interp(z, [0.0, 1000.0, 5000.0, 7000.0, 16e3], [0.0, 0.0, 8.0, 16.0, 150.0])
    pressure = 1e5 * np.exp(-z / 7600.0)
    warm = theta * moist_air.exner(pressure)
    q = 0.85 * moist_air.mixing_ratio(moist_air.saturation_pressure(warm), pressure)
    return air(pressure, theta, np.minimum(q, q[2]) * np.where(z > 1200.0, dry, 1.0))


def centers() -> np.ndarray:
    return 0.5 * (faces[1:] + faces[:-1])


def air(pressure: np.ndarray, theta: np.ndarray, q: np.ndarray) -> dict[str, Any]:
    """What the kernel reads."""
    exner = moist_air.exner(pressure)
    water = np.zeros((6, layers))
    water[0] = q
    return {
        "u": np.full(layers, 10.0), "v": np.full(layers, 0.0),
        "dry_theta": theta - 300.0, "water": water, "air_pressure": pressure,
        "air_density": pressure / (287.0 * theta * exner * (1.0 + q / moist_air.epsilon)),
        "exner": exner, "layer_depth": np.diff(faces), **lifting(0.1),
    }  # fmt: skip


def lifting(rise: float) -> dict[str, Any]:
    """Air that rises everywhere, as it did [m s-1]."""
    return {"w": np.full(layers + 1, rise), "mean_rise": np.full(layers, rise)}


def convect(c: dict[str, Any], spacing: float = 9e3, dt: float = 20.0, **more: Any) -> Any:
    """What the kernel makes of a column that had no clouds."""
    nothing = {
        "area": spacing**2, "convective_time": 0.0, "convective_rain": 0.0, "convective_snow": 0.0,
        "convective_heating": np.zeros(layers), "convective_wetting": np.zeros((6, layers)),
    }  # fmt: skip
    numbers = usual | {"dt": dt, "cloud": 1, "ice_entry": 3, "look": 1} | more
    extents = {"depth": layers, "depth+1": layers + 1, "species": 6}
    found = run_columns("atmosphere_kain_fritsch", 1, nothing | c, numbers, extents)
    made = {name: values[..., 0] for name, values in found.items()}
    made["convective_wetting"] /= mass(c)  # per mass of air from here on
    return made


def mass(c: dict[str, Any]) -> np.ndarray:
    return c["air_density"] * c["layer_depth"]


def enthalpy(c: dict[str, Any], made: Any) -> np.ndarray:
    """What layers gain, snow that leaves them included [W m-2]."""
    rates = cp * made["convective_heating"] * c["exner"]
    return mass(c) * (
        rates + lv * made["convective_wetting"][0] - lf * made["convective_wetting"][3]
    )


cases = {
    "deep": (column(), {}),
    "dry aloft": (column(dry=0.5), {}),
    "cold": (winter(), {}),
    "shallow": (column(lid=10.0), {}),
    "without ice": (column(), {"ice_entry": -1}),
}  # fmt: skip


@pytest.mark.parametrize("name", cases)
def test_water_and_heat_are_accounted_for(name):
    """What layers lose reaches the ground; condensation leaves the energy of the column."""
    c, more = cases[name]
    made = convect(c, **more)
    assert made["convective_time"] > 0
    water = (mass(c) * made["convective_wetting"].sum(axis=0)).sum()
    fallen = made["convective_rain"] + made["convective_snow"]
    moved = (mass(c) * abs(made["convective_wetting"]).sum(axis=0)).sum()
    assert water + fallen == pytest.approx(0.0, abs=1e-13 * moved)
    gained = enthalpy(c, made)
    snow = lf * made["convective_snow"]
    assert gained.sum() == pytest.approx(snow, abs=1e-12 * abs(gained).sum())
    assert abs(gained).sum() > 50.0
    assert (c["water"][0] + made["convective_time"] * made["convective_wetting"][0] >= 0).all()
    assert (made["convective_snow"] > 0) == (name == "cold")


@pytest.mark.parametrize("dry", [1.0, 0.6, 0.3])
def test_the_cloud_is_that_of_a_column_written_anew(dry):
    """Where the updraft acts alone: condensed water that it leaves, of the flux at its base. In
    dry air mixtures sink that have more than 0.15 to 0.55 of it."""
    c = winter(dry)  # below freezing at the ground: no downdraft
    made = convect(c)
    cloud = cloud_of(c, 9e3)
    assert cloud.neutral > lift_of(c).last + 5, "of the lowest source, through several layers"
    m = mass(c)
    flux = made["convective_snow"] + made["convective_rain"]
    flux /= (cloud.rain + cloud.snow).sum()
    left = m * made["convective_wetting"][[1, 3]] / flux
    upper = slice(0, cloud.top + 1)
    for found, twin in zip(left, (cloud.liquid, cloud.ice), strict=True):
        np.testing.assert_allclose(
            found[upper], twin[upper], rtol=0.01, atol=1e-4 * cloud.ice.max()
        )


def test_upward_wind_sets_air_off():
    """Kain's equation 1: warmer by the cube root of what w, times the cell over 25 km, is more than
    2 cm/s times the height over 2 km, in cm/s. Just enough for one source to be lighter than the
    air where it is saturated."""
    c, z = winter(), centers()
    around = virtual(temperature(c), c["water"][0])

    def least(base: int) -> float:
        lifted = lift_of(c, base)
        heavy = np.interp(lifted.height, z, around)
        need = heavy / virtual(1.0, lifted.water) - lifted.temperature
        return (need**3 / 100.0 + 0.02 * min(lifted.height / 2000.0, 1.0)) * 25.0 / 9.0

    rise, base = min((least(base), base) for base in range(9))
    for factor, acts in ((0.99, False), (1.01, True), (-1.0, False)):
        c |= lifting(factor * rise)
        assert not acts or cloud_of(c, 9e3, base).neutral > base
        assert (convect(c)["convective_time"] > 0) == acts


def test_wider_cells_need_less_wind():
    c = column() | lifting(0.03)
    assert not convect(c, spacing=9e3)["convective_time"]
    assert convect(c, spacing=25e3)["convective_time"]


def test_dry_air_stays_dry():
    c = column()
    c["water"] = c["water"] * 0.3
    assert not convect(c)["convective_time"]


def test_nine_tenths_are_removed():
    """Of what the cloud of the same source has, in the air after the time of convection."""
    c = column()
    base = next(base for base in range(9) if cloud_of(c, 9e3, base).neutral > base)
    cloud = cloud_of(c, 9e3, base)
    before = available(c, cloud, base)
    assert 500.0 < before < 1500.0
    for removed in (0.5, 0.9):
        made = convect(c, removed=removed)
        time = made["convective_time"]
        after = dict(c)
        after["dry_theta"] = c["dry_theta"] + time * made["convective_heating"]
        after["water"] = c["water"] + time * made["convective_wetting"]
        left = available(after, cloud, base) / before
        assert 0.49 * (1 - removed) < left < 1.01 * (1 - removed)


def test_time_is_that_in_which_wind_crosses_a_cell():
    c = column()
    for wind, time in ((10.0, 2500.0), (50.0, 1800.0), (1.0, 3600.0)):
        c["u"] = np.full(layers, wind)
        assert convect(c, spacing=25e3)["convective_time"] == pytest.approx(time)


def test_less_rain_through_dry_air():
    """Downdrafts evaporate it, and cool the lowest layers."""
    humid, dry = (convect(column(dry=share)) for share in (1.0, 0.6))
    assert dry["convective_rain"] < 0.8 * humid["convective_rain"]
    assert dry["convective_heating"][:3].max() < 3 * humid["convective_heating"][:3].min() < 0


@pytest.mark.parametrize("dry", [0.7, 0.5])
def test_rain_that_keeps_downdrafts_humid(dry):
    """What falls out of the cloud less that reaches the ground, of the flux at its base."""
    c = column(dry=dry)
    base = next(base for base in range(9) if cloud_of(c, 9e3, base).neutral > base)
    cloud, made = cloud_of(c, 9e3, base), convect(c)
    flux = (mass(c) * made["convective_wetting"][3]).sum() / cloud.ice.sum()
    fallen = (cloud.rain + cloud.snow).sum()
    lost = evaporated(c, cloud, base)
    assert 0.1 * fallen < lost < 0.89 * fallen
    assert fallen - made["convective_rain"] / flux == pytest.approx(lost, rel=0.01)


def test_deep_enough_to_rain():
    """Kain's equation 7: 2 km, and 100 m for each degree of the base above 0, up to 4 km."""
    seen = []
    for under in np.arange(3300.0, 5600.0, 150.0):
        c = column(lid=12.0, under=under)
        clouds = [cloud_of(c, 9e3, base) for base in range(9)]
        depths = [faces[cloud.top + 1] - cloud.base for cloud in clouds if cloud.neutral >= 0]
        warm = lift_of(c).temperature - 273.15
        assert 15.0 < warm < 20.0
        assert (convect(c)["convective_rain"] > 0) == (max(depths) >= 2000.0 + 100.0 * warm)
        seen.append(max(depths))
    assert sum(3000.0 < depth < 3500.0 for depth in seen) > 1, "clouds that almost rain"


@pytest.mark.parametrize(("cooler", "spare"), [(0.02, -1.7), (0.05, 1.3)])
def test_deep_enough_by_a_metre(cooler, spare):
    """With a lid that all clouds end at: cooler air below is saturated lower, by 100 m for 1 K."""
    c = column(lid=30.0, under=4500.0)
    theta = c["dry_theta"] + 300.0 - cooler * (centers() < 1500.0)
    c = air(c["air_pressure"], theta, c["water"][0])
    more = []
    for base in range(9):
        cloud, warm = cloud_of(c, 9e3, base), lift_of(c, base).temperature - 273.15
        if cloud.neutral >= 0:
            more.append(faces[cloud.top + 1] - cloud.base - (2000.0 + 100.0 * warm))
    assert max(more) == pytest.approx(spare, abs=0.1)
    assert (convect(c)["convective_rain"] > 0) == (max(more) > 0)


def test_clouds_go_on_for_their_time():
    """Nothing is looked for before; then they end, and the mean of the wind is kept."""
    c = column()
    made = convect(c)
    made["convective_wetting"] *= mass(c)
    numbers = usual | {"dt": 600.0, "cloud": 1, "ice_entry": 3, "look": 1}
    extents = {"depth": layers, "depth+1": layers + 1, "species": 6}
    calm = c | {"w": np.full(layers + 1, -0.1), "area": 81e6}
    times, winds = [], []
    for _ in range(4):
        again = run_columns("atmosphere_kain_fritsch", 1, calm | made, numbers, extents)
        made = {name: values[..., 0] for name, values in again.items()}
        times.append(float(made["convective_time"]))
        winds.append(float(made["mean_rise"][5]))
        assert (made["convective_rain"] > 0) == (times[-1] > 0)
    assert times == [1200.0, 600.0, 0.0, 0.0]
    assert winds == [-0.1] * 4
    slow = convect(column() | {"w": np.full(layers + 1, -0.1)}, dt=60.0)
    assert slow["mean_rise"][5] == pytest.approx(0.1 - 0.1 * 0.2)


def test_shallow_clouds_do_not_rain():
    c = column(lid=10.0)
    made = convect(c)
    assert made["convective_time"] == 2400.0
    assert not made["convective_rain"]
    assert made["convective_wetting"][1].max() > 0
    assert not convect(c, shallow=False)["convective_time"]
