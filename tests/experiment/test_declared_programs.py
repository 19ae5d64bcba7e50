"""Programs in C and Fortran that are parallel by declarations. Ranks: 1, 2, 3, 4 and 6."""

import shutil
import tomllib

import numpy as np
import pytest
import tomli_w
import xarray

from experiment import shallow_reference
from experiment.slab_sea import in_restart
from experiment.test_joining import begin, compiled, finished
from halocline.component.case.tables import plain_dates
from halocline.core.checkout import top
from halocline.experiment import exit_codes

example = top / "docs" / "examples" / "declared_water"
steps, nx, ny = 40, 61, 37
last = "restart_20000101T012000.safetensors"
flags = ("-O2", "-ffp-contract=off", "-Wall", "-Wextra")


@pytest.fixture
def folder(tmp_path):
    """The example on a grid of odd widths, of 40 steps."""
    shutil.copytree(example, tmp_path / "water")
    (tmp_path / "water" / "case.toml").write_text(tomli_w.dumps(table()))
    return tmp_path / "water"


def table():
    found = plain_dates(tomllib.loads((example / "case.toml").read_text()))
    found["grid"] |= {"nx": nx, "ny": ny}
    found["time"]["length"] = "80min"
    found["restart"]["interval"] = "40min"
    found["output"]["fields"]["maps"] |= {"interval": "40min", "precision": "float64"}
    return found


def run(folder, ranks, *words, out="out", code=exit_codes.done):
    words = ("run", ".", "-n", str(ranks), "--output", out, "--oversubscribe", *words)
    found, said, err = finished(begin(folder, *words))
    assert found == code, said + err
    return said, err


def state(path, name=last):
    return [in_restart(path / name, field) for field in ("height", "u", "v")]


@pytest.fixture(scope="module")
def truth():
    """Height, u and v as NumPy has them."""
    depth = shallow_reference.depths(nx, ny)
    return shallow_reference.stepped(depth, shallow_reference.bumped(depth), steps)


@pytest.fixture(scope="module")
def in_c(tmp_path_factory):
    """The compiled program in C."""
    path = tmp_path_factory.mktemp("compiled") / "declared"
    compiled(example, "gcc", *flags, "declared.c", "-o", path)
    return path


def bits(arrays):
    return [np.ascontiguousarray(some, np.float64).tobytes() for some in arrays]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6])
def test_c_computes_the_bits_of_numpy_on_any_ranks(folder, in_c, truth, ranks):
    shutil.copy(in_c, folder)
    said, _ = run(folder, ranks)
    with xarray.open_dataset(folder / "out" / "maps.nc") as maps:
        end = maps.isel(time=-1)
        found = [np.nan_to_num(end[name].values) for name in ("height", "u", "v")]
    assert bits(found) == bits(truth)
    assert np.abs(truth[0]).max() > 0.1 and np.abs(truth[2]).max() > 0.01
    assert "volume above rest" in said
