"""What is carried northward, and the file with numbers of the whole ocean. Ranks: 1."""

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose

import halocline
from biogeochemistry.folded_ocean import folded_ocean
from halocline.ocean.meridional import Faces, Meridional, Parallels
from halocline.ocean.metrics import CornerMetrics
from halocline.runtime.fields.place import Place
from ocean import oceans


def moving(levels):
    """Random currents and tracers; what a step brings into cells, and what is carried north."""
    model = oceans.build(levels, 1.0)
    random, wet = np.random.default_rng(4), oceans.wet_corners(levels)
    oceans.put_velocity(model, *(random.standard_normal(wet.shape) * wet for _ in range(2)))
    oceans.put_tracers(model, random.uniform(1.0, 2.0, (2, *levels.shape)))
    state, grid = model.state, levels.horizontal
    flow = state.u.gather(), state.v.gather()
    widths = state.corner_dx.gather(), state.corner_dy.gather()
    parallels = Parallels.of(grid)
    shares = oceans.corner_thickness(levels) / levels.thickness[:, None, None]
    carrying = tuple(velocity * shares for velocity in flow)
    tracers = state.tracer.gather()
    faces = Faces(parallels, grid, widths)
    found = Meridional.of(faces, levels.thickness, carrying, tracers)
    model.tracers(1e3, 160)
    volume = {p: oceans.cell_thickness(model, p) * grid.area for p in ("old_", "new_")}
    held = [volume[p] * getattr(state, f"{p}tracer").gather() for p in ("old_", "new_")]
    once = levels.topology.once(Place.center)
    gained = [(held[1] - held[0]) / 1e3 * once, (volume["new_"] - volume["old_"]) / 1e3 * once]
    return parallels, found, gained, flow


@pytest.mark.parametrize("kind", ["sphere", "faces", "centres", "thin"])
def test_what_passes_a_parallel_is_what_is_lost_south_of_it(kind):
    """By the model's own step, on regular and on folded grids."""
    levels = oceans.rough_sphere() if kind in ("sphere", "thin") else folded_ocean(kind)
    levels = oceans.thinned(levels) if kind == "thin" else levels
    parallels, found, (contents, volume), _ = moving(levels)
    for m in range(parallels.edges.size):
        south = parallels.band < m
        lost = -contents[..., south].sum(axis=(1, 2))
        assert_allclose(found.tracers[:, m], lost, rtol=0.0, atol=1e-6 * np.abs(contents).sum())
        assert_allclose(
            found.overturning[0, m], -volume[..., south].sum(), rtol=0.0,
            atol=1e-6 * np.abs(volume).sum(),
        )  # fmt: skip
    assert np.abs(found.overturning).max() > 0.0
    assert not found.overturning[-1].any()
    assert_allclose(found.overturning[0, -1], 0.0, atol=1e-9 * np.abs(found.overturning).max())


def test_overturning_of_a_cell():
    """Northward at the surface, southward below: it turns, and nothing passes in the mean."""
    levels = oceans.rough_sphere()
    parallels, found, _, (_, v) = moving(levels)
    for m in (4, 8):
        across = np.zeros(5)
        dx = CornerMetrics.of(levels.horizontal).dx[m]
        passing = (v[:, m] * dx).sum(axis=1) * levels.thickness
        across[:-1] = np.cumsum(passing[::-1])[::-1]
        size = np.abs(across).max()
        assert_allclose(found.overturning[:, m], across, atol=1e-12 * size)


def test_file_of_numbers(tmp_path):
    grid = {
        "nx": 24, "ny": 12, "dx": 15.0, "dy": 10.0, "x0": 7.5, "y0": -55.0, "depth": 900.0,
        "closed_edges": False, "levels": {"thickness": [100.0, 300.0, 500.0]},
        "land": [[0.0, 40.0, -60.0, 60.0]],
    }  # fmt: skip
    waters = [[15.0 * i, 15.0 * (i + 1), -60.0, 0.0, 4.0 + i % 7] for i in range(9, 20)]
    case = {
        "component": "ocean",
        "grid": grid,
        "ocean": {
            "sections": {"one": [[100.0, -60.0], [100.0, 60.0]]}, "start": {"waters": waters},
        },
        "time": {"start": "2000-01-01", "length": "3h", "step": "1h"},
        "output": {"series": {"numbers": {"interval": "1h"}}},
    }  # fmt: skip
    result = halocline.run(case, output=tmp_path)
    with xr.open_dataset(tmp_path / "numbers.nc") as file:
        numbers = file.load()
    last = numbers.isel(time=-1)
    held = oceans.contents(result.component.model)
    assert_allclose(last.volume, held[0], rtol=1e-14)
    assert_allclose(last.mean_temperature, held[1] / held[0], rtol=1e-14)
    passed = result.component.diagnostics.transports()["one"]
    assert last.section_transport.values == [passed]
    assert numbers.section_transport.comment == "one"
    assert numbers.section_name.values.tolist() == [b"one"]
    warm = result.component.model.state.tracer.gather()[0, -1]
    center = result.component.plane
    boxes = {"nino3": (-5, 5, 210, 270), "nino34": (-5, 5, 190, 240), "nino4": (-5, 5, 160, 210)}
    for name, (south, north, west, east) in (boxes | {"nino12": (-10, 0, 270, 280)}).items():
        rows = (center.y >= south) & (center.y <= north)
        inside = np.ix_(rows, (center.x >= west) & (center.x <= east))
        weights = np.broadcast_to(np.cos(np.radians(center.y[rows]))[:, None], warm[inside].shape)
        assert_allclose(last[name], np.average(warm[inside], weights=weights), rtol=1e-6)
    assert numbers.overturning.shape == (4, 4, 13)
    assert np.abs(last.northward_heat_transport).max() > 0.0
    size = np.abs(last.northward_heat_transport).max()
    assert_allclose(last.northward_heat_transport[[0, -1]], 0.0, atol=1e-13 * size)


def test_means_of_numbers_are_those_of_their_samples(tmp_path):
    """A run split by a restart writes the same; bounds and the way it was made are told."""
    case = {
        "component": "ocean",
        "grid": {
            "nx": 24, "ny": 12, "dx": 15.0, "dy": 10.0, "x0": 7.5, "y0": -55.0, "depth": 900.0,
            "closed_edges": False, "levels": {"thickness": [100.0, 300.0, 500.0]},
            "land": [[0.0, 40.0, -60.0, 60.0]],
        },
        "ocean": {"forcing": {"heat": {"rest": 20.0}}},
        "time": {"start": "2000-01-01", "length": "12h", "step": "1h"},
        "output": {
            "series": {
                "each": {"interval": "2h"},
                "means": {"interval": "6h", "sampling": "2h", "processing": "mean"},
            }
        },
    }  # fmt: skip
    halocline.run(case, output=tmp_path / "whole")
    with xr.open_dataset(tmp_path / "whole" / "means.nc") as file:
        means = file.load()
    with xr.open_dataset(tmp_path / "whole" / "each.nc") as file:
        each = file.load()
    assert means.time.size == 2 and "mean" in means.overturning.cell_methods
    assert ((means.time_bounds[:, 1] - means.time_bounds[:, 0]) == np.timedelta64(6, "h")).all()
    for record, samples in enumerate((slice(1, 4), slice(4, 7))):
        for name in ("overturning", "mean_surface_temperature", "volume"):
            wanted = each[name].isel(time=samples).mean("time")
            assert_allclose(means[name][record], wanted, rtol=1e-13, atol=1e-6)
    assert np.ptp(each.overturning.values[1:, 1]) > 1e3
    area = float(means.volume[0] / 900.0)
    assert_allclose(each.surface_heat_flux[1:], 20.0 * area, rtol=1e-6)
    first, last = each.isel(time=0), each.isel(time=-1)
    gained = (last.mean_temperature - first.mean_temperature) * first.volume * 1026.0 * 3996.0
    assert_allclose(gained, 20.0 * area * 43200.0, rtol=2e-3)
    half = case | {"time": case["time"] | {"length": "4h"}}
    halocline.run(half, output=tmp_path / "split")
    halocline.run(case, output=tmp_path / "split", resume=True)
    with xr.open_dataset(tmp_path / "split" / "means.nc") as file:
        xr.testing.assert_equal(file.load(), means)
