"""Kernels of acoustic steps against their equations in plain NumPy, on random states."""

from types import SimpleNamespace

import numpy as np
import pytest

from halocline.atmosphere import _native
from halocline.runtime.fields.kernel import kernels_of
from kernels.all_samples import samples
from references import acoustic_steps

numbers = {
    "acoustic_push": {"dt": 0.7, "external_damping": 0.3},
    "acoustic_columns": {"dt": 0.7, "off_centring": 0.2, "divergence_damping": 0.15},
    "hydrostatic_columns": {"dt": 0.7, "divergence_damping": 0.15},
}


def compare(kernel, names, reference, without, seed):
    """A kernel and its reference, on a random state `without` some arguments."""
    sample = samples[f"atmosphere_{kernel}"](np.random.default_rng(seed), np.float64)
    given = {name: array.copy() for name, array in sample.arrays.items()}
    given["geopotential_change"][0] = 0.0  # of the ground
    given |= dict.fromkeys(without)
    wanted = reference(SimpleNamespace(**given), **numbers[kernel])
    tested = kernels_of(_native)[f"atmosphere_{kernel}"]
    call = (sample.box, *(given[argument.name] for argument in tested.arguments))
    tested.bound([call])(**numbers[kernel])
    south, north, west, east, _ = sample.box
    for name, expected in zip(names, wanted, strict=True):
        found, expected = (f[..., south:north, west:east] for f in (given[name], expected))
        assert np.isfinite(found).all() and np.ptp(found) > 0.0
        np.testing.assert_allclose(
            found, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max(), err_msg=name
        )


carried = ("x_carried", "y_carried")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "without",
    [(), ("base_pressure", "dilution", *carried), ("base_pressure",), ("dilution",), carried],
)
def test_push(without, seed):
    compare("acoustic_push", ("u_change", "v_change"), acoustic_steps.push, without, seed)


changed = (
    "mass_change", "mass_rate", "theta_change", "w_change", "geopotential_change",
    "pressure_change",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("without", [(), ("dilution",)])
def test_hydrostatic_columns(without, seed):
    compare("hydrostatic_columns", changed, acoustic_steps.hydrostatic_columns, without, seed)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("without", [(), ("dilution", "w", "w_damping"), ("dilution",)])
def test_columns(without, seed):
    compare("acoustic_columns", changed, acoustic_steps.columns, without, seed)
