"""Files of weights: both forms, what CDO and ESMF write, kept ones, and those that do not fit."""

from pathlib import Path

import netCDF4
import numpy as np
import pytest

from grids.globes import between_poles, regular
from halocline.core.errors import UserError
from halocline.grids.remapping.kept import kept_rows, key_of, made_by_all, words_of
from halocline.grids.remapping.remap import RemapOptions, SurfaceRemap
from halocline.grids.remapping.surface import Surface
from halocline.grids.remapping.weight_files import read_weights, write_weights
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Alone


def remap_of(method="conservative", rows=9, **options):
    source = Surface.of(between_poles("tripole", 10), Place.center, "the tripole")
    target = Surface.of(regular(rows), Place.center, "the globe")
    return SurfaceRemap(source, target, RemapOptions(method=method, **options))


def written(path, form, remap):
    rows = made_by_all(remap, Alone())
    j, i = np.indices(remap.target.shape).reshape(2, -1)
    fractions = remap.fractions(j, i)
    write_weights(path, form, rows, (remap.source, remap.target), words_of(remap), fractions)
    return rows


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("counts", "numbers", "weights")
    )


@pytest.mark.parametrize("form", ["esmf", "scrip"])
@pytest.mark.parametrize("normalisation", ["fracarea", "destarea"])
def test_both_forms_give_back_what_was_written(tmp_path, form, normalisation):
    remap = remap_of(normalisation=normalisation)
    rows = written(tmp_path / "weights.nc", form, remap)
    stored = read_weights(tmp_path / "weights.nc")
    assert same(stored.rows, rows)
    stored.check(tmp_path / "weights.nc", remap.source, remap.target)
    with netCDF4.Dataset(tmp_path / "weights.nc") as file:
        name = "dst_grid_corner_lat" if form == "scrip" else "yv_b"
        turn = np.pi / 180.0 if form == "scrip" else 1.0
        first = np.asarray(file[name][0]) / turn
        assert np.allclose(np.sort(first), [-90.0, -90.0, -70.0, -70.0])


def test_links_in_any_order_in_radians_as_scrip_has_them(tmp_path):
    """A file made by hand from the description of the form, of two cells to three."""
    path = tmp_path / "scrip.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        for name, size in {
            "src_grid_size": 2,
            "dst_grid_size": 3,
            "num_links": 4,
            "num_wgts": 1,
        }.items():
            file.createDimension(name, size)
        for name, values in {"src_address": [2, 1, 1, 2], "dst_address": [3, 1, 2, 2]}.items():
            file.createVariable(name, "i4", ("num_links",))[:] = values
        matrix = file.createVariable("remap_matrix", "f8", ("num_links", "num_wgts"))
        matrix[:] = np.array([[1.0], [1.0], [0.25], [0.75]])
        center = file.createVariable("src_grid_center_lat", "f8", ("src_grid_size",))
        center[:], center.units = np.array([0.0, np.pi / 4]), "radians"
    stored = read_weights(path)
    weights = stored.rows.packed()
    assert weights(np.array([[4.0, 8.0]])).tolist() == [[4.0, 7.0, 8.0]]
    assert np.allclose(stored.planes["yc_a"], [0.0, 45.0])


@pytest.mark.parametrize(
    ("name", "at", "value", "said"),
    [
        ("S", 7, 0.5, "add up to"),
        ("S", 7, np.nan, "not finite"),
        ("col", 3, 9999, "there are 1 to 200"),
        ("area_b", 4, 1.0, "has an area of 1"),
        ("xc_a", 0, 12.0, "has point 1 of the tripole at 12 E"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, name, at, value, said):
    remap, path = remap_of(), tmp_path / "weights.nc"
    written(path, "esmf", remap)
    with netCDF4.Dataset(path, "a") as file:
        file[name][at] = value
    with pytest.raises(UserError, match=said):
        read_weights(path).check(path, remap.source, remap.target)


def test_another_grid_and_no_weights_are_refused(tmp_path):
    remap, path = remap_of(), tmp_path / "weights.nc"
    written(path, "esmf", remap)
    other = remap_of(rows=8)
    with pytest.raises(UserError, match="162 points, and the globe has 128"):
        read_weights(path).check(path, other.source, other.target)
    with netCDF4.Dataset(path, "w"):
        pass
    with pytest.raises(UserError, match="holds no weights"):
        read_weights(path)


def test_kept_weights_are_taken_and_made_anew(tmp_path):
    remap = remap_of()
    first = kept_rows(remap, tmp_path, Alone())
    (path,) = tmp_path.iterdir()
    before = path.stat().st_mtime_ns
    assert same(kept_rows(remap, tmp_path, Alone()), first)
    assert path.stat().st_mtime_ns == before
    Path(path).write_bytes(path.read_bytes()[:400])
    assert same(kept_rows(remap, tmp_path, Alone()), first)
    assert path.stat().st_size > 400


def test_keys_differ_with_all_that_counts():
    masked = remap_of()
    masked.source.wet[4, 4] = False
    keys = [key_of(some) for some in (remap_of(), remap_of("bilinear"), remap_of(rows=8), masked)]
    keys.append(key_of(remap_of(normalisation="destarea")))
    assert len(set(keys)) == 5
    assert key_of(remap_of()) == keys[0]
