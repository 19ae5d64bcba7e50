"""Linear theory of surface waves: wavenumber and group speed in any depth."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halocline.core.constants import gravity
from halocline.waves import _native

Array = NDArray[np.float64]


def linear_dispersion(depth: ArrayLike, frequency: ArrayLike) -> tuple[Array, Array]:
    """Return wavenumber [rad m-1] and group speed [m s-1], each of shape frequency + depth.

    `depth` [m] is positive, `frequency` [Hz] is one-dimensional. The same depth gives the same
    bits wherever it stands in the array.

    >>> wavenumber, group_speed = linear_dispersion([1000.0], [0.1])
    >>> round(float(wavenumber[0, 0]), 6), round(float(group_speed[0, 0]), 4)
    (0.040259, 7.8034)
    """
    depths = np.asarray(depth, np.float64)
    sigma = 2.0 * np.pi * np.atleast_1d(np.asarray(frequency, np.float64))
    wavenumber = np.empty((sigma.size, depths.size))
    group_speed = np.empty_like(wavenumber)
    _native.linear_dispersion(
        box=(0, 0, 0, 0, depths.size),
        depth=np.ascontiguousarray(depths.ravel()),
        sigma=sigma,
        wavenumber=wavenumber,
        group_velocity=group_speed,
        gravity=gravity,
    )
    shape = (sigma.size, *depths.shape)
    return wavenumber.reshape(shape), group_speed.reshape(shape)
