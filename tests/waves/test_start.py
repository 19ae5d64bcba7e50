"""Starts of a wave run: heights, shapes, conventions and the same values at any share of points."""

import math

import numpy as np
import pytest
import xarray as xr

from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.waves import start
from halocline.waves.parameters import mean_parameters
from halocline.waves.spectra import jonswap_directional, to_cartesian, turned
from halocline.waves.spectrum import SpectralGrid
from references import growth

spectral = SpectralGrid(frequencies=25, directions=24)


def sphere(nj=11, ni=36, step=10.0):
    """A periodic latitude-longitude grid with a little land."""
    y = (np.arange(nj) - nj // 2) * step
    mask = np.ones((nj, ni), bool)
    mask[3, 5:9] = False
    return Grid(
        x=np.arange(ni) * step,
        y=y,
        depth=np.full((nj, ni), 2500.0),
        mask=mask,
        periodic_x=True,
    )


def everywhere(grid):
    return np.arange(grid.sea_points)


def test_calm_is_zero_everywhere():
    grid = sphere()
    spectra = start.calm(spectral, grid).at(everywhere(grid))
    assert spectra.shape == (spectral.components, grid.sea_points)
    assert not spectra.any()


def test_gaussian_of_one_bin_has_its_height_and_place():
    """The start of the full circle on the equator: all energy in one bin, Hs 2.5 m, 2 degrees."""
    three = SpectralGrid(first_frequency=0.03679, frequencies=3, directions=4)
    grid = Grid(
        x=np.arange(-180.0, 180.0),
        y=np.array([-1.0, 0.0, 1.0]),
        depth=np.full((3, 360), 2500.0),
        mask=np.repeat([[False], [True], [False]], 360, axis=1),
        periodic_x=True,
    )
    options = start.GaussianStart(
        height=2.5,
        peak_frequency=0.040469,
        frequency_width=0.0001,
        direction=270.0,
        cosine_power=200.0,
        radius_x=2.0,
        radius_y=2.0,
    )
    spectra = options.spectra(three, grid).at(everywhere(grid))
    assert np.count_nonzero(spectra.any(axis=1)) == 1
    assert spectra[4].any()  # second frequency, towards east
    height = 4 * np.sqrt(spectra[4] * three.band_width[1] * three.direction_width)
    assert height[180] == pytest.approx(2.5)
    assert (height**2).sum() == pytest.approx(31.33285, abs=2e-5)
    assert height[176] == pytest.approx(2.5 * math.exp(-1.0))


def test_gaussian_in_frequency_and_direction():
    grid = sphere()
    options = start.GaussianStart(
        height=3.0, peak_frequency=0.12, frequency_width=0.01, direction=225.0, cosine_power=4.0,
        x=355.0, y=10.0, radius_x=20.0, radius_y=10.0,
    )  # fmt: skip
    spectra = options.spectra(spectral, grid).at(everywhere(grid))
    result = mean_parameters(spectra, spectral)
    best = int(np.argmax(result["significant_height"]))
    # The centre lies half a cell beside the nearest two points, across the join of longitudes.
    assert {grid.point_x[best], grid.point_y[best]} <= {350.0, 0.0, 10.0}
    assert result["mean_direction"][best] == pytest.approx(225.0, abs=1e-9)
    near = spectra.reshape(*spectral.shape, -1)[:, 3, best]
    ratio = near[11] / near[9]
    f = spectral.frequency
    assert ratio == pytest.approx(
        math.exp((-((f[11] - 0.12) ** 2) + (f[9] - 0.12) ** 2) / 0.01**2 / 8)
    )
    variance = (near * spectral.band_width).sum()
    shape = np.maximum(0, np.cos(spectral.direction - math.pi / 4)) ** 4
    total = variance / shape[3] * shape.sum() * spectral.direction_width
    assert 4 * math.sqrt(total) == pytest.approx(3.0 * math.exp(-0.25 * 0.25**2))


def test_gaussian_off_the_spectral_grid_is_refused():
    options = start.GaussianStart(peak_frequency=9.0, frequency_width=0.05)
    with pytest.raises(UserError, match="no energy on the spectral grid"):
        options.spectra(spectral, sphere())


def test_jonswap_by_local_wind():
    grid = sphere()
    random = np.random.default_rng(2)
    u, v = random.normal(0, 8, (2, grid.sea_points))
    u[:3], v[:3] = [0.0, 40.0, 0.5], [0.0, 0.0, 0.0]
    spectra = start.JonswapStart(fetch=200e3).spectra(spectral, grid, u, v).at(everywhere(grid))
    result = mean_parameters(spectra, spectral)
    assert result["significant_height"][0] == 0.0
    strong = np.hypot(u, v) > 6.0
    from_direction = turned(np.degrees(np.pi / 2 - np.arctan2(v, u)))
    difference = (result["mean_direction"] - from_direction + 180) % 360 - 180
    assert np.abs(difference[strong]).max() < 1.0
    # Winds are held below 20 m/s: X = 4903, fp = 3.5 g / U X^-0.33.
    peak = 3.5 * 9.806 / 20.0 * (9.806 * 200e3 / 400.0) ** -0.33
    assert result["peak_frequency"][1] == pytest.approx(peak, rel=0.02)
    east = u * np.cos(to_cartesian(from_direction)) + v * np.sin(to_cartesian(from_direction))
    assert np.allclose(east, np.hypot(u, v))


def test_jonswap_takes_its_fetch_from_the_cell():
    grid = sphere(step=5.0)
    u, v = np.full(grid.sea_points, 10.0), np.zeros(grid.sea_points)
    cell = start.JonswapStart().spectra(spectral, grid, u, v)
    at = int(np.flatnonzero(grid.point_y == 0.0)[0])
    fetch = 0.5 * math.hypot(5 / 360 * 4e7, 5 / 360 * 4e7)
    given = start.JonswapStart(fetch=fetch).spectra(spectral, grid, u, v)
    assert np.allclose(cell.at(np.array([at])), given.at(np.array([at])), rtol=1e-12)


@pytest.mark.parametrize("kind", ["calm", "jonswap", "gaussian"])
def test_any_share_of_points_has_the_same_bits(kind):
    grid = sphere()
    random = np.random.default_rng(7)
    u, v = random.normal(0, 8, (2, grid.sea_points))
    options = start.WaveStart(kind=kind, gaussian=start.GaussianStart(radius_x=30.0, radius_y=20.0))
    whole = options.spectra(spectral, grid, u, v).at(everywhere(grid))
    for share in (random.permutation(grid.sea_points)[:17], np.array([5])):
        part = options.spectra(spectral, grid, u, v).at(share)
        assert part.tobytes() == np.ascontiguousarray(whole[:, share]).tobytes()
    assert np.isfinite(whole).all()
    assert (whole >= 0.0).all()


def test_given_arrays_of_each_shape():
    grid = sphere()
    one = jonswap_directional(spectral)
    uniform = start.given(one, spectral, grid).at(everywhere(grid))
    assert np.array_equal(uniform[:, 7], one.ravel())
    planes = np.random.default_rng(1).random((spectral.components, grid.sea_points))
    for shape in ((spectral.components, -1), (*spectral.shape, -1)):
        got = start.given(planes.reshape(shape), spectral, grid).at(np.array([4, 2]))
        assert np.array_equal(got, planes[:, [4, 2]])
    with pytest.raises(UserError, match="has shape"):
        start.given(one[:3], spectral, grid)
    with pytest.raises(UserError, match="negative"):
        start.given(-one, spectral, grid)


def wave_file(path, density, frequency, towards):
    """A point-spectrum file as WAVEWATCH III writes it."""
    xr.Dataset(
        {"efth": (("time", "station", "frequency", "direction"), density[None, None])},
        {"frequency": frequency, "direction": towards},
    ).to_netcdf(path)


def test_given_file_in_both_conventions(tmp_path):
    expected = jonswap_directional(spectral, direction=200.0)
    towards = (90.0 - np.degrees(spectral.direction)) % 360.0
    wave_file(tmp_path / "ww3.nc", expected, spectral.frequency, towards)
    grid = sphere()
    options = start.WaveStart(kind="given", given=start.GivenStart(file=str(tmp_path / "ww3.nc")))
    wind = np.zeros(grid.sea_points)
    got = options.spectra(spectral, grid, wind, wind).at(np.array([0]))
    assert np.allclose(got[:, 0].reshape(spectral.shape), expected, rtol=1e-12, atol=1e-15)
    dataset = xr.Dataset(
        {"efth": (("time", "dir", "freq"), np.radians(expected).T[None])},
        {"freq": spectral.frequency, "dir": turned(towards)},
    )
    dataset.to_netcdf(tmp_path / "wavespectra.nc")
    options = start.GivenStart(file=str(tmp_path / "wavespectra.nc"))
    got = options.spectra(spectral, grid).at(np.array([0]))
    assert np.allclose(got[:, 0].reshape(spectral.shape), expected, rtol=1e-12, atol=1e-15)


def test_given_file_on_another_spectral_grid_keeps_height_and_direction(tmp_path):
    fine = SpectralGrid(first_frequency=0.03, factor=1.04, frequencies=60, directions=72)
    towards = (90.0 - np.degrees(fine.direction)) % 360.0
    wave_file(
        tmp_path / "f.nc", jonswap_directional(fine, direction=100.0), fine.frequency, towards
    )
    grid = sphere()
    got = start.GivenStart(file=str(tmp_path / "f.nc")).spectra(spectral, grid).at(np.array([3]))
    result = mean_parameters(got, spectral)
    expected = mean_parameters(jonswap_directional(spectral, direction=100.0), spectral)
    assert result["significant_height"][0] == pytest.approx(
        expected["significant_height"], rel=0.01
    )
    assert result["mean_direction"][0] == pytest.approx(100.0, abs=0.1)
    assert result["peak_frequency"][0] == pytest.approx(0.1, rel=0.02)


def test_bad_spectrum_files_are_refused(tmp_path):
    grid = sphere()
    with pytest.raises(UserError, match="Cannot read the spectrum file"):
        start.GivenStart(file=str(tmp_path / "none.nc")).spectra(spectral, grid)
    with pytest.raises(UserError, match="needs its file"):
        start.GivenStart().spectra(spectral, grid)
    xr.Dataset({"hs": ("time", [1.0])}).to_netcdf(tmp_path / "other.nc")
    with pytest.raises(UserError, match="has no variable 'frequency'"):
        start.GivenStart(file=str(tmp_path / "other.nc")).spectra(spectral, grid)
    towards = (90.0 - np.degrees(spectral.direction)) % 360.0
    wave_file(tmp_path / "one.nc", np.ones(spectral.shape), spectral.frequency, towards)
    with pytest.raises(UserError, match="no station 3"):
        start.GivenStart(file=str(tmp_path / "one.nc"), station=3).spectra(spectral, grid)


@pytest.mark.parametrize("wind", [8.0, 15.0])
def test_jonswap_start_lies_on_the_growth_curves(wind):
    fine = SpectralGrid(first_frequency=0.04, frequencies=60, factor=1.05, directions=36)
    grid = sphere()
    u, v = np.full(grid.sea_points, wind), np.zeros(grid.sea_points)
    for fetch in (50e3, 200e3, 600e3):
        spectra = start.JonswapStart(fetch=fetch).spectra(fine, grid, u, v)
        result = mean_parameters(spectra.at(np.array([0])), fine)
        for curve, tolerance in ((growth.jonswap, 0.20), (growth.kahma_calkoen, 0.30)):
            height, frequency = curve(fetch, wind)
            assert result["significant_height"][0] == pytest.approx(height, rel=tolerance)
            assert result["peak_frequency"][0] == pytest.approx(frequency, rel=tolerance)


def test_the_active_boundary_may_have_its_own_spectra():
    boundary = np.zeros((5, 6), bool)
    boundary[:, 0] = True
    grid = Grid(
        x=np.arange(6.0), y=np.arange(5.0), depth=np.full((5, 6), 50.0),
        mask=np.ones((5, 6), bool), boundary=boundary,
    )  # fmt: skip
    gaussian = start.GaussianStart(x=0.0, y=2.0, radius_y=50.0)
    options = start.WaveStart(kind="calm", boundary="gaussian", gaussian=gaussian)
    wind = np.zeros(grid.sea_points)
    energy = options.spectra(spectral, grid, wind, wind).at(everywhere(grid)).sum(axis=0)
    assert np.array_equal(energy > 0.0, boundary[grid.mask])
    alone = start.WaveStart(kind="gaussian", gaussian=gaussian).spectra(spectral, grid, wind, wind)
    assert np.array_equal(energy[boundary[grid.mask]], alone.at(np.arange(0, 30, 6)).sum(axis=0))
    with pytest.raises(UserError, match="no active boundary"):
        options.spectra(spectral, sphere(), wind, wind)


@pytest.mark.parametrize("size", [1, 2, 7, 64, 200])
def test_a_share_of_the_points_has_the_bits_of_the_whole(size):
    grid, random = sphere(), np.random.default_rng(size)
    u, v = 15.0 * random.standard_normal((2, grid.sea_points))
    whole = start.WaveStart(kind="jonswap").spectra(spectral, grid, u, v).at(everywhere(grid))
    for _ in range(10):
        some = np.sort(random.choice(grid.sea_points, size, replace=False))
        share = start.WaveStart(kind="jonswap").spectra(spectral, grid, u[some], v[some], some)
        assert np.array_equal(share.at(some), whole[:, some])
        assert np.array_equal(share.at(some[-1:]), whole[:, some[-1:]])
