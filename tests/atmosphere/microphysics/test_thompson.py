"""Thompson's clouds against sums over sizes of particles, what is conserved, and what falls."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.atmosphere import _native
from halocline.atmosphere.microphysics.thompson import ThompsonOptions
from references import thompson
from references.thompson import Cell, names

vapor, cloud, rain, ice, snow, graupel, rain_number, ice_number = range(8)
masses = slice(0, 6)


class Air:
    """Cells or columns of random air, `water` of eight entries."""

    def __init__(self, levels: int, columns: int, seed: int = 0) -> None:
        self.random = random = np.random.default_rng(seed)
        shape = (levels, 1, columns)
        self.air_pressure = random.uniform(3e4, 1e5, shape)
        self.exner = (self.air_pressure / 1e5) ** (2.0 / 7.0)
        temperature = 273.15 + random.uniform(-30.0, 25.0, shape)
        self.dry_theta = temperature / self.exner - 300.0
        self.air_density = self.air_pressure / (287.0 * temperature)
        self.layer_depth = random.uniform(200.0, 600.0, shape)
        self.water = np.zeros((8, *shape))
        saturated = thompson.water_saturation(temperature, self.air_pressure)
        self.water[vapor] = saturated * random.choice([0.3, 0.8, 0.97, 1.0], shape)
        self.water[cloud:rain_number] = random.choice([0.0, 1e-5, 3e-4, 3e-3], (5, *shape))
        self.water[ice] *= 0.1
        for mass, number, low, high in (
            (rain, rain_number, 2e-4, 2.4e-3),
            (ice, ice_number, 1e-4, 3e-4),
        ):
            kind = names[mass]
            length = np.exp(random.uniform(np.log(low), np.log(high), shape)) / 4.0
            self.water[number] = self.water[mass] / (6.0 * thompson.c[kind] * length**3)

    @property
    def temperature(self) -> np.ndarray:
        return (300.0 + self.dry_theta) * self.exner

    @property
    def enthalpy(self) -> np.ndarray:
        frozen = self.water[ice] + self.water[snow] + self.water[graupel]
        return 1004.5 * self.temperature + 2.5e6 * self.water[vapor] - 3.5e5 * frozen

    def step(self, dt: float, dtype: type = np.float64) -> tuple[Air, dict[str, np.ndarray]]:
        """What the kernel makes of it, and what has fallen."""
        after = Air.__new__(Air)
        for name, values in self.__dict__.items():
            if name != "random":
                after.__dict__[name] = values.astype(dtype)
        columns = self.water.shape[-1]
        fallen = {name: np.full((1, columns), np.nan, dtype) for name in ThompsonOptions.fallen}
        box, numbers = (0, 1, 0, columns, 0), ThompsonOptions().numbers
        _native.atmosphere_thompson(box, **after.__dict__, **fallen, dt=dt, **numbers)
        return after, fallen


def rates(air: Air, at: tuple[int, int, int], dt: float) -> dict[str, float]:
    """Of the reference, saturation at the end."""
    water = air.water[(slice(None), *at)]
    t, p, rho = (float(x[at]) for x in (air.temperature, air.air_pressure, air.air_density))
    found = Cell(water, t, p, rho).all(dt)
    after = {name: value + dt * found[name] for name, value in zip(names, water, strict=True)}
    gained = sum(after[k] - water[names.index(k)] for k in ("ice", "snow", "graupel"))
    t += (thompson.lv * (water[vapor] - after["vapor"]) + thompson.lf * gained) / thompson.cp
    saturated = thompson.water_saturation(t, p)
    e = p * saturated / (saturated + 287.0 / 461.6)
    slope = saturated * p / (p - e) * 17.67 * (273.15 - 29.65) / (t - 29.65) ** 2
    condensed = (after["vapor"] - saturated) / (1.0 + thompson.lv / thompson.cp * slope)
    found["cloud"] += max(condensed, -after["cloud"]) / dt
    found["vapor"] -= max(condensed, -after["cloud"]) / dt
    return found


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_water_and_heat_are_kept(dtype):
    air = Air(24, 40)
    after, fallen = air.step(20.0, dtype)
    content = (air.water[masses] * air.air_density * air.layer_depth).sum(axis=(0, 1))
    left = (after.water[masses].astype(float) * air.air_density * air.layer_depth).sum(axis=(0, 1))
    left += sum(fallen.values())
    exact = 1e-13 if dtype is np.float64 else 1e-5
    np.testing.assert_allclose(left, content, rtol=exact)
    assert (after.water[cloud:] >= 0).all()
    assert sum(fallen.values()).min() > 0
    air.layer_depth[:] = 1e30
    after, _ = air.step(20.0, dtype)
    np.testing.assert_allclose(after.enthalpy, air.enthalpy, rtol=exact)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("amount", ["much", "little"])
def test_columns_by_themselves_give_the_same_bits(dtype, amount):
    """Whatever columns are computed together with them; near the end of the normal range too."""
    air = Air(12, 19, 7)
    least = float(np.finfo(dtype).tiny)
    if amount == "little":
        some = [0.0, 1.02 * least, 1.2 * least, 1e3 * least, 1e-6, 1e-3]
        air.water[cloud:] = air.random.choice(some, air.water[cloud:].shape)
    whole, fallen = air.step(20.0, dtype)
    for i in range(19):
        alone = Air.__new__(Air)
        alone.__dict__ |= {
            name: values[..., i : i + 1]
            for name, values in air.__dict__.items()
            if name != "random"
        }
        after, fell = alone.step(20.0, dtype)
        for name in ("dry_theta", "water"):
            wanted = getattr(whole, name)[..., i : i + 1]
            assert np.array_equal(getattr(after, name), wanted), (name, i)
        assert all(np.array_equal(fell[name], fallen[name][:, i : i + 1]) for name in fell)


@pytest.mark.parametrize("seed", range(3))
def test_rates_are_sums_over_sizes(seed):
    """In still air and short steps, so that nothing falls and nothing is used up."""
    air, dt = Air(6, 20, seed), 1e-3
    air.layer_depth[:] = 1e30
    after, _ = air.step(dt)
    for at in np.ndindex(air.air_pressure.shape):
        wanted = rates(air, at, dt)
        water = air.water[(slice(None), *at)]
        most = max(abs(wanted[name]) for name in names[masses])
        for n, name in enumerate(names):
            kind = {rain_number: rain, ice_number: ice}.get(n)
            if kind is not None and not water[kind]:
                continue  # without mass there is no number
            some = 1e-20 + (2e-3 * water[n] if kind else 1e-4 * water[n] + 0.01 * most)
            found = (after.water[(n, *at)] - water[n]) / dt
            assert found == pytest.approx(wanted[name], rel=0.04, abs=some), (at, name)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_columns_know_nothing_of_those_beside_them(dtype):
    """Bit for bit, however they lie in packs; of those in which nothing happens nothing changes."""
    air = Air(12, 43)
    at_rest = air.random.random(43) < 0.3
    air.water[cloud:rain_number, :, :, at_rest] = 0.0
    air.water[vapor, :, :, at_rest] *= 0.3
    air.water[rain_number, :, :, at_rest] = 7.0
    together, fallen = air.step(20.0, dtype)
    for chosen in (np.arange(43)[::-1], np.arange(3, 20), np.array([5])):
        some = Air(12, 43)
        for name, values in air.__dict__.items():
            if name != "random":
                some.__dict__[name] = np.ascontiguousarray(values[..., chosen])
        found, rain_of_it = some.step(20.0, dtype)
        assert found.water.tobytes() == together.water[..., chosen].tobytes()
        assert found.dry_theta.tobytes() == together.dry_theta[..., chosen].tobytes()
        for name, values in rain_of_it.items():
            assert values.tobytes() == fallen[name][..., chosen].tobytes()
    before = air.water.astype(dtype)[..., at_rest]
    np.testing.assert_array_equal(together.water[..., at_rest], before)


@pytest.mark.parametrize("kind", [cloud, rain])
def test_all_freezes_below_38_degrees(kind):
    """Droplets one by one to crystals."""
    air = Air(1, 30)
    air.layer_depth[:] = 1e30
    air.dry_theta = (273.15 - 38.5) / air.exner - 300.0
    air.water[vapor] = thompson.ice_saturation(air.temperature, air.air_pressure)
    air.water[cloud:] = 0.0
    air.water[rain_number] = 1e4
    air.water[kind] = 3e-4
    after, _ = air.step(20.0)
    assert (after.water[kind] < 1e-9).all()
    if kind == cloud:
        np.testing.assert_allclose(after.water[ice_number], 1e8 / air.air_density, rtol=0.01)
    else:
        assert (after.water[graupel] > 2e-4).all()


@pytest.mark.parametrize("kind", ["rain", "ice", "snow", "graupel"])
def test_particles_fall_with_the_mean_speed_of_their_mass(kind):
    """What passes the ground in a short step, and the numbers that pass with it."""
    air, dt, n = Air(1, 30), 0.1, names.index(kind)
    air.water[cloud:] *= 0.0
    air.water[vapor] *= 0.1
    air.water[n] = 1e-3
    lengths = np.exp(air.random.uniform(np.log(4e-5), np.log(6e-5), air.layer_depth.shape))
    for number in (rain_number, ice_number):
        if names[number] == f"{kind}_number":
            air.water[number] = 1e-3 / (6.0 * thompson.c[kind] * lengths**3)
    _, fallen = air.step(dt)
    name = {"ice": "snow"}.get(kind, kind)
    for at in np.ndindex(air.air_pressure.shape):
        t, p, rho = (float(x[at]) for x in (air.temperature, air.air_pressure, air.air_density))
        some = getattr(Cell(air.water[(slice(None), *at)], t, p, rho), kind)
        speed = float(np.sqrt(thompson.rho_0 / rho)) * some.sum(some.m * some.v) / some.sum(some.m)
        found = fallen[f"{name}_fallen"][at[1:]] / (dt * 1e-3 * rho)
        assert found == pytest.approx(speed, rel=0.01)


def test_echoes_are_sixth_moments():
    """Of drops, and of ice melted to drops times 0.176 / 0.930."""
    air = Air(1, 40)
    shape = air.air_pressure.shape
    found = {"reflectivity": np.empty(shape), "column_reflectivity": np.empty(shape[1:])}
    given = {k: getattr(air, k) for k in ("exner", "air_density", "dry_theta", "water")}
    _native.atmosphere_thompson_reflectivity((0, 1, 0, shape[2], 0), **given, **found)
    for at in np.ndindex(shape):
        t, p, rho = (float(x[at]) for x in (air.temperature, air.air_pressure, air.air_density))
        cell = Cell(air.water[(slice(None), *at)], t, p, rho)
        sum_of = cell.rain.sum(cell.rain.d**6) if cell.rain else 0.0
        for some in filter(None, (cell.snow, cell.graupel)):
            sum_of += 0.176 / 0.930 * some.sum((6.0 / np.pi * some.m / 917.0) ** 2)
        wanted = 10.0 * np.log10(max(1e18 * sum_of, 1e-3))
        assert found["reflectivity"][at] == pytest.approx(wanted, abs=0.1)
        assert found["column_reflectivity"][at[1:]] == found["reflectivity"][at]
