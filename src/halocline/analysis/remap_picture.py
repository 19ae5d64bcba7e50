"""Pictures of how good a remapping is: maps of the misfit of functions by methods."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

Array = NDArray[np.float64]
least, largest = 1e-6, 1.0


def in_one_piece(longitude: Array) -> Array:
    """Longitudes [degree] cut where no point is for longest, else at 180 degrees.

    >>> in_one_piece(np.array([175.0, -175.0, -165.0])).tolist()
    [-185.0, -175.0, -165.0]
    """
    sorted_ones = np.unique(longitude % 360.0)
    gaps = np.diff(sorted_ones, append=sorted_ones[0] + 360.0)
    west = 180.0
    if gaps.max() > 30.0:
        west = float(sorted_ones[(int(gaps.argmax()) + 1) % gaps.size])
    found = (longitude - west) % 360.0 + west
    return np.asarray(found - 360.0 * (np.median(found) >= 180.0))


def misfit_sheet(
    longitude: Array, latitude: Array, misfits: Mapping[tuple[str, str], Array], title: str
) -> Figure:
    """A map of the relative misfit for each (method, function), methods below each other."""
    methods = list(dict.fromkeys(method for method, _ in misfits))
    functions = list(dict.fromkeys(function for _, function in misfits))
    size = (3.2 * len(functions) + 1.0, 1.9 * len(methods) + 0.9)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(methods), len(functions), squeeze=False, sharex=True, sharey=True)
    around = in_one_piece(longitude)
    shown = None
    for row, method in zip(axes, methods, strict=True):
        for axis, function in zip(row, functions, strict=True):
            misfit = np.maximum(misfits[method, function], least)
            some = np.isfinite(misfit)
            shown = axis.scatter(
                around[some],
                latitude[some],
                c=misfit[some],
                s=max(0.3, 4e4 / misfit.size),
                marker="s",
                linewidths=0,
                norm=LogNorm(least, largest),
                rasterized=True,
            )
            axis.set_title(f"{function}, {method}", fontsize=8)
    for axis in axes[-1]:
        axis.set_xlabel("longitude [degree]")
    for axis in axes[:, 0]:
        axis.set_ylabel("latitude")
    if shown is not None:
        figure.colorbar(shown, ax=axes, label="relative misfit", shrink=0.8)
    figure.suptitle(title, fontsize=9)
    return figure
