"""What ocean and atmosphere take at their surface comes where the other reaches, only there."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

from halocline.core.errors import UserError
from halocline.experiment.run import run

time: dict[str, Any] = {"start": "2000-01-01T00:00:00", "length": "4h"}
facts = {
    "wind_stress_east": ("surface_downward_eastward_stress", "Pa", 0.25),
    "wind_stress_north": ("surface_downward_northward_stress", "Pa", -0.5),
    "short_wave": ("net_downward_shortwave_flux_at_sea_water_surface", "W m-2", 200.0),
    "heat_flux_into_sea": ("surface_downward_heat_flux_in_sea_water", "W m-2", -80.0),
    "water_flux": ("water_flux_into_sea_water", "kg m-2 s-1", 1e-3),
    "sea_surface_temperature": ("sea_surface_temperature", "K", 290.0),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same values everywhere, east of 10 degrees."""
    x, y = np.arange(10.0, 31.0, 2.0), np.arange(-20.0, 21.0, 4.0)
    values = {
        name: (("time", "lat", "lon"), np.full((2, y.size, x.size), value), {
            "standard_name": standard, "units": units,
        })
        for name, (standard, units, value) in facts.items()
    }  # fmt: skip
    hours = np.datetime64("2000-01-01") + np.array([0, 24]) * np.timedelta64(1, "h")
    lines = {
        "time": hours,
        "lat": ("lat", y, {"units": "degrees_north"}),
        "lon": ("lon", x, {"units": "degrees_east"}),
    }
    xarray.Dataset(values, lines).to_netcdf(tmp_path / "fluxes.nc")
    return tmp_path


def data(folder: Path, *names: str) -> dict[str, Any]:
    source = {"file": "fluxes.nc", "fields": list(names), "variables": list(names)}
    return {
        "component": "data", "precision": "float64", "data_folder": str(folder),
        "time": {"step": "1h"}, "data": {"gives": {"fluxes": source}},
    }  # fmt: skip


ocean: dict[str, Any] = {
    "component": "ocean",
    "time": {"step": "1h"},
    "grid": {
        "nx": 12, "ny": 8, "x0": 1.0, "y0": -7.0, "dx": 2.0, "dy": 2.0, "depth": 400.0,
        "levels": {"thickness": [100.0, 300.0]},
    },
    "ocean": {"wind": {"amplitude": 0.1}, "mixing": {"viscosity": 1e5}},
}  # fmt: skip


def coupled(folder: Path, names: list[str], **more: Any) -> dict[str, Any]:
    sink = {
        "component": "data", "precision": "float64", "time": {"step": "1h"},
        "data": {"takes": ["sea_surface_temperature", "current_u", "current_v"]},
        "grid": ocean["grid"] | {"levels": {}, "dx": 1.0, "dy": 1.0, "nx": 6, "x0": 6.0, "y0": -3.0,
                                 "closed_edges": False},
    }  # fmt: skip
    return {
        "time": time,
        "restart": {"interval": "1h"},
        "members": {"fluxes": data(folder, *names), "sea": ocean | more, "sink": sink},
        "exchanges": {
            "there": {
                "source": "fluxes", "target": "sea",
                "fields": [facts[name][0] or name for name in names],
                "vectors": "components",
            },
            "back": {
                "source": "sea", "target": "sink",
                "fields": ["sea_surface_temperature", "current_u", "current_v"],
            },
        },
    }  # fmt: skip


def test_the_ocean_is_driven_where_others_reach(folder: Path):
    names = [name for name in facts if name not in ("sea_surface_temperature", *waves)]
    done = run(coupled(folder, names))
    sea, sink = done.components["sea"], done.components["sink"]
    s, plane = sea.model.state, sea.plane
    alone = run(ocean | {"time": {**time, "step": "1h"}}).component.model.state
    for name, field, factor in (
        ("wind_stress_east", "wind_x", 1.0),
        ("wind_stress_north", "wind_y", 1.0),
        ("short_wave", "short_wave", 1.0),
        ("heat_flux_into_sea", "heat_flux", 1.0),
        ("water_flux", "rain", 1e-3),
    ):
        found, own = (getattr(some, field).gather() for some in (s, alone))
        place = getattr(s, field).place
        x = plane.at(place).x
        wet = s.space.wet(place)
        wet = wet.any(axis=0) if wet.ndim == 3 else wet
        east, west = wet & (x > 10.0), wet & (x < 10.0)
        assert east.any() and west.any()
        assert np.abs(found[east] - factor * facts[name][2]).max() < 1e-12, name
        assert np.array_equal(found[west], own[west]), name
    warm = sea.diagnose(["surface_temperature"], None)["surface_temperature"].gather()
    at = sink.plane.at(sink.fields["current_u"].place)
    taken = sink.fields["sea_surface_temperature"].gather()
    center = plane.at(s.rain.place)
    here, there = ((some.x == 9.0) & (some.y == 1.0) for some in (at, center))
    assert here.sum() == there.sum() == 1 and abs(taken[here] - warm[there] - 273.15) < 1e-12
    assert np.abs(sink.fields["current_v"].gather()).max() > 1e-4


def test_what_the_ocean_took_is_in_its_restart(folder: Path):
    """Bits of a run that is broken off after each hour are those of one that is not."""
    case = coupled(folder, ["wind_stress_east", "wind_stress_north"])
    for some in case["exchanges"].values():
        some["interval"], some["operator"] = "2h", "mean"
    run(case, output=folder / "whole")
    resume = False
    while run(case, output=folder / "parts", walltime=1e-3, resume=resume).stopped_by:
        resume = True
    for name in ("sea", "sink", "fluxes"):
        last = f"restart_20000101T040000.{name}.safetensors"
        assert (folder / "parts" / last).read_bytes() == (folder / "whole" / last).read_bytes()


waves = {
    "stokes_drift_u": ("sea_surface_wave_stokes_drift_eastward_velocity", "m s-1", 0.2),
    "stokes_drift_v": ("sea_surface_wave_stokes_drift_northward_velocity", "m s-1", -0.1),
    "stokes_transport_u": ("", "m2 s-1", 1.5),
    "stokes_transport_v": ("", "m2 s-1", -0.75),
    "stress_into_waves_east": (
        "surface_downward_eastward_stress_due_to_sea_surface_waves",
        "Pa",
        0.3,
    ),
    "stress_into_waves_north": (
        "surface_downward_northward_stress_due_to_sea_surface_waves",
        "Pa",
        0.1,
    ),
    "stress_from_waves_east": (
        "sea_surface_downward_eastward_stress_due_to_dissipation_of_sea_surface_waves",
        "Pa",
        0.25,
    ),
    "stress_from_waves_north": (
        "sea_surface_downward_northward_stress_due_to_dissipation_of_sea_surface_waves",
        "Pa",
        0.15,
    ),
}
facts |= waves


@pytest.mark.parametrize("air", ["wind", "given"])
def test_waves_change_the_stress_and_give_their_drift(folder: Path, air: str):
    """The stress is that of the air less what waves took and with what they gave, every step."""
    names = [*waves, *(["wind_stress_east", "wind_stress_north"] if air == "given" else [])]
    sea = run(coupled(folder, names)).components["sea"]
    s, density = sea.model.state, sea.model.forcing.density
    x = sea.plane.at(s.stress_x.place).x
    wet = s.space.wet(s.stress_x.place).any(axis=0)
    for axis, more in (("x", -0.05), ("y", 0.05)):
        wind, stress = (getattr(s, f"{of}_{axis}").gather() for of in ("wind", "stress"))
        expected = wind + np.where(x > 10.0, more, 0.0)
        assert np.abs(stress * density - expected)[wet & (x != 10.0)].max() < 1e-12
    drift = s.stokes_u.gather()[:, wet & (x > 10.0)]
    assert np.abs(drift.T @ [300.0, 100.0] - 1.5).max() < 1e-3  # nearly all of the transport
    assert not s.stokes_u.gather()[:, wet & (x < 10.0)].any()
    moved = run(ocean | {"time": {**time, "step": "1h"}}).component.model.state
    assert np.abs(s.surface.gather() - moved.surface.gather()).max() > 1e-4


def test_the_drift_is_in_the_restart_of_the_ocean(folder: Path):
    case = coupled(folder, list(waves), ocean={"averaging": 3, "wind": {"amplitude": 0.1}})
    run(case, output=folder / "whole")
    resume = False
    while run(case, output=folder / "parts", walltime=1e-3, resume=resume).stopped_by:
        resume = True
    last = "restart_20000101T040000.sea.safetensors"
    assert (folder / "parts" / last).read_bytes() == (folder / "whole" / last).read_bytes()


def test_half_a_vector_is_refused(folder: Path):
    with pytest.raises(UserError, match="is given wind_stress_east without wind_stress_north"):
        run(coupled(folder, ["wind_stress_east"]))
    with pytest.raises(UserError, match="stokes_drift_u without stokes_transport_u, stokes_tr"):
        run(coupled(folder, ["stokes_drift_u", "stokes_drift_v"]))


air: dict[str, Any] = {
    "component": "atmosphere", "precision": "float64",
    "time": {"step": "2min"},
    "grid": {
        "kind": "lambert", "nx": 10, "ny": 10, "dx": 100e3, "dy": 100e3,
        "projection": {
            "center_longitude": 11.0, "center_latitude": 15.0, "true_latitudes": [10.0, 20.0]
        },
    },
    "atmosphere": {
        "layers": {"count": 8, "top": 12e3},
        "start": {"wind_u": 8.0, "wind_v": -3.0},
        "sides": {"kind": "open"},
        "physics": {"turbulence": "ysu"},
    },
}  # fmt: skip


def test_the_air_feels_the_sea_and_gives_it_stress(folder: Path):
    sink = {
        "component": "data", "precision": "float64", "time": {"step": "1h"},
        "data": {"takes": ["wind_stress_east", "wind_stress_north"]}, "grid": air["grid"],
    }  # fmt: skip
    done = run(
        {
            "time": {**time, "length": "1h"},
            "members": {
                "sea": data(folder, "sea_surface_temperature"), "air": air, "sink": sink,
            },
            "exchanges": {
                "warmth": {"source": "sea", "target": "air", "fields": ["sea_surface_temperature"]},
                "stress": {
                    "source": "air", "target": "sink",
                    "fields": ["wind_stress_east", "wind_stress_north"],
                },
            },
        }
    )  # fmt: skip
    component, taken = done.components["air"], done.components["sink"].fields
    ground = component.dynamics.physics.columns.ground
    skin, x = ground.skin_temperature.gather(), component.plane.at(ground.land.place).x
    own = run(air | {"time": {**time, "length": "1h", "step": "2min"}}).component
    before = own.dynamics.physics.columns.ground.skin_temperature.gather()
    assert np.abs(skin[x > 10.0] - 290.0).max() < 1e-9
    assert np.array_equal(skin[x < 10.0], before[x < 10.0])
    turbulence = component.dynamics.physics.columns.turbulence
    u = component.diagnose(["eastward_wind"], None)["eastward_wind"].gather()[0]
    stress = turbulence.planes["momentum_exchange"].gather() * u
    found = taken["wind_stress_east"].gather()
    inside = done.components["sink"].plane.mask
    assert np.abs(found - stress)[inside].max() < 1e-12 and found[inside].min() > 1e-3


def test_air_that_feels_no_ground_is_refused(folder: Path):
    calm = air | {"atmosphere": air["atmosphere"] | {"physics": {}}}
    case = {
        "time": time,
        "members": {"sea": data(folder, "sea_surface_temperature"), "air": calm},
        "exchanges": {
            "warmth": {"source": "sea", "target": "air", "fields": ["sea_surface_temperature"]}
        },
    }
    with pytest.raises(UserError, match="nothing there feels it"):
        run(case)
