"""Air and sea have the same fluxes: integrals to round-off, cells to the bit. Ranks: 1."""

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.experiment.run import run
from halocline.runtime.fields.place import Place
from invariance.coupled_seas import air, case, exchanges, fluxes


@pytest.fixture(scope="module")
def coupled():
    done = run(case(precision="float64", time={"start": "2000-06-01T00:00:00", "length": "40min"}))
    return done.components


def of_air(coupled, name):
    return coupled["air"].ports[name].field.gather()


def area(component):
    return np.broadcast_to(component.plane.at(Place.center).area, component.plane.shape)


@pytest.mark.parametrize(
    "name",
    ["wind_stress_east", "wind_stress_north", "sensible_heat", "evaporation", "sea_fraction"],
)
def test_the_air_loses_what_the_surface_passes(coupled, name):
    given = coupled["fluxes"].fields[name].gather()
    sea = coupled["fluxes"].plane.mask
    terms = (area(coupled["fluxes"]) * given)[sea]
    share, taken = of_air(coupled, "sea_fraction"), of_air(coupled, name)
    assert (share > 0.99).any() and ((share > 0.01) & (share < 0.9)).any()
    there = ~np.isnan(taken)
    assert np.ptp(terms) > 0.0 and there.any() and not there.all()
    total = (area(coupled["air"]) * np.where(there, taken, 0.0)).sum()
    assert abs(total - terms.sum()) < 1e-12 * np.abs(terms).sum()


def test_the_rest_of_a_cell_keeps_its_own(coupled):
    """Planes that mixing has taken are those of the surface layer, but for the share given."""
    component = coupled["air"]
    turbulence = component.dynamics.physics.columns.turbulence
    ground = component.dynamics.physics.columns.ground
    names = {"heat_flux": "sensible_heat", "vapor_flux": "evaporation"}
    planes = {**turbulence.planes, **ground.planes}
    turbulence._surface(**turbulence._surface_numbers)
    of_drag = ("momentum_exchange", "friction_velocity")
    own = {name: planes[name].gather() for name in (*names, *of_drag)}
    turbulence.replace()
    share = np.nan_to_num(of_air(coupled, "sea_fraction"))
    for name, given in names.items():
        expected = np.nan_to_num(of_air(coupled, given)) + (1.0 - share) * own[name]
        np.testing.assert_allclose(planes[name].gather(), expected, rtol=1e-13)
        assert np.abs(expected - own[name]).max() > 1e-3 * np.abs(own[name]).max()
    left = planes["momentum_exchange"].gather()
    np.testing.assert_allclose(left, (1.0 - share) * own["momentum_exchange"], atol=1e-15)
    east, north = (np.nan_to_num(of_air(coupled, f"wind_stress_{to}")) for to in ("east", "north"))
    angle = component.plane.at(Place.center).angle
    x, y = (planes[f"stress_{axis}"].gather() for axis in "xy")
    np.testing.assert_allclose(x + 1j * y, (east + 1j * north) * np.exp(-1j * angle), atol=1e-15)
    assert np.ptp(angle) > 0.05 and np.hypot(east, north).max() > 0.02
    density = component.air.air_density.gather()[0]
    square = (1.0 - share) * own["friction_velocity"] ** 2 + np.hypot(east, north) / density
    np.testing.assert_allclose(planes["friction_velocity"].gather() ** 2, square, rtol=1e-12)


def test_the_stress_that_air_gives_is_the_one_it_has(coupled):
    """Another member that asks the air for stress gets what was given, where it covers a cell."""
    found = coupled["air"].diagnose(["wind_stress_east", "wind_stress_north"], coupled["air"].time)
    whole = of_air(coupled, "sea_fraction") > 1.0 - 1e-4  # areas of both differ so much
    for name, field in found.items():
        given = of_air(coupled, name)[whole]
        np.testing.assert_allclose(field.gather()[whole], given, rtol=1e-4)


def test_the_sea_has_the_same_numbers(coupled):
    state, sea = coupled["ocean"].model.state, coupled["ocean"].plane.mask
    for field, name, factor in (
        (state.heat_flux, "heat_flux_into_sea", 1.0),
        (state.short_wave, "short_wave", 1.0),
        (state.rain, "water_flux", 1e-3),
    ):
        given = coupled["fluxes"].fields[name].gather()
        assert np.array_equal(field.gather()[sea], (given * factor)[sea]), name


def between_four(plane):
    return 0.25 * (plane[1:, 1:] + plane[:-1, 1:] + plane[1:, :-1] + plane[:-1, :-1])


def test_the_ocean_has_the_stress_that_waves_leave(coupled):
    """At corners between four cells of sea; over the run no momentum is lost between the three."""
    fields, ocean = coupled["fluxes"].fields, coupled["ocean"]
    for to in ("east", "north"):
        air, into, out, left = (
            fields[f"{name}_{to}"].gather()
            for name in (
                "wind_stress",
                "stress_into_waves",
                "stress_from_waves",
                "stress_into_ocean",
            )
        )
        assert np.abs(into).max() > 1e-4 and np.abs(out).max() > 1e-5
        given = ocean.ports[f"wind_stress_{to}"].field.gather()[1:-1, 1:-1]
        there = np.isfinite(given) & (given != 0.0)
        assert there.sum() > 20
        off, off_air = (np.abs(given - between_four(some))[there].max() for some in (left, air))
        assert off < 0.2 * off_air
    passed = coupled["fluxes"].passed.read()[0]
    whole, into, out, left = passed[2:10].reshape(4, 2)
    assert np.abs(whole - into + out - left).max() < 1e-14 * np.abs(whole).max()
    assert np.abs(into).min() > 0.0
    assert "entered the ocean: all but" in coupled["fluxes"].summary()


def test_rain_is_the_rate_of_the_last_step(coupled):
    component = coupled["air"]
    before = component.diagnose(["precipitation_total"], component.time)
    before = before["precipitation_total"].gather()
    component.state.water.fill(0.02)
    component.step(component.time)
    after = component.diagnose(["precipitation_total"], component.time)
    rate = component.diagnose(["precipitation_rate"], component.time)["precipitation_rate"]
    fallen = after["precipitation_total"].gather() - before
    assert fallen.max() > 1e-3
    np.testing.assert_allclose(rate.gather(), fallen / 120.0, rtol=1e-12)


def with_fields(*names):
    some = exchanges["up"] | {"fields": list(names)}
    return {
        "time": {"start": "2000-06-01T00:00:00", "length": "20min"},
        "members": {"air": air, "fluxes": fluxes},
        "exchanges": {"up": some},
    }


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("sensible_heat",), "sensible_heat without evaporation"),
        (("wind_stress_north",), "wind_stress_north without wind_stress_east"),
        (("sea_fraction",), "sea_fraction without a flux"),
    ],
)
def test_halves_are_refused(names, words):
    with pytest.raises(UserError, match=words):
        run(with_fields(*names))


def test_other_spheres_are_refused():
    table = with_fields("sensible_heat", "evaporation", "sea_fraction")
    table["members"]["fluxes"] = fluxes | {"grid": fluxes["grid"] | {"radius": 6.4e6}}
    with pytest.raises(
        UserError, match=r"areas differ by \+0.94 %. Give both the same grid.radius"
    ):
        run(table)


def test_without_a_share_land_keeps_its_own():
    """And the sea of a cell has what was given, wholly."""
    on_land = air | {
        "atmosphere": air["atmosphere"]
        | {"ground": {"kind": "strip", "west": -150e3, "east": 150e3}}
    }
    table = with_fields("sensible_heat", "evaporation")
    table["members"]["air"] = on_land
    table["exchanges"]["up"] = {
        "source": "fluxes", "target": "air", "fields": ["sensible_heat", "evaporation"],
    }  # fmt: skip
    component = run(table).components["air"]
    ground = component.dynamics.physics.columns.ground
    land, flux = ground.land.gather() > 0.5, ground.heat_flux.gather()
    given = component.ports["sensible_heat"].field.gather()
    there = ~np.isnan(given)
    assert (land & there).any() and (~land & there).any()
    assert np.array_equal(flux[there & ~land], given[there & ~land])
    assert (np.abs(flux - given)[there & land] > 1e-3).all()
