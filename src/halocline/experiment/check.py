"""What a run of a case would need, without running it."""

from __future__ import annotations

from typing import Any

import numpy as np

from halocline.core.clock import duration_text, text
from halocline.experiment.case import Case, WaveCase
from halocline.experiment.start import cores, default_ranks
from halocline.grids.grid import Grid
from halocline.runtime.communicator import Alone
from halocline.runtime.decomposition import Decomposition

halo = 2
"""Depth of the halo of the propagation schemes [cells]."""

spectra = 3
"""Copies of the spectra that the wave model keeps in memory."""


class Imagined(Alone):
    """A communicator of any size, for looking at decompositions without ranks."""

    def __init__(self, size: int) -> None:
        self.size = size


def report(case: Case, ranks: int | None = None) -> str:
    """Grid, sea points, ranks, memory and output of a case, as lines."""
    clock, grid = case.time.clock(), case.build_grid()
    ranks = ranks or default_ranks(grid.sea_points, threads=1)
    components = case.spectrum.components if isinstance(case, WaveCase) else 0
    decomposition = Decomposition(
        grid.mask,
        grid.topology,
        halo=halo,
        options=case.decomposition,
        communicator=Imagined(ranks),
        components=components,
    )
    lines: list[tuple[str, Any]] = [
        ("case", case.title or case.component),
        ("grid", describe(grid)),
        (
            "time",
            f"{text(clock.start)} to {text(clock.end)}, {clock.steps} steps of"
            f" {duration_text(clock.step)}",
        ),
    ]
    if isinstance(case, WaveCase):
        frequencies, directions = case.spectrum.shape
        lines.append(("spectrum", f"{frequencies} frequencies x {directions} directions"))
    lines += [
        ("ranks", f"{ranks} ({cores()} cores here)"),
        ("cut", decomposition.describe()),
    ]
    if components:
        size = np.dtype(case.precision).itemsize * components * grid.sea_points * spectra
        lines.append(
            (
                "memory",
                f"{size / 2**30:.2f} GiB of spectra in all,"
                f" {size / 2**30 / ranks:.2f} GiB per rank",
            )
        )
    return "\n".join(f"{name:<10}{value}" for name, value in lines)


def describe(grid: Grid) -> str:
    """The grid in one line."""
    nj, ni = grid.shape
    kind = "longitude-latitude" if grid.spherical else "Cartesian"
    deepest = float(grid.depth[grid.mask].max()) if grid.sea_points else 0.0
    return f"{kind}, {ni} x {nj} cells, {grid.sea_points} sea points, to {deepest:.0f} m depth"
