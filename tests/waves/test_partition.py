"""Wind sea and swells against a plain reference and wavespectra's watershed."""

import numpy as np
import pytest
import wavespectra
import xarray as xr

from halocline.core.errors import UserError
from halocline.core.names import quantities
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import world
from halocline.runtime.running.runner import Runner
from halocline.waves.parameters import mean_parameters
from halocline.waves.partition import (
    PART_VALUES,
    PARTITION_FIELDS,
    Partitioning,
    Partitions,
    partition_spectra,
)
from halocline.waves.spectra import jonswap_directional, to_nautical
from halocline.waves.spectrum import SpectralGrid
from references.partition import partition, watershed

grid = SpectralGrid(frequencies=25, directions=24)
wavenumber = grid.sigma**2 / 9.806


def sea_states(points, noise=0.0, seed=5, spectral=grid):
    """Spectra of one to four wave systems, (frequency, direction, point), and winds."""
    random = np.random.default_rng(seed)
    spectra = np.zeros((*spectral.shape, points))
    for p in range(points):
        for _ in range(random.integers(1, 5)):
            spectra[:, :, p] += jonswap_directional(
                spectral,
                alpha=random.uniform(0.0003, 0.008),
                peak_frequency=random.uniform(0.06, 0.25),
                gamma=random.uniform(1, 5),
                direction=random.uniform(0, 360),
                cosine=None if random.random() < 0.5 else random.uniform(2, 20),
            )
    spectra *= np.exp(noise * random.normal(size=spectra.shape))
    return spectra, random.normal(0, 8, (2, points))


@pytest.mark.parametrize("noise", [0.0, 0.2, 2.0])
@pytest.mark.parametrize(
    "spectral",
    [
        grid,
        SpectralGrid(frequencies=40, directions=36),
        SpectralGrid(frequencies=3, directions=4, factor=1.4, first_frequency=0.08),
        SpectralGrid(frequencies=12, directions=90, first_frequency=0.06, factor=1.2),
    ],
    ids=["25x24", "40x36", "3x4", "12x90"],
)
def test_parts_agree_with_the_reference(noise, spectral):
    count = 5
    spectra, wind = sea_states(count, noise, spectral=spectral)
    k = spectral.sigma**2 / 9.806
    parts = 40
    result = partition_spectra(spectra, spectral, *wind, parts=parts)
    for p in range(count):
        expected = partition(spectra[:, :, p], spectral, k, wind[:, p])
        assert result["partitions"][p] == sum(part is not None for part in expected)
        for number, part in enumerate(expected[:parts]):
            for name in PART_VALUES:
                got = result[name][number, p]
                if part is None:
                    assert got == 0.0 if name == "partition_height" else np.isnan(got)
                else:
                    tolerance = (
                        1e-6 if name in ("partition_spread", "partition_direction") else 1e-9
                    )
                    assert got == pytest.approx(part[name], rel=1e-9, abs=tolerance), (name, p)
        for number in range(len(expected), parts):
            assert result["partition_height"][number, p] == 0.0


def test_plateaus_and_disconnected_hills():
    """Equal energies are one hill, also across the join of directions."""
    spectrum = np.zeros(grid.shape)
    spectrum[5:8, 23] = spectrum[5:8, 0] = 2.0  # one plateau across the join of directions
    spectrum[15, 12] = 3.0
    spectrum[20:23, 3:6] = 1.0
    labels = watershed(spectrum)
    assert labels.max() == 3
    result = partition_spectra(spectrum[:, :, None], grid, np.zeros(1), np.zeros(1))
    expected = partition(spectrum, grid, wavenumber, (0.0, 0.0))
    assert expected[0] is None
    for number, part in enumerate(expected):
        if part is not None:
            assert result["partition_height"][number, 0] == pytest.approx(part["partition_height"])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_energies_of_all_parts_add_up(dtype):
    spectra, wind = sea_states(60, 0.1)
    spectra = spectra.astype(dtype)
    options = Partitioning(minimum_height=0.0)
    result = partition_spectra(spectra, grid, *wind.astype(dtype), parts=200, options=options)
    total = np.sqrt((result["partition_height"].astype(np.float64) ** 2).sum(axis=0))
    expected = mean_parameters(spectra, grid, wanted=["significant_height"])["significant_height"]
    assert np.allclose(total, expected, rtol=2e-6 if dtype is np.float32 else 1e-12)
    swell = result["partition_height"][1:]
    assert (np.diff(swell, axis=0) <= 0.0).all()


def test_agrees_with_wavespectra():
    """Heights of wind sea and the first swells; the two break ties of plateaus differently."""
    points = 60
    spectra, wind = sea_states(points)
    speed = np.hypot(*wind)
    degrees = to_nautical(grid.direction)
    order = np.argsort(degrees)
    density = xr.DataArray(
        np.radians(spectra[:, order].transpose(2, 0, 1)),
        coords={"site": np.arange(points), "freq": grid.frequency, "dir": degrees[order]},
        dims=("site", "freq", "dir"),
        name="efth",
    )
    per_site = {"coords": {"site": np.arange(points)}, "dims": ("site",)}
    parts = wavespectra.SpecArray(density).partition.ptm1(
        wspd=xr.DataArray(speed, **per_site),
        wdir=xr.DataArray(to_nautical(np.arctan2(wind[1], wind[0])), **per_site),
        dpt=xr.DataArray(np.full(points, 5000.0), **per_site),
        swells=3,
    )
    theirs = wavespectra.SpecArray(parts).hs(tail=False).transpose("part", "site").values
    ours = partition_spectra(spectra, grid, *wind)["partition_height"]
    difference = np.abs(ours - theirs)
    close = difference < 0.02 * np.sqrt((theirs**2).sum(axis=0)) + 0.05
    assert close.mean() > 0.95
    assert np.median(difference) < 0.01


def test_wind_decides_what_is_wind_sea():
    sea = jonswap_directional(grid, peak_frequency=0.2, direction=270.0)
    swell = jonswap_directional(grid, alpha=0.001, peak_frequency=0.07, direction=180.0)
    spectra = np.repeat((sea + swell)[:, :, None], 3, axis=2)
    result = partition_spectra(spectra, grid, np.array([12.0, 0.0, -12.0]), np.zeros(3))
    assert result["partition_direction"][0, 0] == pytest.approx(270.0, abs=5.0)
    assert result["partition_direction"][1, 0] == pytest.approx(180.0, abs=5.0)
    assert result["partition_wind_fraction"][0, 0] > 0.8
    assert result["wind_sea_fraction"][0] > 0.1
    for p in (1, 2):  # no wind, and wind against the waves
        assert result["partition_height"][0, p] == 0.0
        assert np.isnan(result["partition_peak_period"][0, p])
        assert result["wind_sea_fraction"][p] < 0.1
        assert result["partitions"][p] == 2
    assert result["wind_sea_fraction"][1] == 0.0


@pytest.mark.parametrize("value", [0.0, 0.3])
def test_flat_spectra_have_no_parts(value):
    spectra = np.full((*grid.shape, 3), value)
    result = partition_spectra(spectra, grid, np.full(3, 9.0), np.zeros(3), missing=-1.0)
    assert (result["partitions"] == 0).all()
    assert (result["partition_height"] == 0.0).all()
    assert (result["partition_direction"] == -1.0).all()
    assert np.isfinite(result["wind_sea_fraction"]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_bits_at_any_place_and_count(dtype):
    spectra, wind = sea_states(70, 0.3)
    spectra, wind = spectra.astype(dtype), wind.astype(dtype)
    together = partition_spectra(spectra, grid, *wind)
    for first, count in [(0, 1), (5, 33), (37, 17)]:
        share = slice(first, first + count)
        alone = partition_spectra(spectra[:, :, share], grid, *wind[:, share])
        for name, values in alone.items():
            expected = np.ascontiguousarray(together[name][..., share])
            assert values.tobytes() == expected.tobytes(), name


def test_fields_on_blocks_hold_what_the_function_gives():
    mask = np.random.default_rng(1).random((8, 9)) < 0.8
    decomposition = Decomposition(
        mask,
        Topology(8, 9, False, False),
        halo=1,
        options=DecompositionOptions(kind="blocks", blocks_per_rank=3),
        communicator=world(),
        components=grid.components,
    )
    points = decomposition.sea_points
    spectra, wind = sea_states(points)
    arrays = {
        "spectrum": spectra.reshape(grid.components, points),
        "wavenumber": np.repeat(wavenumber[:, None], points, axis=1),
        "wind_u": wind[0],
        "wind_v": wind[1],
    }
    fields = {}
    units = {"spectrum": "m2 Hz-1 rad-1", "wavenumber": "rad m-1"}
    for name, values in arrays.items():
        fields[name] = Field(name, units.get(name, "m s-1"), decomposition, axes=values.shape[:-1])
        fields[name].set_global(values.astype(np.float32))
    wanted = ["swell2_height", "wind_sea_direction", "partitions"]
    process = Partitions(decomposition, grid, wanted)
    process.compute(Runner(decomposition, check_halos=True), **fields)
    expected = partition_spectra(
        spectra.astype(np.float32), grid, *wind.astype(np.float32), arrays["wavenumber"]
    )
    assert sorted(process.fields) == sorted(wanted)
    gathered = {name: field.gather() for name, field in process.fields.items()}
    assert np.array_equal(gathered["swell2_height"], expected["partition_height"][2])
    assert np.array_equal(
        gathered["wind_sea_direction"], expected["partition_direction"][0], equal_nan=True
    )
    assert np.array_equal(gathered["partitions"], expected["partitions"])


def test_names_are_those_of_the_list_of_fields():
    for name, (value, _) in PARTITION_FIELDS.items():
        assert quantities[name].units == PART_VALUES[value]
    decomposition = Decomposition(
        np.ones((3, 3), bool), Topology(3, 3, False, False), halo=1,
        options=DecompositionOptions(), communicator=world(), components=0,
    )  # fmt: skip
    with pytest.raises(UserError, match="Did you mean 'swell1_height'"):
        Partitions(decomposition, grid, ["swell1_hight"])


def test_a_broken_spectrum_does_not_touch_its_neighbours():
    spectra, wind = sea_states(20)
    expected = partition_spectra(spectra, grid, *wind)["partition_height"]
    spectra[7, 3, 4], spectra[0, 0, 9], spectra[:, :, 13] = np.nan, np.inf, np.nan
    found = partition_spectra(spectra, grid, *wind)["partition_height"]
    whole = np.setdiff1d(np.arange(20), [4, 9, 13])
    assert np.array_equal(found[:, whole], expected[:, whole])


def test_too_many_bins_are_refused():
    large = SpectralGrid(first_frequency=0.001, frequencies=300, directions=360, factor=1.01)
    with pytest.raises(UserError, match="at most 65536 bins"):
        partition_spectra(np.ones((*large.shape, 1)), large, np.zeros(1), np.zeros(1))


@pytest.mark.parametrize("share", [-0.01, 1.01])
def test_a_share_of_wind_sea_is_one(share):
    assert Partitioning(wind_sea_fraction=1.0).scalars["least_wind_fraction"] == 1.0
    with pytest.raises(UserError, match="wind_sea_fraction = .* too"):
        Partitioning(wind_sea_fraction=share)
