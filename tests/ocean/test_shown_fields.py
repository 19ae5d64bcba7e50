"""Fields made for output: vorticity, thickness of cells, what moves the surface. Ranks: 1."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from halocline.core.constants import earth_radius, gravity, water_density
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.grids.sphere import vectors
from halocline.grids.vertical.file_field import along_grid
from halocline.grids.vertical.levels import layered
from halocline.ocean.budget import Budget
from halocline.ocean.diagnostics import OceanDiagnostics
from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.forcing_options import SurfaceForcingOptions
from halocline.ocean.fresh_water_options import WaterFluxOptions
from halocline.ocean.options import OceanWindOptions
from halocline.ocean.rotation import CoriolisOptions
from halocline.ocean.shown_fields import ShownFields
from halocline.runtime.fields.place import Place
from ocean import oceans
from ocean.rough_seas import levels_of

spin = 1e-6
"""Angular speed of the water [s-1]."""


def shown(model, *names):
    """Fields for output as global arrays."""
    fields = ShownFields(model, OceanDiagnostics(model)).update(names)
    return [fields[name].gather() for name in names]


@pytest.mark.parametrize(
    ("kind", "rows"), [("displaced-pole", slice(None)), ("tripole", slice(28, None))]
)
def test_vorticity_of_water_that_turns_like_a_solid(kind, rows):
    """About a tilted axis: twice its part upward, on both sides of the fold of a tripole's cap.

    Counted are cells with water around; lengths jump where the cap begins.
    """
    grid = {"kind": kind, "nx": 48, "ny": 36, "depth": 100.0}
    levels = layered(build_grid(GridOptions(**grid)), np.array([100.0]))
    model, axis = oceans.build(levels, 1.0), np.array([0.6, -0.48, 0.64])
    corner, center = map(levels.horizontal.at, (Place.corner, Place.center))
    here = vectors(corner.x, corner.y)
    flow = spin * earth_radius * np.cross(axis, here, axisb=0, axisc=0)
    east = np.array([-here[1], here[0], np.zeros_like(here[0])]) / np.hypot(here[0], here[1])
    north = np.cross(here, east, axisa=0, axisb=0, axisc=0)
    u, v = along_grid((flow * east).sum(axis=0), (flow * north).sum(axis=0), corner.angle)
    oceans.put_velocity(model, u[None], v[None])
    (found,) = shown(model, "relative_vorticity")
    wide = levels.topology.widened(oceans.wet_corners(levels)[0], (0, 1, 0, 1), Place.corner)
    around = wide[:-1, :-1] & wide[1:, :-1] & wide[:-1, 1:] & wide[1:, 1:]
    around = around[: levels.mask.shape[0], : levels.mask.shape[1]]
    wanted = np.tensordot(axis, vectors(center.x, center.y), axes=1)
    error = np.where(around, found[0] / (2.0 * spin) - wanted, 0.0)[rows]
    assert around[rows].mean() > 0.8
    assert np.abs(error).max() < 0.04 and np.sqrt((error**2).mean()) < 0.012


@pytest.mark.parametrize("kind", ["belt", "faces", "centres", "straits", "plane", "thin centres"])
def test_the_vorticity_of_a_sea_sums_to_nothing(kind):
    levels = levels_of(kind)
    model, random = oceans.build(levels, 1.0), np.random.default_rng(5)
    oceans.put_velocity(model, *random.uniform(-1, 1, (2, *oceans.wet_corners(levels).shape)))
    (found,) = shown(model, "relative_vorticity")
    once = levels.topology.once(Place.center)
    around = (found * levels.horizontal.area)[:, once]
    assert np.abs(around).max() > 1e4
    for level in around:
        assert abs(math.fsum(level)) < 1e-11 * np.abs(level).sum() + 1e-9


def test_cells_are_as_thick_as_the_budget_has_them():
    """Over a floor of thin cells, under a surface that moves."""
    levels = oceans.thinned(oceans.rough_sphere())
    model = oceans.build(levels, 3600.0, wind=OceanWindOptions(amplitude=0.5))
    *_, _ = oceans.go(model, 8)
    (found,) = shown(model, "cell_thickness")
    wanted = oceans.cell_thickness(model)
    assert np.ptp(wanted[-1][levels.mask]) > 1e-3
    assert (wanted[levels.wet] < 0.9 * np.broadcast_to(levels.thickness[:, None, None],
                                                       levels.shape)[levels.wet]).any()  # fmt: skip
    assert_array_equal(found[levels.wet], wanted[levels.wet])
    volume = math.fsum((found * levels.horizontal.area)[levels.wet])
    assert volume == pytest.approx(Budget(model.state).contents().volume, rel=1e-14)


def test_the_surface_moves_by_the_means_that_files_hold():
    """By upward velocity at the surface and water, at every step: what transport off-line needs."""
    levels = oceans.rough_sphere()
    rain = SurfaceForcingOptions(water=WaterFluxOptions(amplitude=3e-7, balanced=False))
    model = oceans.build(
        levels, 3600.0, wind=OceanWindOptions(amplitude=0.3), rotation=CoriolisOptions(),
        forcing=rain,
    )  # fmt: skip
    heights, moved = [], np.zeros(levels.mask.shape)
    for number, state in enumerate(oceans.go(model, 24)):
        heights.append(state.surface.gather() / gravity)
        if number > 0:
            rising, water = shown(model, "velocity_w", "water_flux")
            moved += 3600.0 * (rising[-1] + water / water_density)
    assert 3600.0 * 23 * np.abs(water).max() / water_density > 1e-2
    change = (heights[-1] - heights[0])[levels.mask]
    assert np.abs(change).max() > 0.05
    assert_allclose(moved[levels.mask], change, atol=1e-9)


@pytest.mark.parametrize("rains", [True, False])
def test_water_that_levels_checkerboards_is_not_rain(rains):
    """It goes from cell to cell: the water that enters is that of the closed form, or none."""
    levels, amplitude = oceans.rough_sphere(), 3e-7 if rains else 0.0
    rain = SurfaceForcingOptions(water=WaterFluxOptions(amplitude=amplitude, balanced=False))
    model = oceans.build(levels, 3600.0, checkerboard=0.3, forcing=rain)
    heights = np.random.default_rng(8).uniform(-1.0, 1.0, levels.mask.shape) * levels.mask
    oceans.put_surface(model, heights)
    *_, state = oceans.go(model, 2)
    (found,) = shown(model, "water_flux")
    latitude = np.radians(levels.horizontal.at(Place.center).y) * np.ones(levels.mask.shape)
    wanted = water_density * amplitude * np.cos(6.0 * latitude)
    reached = found != 0.0
    assert reached.sum() > (0.5 * levels.mask.sum() if rains else -1)
    assert_allclose(found[reached], wanted[reached], rtol=1e-12)
    assert np.abs(state.water_flux.gather() * water_density - found).max() > 1e-5


def test_maps_are_what_the_state_holds():
    """In units of files: height, the uppermost cells, stress; one of two components is not both."""
    levels = oceans.rough_sphere()
    density = 1030.0
    model = oceans.build(levels, 3600.0, density=DensityOptions(reference=density))
    random, s = np.random.default_rng(2), model.state
    tracers = random.uniform(5.0, 30.0, (2, *levels.shape)) * levels.wet
    oceans.put_tracers(model, tracers)
    oceans.put_surface(model, random.uniform(-1.0, 1.0, levels.mask.shape) * levels.mask)
    stress = random.uniform(-1e-4, 1e-4, (2, *s.stress_x.shape))
    for field, values in zip((s.stress_x, s.stress_y), stress, strict=True):
        field.set_global(values)
    wanted = {
        "temperature": tracers[0],
        "salinity": tracers[1],
        "surface_temperature": tracers[0, -1],
        "surface_salinity": tracers[1, -1],
        "sea_level": s.surface.gather() / gravity,
        "wind_stress_x": density * stress[0],
        "wind_stress_y": density * stress[1],
    }
    for name, found in zip(wanted, shown(model, *wanted), strict=True):
        assert_allclose(found, wanted[name], rtol=1e-14, err_msg=name)
        assert np.ptp(found) > 1e-2, name
