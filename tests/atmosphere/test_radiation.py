"""Radiation in grey air with exact solutions, tables of files, standard atmospheres. Ranks: 1."""

import netCDF4
import numpy as np
import pytest

from atmosphere.radiation_columns import column, grey, shine
from halocline.atmosphere.radiation.radiation_options import RadiationOptions
from halocline.atmosphere.radiation.tables import long_wave_tables, short_wave_tables
from halocline.core.errors import UserError

sigma, secant, gravity = 5.670374e-8, 1.66, 9.81
faces = np.linspace(1e5, 2e4, 33)
kelvin = 160.0 + np.arange(240)


def glow(depth_per_mass, planck, **more):
    """Tables of a grey gas that emits `planck` [W m-2] over pi by temperature."""
    tables = grey(depth_per_mass)
    return tables | {"planck_share": np.ones((2, 3, 2, 1)), "planck": planck[None]} | more


def ground(temperature, emissivity=1.0):
    return {"skin_temperature": temperature, "emissivity": emissivity}


@pytest.mark.parametrize("depth_per_mass", [1e-5, 1e-3, 1.0])
def test_isothermal_air_over_black_ground(depth_per_mass):
    """All shines as a black body; down comes its part 1 - e^(-1.66 tau)."""
    air, black = column(faces, np.full(32, 250.0)), sigma * 250.0**4
    tables = glow(depth_per_mass, sigma * kelvin**4 / np.pi)
    got = shine("atmosphere_long_wave", air, tables, **ground(250.0))
    np.testing.assert_allclose(got["upward_flux"], black, rtol=1e-10)
    above = depth_per_mass * (faces - faces[-1]) / gravity
    down = -black * np.expm1(-secant * above)
    np.testing.assert_allclose(got["downward_flux"][:, 0], down, rtol=1e-9, atol=1e-9)
    assert got["flux_down"][0] == got["downward_flux"][0, 0]
    assert got["flux_out"][0] == got["upward_flux"][-1, 0]


def test_a_planck_function_linear_in_depth():
    """B = a + b tau: down a - b/D + b tau - (a - b/D) e^(-D tau), up alike."""
    temperature = 200.0 + 0.75 * (np.arange(32)[::-1] + 0.5)
    air = column(faces, temperature)
    air["layer_depth"] = np.full(32, 500.0)
    air["air_density"] = -np.diff(faces) / gravity / 500.0
    got = shine("atmosphere_long_wave", air, glow(2e-3, kelvin - 160.0), **ground(230.0, 0.9))
    depth = 2e-3 * (faces - faces[-1]) / gravity
    whole, slope, top = depth[0], 24.0 / depth[0], 40.0
    bend = slope / secant
    down = top - bend + slope * depth - (top - bend) * np.exp(-secant * depth)
    np.testing.assert_allclose(got["downward_flux"][:, 0], np.pi * down, rtol=1e-9)
    leaving = 0.9 * 70.0 + 0.1 * down[0]
    passed = np.exp(-secant * (whole - depth))
    up = top + bend + slope * depth + (leaving - (top + bend + slope * whole)) * passed
    np.testing.assert_allclose(got["upward_flux"][:, 0], np.pi * up, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_heating_is_what_the_fluxes_leave(dtype):
    """Of both radiations, layer by layer and all of the column."""
    temperature = np.linspace(295.0, 215.0, 32)
    air = column(faces, temperature)
    mass = 1004.5 * air["air_density"] * air["layer_depth"] * air["exner"]
    long = shine(
        "atmosphere_long_wave", air, glow(5e-4, sigma * kelvin**4 / np.pi), dtype, **ground(300.0)
    )
    light = sunny(2e-5, scattering=4e-5)
    short = shine("atmosphere_short_wave", air, light, dtype, sun=0.6, albedo=0.2)
    for got in (long, short):
        net = got["downward_flux"][:, 0] - got["upward_flux"][:, 0]
        wanted = np.diff(net)
        rounding = 1e-9 if dtype is np.float64 else 2e-4
        np.testing.assert_allclose(mass * got["theta_tendency"][:, 0], wanted, atol=rounding)
    assert (short["theta_tendency"] > 0).all()
    assert long["theta_tendency"].sum() < 0


def sunny(depth_per_mass, scattering=0.0, bands=1):
    """Tables of a grey gas that absorbs and scatters by its mass [m2 kg-1]."""
    tables = grey(depth_per_mass, bands)
    table = np.full((2, 2, bands), scattering * grey(1.0)["absorption"][0, 0, 0, 0])
    light = {"lower_scattering": table, "upper_scattering": table}
    return tables | light | {"sunlight": np.full(bands, 1 / bands)}


def test_air_that_absorbs_only():
    """The beam by Beer's law, what the ground reflects by e^(-2 tau) of two streams."""
    air = column(faces, np.full(32, 260.0))
    got = shine("atmosphere_short_wave", air, sunny(1e-4), sun=0.5, albedo=0.3)
    above = 1e-4 * (faces - faces[-1]) / gravity
    np.testing.assert_allclose(got["downward_flux"][:, 0], 500 * np.exp(-above / 0.5), rtol=1e-9)
    ground_light = 0.3 * 500 * np.exp(-above[0] / 0.5)
    up = ground_light * np.exp(-2 * (above[0] - above))
    np.testing.assert_allclose(got["upward_flux"][:, 0], up, rtol=1e-9)
    night = shine("atmosphere_short_wave", air, sunny(1e-4), sun=-0.2, albedo=0.3)
    assert not night["downward_flux"].any()
    assert not night["upward_flux"].any()


@pytest.mark.parametrize("sun", [0.15, 0.6, 1.0])
@pytest.mark.parametrize("scattering", [1e-5, 1e-3, 0.02])
def test_air_that_scatters_only(sun, scattering):
    """Nothing is lost, and as much is reflected as Meador and Weaver say of one layer (eq. 24)."""
    air = column(faces, np.full(32, 260.0))
    got = shine("atmosphere_short_wave", air, sunny(0.0, scattering), sun=sun, albedo=0.0)
    net = (got["downward_flux"] - got["upward_flux"])[:, 0]
    np.testing.assert_allclose(net, net[0], rtol=1e-5)
    depth = scattering * (faces[0] - faces[-1]) / gravity
    gain = 0.75
    back = gain * depth + (0.5 - gain * sun) * -np.expm1(-depth / sun)
    reflected = back / (1 + gain * depth)
    np.testing.assert_allclose(got["upward_flux"][-1, 0], 1000 * sun * reflected, rtol=2e-5)


def test_clouds_dim_the_sun_and_shine():
    """Drops add their optical depth, and send the forward peak on: delta scaling of 0.85."""
    water = np.zeros((3, 32))
    water[1, 4:6], water[2, 20:22] = 3e-4, 1e-4
    air, clear = column(faces, np.full(32, 260.0), water), column(faces, np.full(32, 260.0))
    mass = (air["air_density"] * air["layer_depth"] * water[1]).sum()
    tables = glow(0.0, sigma * kelvin**4 / np.pi, liquid=np.array([60.0]), ice=np.zeros(1))
    got = shine("atmosphere_long_wave", air, tables, cloud=1, **ground(260.0))
    black = sigma * 260.0**4
    assert got["flux_down"][0] == pytest.approx(-black * np.expm1(-secant * 60 * mass), rel=1e-9)
    optics = {"liquid_extinction": np.array([150.0]), "liquid_albedo": np.array([1.0])}
    optics["liquid_asymmetry"] = np.array([0.85])
    kernel, light = "atmosphere_short_wave", sunny(0.0)
    got = shine(kernel, air, light | optics, cloud=1, sun=0.7, albedo=0.0)
    peak = 0.85**2
    depth, asymmetry = 150 * mass * (1 - peak), (0.85 - peak) / (1 - peak)
    gain = 0.75 * (1 - asymmetry)
    first = 0.5 - 0.75 * 0.7 * asymmetry
    back = gain * depth + (first - gain * 0.7) * -np.expm1(-depth / 0.7)
    assert got["flux_out"][0] == pytest.approx(700 * back / (1 + gain * depth), rel=1e-4)
    shaded = shine(kernel, air, light | optics, sun=0.7, albedo=0.0)
    plain = shine(kernel, clear, light, sun=0.7, albedo=0.0)
    assert shaded["flux_out"][0] == pytest.approx(plain["flux_out"][0], abs=1e-9)


def test_layers_above_the_model_go_on_in_it():
    """Air up to 200 hPa with layers above has at its top what air of its warmth to the end has."""
    tables = glow(3e-4, sigma * kelvin**4 / np.pi)
    got = shine("atmosphere_long_wave", column(faces, np.full(32, 250.0)), tables, extra=6,
                **ground(250.0))  # fmt: skip
    black = sigma * 250.0**4
    top = -black * np.expm1(-secant * 3e-4 * 2e4 / gravity)
    assert got["downward_flux"][-1, 0] == pytest.approx(top, rel=1e-6)
    assert got["flux_out"][0] == pytest.approx(black, rel=1e-9)


def test_layers_above_are_as_warm_as_the_standard_atmosphere():
    """Opaque air: to space shines what is highest, 30 K warmer than the top of the model."""
    tables = glow(1e3, sigma * kelvin**4 / np.pi) | {
        "ozone_pressure": np.array([1e5, 1e4, 1e2]),
        "standard_temperature": np.array([290.0, 220.0, 250.0]),
    }
    air = column(np.linspace(1e5, 1e4, 33), np.full(32, 230.0))
    got = shine("atmosphere_long_wave", air, tables, extra=8, **ground(290.0))
    assert got["flux_out"][0] == pytest.approx(sigma * 260.0**4, rel=1e-3)
    assert got["upward_flux"][-1, 0] == pytest.approx(sigma * 230.0**4, rel=1e-3)


def little_file(path, texts):
    """A file of tables with two bands of two terms, of two gases."""
    shapes = {
        "temperature": 3, "pressure": 4, "pressure_interp": 5, "mixing_fraction": 2, "gpt": 4,
        "bnd": 2, "pair": 2, "atmos_layer": 2, "absorber_ext": 3, "absorber": 2, "minor": 2,
        "intervals": 1, "contributors": 2, "kelvin": 5, "string_len": 8,
    }  # fmt: skip
    with netCDF4.Dataset(path, "w") as file:
        for name, size in shapes.items():
            file.createDimension(name, size)

        def put(name, values, *dimensions, kind="f8"):
            file.createVariable(name, kind, dimensions)[...] = values

        def say(name, words, dimension):
            chars = np.array([list(word.ljust(8)) for word in words], "S1")
            put(name, chars, dimension, "string_len", kind="S1")

        say("gas_names", ["h2o", "co2"], "absorber")
        say("gas_minor", ["h2o", "co2"], "minor")
        say("identifier_minor", ["h2o_self", "co2"], "minor")
        put("bnd_limits_gpt", [[1, 2], [3, 4]], "bnd", "pair", kind="i4")
        keys = [[[1, 2], [0, 0]], [[0, 0], [2, 1]]]
        put("key_species", keys, "bnd", "atmos_layer", "pair", kind="i4")
        reference = np.arange(1.0, 19.0).reshape(3, 3, 2)
        put("vmr_ref", reference, "temperature", "absorber_ext", "atmos_layer")
        main = ("temperature", "pressure_interp", "mixing_fraction", "gpt")
        for name in ("kmajor", "plank_fraction"):
            put(name, np.arange(120.0).reshape(3, 5, 2, 4), *main)
        put("temp_ref", [160.0, 175.0, 190.0], "temperature")
        put("press_ref", [1e5, 1e4, 1e3, 1e2], "pressure")
        put("press_ref_trop", 9e3)
        put("totplnk", np.ones((2, 5)), "bnd", "kelvin")
        for part in ("lower", "upper"):
            put(f"kminor_{part}", np.ones((3, 2, 2)), "temperature", "mixing_fraction",
                "contributors")  # fmt: skip
            say(f"minor_gases_{part}", [texts[0]], "intervals")
            say(f"scaling_gas_{part}", [texts[1]], "intervals")
            put(f"minor_limits_gpt_{part}", [[3, 4]], "intervals", "pair", kind="i4")
            for name in ("minor_scales_with_density", "scale_by_complement", "kminor_start"):
                put(f"{name}_{part}", 1, "intervals", kind="i4")


def clouds_file(path):
    with netCDF4.Dataset(path, "w") as file:
        for name, size in {"rough": 3, "bnd": 2, "drop": 2, "crystal": 2}.items():
            file.createDimension(name, size)
        for name, limit in (("radliq", (2.5, 21.5)), ("diamice", (10.0, 180.0))):
            for end, value in zip(("lwr", "upr"), limit, strict=True):
                file.createVariable(f"{name}_{end}", "f8")[...] = value
        for name, (first, last) in {
            "ext": (0.3, 0.1),
            "ssa": (0.4, 0.6),
            "asy": (0.8, 0.9),
        }.items():
            drops = file.createVariable(f"{name}liq", "f8", ("bnd", "drop"))
            drops[...] = [[first, last]] * 2
            ice = file.createVariable(f"{name}ice", "f8", ("rough", "bnd", "crystal"))
            ice[...] = [[[0.0, 0.0]] * 2, [[first, last]] * 2, [[0.0, 0.0]] * 2]


def test_files_become_tables(tmp_path):
    little_file(tmp_path / "rrtmgp-gas-lw-g256.nc", ["h2o_self", "co2"])
    clouds_file(tmp_path / "rrtmgp-clouds-lw-bnd.nc")
    options = RadiationOptions(tables=str(tmp_path), drop_radius=12.0, crystal_diameter=95.0)
    found = long_wave_tables(options)
    assert found.tropopause == 9e3
    tables = found.tables
    assert tables["keys"].tolist() == [[[1, 2], [2, 2]], [[2, 2], [2, 1]]]
    reference = np.arange(1.0, 19.0).reshape(3, 3, 2)
    np.testing.assert_array_equal(tables["ratios"][0, 0], reference[:, 1, 0] / reference[:, 2, 0])
    np.testing.assert_array_equal(tables["ratios"][1, 1], reference[:, 2, 1] / reference[:, 1, 1])
    assert tables["minors_lower"].tolist() == [[1, 1, 1, 2, 1, 0]]
    assert tables["band_ends"].tolist() == [0, 2, 4]
    assert tables["shares"].tolist() == [1.0, 0.0, 420e-6]
    np.testing.assert_allclose(tables["liquid"], 200 * 0.5)
    np.testing.assert_allclose(tables["ice"], 200 * 0.5)


def test_missing_tables_are_named(tmp_path):
    with pytest.raises(UserError, match=r"no file rrtmgp-clouds-sw-bnd\.nc .*Leave that out"):
        short_wave_tables(RadiationOptions(tables=str(tmp_path)))


height = np.array([*range(26), 27.5, 30, 32.5, 35, 37.5, 40, 42.5, 45, 47.5, 50.0])
summer = {
    "pressure": [1013, 902, 802, 710, 628, 554, 487, 426, 372, 324, 281, 243, 209, 179, 153, 130,
                 111, 95, 81.2, 69.5, 59.5, 51, 43.7, 37.6, 32.2, 27.7, 19.07, 13.2, 9.3, 6.52,
                 4.64, 3.33, 2.41, 1.76, 1.29, 0.951],
    "temperature": [294.2, 289.7, 285.2, 279.2, 273.2, 267.2, 261.2, 254.7, 248.2, 241.7, 235.3,
                    228.8, 222.3, 215.8, 215.7, 215.7, 215.7, 215.7, 216.8, 217.9, 219.2, 220.4,
                    221.6, 222.8, 223.9, 225.1, 228.45, 233.7, 239, 245.2, 251.3, 257.5, 263.7,
                    269.9, 275.2, 275.7],
    "vapor": [18760, 13780, 9680, 5984, 3813, 2225, 1510, 1020, 646.4, 412.9, 247.2, 95.56, 29.44,
              8, 5, 3.4, 3.3, 3.2, 3.15, 3.2, 3.3, 3.45, 3.6, 3.85, 4, 4.2, 4.45, 4.7, 4.85, 4.95,
              5, 5.1, 5.3, 5.45, 5.5, 5.5],
    "ozone": [0.03017, 0.03337, 0.03694, 0.04222, 0.04821, 0.05512, 0.06408, 0.07764, 0.09126,
              0.1111, 0.1304, 0.1793, 0.223, 0.3, 0.44, 0.5, 0.6, 0.7, 1, 1.5, 2, 2.4, 2.9, 3.4, 4,
              4.8, 6, 7, 8.1, 8.9, 8.7, 7.55, 5.9, 4.5, 3.5, 2.8],
}  # fmt: skip
"""Mid-latitude summer by height [km] (Anderson et al. 1986): [hPa], [K], [1e-6], [1e-6]."""


def standard_air():
    """That atmosphere in layers between its ground and 1 hPa, and its ozone as tables."""
    pressure = 100.0 * np.array(summer["pressure"])
    low, high = np.linspace(101300.0, 1e4, 46), np.geomspace(1e4, 95.1, 21)
    at = np.concatenate([low, high[1:]])
    middle = 0.5 * (at[1:] + at[:-1])

    def between(values):
        return np.interp(-np.log(middle), -np.log(pressure), values)

    vapor = 1e-6 * np.exp(between(np.log(summer["vapor"]))) * 18.016 / 28.964
    ozone = {"ozone_pressure": pressure, "ozone_share": 1e-6 * np.array(summer["ozone"])}
    ozone |= {"standard_temperature": np.array(summer["temperature"], float)}
    return column(at, between(summer["temperature"]), vapor[None]), ozone


def test_fluxes_of_mid_latitude_summer():
    """Clear sky of vapour, 300 ppm of carbon dioxide, and ozone.

    Line-by-line models of the comparison of Ellingson et al. (1991) have 283 to 289 W/m2 to space
    and 342 to 348 to the ground; the continuum of vapour that these tables have shines 1 more.
    """
    air, ozone = standard_air()
    found = long_wave_tables(RadiationOptions(carbon_dioxide=300e-6))
    alone = ozone | {"shares": np.where(np.isin(np.arange(20), (0, 2)), found.tables["shares"], 0)}
    kernel, more = "atmosphere_long_wave", ground(294.2) | {"tropopause": found.tropopause}
    got = shine(kernel, air, {**found.tables, **alone}, np.float32, **more)
    assert 283 < got["flux_out"][0] < 289
    assert 342 < got["flux_down"][0] < 349.5
    cooling = 86400 * got["theta_tendency"][:, 0] * air["exner"]
    assert (cooling[:30] < -1.5).all()
    assert (cooling[:30] > -3).all()
    with_others = shine(kernel, air, {**found.tables, **ozone}, np.float32, **more)
    assert 2 < got["flux_out"][0] - with_others["flux_out"][0] < 7


def test_twice_the_carbon_dioxide():
    """Line-by-line models have 5.48 W/m2 at 200 hPa, 2.80 at the top, 1.64 at the ground.

    Collins et al. (2006), J. Geophys. Res. 111, D14317.
    """
    air, ozone = standard_air()
    net = []
    for share in (287e-6, 574e-6):
        found = long_wave_tables(RadiationOptions(carbon_dioxide=share))
        more = ground(294.2) | {"tropopause": found.tropopause}
        got = shine("atmosphere_long_wave", air, {**found.tables, **ozone}, np.float64, **more)
        net.append((got["downward_flux"] - got["upward_flux"])[:, 0])
    faces_low, faces_high = np.linspace(101300.0, 1e4, 46), np.geomspace(1e4, 95.1, 21)
    at = np.concatenate([faces_low, faces_high[1:]])
    forcing = np.interp([-2e4, -95.1, -101300.0], -at, net[1] - net[0])
    np.testing.assert_allclose(forcing, [5.48, 2.80, 1.64], atol=0.14)


def test_shipped_tables_are_rounded_only():
    """What was measured with the files as published, to 0.0003 W/m2 (docs/decisions/0078)."""
    air, ozone = standard_air()
    long, short = (made(RadiationOptions(carbon_dioxide=300e-6))
                   for made in (long_wave_tables, short_wave_tables))  # fmt: skip
    more = ground(294.2) | {"tropopause": long.tropopause}
    got = shine("atmosphere_long_wave", air, {**long.tables, **ozone}, np.float64, **more)
    assert got["flux_out"][0] == pytest.approx(281.06130, abs=3e-4)
    assert got["flux_down"][0] == pytest.approx(350.14735, abs=3e-4)
    got = shine("atmosphere_short_wave", air, {**short.tables, **ozone}, np.float64,
                sun=np.sin(np.radians(60.0)), albedo=0.2, tropopause=short.tropopause)  # fmt: skip
    assert got["flux_out"][0] == pytest.approx(151.56477, abs=3e-4)
    assert got["flux_down"][0] == pytest.approx(670.00236, abs=3e-4)


def test_the_sun_in_mid_latitude_summer():
    """Some 75 % reach the ground from a height of 60 degrees, some 20 % stay in clear air."""
    air, ozone = standard_air()
    light = short_wave_tables(RadiationOptions())
    sun = np.sin(np.radians(60.0))
    got = shine("atmosphere_short_wave", air, {**light.tables, **ozone}, np.float32, sun=sun,
                albedo=0.2, tropopause=light.tropopause)  # fmt: skip
    down, out = (float(got[name][0]) / (1000 * sun) for name in ("flux_down", "flux_out"))
    assert 0.74 < down < 0.80
    assert 0.18 < 1 - out - 0.8 * down < 0.22
    heating = 86400 * got["theta_tendency"][:, 0] * air["exner"]
    assert (heating > 0).all()
    assert heating[-1] > 10 > heating[:40].max()


def rough_tables(random):
    """Two bands of two terms, of gases that mix, and minor gases of every kind."""
    minors = [[2, 0, 1, 1, 0, 0], [6, 1, 0, -1, 0, 2], [8, 1, 1, 1, 1, 0], [4, 0, 1, -1, 0, 2]]
    return {
        "absorption": random.uniform(0.1, 1, (3, 5, 3, 4)) * 1e-24,
        "lower": random.uniform(0.1, 1, (3, 3, 4)) * 1e-24,
        "upper": random.uniform(0.1, 1, (3, 3, 4)) * 1e-24,
        "minors_lower": np.array(minors, float), "minors_upper": np.array(minors[::-1], float),
        "keys": np.array([[[1.0, 2], [3, 0]], [[2, 1], [0, 6]]]),
        "ratios": random.uniform(0.5, 2, (2, 2, 3)), "band_ends": np.array([0.0, 2, 4]),
        "temperatures": np.array([180.0, 240.0, 300.0]),
        "pressures": np.array([1e5, 2e4, 4e3, 8e2]), "ozone_pressure": np.array([9e4, 1e4, 1e3]),
        "standard_temperature": np.full(3, 250.0),
        "ozone_share": np.array([0.2, 0.9, 0.4]),
        "shares": np.concatenate([[1.0, 0.0], random.uniform(0.1, 1, 18)]),
        "planck_share": random.uniform(0.1, 1, (3, 5, 3, 4)),
        "planck": random.uniform(1, 2, (2, 200)),
    }  # fmt: skip


def plain_depths(tables, temperature, pressure, mass, vapor):
    """Optical depths of the terms and their shares of emission (Pincus et al. 2019, appendix)."""
    dry = mass * 1e-4 * 6.02214076e23 / 0.028964
    gas = dry * tables["shares"]
    gas[1] = dry * vapor * 0.028964 / 0.018016
    logs = -np.log(pressure), -np.log(tables["ozone_pressure"])
    gas[3] = dry * np.interp(*logs, tables["ozone_share"])
    part = 0 if pressure > 1e4 else 1
    at = np.log(1e5 / pressure) / np.log(5.0)
    low = min(max(int(at), 0), 2)
    weights_p = np.zeros(5)
    weights_p[low + part : low + part + 2] = 1 - (at - low), at - low
    warm = min(max(int((temperature - 180) / 60), 0), 1)
    part_t = (temperature - tables["temperatures"][warm]) / 60
    depth, shares = np.zeros(4), np.zeros(4)
    minors = tables[("minors_lower", "minors_upper")[part]]
    for band in range(2):
        terms = slice(2 * band, 2 * band + 2)
        one, other = (gas[int(key)] for key in tables["keys"][part, band])
        for t, weight in ((warm, 1 - part_t), (warm + 1, part_t)):
            mixed = one + tables["ratios"][part, band, t] * other
            weights_e = [np.interp(2 * one / mixed, range(3), row) for row in np.eye(3)]
            main = np.einsum("peg,p,e->g", tables["absorption"][t], weights_p, weights_e)
            depth[terms] += weight * mixed * main[terms]
            main = np.einsum("peg,p,e->g", tables["planck_share"][t], weights_p, weights_e)
            shares[terms] += weight * main[terms]
            for species, where, by_density, scaling, others, first in minors:
                if where != band:
                    continue
                amount = gas[int(species)]
                if by_density:
                    amount *= 0.01 * pressure / temperature
                    if scaling >= 0:
                        foreign = gas[int(scaling)] / (dry + gas[1])
                        amount *= 1 - foreign if others else foreign
                table = tables[("lower", "upper")[part]][t].T @ weights_e
                depth[terms] += weight * amount * table[int(first) : int(first) + 2]
    return depth, shares


def test_absorption_is_that_of_a_plain_program():
    """Air in one layer shines down pi B (1 - e^(-1.66 tau)) in every term, in both parts."""
    random = np.random.default_rng(11)
    tables = rough_tables(random)
    for pressure in np.geomspace(9.5e4, 9e2, 24):
        temperature, vapor = random.uniform(190, 310), random.uniform(0, 0.02)
        thick = 0.1 * pressure
        air = column(np.array([pressure + thick / 2, pressure - thick / 2]),
                     np.array([temperature]), np.array([[vapor]]))  # fmt: skip
        got = shine("atmosphere_long_wave", air, tables, **ground(280.0))
        mass = thick / gravity / (1 + vapor)
        depth, shares = plain_depths(tables, temperature, pressure, mass, vapor)
        band = [np.interp(temperature, 160 + np.arange(200), row) for row in tables["planck"]]
        shining = np.repeat(band, 2) * shares * -np.expm1(-secant * depth)
        assert 1e-3 < depth.min()
        assert got["flux_down"][0] == pytest.approx(np.pi * shining.sum(), rel=1e-9)
