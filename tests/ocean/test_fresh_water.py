"""Rivers, evaporation, marginal seas and basins: what comes and goes is in the budgets.

Ranks: 1.
"""

import math
from dataclasses import replace

import netCDF4
import numpy as np
import pytest

from biogeochemistry.folded_ocean import folded_ocean
from halocline.core.constants import earth_radius
from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.sphere import angles_between, vectors
from halocline.ocean.forcing_options import SurfaceForcingOptions
from halocline.ocean.fresh_water_options import (
    MarginalSeaOptions,
    RiverOptions,
    WaterFluxOptions,
)
from halocline.ocean.joined_seas import reached_cells
from halocline.ocean.options import OceanOptions, OceanStartOptions
from halocline.ocean.region_options import RegionOptions
from halocline.ocean.regions import region_cells
from halocline.ocean.rivers import river_share
from halocline.runtime.fields.place import Place
from ocean import oceans
from ocean.forced_ocean import advance, build, everything, monthly, small_sea, step, still
from ocean.test_surface_forcing import brought, calm, held

nile = RiverOptions(mouth=(31.0, 39.0), flow=5e4, spread=5e5)
west = RegionOptions(boxes=[(-1.5, 13.5, 36.5, 80.0)])
east = RegionOptions(boxes=[(40.0, 50.0, 36.5, 80.0)])


def forced(water, **more):
    """Options of a still sea with some water."""
    forcing = SurfaceForcingOptions(water=water, **more)
    start = OceanStartOptions(deep=10.0, range=0.0)
    return OceanOptions(mixing=still, wind=calm, start=start, forcing=forcing, averaging=0)


def total(component, flux):
    """Sum over the sea of a flux per area, exactly added up."""
    area = component.grid.mask * component.grid.horizontal.area
    return math.fsum((flux * area).ravel())


@pytest.mark.parametrize("enters_as", ["volume", "salt"])
def test_budgets_of_a_river_close(enters_as):
    """Volume grows by what it brings, salt stays; or salt falls by what stands for it."""
    water = WaterFluxOptions(rivers={"nile": nile}, balanced=False, enters_as=enters_as)
    options = replace(everything, forcing=replace(everything.forcing, water=water))
    component, time = build(options)
    contents = [held(component)]
    for number in range(20):
        time = advance(component, time, 1)
        contents.append(held(component))
        scale = np.abs(contents[0]) + 1e3 * step * np.abs(brought(component))
        if number:
            gained = contents[-1] - contents[-3]
            assert (np.abs(gained - 2.0 * step * brought(component)) <= 1e-13 * scale).all()
    volume = contents[-1][2] - contents[0][2]
    expected = 20 * step * 5e4 if enters_as == "volume" else 0.0
    assert abs(volume - expected) <= 1e-13 * contents[0][2]


def test_a_river_alone_changes_salt_by_what_stands_for_it():
    for enters_as, lost in (("volume", 0.0), ("salt", 34.7 * 5e4 * 10 * step)):
        water = WaterFluxOptions(rivers={"nile": nile}, balanced=False, enters_as=enters_as)
        component, time = build(forced(water))
        first = held(component)[1]
        advance(component, time, 10)
        assert abs(held(component)[1] - first + lost) <= 1e-13 * first


def test_a_river_at_a_bay_that_no_flow_reaches_enters_the_sea_beside_it():
    """The bay is a row of cells without a corner that has water all around."""
    depth = [[9.0, 9.0, 0.0, 0.0, 0.0], [9.0, 9.0, 9.0, 9.0, 9.0], [9.0, 9.0, 0.0, 0.0, 0.0]]
    sides = {"kind": "cartesian", "dx": 1e3, "dy": 1e3, "closed_edges": False}
    grid = regular_grid(GridOptions(nx=5, ny=3, depth=depth, **sides))
    head = (float(grid.x[4]), float(grid.y[1]))
    for spread, wanted in ((0.0, 1), (1500.0, 6)):
        share = river_share(RiverOptions(mouth=head, flow=1.0, spread=spread), grid, "brook")
        assert not share[:, 2:].any() and np.count_nonzero(share) == wanted
        assert math.fsum((share * grid.area).ravel()) == pytest.approx(1.0, rel=1e-14)


def test_a_river_is_spread_over_near_cells_that_the_sea_joins():
    """Against distances on the sphere; land parts cells that are near."""
    levels = small_sea()
    grid = levels.horizontal
    share = river_share(nile, grid, "nile")
    assert math.fsum((share * grid.area).ravel()) == pytest.approx(1.0, rel=1e-14)
    center = grid.at(Place.center)
    x, y = np.broadcast_arrays(center.x, center.y)
    j, i = 1, 10  # the sea cell nearest to the mouth
    away = earth_radius * angles_between(vectors(x, y), vectors(x[j, i], y[j, i])[:, None, None])
    near = grid.mask & (away <= 5e5)
    assert near.sum() > 4
    np.testing.assert_array_equal(share > 0.0, near)
    assert np.ptp(share[near]) == 0.0
    parted = grid.mask.copy()
    parted[:, 11] = False
    divided = replace(grid, mask=parted, depth=np.where(parted, grid.depth, 0.0))
    far = replace(nile, spread=8e5)
    assert (river_share(far, grid, "nile")[:, 12:] > 0.0).any()
    assert not (river_share(far, divided, "nile")[:, 12:] > 0.0).any()
    with pytest.raises(UserError, match="km from the nearest sea"):
        river_share(replace(nile, mouth=(31.0, 0.0)), grid, "nile")


@pytest.mark.parametrize("shape", [(5, 2), (2, 5)])
def test_rivers_spread_to_all_sides(shape):
    """In a narrow channel along x or y: to both sides of the mouth."""
    grid = oceans.plane(*shape, 1e4, [10.0]).horizontal
    center = grid.at(Place.center)
    x, y = np.broadcast_arrays(center.x, center.y)
    j, i = shape[1] // 2 % 4, shape[0] // 2 % 4
    mouth = replace(nile, mouth=(x[j, i], y[j, i]), spread=1.2e4)
    near = np.hypot(x - x[j, i], y - y[j, i]) < 1.2e4
    assert near.sum() == 4
    assert river_share(mouth, grid, "") == pytest.approx(near / 4e8, rel=1e-14)


@pytest.mark.parametrize("spread", [1e3, 3e5])
def test_both_places_of_a_cell_on_a_seam_have_its_river(spread):
    grid = folded_ocean("centres").horizontal
    topology, center = grid.topology, grid.at(Place.center)
    once = topology.once(Place.center)
    x, y = np.broadcast_arrays(center.x, center.y)
    for i in np.flatnonzero(reached_cells(grid)[-1]):
        mouth = replace(nile, mouth=(float(x[-1, i]), float(y[-1, i])), spread=spread)
        share = river_share(mouth, grid, "nile")
        assert share[-1, i] > 0.0
        assert np.array_equal(share, topology.widened(share, (0, 0, 0, 0)))
        assert math.fsum((share * grid.area)[once]) == pytest.approx(1.0, rel=1e-14)


def test_doubles_on_a_seam_count_once():
    """Where a row of cells stands twice: a river there, and what balances it."""
    levels = folded_ocean("centres")
    grid, once = levels.horizontal, levels.topology.once(Place.center)
    seam = grid.mask[-1] & ~once[-1]
    center = grid.at(Place.center)
    i = np.flatnonzero(seam)[0]
    mouth = replace(nile, mouth=(center.x[-1, i], center.y[-1, i]), spread=3e5)
    share = river_share(mouth, grid, "nile")
    assert (share > 0.0)[-1][seam].any()
    assert math.fsum((share * grid.area)[once]) == pytest.approx(1.0, rel=1e-14)
    around_the_pole = RegionOptions(boxes=[(0.0, 360.0, 80.0, 90.0)])
    water = WaterFluxOptions(rivers={"nile": mouth}, balanced_in=around_the_pole)
    component, time = build(forced(water), levels=levels)
    component.model.forcing.update(time)
    component.model.forcing.fluxes()
    flux = component.model.state.water_flux.gather()
    assert abs(math.fsum((flux * grid.area * grid.mask)[once])) <= 1e-13 * 5e4
    assert np.abs(flux).max() > 0.0


def test_marginal_seas_keep_their_water():
    """Each sums to nothing, its outlet has what it lost, and the balance is zero-sum."""
    sea = MarginalSeaOptions(sea=east, outlet=west)
    rivers = {"nile": replace(nile, mouth=(46.0, 40.0))}
    open_sea = WaterFluxOptions(amplitude=2e-7, rivers=rivers, balanced=False)
    kept = replace(open_sea, marginal_seas={"black": sea})
    fluxes = []
    for water in (open_sea, kept, replace(kept, balanced=True)):
        component, time = build(forced(water))
        component.model.forcing.update(time)
        component.model.forcing.fluxes()
        fluxes.append(component.model.state.water_flux.gather())
    free, moved, balanced = fluxes
    grid = component.grid.horizontal
    inside, outlet = (region_cells(some, grid, "") for some in (east, west))
    brings, size = total(component, free * inside), total(component, np.abs(free))
    assert abs(brings) > 0.1 * size
    assert abs(total(component, moved * inside)) <= 1e-13 * size
    assert abs(total(component, moved) - total(component, free)) <= 1e-13 * size
    grown = total(component, moved * outlet) - total(component, free * outlet)
    assert grown == pytest.approx(brings, rel=1e-12)
    assert np.ptp((moved - free)[outlet]) <= 1e-20
    np.testing.assert_array_equal(balanced[inside], moved[inside])
    assert abs(total(component, balanced)) <= 1e-13 * size


def test_water_is_balanced_where_it_is_said():
    water = WaterFluxOptions(rivers={"nile": nile}, balanced_in=west)
    component, time = build(forced(water))
    component.model.forcing.update(time)
    component.model.forcing.fluxes()
    flux = component.model.state.water_flux.gather()
    outlet = region_cells(west, component.grid.horizontal, "")
    assert abs(total(component, flux)) <= 1e-13 * 5e4
    assert total(component, flux * outlet) == pytest.approx(-5e4, rel=1e-12)
    np.testing.assert_allclose(flux[~outlet & component.grid.mask].max(), flux.max())


def test_months_of_a_river():
    flow = [float(month) for month in range(1, 13)]
    water = WaterFluxOptions(rivers={"nile": replace(nile, flow=flow)}, balanced=False)
    component, time = build(forced(water))
    for month in (1, 5, 12):
        component.model.forcing.update(time.replace(month=month))
        component.model.forcing.fluxes()
        found = total(component, component.model.state.water_flux.gather())
        assert found == pytest.approx(month, rel=1e-12)
    with pytest.raises(UserError, match="twelve"):
        replace(nile, flow=[1.0, 2.0])


def test_evaporation_leaves_as_water(tmp_path):
    """What takes latent heat of 2.5 MJ/kg takes its volume, too."""
    path = monthly(
        tmp_path / "air.nc",
        u10=lambda x, y, m: 8.0 + 0 * x, v10=lambda x, y, m: 0 * x,
        wind_speed=lambda x, y, m: 8.0 + 0 * x, t_air=lambda x, y, m: 10.0 + 0 * x,
        q_air=lambda x, y, m: 3.0 + 0.01 * x, sw_net=lambda x, y, m: 0 * x,
        lw_up=lambda x, y, m: 0 * x,
    )  # fmt: skip
    water = WaterFluxOptions(evaporation=True, balanced=False)
    options = forced(water)
    bulk = replace(options.forcing.bulk, file=path, every_year=True)
    options = replace(options, forcing=replace(options.forcing, bulk=bulk))
    component, time = build(options)
    component.model.forcing.update(time)
    component.model.forcing.fluxes()
    s, wet = component.model.state, component.grid.mask
    evaporation = component.model.forcing.bulk.evaporation.gather()
    flux = s.water_flux.gather()
    np.testing.assert_allclose(flux[wet], -1e-3 * evaporation[wet], rtol=1e-14)
    assert 1e-9 < -flux[wet].max() < 1e-6 and not flux[~wet].any()
    component.close()
    with pytest.raises(UserError, match="bulk"):
        build(forced(water))


def test_regions_of_a_map_and_what_is_refused(tmp_path):
    grid = small_sea().horizontal
    numbers = np.arange(grid.mask.size).reshape(grid.shape) % 3
    with netCDF4.Dataset(tmp_path / "map.nc", "w") as file:
        for name, size in zip(("y", "x"), grid.shape, strict=True):
            file.createDimension(name, size)
        file.createVariable("region", "i4", ("y", "x"))[:] = numbers
        file.createVariable("other", "i4", ("x", "y"))[:] = numbers.T
    path = str(tmp_path / "map.nc")
    found = region_cells(RegionOptions(file=path, values=[0, 2]), grid, "")
    np.testing.assert_array_equal(found, grid.mask & (numbers != 1))
    with pytest.raises(UserError, match="shape"):
        region_cells(RegionOptions(file=path, variable="other", values=[0]), grid, "here")
    with pytest.raises(UserError, match="no variable 'nothing'"):
        region_cells(RegionOptions(file=path, variable="nothing", values=[0]), grid, "here")
    with pytest.raises(UserError, match="here has no sea cell"):
        region_cells(RegionOptions(file=path, values=[7]), grid, "here")
    with pytest.raises(UserError, match="both"):
        RegionOptions(file=path)


def test_basins_hold_what_their_cells_hold():
    basins = {"west": west, "rest": RegionOptions(boxes=[(13.5, 60.0, 30.0, 80.0)])}
    component, time = build(replace(everything, basins=basins))
    advance(component, time, 3)
    s, levels = component.model.state, component.grid
    volume = levels.wet * levels.thickness[:, None, None] * levels.horizontal.area
    volume[-1] = levels.mask * s.layer.gather() * levels.horizontal.area
    part = volume * (levels.horizontal.at(Place.center).x < 13.5)
    found = component.diagnostics.basin_contents()
    assert found["west"].volume == pytest.approx(part.sum(), rel=1e-13)
    heat, salt = ((part * values).sum() for values in s.tracer.gather())
    assert found["west"].heat == pytest.approx(heat, rel=1e-12)
    assert found["west"].salt == pytest.approx(salt, rel=1e-12)
    whole = component.diagnostics.budget.contents()
    assert found["west"].salt + found["rest"].salt == pytest.approx(whole.salt, rel=1e-13)


def test_sea_water_balances_with_its_salt():
    """What leaves where it balances is as salty as the surface: salt goes with it."""
    water = WaterFluxOptions(rivers={"nile": nile}, balanced_in=west, balanced_by="sea")
    component, time = build(forced(water))
    for tracer in (component.model.state.tracer, component.model.state.old_tracer):
        with tracer.change() as owned:
            for array in owned:
                array[1, :-1] += 2.0
    first = held(component)
    advance(component, time, 1)
    gained = held(component) - first
    assert abs(gained[1] + 35.0 * 5e4 * step) <= 1e-13 * first[1]
    assert abs(gained[2]) <= 1e-13 * first[2]
