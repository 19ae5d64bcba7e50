"""Clouds with ice against a twin in NumPy, what is conserved, and columns of rain, snow, hail."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.atmosphere import _native
from halocline.atmosphere.microphysics.wsm6 import Wsm6Options
from references import kessler, wsm6

levels, rows, columns = 24, 2, 19
dt = 20.0
vapor, cloud, rain, ice, snow, graupel = range(6)
fallen = Wsm6Options.fallen


class Air:
    """Random columns from warm ground to -70 degrees C, in `water` a quarter without condensate."""

    def __init__(self, seed: int = 0, thin: bool = False) -> None:
        random = np.random.default_rng(seed)
        shape = (levels, rows, columns)
        depth = random.uniform(300.0, 700.0, shape)
        self.layer_depth = depth / 20.0 if thin else depth
        height = np.cumsum(depth, axis=0) - 0.5 * depth
        self.air_pressure = 1e5 * np.exp(-height / 8000.0)
        self.exner = (self.air_pressure / 1e5) ** (2.0 / 7.0)
        temperature = 293.0 - 7e-3 * height + random.uniform(-8.0, 8.0, shape)
        self.dry_theta = temperature / self.exner - 300.0
        self.air_density = self.air_pressure / (287.0 * temperature)
        most = kessler.saturated(temperature, self.air_pressure)
        some = [0.0, 1e-10, 1e-6, 8e-5, 1e-3, 6e-3]
        self.water = np.stack([random.choice(some, shape) for _ in range(6)])
        self.water[vapor] = most * random.choice([0.3, 0.8, 0.95, 1.0, 1.05], shape)
        self.water[ice] *= 0.1
        self.water[cloud:, :, :, : columns // 4] = 0.0
        for name in fallen:
            setattr(self, name, np.full((rows, columns), np.nan))

    @property
    def temperature(self) -> np.ndarray:
        return (300.0 + self.dry_theta) * self.exner

    @property
    def enthalpy(self) -> np.ndarray:
        """Moist, of dry air's mass [J kg-1]."""
        frozen = self.water[ice] + self.water[snow] + self.water[graupel]
        return 1004.5 * self.temperature + 2.5e6 * self.water[vapor] - 3.5e5 * frozen

    def content(self) -> np.ndarray:
        """Of water, by species and column [kg m-2]."""
        return (self.water * self.air_density * self.layer_depth).sum(axis=1)

    def step(self, dtype: type = np.float64, dt: float = dt, **options) -> Air:
        """What the kernel makes of it; rows and columns in a halo of one cell."""
        after = Air.__new__(Air)
        after.__dict__ |= {
            name: np.pad(field, [(0, 0)] * (field.ndim - 2) + [(1, 1)] * 2).astype(dtype)
            for name, field in self.__dict__.items()
        }
        rows, columns = self.rain_fallen.shape
        box = (1, 1 + rows, 1, 1 + columns, 0)
        numbers = Wsm6Options(**options).numbers
        _native.atmosphere_wsm6(box, **after.__dict__, dt=dt, **numbers)
        for name, field in after.__dict__.items():
            after.__dict__[name] = np.ascontiguousarray(field[..., 1:-1, 1:-1])
        return after

    def still(self) -> Air:
        """With layers so thick that nothing falls from one to the next."""
        self.layer_depth[:] = 1e30
        return self


def twin(air: Air, one_speed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    water, ground = air.water.copy(), np.zeros((3, rows, columns))
    for j, i in np.ndindex(rows, columns):
        q = dict(zip(wsm6.names, water[..., j, i], strict=True))
        column = (air.temperature, air.air_density, air.layer_depth)
        fell = wsm6.fall(q, *(field[:, j, i] for field in column), dt, one_speed)
        water[..., j, i] = np.stack([q[name] for name in wsm6.names])
        ground[:, j, i] = fell["rain"], fell["snow"] + fell["ice"], fell["graupel"]
    theta, water = wsm6.change(
        300.0 + air.dry_theta, water, air.air_pressure, air.exner, air.air_density, dt, one_speed
    )
    return theta - 300.0, water, ground


@pytest.mark.parametrize(
    "seed, thin, one_speed", [(0, False, True), (1, False, False), (2, True, True)]
)
def test_twin(seed, thin, one_speed):
    before = Air(seed, thin)
    after, (theta, water, ground) = before.step(one_speed=one_speed), twin(before, one_speed)
    np.testing.assert_allclose(after.water, water, rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(after.dry_theta, theta, rtol=0, atol=1e-12 * 300)
    for name, fell in zip(fallen, ground, strict=True):
        np.testing.assert_allclose(getattr(after, name), fell, rtol=1e-12, atol=1e-15)
    assert (ground > 0).any(axis=(1, 2)).all()


def test_scarce_collectors_may_be_as_efficient(monkeypatch):
    monkeypatch.setattr(wsm6, "weak_if_scarce", False)
    before = Air(10)
    after, (theta, water, _) = before.step(weak_if_scarce=False), twin(before, one_speed=True)
    np.testing.assert_allclose(after.water, water, rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(after.dry_theta, theta, rtol=0, atol=1e-12 * 300)
    assert before.step().water[graupel].sum() < 0.99 * after.water[graupel].sum()


def test_other_numbers(monkeypatch):
    """Hail, and few droplets: every option that is a number of the equations."""
    options = {
        "droplets": ("nc", 5e7), "rain_intercept": ("n0r", 2e7), "snow_intercept": ("n0s", 3e6),
        "graupel_intercept": ("n0g", 4e4), "graupel_density": ("rho_g", 700.0),
        "graupel_speed": ("a_g", 285.0),
    }  # fmt: skip
    before = Air(8)
    plain = before.step()
    for option, (name, value) in options.items():
        assert not np.array_equal(before.step(**{option: value}).water, plain.water), option
        monkeypatch.setattr(wsm6, name, value)
    after = before.step(**{option: value for option, (_, value) in options.items()})
    theta, water, _ = twin(before, one_speed=True)
    np.testing.assert_allclose(after.water, water, rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(after.dry_theta, theta, rtol=0, atol=1e-12 * 300)


def test_single_precision_is_near():
    before = Air(3)
    double, single = before.step(), before.step(np.float32)
    np.testing.assert_allclose(single.dry_theta, double.dry_theta, rtol=0, atol=2e-3)
    np.testing.assert_allclose(single.water, double.water, rtol=2e-4, atol=1e-7)


def test_an_empty_dry_atmosphere_stays():
    before = Air()
    before.water[:] = 0.0
    after = before.step()
    assert np.array_equal(after.dry_theta, before.dry_theta) and not after.water.any()


@pytest.mark.parametrize("thin", [False, True])
def test_water_is_conserved(thin):
    before = Air(4, thin)
    after = before.step(dt=300.0)
    total = after.content().sum(axis=0) + sum(getattr(after, name) for name in fallen)
    np.testing.assert_allclose(total, before.content().sum(axis=0), rtol=1e-13)


def test_changes_of_phase_conserve_water_and_enthalpy():
    before = Air(5).still()
    after = before.step()
    np.testing.assert_allclose(after.water.sum(axis=0), before.water.sum(axis=0), rtol=1e-14)
    np.testing.assert_allclose(after.enthalpy, before.enthalpy, rtol=2e-15)
    assert np.abs(after.dry_theta - before.dry_theta).max() > 1.0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_becomes_negative(seed, dtype):
    """Whatever the step."""
    for length in (1.0, 60.0, 600.0):
        before = Air(seed, thin=seed % 2 == 1)
        after = before.step(dtype, length, one_speed=seed < 2, longest=600.0)
        for name in ("water", *fallen):
            values = getattr(after, name)
            assert np.isfinite(values).all() and values.min() >= 0.0, name


def test_long_steps_are_divided():
    before = Air(1)
    twice, at_once = before.step(dt=60.0).step(dt=60.0), before.step(dt=120.0, longest=60.0)
    np.testing.assert_allclose(at_once.water, twice.water, rtol=1e-12, atol=1e-18)


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
        before.water[rain, 3] = before.water[snow, 5] = wrong
        assert not np.isfinite(before.step().water).all()


def test_saturation_over_ice_is_that_of_published_tables():
    """Pressure over ice [hPa] of the Smithsonian tables (List 1951, table 96), to 0.4 %."""
    published = {-40.0: 0.1283, -30.0: 0.3798, -20.0: 1.0319, -10.0: 2.5971}
    for celsius, pressure in published.items():
        found = wsm6.saturated_over_ice(np.array(celsius + 273.15), np.array(1e5))
        ratio = 287.0 / 461.6 * pressure / (1000.0 - pressure)
        assert abs(found / ratio - 1.0) < 4e-3


@pytest.mark.parametrize("drops", [1e-4, 1e-3, 5e-3])
def test_rain_is_like_that_of_another_published_scheme(drops):
    """Kessler's falls and collects cloud alike, to 20 %, and evaporates 1.8 times as fast."""
    temperature, pressure = np.array([285.0]), np.array([9e4])
    exner, rho = 0.9 ** (2.0 / 7.0), pressure / (287.0 * temperature)
    most, none = kessler.saturated(temperature, pressure), np.zeros(1)

    def lost(humidity: float, droplets: float) -> tuple[float, float]:
        water = np.stack([humidity * most, none + droplets, none + drops])
        air = (pressure, exner, rho, 1.0)
        _, warm = kessler.change(temperature / exner, water, *air)
        _, cold = wsm6.change(temperature / exner, np.stack([*water, none, none, none]), *air)
        return drops - warm[rain].item(), drops - cold[rain].item()

    evaporated, collected = lost(0.5, 0.0), lost(1.0, 5e-4)
    assert 1.7 < evaporated[0] / evaporated[1] < 1.9 and evaporated[1] > 0.0
    assert 0.8 < collected[0] / collected[1] < 1.2 and collected[1] < 0.0
    q = {"rain": none + drops, "snow": none, "graupel": none, "ice": none}
    speed, *_ = wsm6.speeds(q, temperature, rho, one_speed=True)
    assert abs(kessler.fall_speed(np.array(drops), rho, rho) / speed - 1.0) < 0.2


class Columns(Air):
    """One column of even layers below `top`, of one lapse rate, without condensate."""

    def __init__(self, ground: float, lapse: float, humidity: float, top: float = 8000.0) -> None:
        shape, height = (levels, 1, 1), (np.arange(levels) + 0.5) * top / levels
        self.layer_depth = np.full(shape, top / levels)
        temperature = (ground - lapse * height).reshape(shape)
        self.air_pressure = (
            1e5 * (1.0 - lapse * height / ground) ** (9.81 / 287.0 / lapse)
        ).reshape(shape)
        self.exner = (self.air_pressure / 1e5) ** (2.0 / 7.0)
        self.dry_theta = temperature / self.exner - 300.0
        self.air_density = self.air_pressure / (287.0 * temperature)
        self.water = np.zeros((6, *shape))
        self.water[vapor] = humidity * kessler.saturated(temperature, self.air_pressure)
        for name in fallen:
            setattr(self, name, np.zeros((1, 1)))

    def run(self, steps: int, **held: float) -> tuple[Columns, np.ndarray]:
        """After some steps, `held` a species' mixing ratio at the top; what fell [kg m-2]."""
        after, ground = self, np.zeros(3)
        for _ in range(steps):
            for name, value in held.items():
                after.water[wsm6.names.index(name), -1] = value
            after = after.step()
            ground += [getattr(after, name).item() for name in fallen]
        return after, ground


def test_snow_melts_below_the_melting_level():
    """It falls through 0 degrees C and becomes rain within a kilometre; none reaches the ground."""
    after, ground = Columns(290.0, 6.5e-3, 0.98).run(300, snow=1e-3)
    temperature = after.temperature[:, 0, 0]
    level = np.argmax(temperature < 273.15)
    flakes, drops = after.water[snow, :, 0, 0], after.water[rain, :, 0, 0]
    assert flakes[level:].min() > 1e-5 and drops[level + 1 :].max() < 1e-6
    assert flakes[temperature > 280.0].max() < 1e-7 and drops[: level - 2].min() > 1e-5
    assert ground[0] > 1.0 and ground[1] < 1e-6


def test_a_shaft_of_rain_evaporates_and_cools():
    """In dry air below its cloud."""
    moist, dry = (Columns(295.0, 6.5e-3, humidity, 3000.0) for humidity in (1.0, 0.4))
    wet_end, wet = moist.run(200, rain=1e-3)
    dry_end, less = dry.run(200, rain=1e-3)
    assert less[0] < 0.9 * wet[0] and less[1:].max() == 0.0
    assert (dry_end.temperature[3:-3] < dry.temperature[3:-3] - 0.5).all()
    assert np.abs(wet_end.temperature - moist.temperature).max() < 0.3


def test_ice_grows_from_vapour_in_the_cold():
    """Nucleation, growth to saturation over ice, and no liquid below -40 degrees C."""
    air = Columns(243.0, 1e-3, 0.99).still()
    for _ in range(120):
        air = air.step()
    most = wsm6.saturated_over_ice(air.temperature, air.air_pressure)
    np.testing.assert_allclose(air.water[vapor], most, rtol=0.02)
    assert air.water[ice].min() > 1e-6 and air.water[cloud].max() == 0.0
    cold = Columns(230.0, 1e-3, 1.0).still()
    cold.water[cloud] = 1e-4
    assert cold.step().water[cloud].max() < 1e-6


def test_graupel_grows_in_supercooled_cloud():
    """Of frozen drops, which collect the cloud of an updraft."""
    air = Columns(263.0, 1e-3, 1.0).still()
    air.water[rain] = 1e-4
    for _ in range(15):
        air.water[cloud] = 2e-3
        air = air.step()
    assert air.water[graupel].min() > 3e-4
    assert air.water[graupel].mean() > 2.0 * air.water[snow].mean()


def test_a_strong_updraft_glaciates():
    """A parcel lifted at some 10 m/s: rain of its cloud freezes, all of it by -42 degrees C."""
    air = Columns(290.0, 1e-9, 1.0).still()
    air.air_pressure[:], air.exner[:] = 9e4, 0.9 ** (2.0 / 7.0)
    air.dry_theta[:] = 290.0 / air.exner - 300.0
    air.water[vapor] = kessler.saturated(air.temperature, air.air_pressure)
    water, seen = air.water[vapor].copy(), []
    for pressure in np.linspace(9e4, 2.2e4, 61)[1:]:
        air.air_pressure[:], air.exner[:] = pressure, (pressure / 1e5) ** (2.0 / 7.0)
        air.air_density[:] = air.air_pressure / (287.0 * air.temperature)
        air = air.step()
        seen.append((air.temperature[0, 0, 0] - 273.15, *air.water[:, 0, 0, 0]))
    celsius, _, liquid, drops, _, _, hail = np.array(seen).T
    np.testing.assert_allclose(air.water.sum(axis=0), water, rtol=1e-12)
    assert liquid[celsius > 5.0].max() > 1e-3 and celsius[-1] < -45.0
    assert hail[: np.argmax(celsius < 0.0)].max() < 1e-6 and hail.max() > 1e-3
    assert drops[(celsius < -5.0) & (celsius > -15.0)].max() > 1e-3
    assert (liquid + drops)[celsius < -42.0].max() < 1e-6
