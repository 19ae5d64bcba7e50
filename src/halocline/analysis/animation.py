"""Animations of a field through time: GIF always, MP4 where ffmpeg is installed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from halocline.analysis import reading
from halocline.analysis.arrows import draw_arrows
from halocline.analysis.coastline import Extent
from halocline.analysis.looks import ink_on, look_of
from halocline.analysis.map_grid import (
    carried_to_coast,
    extent_of,
    grid_of,
    values_on,
    values_within,
)
from halocline.analysis.maps import DrawnMap, draw_field, shown_values
from halocline.analysis.sheet import map_sheet
from halocline.analysis.undefined import draw_undefined, undefined_cells
from halocline.analysis.wave_fields import Arrows
from halocline.core.errors import UserError
from halocline.core.programs import find_program

MOST_FRAMES = 61
FRAMES_PER_SECOND = 10
LARGEST_FILE = 5_000_000
PIXELS_ACROSS = 840
MOST_COLOURS = 192
ARROWS_ACROSS = 34


def animate(
    dataset: xr.Dataset,
    variable: xr.DataArray,
    output: Path,
    *,
    region: str | Extent | None = None,
    arrows: Arrows = "auto",
    title: str = "",
) -> list[Path]:
    """Draw every record of a variable and write `output` (.gif), besides .mp4 with ffmpeg.

    Long files are thinned to 61 frames at equal distances; a GIF above 5 MB is made smaller.
    """
    axis = reading.coordinate(variable, "time")
    if axis is None or axis.ndim != 1 or axis.size < 2:
        raise UserError(f"Cannot animate '{variable.name}': it has only one time.")
    records = chosen_records(axis.size)
    pictures = list(frames(dataset, variable, records, region, arrows, title))
    written = [write_gif(pictures, output.with_suffix(".gif"), look_of(variable).colours)]
    if program := find_program("ffmpeg"):
        written.append(_write_mp4(program, pictures, output.with_suffix(".mp4")))
    return written


def chosen_records(count: int, most: int = MOST_FRAMES) -> list[int]:
    """Records at equal distances, the last one among them.

    >>> chosen_records(7, most=3)
    [0, 3, 6]
    """
    stride = -(-(count - 1) // max(1, most - 1)) if count > most else 1
    return list(range((count - 1) % stride, count, stride))


def frames(
    dataset: xr.Dataset,
    variable: xr.DataArray,
    records: list[int],
    region: str | Extent | None = None,
    arrows: Arrows = "auto",
    title: str = "",
) -> Iterator[Image.Image]:
    """One picture per record, all on the colour scale of all records drawn.

    Coast, frame and colour bar are drawn once; a frame changes the field, arrows and time only.
    """
    everything = _values(variable, records, region)
    figure, maps = map_sheet(
        _at(dataset, records[0]), [reading.record(variable, records[0])], region=region,
        arrows="none", title=title, seen=everything, contours=False,
    )  # fmt: skip
    canvas = FigureCanvasAgg(figure)
    figure.set_dpi(PIXELS_ACROSS / figure.get_size_inches()[0])
    for number in records:
        _update(figure, maps[0], _at(dataset, number), reading.record(variable, number), arrows)
        yield _picture(canvas)


def _picture(canvas: Any) -> Image.Image:
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())


def _values(
    variable: xr.DataArray, records: list[int], region: str | Extent | None
) -> NDArray[np.float64]:
    """All values that will be seen."""
    grid = grid_of(variable)
    extent = extent_of(region, grid)
    parts = (values_on(grid, reading.record(variable, number)) for number in records)
    return np.concatenate([values_within(grid, part, extent) for part in parts])


def _at(dataset: xr.Dataset, number: int) -> xr.Dataset:
    axis = reading.coordinate(dataset, "time")
    return dataset if axis is None else dataset.isel({str(axis.dims[0]): number})


def _update(
    figure: Figure, drawn: DrawnMap, dataset: xr.Dataset, record: xr.DataArray, arrows: Arrows
) -> None:
    grid, extent, look = drawn.grid, drawn.extent, look_of(record)
    drawn.field.remove()
    values = shown_values(grid, dataset, record)
    painted = carried_to_coast(grid, values) if drawn.coast else values
    drawn.field = draw_field(drawn.axes, grid, painted, extent, drawn.norm, look)
    if drawn.undefined is not None:
        drawn.undefined.remove()
    empty = undefined_cells(grid, dataset, record, values)
    drawn.undefined = draw_undefined(drawn.axes, grid, empty, painted, extent)
    if drawn.arrows is not None:
        drawn.arrows.remove()
    drawn.arrows = draw_arrows(
        drawn.axes, grid, dataset, record, extent, arrows, ARROWS_ACROSS, ink_on(look)
    )
    note, *_, time = figure.texts
    note.set_visible(drawn.undefined is not None)
    time.set_text(f"valid {reading.valid_time(record)}")


def write_gif(pictures: list[Image.Image], file: Path, scale: Colormap) -> Path:
    """Write pictures with one palette for all; smaller and fewer ones until they fit in 5 MB."""
    shown = pictures
    while True:
        palette = _common_palette(shown, scale)
        reduced = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in shown]
        pause = [1000 // FRAMES_PER_SECOND] * (len(reduced) - 1) + [1500]
        reduced[0].save(
            file, save_all=True, append_images=reduced[1:], duration=pause, loop=0, optimize=False
        )
        if file.stat().st_size <= LARGEST_FILE or shown[0].width < 400:
            return file
        shown = [_shrunk(picture, 0.8) for picture in shown]


def _common_palette(pictures: list[Image.Image], scale: Colormap) -> Image.Image:
    """Colours for all pictures: the colour scale evenly, the rest as the pictures need it."""
    sample = pictures[:: max(1, len(pictures) // 4)]
    width, height = sample[0].size
    column = Image.new("RGB", (width, height * len(sample)))
    for number, picture in enumerate(sample):
        column.paste(picture, (0, number * height))
    others = column.quantize(MOST_COLOURS // 2).getpalette() or []
    even = scale(np.linspace(0.0, 1.0, MOST_COLOURS // 2))[:, :3]
    palette = Image.new("P", (1, 1))
    palette.putpalette([*(np.round(255 * even).astype(int).ravel().tolist()), *others])
    return palette


def _shrunk(picture: Image.Image, factor: float) -> Image.Image:
    size = (round(picture.width * factor), round(picture.height * factor))
    return picture.resize(size, Image.Resampling.LANCZOS)


def _write_mp4(program: str, pictures: list[Image.Image], file: Path) -> Path:
    width, height = (size - size % 2 for size in pictures[0].size)
    command = [
        program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s", f"{width}x{height}", "-r", str(FRAMES_PER_SECOND), "-i", "-",
        "-pix_fmt", "yuv420p", "-crf", "20", str(file),
    ]  # fmt: skip
    raw = b"".join(picture.crop((0, 0, width, height)).tobytes() for picture in pictures)
    done = subprocess.run(command, input=raw, capture_output=True, check=False)
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise UserError(f"ffmpeg could not write '{file}': {' '.join(reason)}")
    return file
