"""Linear input: against the plain reference, and what it does to a calm sea."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from halocline.waves import inspection
from halocline.waves.ardhuin import Ardhuin
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.linear_input import LinearInput
from halocline.waves.spectrum import SpectralGrid
from references import linear_input as reference

grid = SpectralGrid(first_frequency=0.05, frequencies=30, directions=16, offset=0.25)


def input_of_calm_sea(speed, depth, origin, linear=None, dtype=np.float64):
    return inspection.sources(
        np.zeros(grid.shape),
        depth=depth,
        wind=(speed, origin),
        physics="ST4",
        grid=grid,
        options=Ardhuin(linear=linear or LinearInput()),
        dtype=dtype,
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("speed", "depth"), [(4.0, 2500.0), (12.0, 20.0), (25.0, 2500.0)])
def test_kernel_agrees_with_the_plain_reference(speed, depth, dtype):
    found = input_of_calm_sea(speed, depth, 200.0, dtype=dtype)
    k, cg = (array[:, 0] for array in linear_dispersion([depth], grid.frequency))
    wanted = reference.linear_input(
        LinearInput(), grid, k, cg, found.friction_velocity, np.radians(70.0)
    )
    assert wanted.max() > 0
    np.testing.assert_allclose(found.input, wanted, rtol=2e-5, atol=1e-6 * wanted.max())


def test_filter_moves_with_its_peak_factor():
    ordinary = input_of_calm_sea(8.0, 2500.0, 270.0).input.sum(axis=1)
    shifted = input_of_calm_sea(8.0, 2500.0, 270.0, LinearInput(peak_factor=2.0)).input.sum(axis=1)
    assert np.argmax(shifted > 0) > np.argmax(ordinary > 0)
    assert shifted[-1] < ordinary[-1]


def test_a_calm_sea_grows_only_with_linear_input():
    fine = SpectralGrid(first_frequency=0.0485, frequencies=36)
    for coefficient, grows in ((80.0, True), (0.0, False)):
        options = Ardhuin(linear=LinearInput(coefficient=coefficient))
        box = inspection.BoxModel(fine, wind=(10.0, 270.0), physics="ST4", options=options)
        box.advance(3600.0)
        assert (box.significant_height > 0.1) is grows


def test_cutoff_of_the_prognostic_range_delays_growth():
    fine = SpectralGrid(first_frequency=0.0485, frequencies=36)
    heights = []
    for factor in (0.0, 1.0):
        linear = replace(LinearInput(), cutoff_factor=factor)
        box = inspection.BoxModel(
            fine, wind=(10.0, 270.0), physics="ST4", options=Ardhuin(linear=linear)
        )
        box.advance(900.0)
        heights.append(box.significant_height)
    assert heights[1] < heights[0]
