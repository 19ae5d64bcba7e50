"""Temperature and salinity of closed form at the start. Ranks: 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.core.errors import UserError
from halocline.ocean.options import OceanStartOptions
from halocline.ocean.start import FrontOptions, start_tracers
from ocean import oceans


def test_profile_front_and_waters():
    levels = oceans.plane(4, 3, 1e4, [100.0, 300.0])
    front = FrontOptions(difference=4.0, y=1e4, width=2e4, meander=5e3, length=4e4)
    start = OceanStartOptions(
        deep=3.0, range=10.0, scale=200.0, salinity=34.0, front=front,
        waters=[(-1.0, 1.0, -1.0, 1.5e4, 7.0)],
    )  # fmt: skip
    j, i = np.indices((3, 4))
    warm, salt = start_tracers(levels, start)(j, i)
    x, y = 1e4 * i, 1e4 * j
    wanted = 3.0 + 10.0 * np.exp(-np.array([250.0, 50.0]) / 200.0)[:, None, None]
    wanted = wanted + 2.0 * np.tanh((y - 1e4 - 5e3 * np.sin(2.0 * np.pi * x / 4e4)) / 1e4)
    wanted[:, :2, 0] = 7.0
    assert_allclose(warm, wanted, rtol=1e-14)
    assert (salt == 34.0).all()
    with pytest.raises(UserError, match="ocean.start.waters has the box .* no cell has its centre"):
        start_tracers(levels, OceanStartOptions(waters=[(5e5, 6e5, 0.0, 1.0, 7.0)]))
