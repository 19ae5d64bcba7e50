"""One-way nesting: waves of a coarse run pass into a fine one through its boundary.

Ranks: 1, and 3 for the nest, started here.
"""

import os
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import numpy as np
import pytest
import tomli_w
import wavespectra
import xarray

from halocline.component.case.reading import make_case
from halocline.component.forcing.file_series import Share
from halocline.core.errors import UserError
from halocline.experiment.run import run
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.waves.boundary import BoundaryOptions, BoundarySpectra

sides = ["west", "east", "south", "north"]


def swell(hours=18):
    """A storm's swell that has just begun to travel, to the east-north-east."""
    return {
        "spectrum": {"frequencies": 5, "first_frequency": 0.07, "directions": 24},
        "time": {"start": "2000-01-01", "length": f"{hours}h", "step": "30min"},
        "waves": {"physics": "none"},
    }


def coarse(hours=18, **boundary):
    stream = {"case": "nest.toml", "interval": "1h"} | boundary
    start = {"kind": "gaussian", "gaussian": {
        "height": 3.0, "peak_frequency": 0.085, "direction": 250.0, "cosine_power": 8.0,
        "x": 150e3, "y": 300e3, "radius_x": 80e3, "radius_y": 80e3,
    }}  # fmt: skip
    grid = {"kind": "cartesian", "nx": 36, "ny": 22, "dx": 40e3, "dy": 40e3, "depth": 3000.0}
    maps = {"maps": {"interval": "6h", "precision": "float64"}}
    return swell(hours) | {
        "grid": grid, "start": start,
        "output": {"fields": maps, "boundary": {"nest": stream}},
    }  # fmt: skip


def nest(hours=18, file: str | list[str] = "nest.nc", **more):
    grid = {
        "kind": "cartesian", "nx": 29, "ny": 25, "dx": 20e3, "dy": 20e3, "x0": 450e3, "y0": 190e3,
        "depth": 3000.0, "boundary": sides,
    }  # fmt: skip
    maps = {"maps": {"interval": "6h", "precision": "float64"}}
    return (
        swell(hours) | {"grid": grid, "boundary": {"file": file}, "output": {"fields": maps}} | more
    )


def write_case(folder: Path, table, name="case.toml") -> Path:
    path = folder / name
    path.write_text(tomli_w.dumps(table), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def outer(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("outer")
    write_case(folder, nest(file=[]), "nest.toml")
    run(write_case(folder, coarse()), output=folder)
    return folder


@pytest.fixture(scope="module")
def inner(outer) -> Path:
    folder = outer / "inner"
    run(nest(file=str(outer / "nest.nc")), output=folder)
    return folder


def test_waves_pass_into_the_nest(outer, inner):
    with xarray.open_dataset(outer / "maps.nc") as data:
        around = data.significant_height.load()
    with xarray.open_dataset(inner / "maps.nc") as data:
        heights = data.significant_height.load()
    for record in (2, 3):
        fine = heights[record]
        expected = around[record].interp(x=fine.x, y=fine.y)
        greatest = float(expected.max())
        assert greatest > 0.5
        error = np.sqrt(float(((fine - expected) ** 2).mean()))
        assert error < 0.03 * greatest
        on_edge = np.ones(fine.shape, bool)
        on_edge[1:-1, 1:-1] = False
        edge = (fine - expected).values[on_edge]
        assert np.abs(edge).max() < 0.03 * greatest
    # Without the boundary no wave ever enters.
    assert float(heights[0, 1:-1, 1:-1].max()) == 0.0


def test_boundary_files_are_point_spectra(outer):
    data = wavespectra.read_ww3(str(outer / "nest.nc"))
    assert data.sizes["site"] == 2 * 29 + 2 * 23
    assert float(data.spec.hs().max()) > 0.5


def test_the_nest_has_the_same_bits_on_any_ranks_and_split(outer, inner, tmp_path):
    whole = (inner / "maps.nc").read_bytes()
    case = write_case(tmp_path, nest(file=str(outer / "nest.nc")))
    command = [*mpiexec_command(3, threads=1), sys.executable, "-m", "halocline", "run", str(case)]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    done = subprocess.run(
        [*command, "--output", str(tmp_path / "ranks")],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "ranks" / "maps.nc").read_bytes() == whole
    cards = nest(file=str(outer / "nest.nc"), decomposition={"kind": "cards"})
    run(cards, output=tmp_path / "cards")
    assert (tmp_path / "cards" / "maps.nc").read_bytes() == whole
    halves = tmp_path / "halves"
    run(nest(9, file=str(outer / "nest.nc")), output=halves)
    run(nest(file=str(outer / "nest.nc"), restart={"source": str(halves)}), output=halves)
    assert (halves / "maps.nc").read_bytes() == whole


def test_files_split_in_time_and_zarr(outer, inner, tmp_path):
    write_case(tmp_path, nest(file=[]), "nest.toml")
    run(write_case(tmp_path, coarse(split="12h", format="zarr")), output=tmp_path)
    files = sorted(str(path) for path in tmp_path.glob("nest_*.zarr"))
    assert len(files) == 2
    run(nest(file=files), output=tmp_path / "inner")
    assert (tmp_path / "inner" / "maps.nc").read_bytes() == (inner / "maps.nc").read_bytes()


def test_spectra_on_other_bands_are_interpolated(outer, inner, tmp_path):
    bands = {"frequencies": 9, "first_frequency": 0.07, "factor": 1.049, "directions": 36}
    run(nest(6, file=str(outer / "nest.nc"), spectrum=bands), output=tmp_path)
    with xarray.open_dataset(tmp_path / "maps.nc") as data:
        found = data.significant_height[-1].load()
    with xarray.open_dataset(inner / "maps.nc") as data:
        expected = data.significant_height[1].load()
    assert float(abs(found - expected)[:, 0].max()) < 0.1 * float(expected.max())


def test_a_rank_reads_the_spectra_of_its_own_points(outer):
    """The bits of the whole, from less of the file; points without any read nothing."""
    table = make_case(nest(file=str(outer / "nest.nc")))
    grid, clock = table.build_grid(), table.time.clock()

    def boundary(numbers):
        options = BoundaryOptions(file=str(outer / "nest.nc"))
        share = Share(numbers)
        return BoundarySpectra(options, grid, table.spectrum, clock.start, clock.end, share)

    everywhere = np.arange(grid.sea_points)
    whole = boundary(everywhere)
    times = [clock.start + clock.step * step for step in range(clock.steps + 1)]
    all_spectra = [whole.at(time) for time in times]
    for part in np.array_split(everywhere, 5):
        some = boundary(part)
        places = np.flatnonzero(np.isin(whole.numbers, part))
        assert np.array_equal(some.numbers, whole.numbers[places])
        for time, spectra in zip(times, all_spectra, strict=True):
            assert np.array_equal(some.at(time), spectra[:, places])
        some.close()
        assert 0 < some._files[0].values_read < 0.6 * whole._files[0].values_read
    inside = boundary(np.flatnonzero(~grid.boundary[grid.mask]))
    assert inside.at(clock.start).shape == (table.spectrum.components, 0)
    inside.close()
    assert inside._files[0].values_read == 0
    whole.close()
    assert not [one for one in threading.enumerate() if one.name.startswith("read ahead")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda case: case["time"].update(length="2d"), "boundary spectra reach from .* the run"),
        (lambda case: case["grid"].update(boundary=[]), "the grid has no active boundary"),
        (lambda case: case["grid"].update(x0=2000e3), "no spectra near .* boundary points"),
        (lambda case: case.update(boundary={"file": "none.nc"}), "No data file 'none.nc'"),
        (lambda case: case["boundary"].update(file="maps.nc"), "has no variable"),
    ],
)
def test_what_a_nest_refuses(outer, monkeypatch, change, message):
    monkeypatch.chdir(outer)
    case = nest()
    change(case)
    with pytest.raises(UserError, match=message):
        run(case)


def test_what_a_coarse_run_refuses(tmp_path):
    closed = nest(file=[])
    closed["grid"]["boundary"] = []
    case = write_case(tmp_path, coarse())
    write_case(tmp_path, closed, "nest.toml")
    with pytest.raises(UserError, match="'nest.toml' has no active boundary"):
        run(case, output=tmp_path)
    outside = nest(file=[])
    outside["grid"]["x0"] = 1300e3
    write_case(tmp_path, outside, "nest.toml")
    with pytest.raises(UserError, match="'boundary.*lies outside the model grid"):
        run(case, output=tmp_path)
    unnamed = tomllib.loads(tomli_w.dumps(coarse(case="")))
    with pytest.raises(UserError, match="does not name its nest"):
        run(unnamed, output=tmp_path)
