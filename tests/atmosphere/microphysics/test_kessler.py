"""Warm rain against a twin in NumPy, published numbers, and what must be conserved."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from halocline.atmosphere import _native
from halocline.atmosphere.microphysics.kessler import KesslerOptions
from references import kessler

levels, rows, columns = 12, 2, 19
dt = 20.0
vapor, cloud, rain = range(3)


class Air:
    """Random columns of a warm atmosphere [k, j, i], in `water` a third without condensate."""

    def __init__(self, seed: int = 0, thin: bool = False) -> None:
        random = np.random.default_rng(seed)
        shape = (levels, rows, columns)
        depth = random.uniform(200.0, 600.0, shape)
        self.layer_depth = depth / 20.0 if thin else depth
        height = np.cumsum(depth, axis=0) - 0.5 * depth
        self.air_pressure = 1e5 * np.exp(-height / 8000.0) * random.uniform(0.98, 1.02, shape)
        self.exner = (self.air_pressure / 1e5) ** (2.0 / 7.0)
        temperature = 303.0 - 6.5e-3 * height + random.uniform(-3.0, 3.0, shape)
        self.dry_theta = temperature / self.exner - 300.0
        self.air_density = self.air_pressure / (287.0 * temperature)
        most = kessler.saturated(temperature, self.air_pressure)
        self.water = np.stack(
            (
                most * random.choice([0.0, 0.3, 0.9, 1.0, 1.1], shape),
                random.choice([0.0, 1e-5, 1e-3, 4e-3], shape),
                random.choice([0.0, 0.0, 1e-6, 1e-3, 1e-2], shape),
            )
        )
        self.water[cloud:, :, :, : columns // 3] = 0.0
        self.rain_fallen = np.full((rows, columns), np.nan)

    @property
    def temperature(self) -> np.ndarray:
        return (300.0 + self.dry_theta) * self.exner

    @property
    def enthalpy(self) -> np.ndarray:
        """Moist, of dry air's mass [J kg-1]."""
        return 1004.5 * self.temperature + 2.5e6 * self.water[vapor]

    def content(self) -> np.ndarray:
        """Of water, by species and column [kg m-2]."""
        return (self.water * self.air_density * self.layer_depth).sum(axis=1)

    def step(self, dtype: type = np.float64, dt: float = dt, **options: float) -> Air:
        """What the kernel makes of it; rows and columns in a halo of one cell."""
        after = Air.__new__(Air)
        after.__dict__ |= {
            name: np.pad(field, [(0, 0)] * (field.ndim - 2) + [(1, 1)] * 2).astype(dtype)
            for name, field in self.__dict__.items()
        }
        rows, columns = self.rain_fallen.shape
        box = (1, 1 + rows, 1, 1 + columns, 0)
        numbers = KesslerOptions(**options).numbers
        _native.atmosphere_kessler(box, **after.__dict__, dt=dt, **numbers)
        for name, field in after.__dict__.items():
            after.__dict__[name] = field[..., 1:-1, 1:-1]
        return after

    def still(self) -> Air:
        """With layers so thick that nothing falls from one to the next."""
        self.layer_depth[:] = 1e30
        return self


def twin(air: Air) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    water, fallen = air.water.copy(), np.zeros((rows, columns))
    for j, i in np.ndindex(rows, columns):
        column = (water[rain, :, j, i], air.air_density[:, j, i], air.layer_depth[:, j, i])
        water[rain, :, j, i], fallen[j, i] = kessler.fall(*column, dt)
    theta, water = kessler.change(
        300.0 + air.dry_theta, water, air.air_pressure, air.exner, air.air_density, dt
    )
    return theta - 300.0, water, fallen


@pytest.mark.parametrize("seed, thin", [(0, False), (1, False), (2, True)])
def test_twin(seed, thin):
    before = Air(seed, thin)
    after, (theta, water, fallen) = before.step(), twin(before)
    np.testing.assert_allclose(after.dry_theta, theta, rtol=0, atol=1e-12 * 300)
    np.testing.assert_allclose(after.water, water, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(after.rain_fallen, fallen, rtol=1e-12, atol=1e-15)
    assert (water[cloud] > before.water[cloud]).any() and (fallen > 0).any()


def test_other_numbers(monkeypatch):
    """Every option that is a number of the equations."""
    options = {"autoconversion": 3e-3, "threshold": 5e-4, "accretion": 4.0, "courant": 0.3}
    before = Air(8, thin=True)
    plain = before.step()
    for option, value in options.items():
        assert not np.array_equal(before.step(**{option: value}).water, plain.water), option
        monkeypatch.setattr(kessler, {"courant": "most_courant"}.get(option, option), value)
    after, (theta, water, _) = before.step(**options), twin(before)
    np.testing.assert_allclose(after.water, water, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(after.dry_theta, theta, rtol=0, atol=1e-12 * 300)


def test_single_precision_is_near():
    before = Air(3)
    double, single = before.step(), before.step(np.float32)
    np.testing.assert_allclose(single.dry_theta, double.dry_theta, rtol=0, atol=1e-3)
    np.testing.assert_allclose(single.water, double.water, rtol=2e-5, atol=3e-8)


def test_an_empty_dry_atmosphere_stays():
    before = Air()
    before.water[:] = 0.0
    after = before.step()
    assert np.array_equal(after.dry_theta, before.dry_theta)
    assert not after.water.any() and not after.rain_fallen.any()


@pytest.mark.parametrize("thin", [False, True])
def test_water_is_conserved(thin):
    before = Air(4, thin)
    after = before.step()
    total = after.content().sum(axis=0) + after.rain_fallen
    np.testing.assert_allclose(total, before.content().sum(axis=0), rtol=1e-14)


def test_changes_of_phase_conserve_water_and_enthalpy():
    before = Air(5).still()
    after = before.step()
    total = before.water.sum(axis=0)
    np.testing.assert_allclose(after.water.sum(axis=0), total, rtol=1e-14, atol=1e-20)
    np.testing.assert_allclose(after.enthalpy, before.enthalpy, rtol=2e-15)
    assert np.abs(after.dry_theta - before.dry_theta).max() > 1.0


def test_cloudy_air_is_saturated():
    """One step of Newton's leaves what the second one removes."""
    air = Air(6).still()
    most = kessler.saturated(air.temperature, air.air_pressure)
    air.water[vapor], air.water[cloud], air.water[rain] = most * [[0.9], [1.1]], 5e-3, 0.0
    missed = []
    for _ in range(4):
        most = kessler.saturated(air.temperature, air.air_pressure)
        missed.append(np.abs(air.water[vapor] / most - 1.0).max())
        air = air.step()
    assert missed[0] > 0.099 and missed[1] < 4e-3 and missed[2] < 1e-5 and missed[3] < 1e-10


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_becomes_negative(seed, dtype):
    """Whatever the step."""
    for length in (1.0, 60.0, 600.0):
        after = Air(seed, thin=seed % 2 == 1).step(dtype, length)
        assert np.isfinite(after.water).all() and np.isfinite(after.rain_fallen).all()
        assert after.water.min() >= 0.0 and after.rain_fallen.min() >= 0.0


def moist_adiabat(pressure: float) -> float:
    """Temperature [K] of a saturated parcel of 290 K at 900 hPa that is lifted to `pressure` [Pa].

    cp exner dtheta = -Lv dqvs, integrated in pressure.
    """
    kappa = 2.0 / 7.0

    def rate(p, theta):
        exner = (p / 1e5) ** kappa
        t = theta * exner
        e = kessler.vapor_pressure(t)
        by_t = 287.0 / 461.6 * p * e / (p - e) ** 2 * 17.67 * 243.5 / (t - 29.65) ** 2
        by_p = -287.0 / 461.6 * e / (p - e) ** 2
        heat = 2.5e6 / (1004.5 * exner)
        return -heat * (by_t * kappa * t / p + by_p) / (1.0 + heat * by_t * exner)

    start = 290.0 / 0.9**kappa
    found = solve_ivp(rate, (9e4, pressure), [start], rtol=1e-10, atol=1e-10)
    return found.y[0, -1] * (pressure / 1e5) ** kappa


def test_a_lifted_parcel_follows_the_moist_adiabat():
    """With an error that goes as the length of its steps."""
    errors = []
    for steps in (20, 40, 80):
        air = Air().still()
        air.air_pressure[:], air.exner[:] = 9e4, 0.9 ** (2.0 / 7.0)
        air.dry_theta[:] = 290.0 / air.exner - 300.0
        air.water[:] = 0.0
        air.water[vapor] = kessler.saturated(air.temperature, air.air_pressure)
        for pressure in np.linspace(9e4, 4e4, steps + 1)[1:]:
            air.air_pressure[:], air.exner[:] = pressure, (pressure / 1e5) ** (2.0 / 7.0)
            air = air.step(autoconversion=0.0)
        errors.append(np.abs(air.temperature - moist_adiabat(4e4)).max())
    assert errors[0] < 0.2
    assert 1.8 < errors[0] / errors[1] < 2.3 and 1.8 < errors[1] / errors[2] < 2.3


def test_fall_speed():
    """Of rain of 1 g m-3 in air as dense as at the ground.

    36.34 (1e-6)^0.1364 = 5.52 m s-1; Kessler 1969 has 5.1 m s-1 for its median drops.
    """
    before = Air()
    before.water[:] = 0.0
    before.air_density[:], before.layer_depth[:] = 1.1, 1000.0
    before.water[rain] = 1e-3 / 1.1
    before.water[vapor] = kessler.saturated(before.temperature, before.air_pressure)
    fallen = before.step().rain_fallen / 1e-3 / dt
    np.testing.assert_allclose(fallen, 5.52, rtol=1e-3)
    np.testing.assert_allclose(fallen, 5.1, rtol=0.1)


def test_saturation_is_that_of_published_tables():
    """Pressure over water [hPa] of the Smithsonian tables (List 1951, table 94), to 0.3 %."""
    published = {-20.0: 1.2540, -10.0: 2.8627, 0.0: 6.1078, 10.0: 12.272, 20.0: 23.373, 30.0: 42.43}
    before = Air().still()
    before.air_pressure[:], before.exner[:] = 1e5, 1.0
    before.water[rain] = 0.0
    for celsius, pressure in published.items():
        before.dry_theta[:] = celsius + 273.15 - 300.0
        ratio = 287.0 / 461.6 * pressure / (1000.0 - pressure)
        for share, condenses in ((0.997, False), (1.003, True)):
            before.water[vapor], before.water[cloud] = ratio * share, 1e-4
            after = before.step()
            assert ((after.water[cloud] > before.water[cloud]) == condenses).all()


def test_what_is_negative_is_filled_from_vapour():
    before = Air(9).still()
    before.water[vapor] += 1e-4
    before.water[cloud:] -= np.random.default_rng(9).choice([0.0, 1e-6], before.water[cloud:].shape)
    after = before.step()
    assert before.water.min() < 0.0 <= after.water.min()
    np.testing.assert_allclose(after.water.sum(axis=0), before.water.sum(axis=0), rtol=1e-13)
    np.testing.assert_allclose(after.enthalpy, before.enthalpy, rtol=2e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("amount", ["much", "little"])
def test_columns_by_themselves_give_the_same_bits(dtype, amount):
    """Whatever columns are computed together with them; near the end of the normal range too."""
    before, random = Air(7), np.random.default_rng(7)
    least = float(np.finfo(dtype).tiny)
    some = [0.0, 1e-6] if amount == "much" else [0.0, -1.02 * least, -1.2 * least, -1e3 * least]
    before.water[cloud:] *= amount == "much"
    before.water[cloud:] -= random.choice(some, before.water[cloud:].shape)
    whole = before.step(dtype)
    for i in range(columns):
        alone = Air.__new__(Air)
        alone.__dict__ |= {name: field[..., i : i + 1] for name, field in before.__dict__.items()}
        after = alone.step(dtype)
        for name in ("dry_theta", "water", "rain_fallen"):
            wanted = getattr(whole, name)[..., i : i + 1]
            assert np.array_equal(getattr(after, name), wanted), (name, i)


def test_a_state_that_is_not_finite_ends():
    for wrong in (np.nan, np.inf):
        before = Air()
        before.water[rain, 3] = wrong
        assert not np.isfinite(before.step().water).all()
