"""Height of the ground: in closed form, or from a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.start.terrain_files import ground_on_grid
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class MountainOptions(Options):
    """A mountain on flat ground, a ridge along y if `width_y` is 0.

    With d = distance over width it is h / (1 + d^2) (`bell`) or h exp(-d^2) cos^2(pi x / wave)
    (`waves`: Schaer et al. 2002, Mon. Wea. Rev. 130, 2459).
    """

    kind: str = option(
        "flat",
        "",
        "its shape; 'file': the ground of `file`, at the cells of the grid",
        choices=("flat", "bell", "waves", "file"),
    )
    file: str = option(
        "",
        "",
        "height of the ground at the cells of the case, or at more around them (CF standard_name"
        " surface_altitude), of kind 'file'",
    )
    height: float = option(0.0, "m", "of its top", at_least=-500.0, at_most=9000.0)
    width: float = option(10e3, "m", "half-width along x", at_least=1.0)
    width_y: float = option(0.0, "m", "half-width along y; 0: a ridge", at_least=0.0)
    x: float = option(0.0, "m", "of its top")
    y: float = option(0.0, "m", "of its top")
    wave: float = option(4e3, "m", "length of the waves of `waves`", at_least=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.kind == "file") != bool(self.file):
            raise UserError(
                f"atmosphere.mountain.kind = '{self.kind}' and atmosphere.mountain.file ="
                f" '{self.file}': give both, kind = 'file' and the file's name, or no file."
            )

    def heights(self, grid: Grid) -> Array:
        """Of the ground at centres [m], shape (nj, ni)."""
        if self.kind == "flat":
            return np.zeros(grid.shape)
        if self.kind == "file":
            return ground_on_grid(Path(self.file), grid)["ground"]
        x, y = grid.x - self.x, (grid.y - self.y)[:, None]
        away = (x / self.width) ** 2
        across = (y / self.width_y) ** 2 if self.width_y else 0.0 * y
        if self.kind == "bell":
            return np.asarray(self.height / (1.0 + away + across))
        waves = np.cos(np.pi * x / self.wave) ** 2
        return np.asarray(self.height * np.exp(-away - across) * waves)
