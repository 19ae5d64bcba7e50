"""What a record of winds costs the ranks that need it, in several ways to read it.

Cheptsov et al. (2009) had every process read whole arrays, so that the time of input grew with
their number (945 s at 32, 2244 s at 64), and gained most of it back by parts (300 s and 360 s).
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.component.case.shipped import data_folder
from halocline.component.forcing.file_series import FileSeries, Share
from halocline.core.netcdf_lock import netcdf_lock
from halocline.grids.files.axes import bilinear
from halocline.grids.files.gridded_files import GriddedFiles
from halocline.grids.horizontal.bathymetry import BathymetryOptions, read_bathymetry
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.own_points import owned_numbers
from halocline.runtime.ranks.communicator import Communicator

Array = NDArray[np.float64]
Values = list[Array]

names = {"u10": "wind_u", "v10": "wind_v"}
Kind = Literal["NETCDF3_64BIT_DATA", "NETCDF4"]
formats: dict[str, Kind] = {"CDF-5": "NETCDF3_64BIT_DATA", "netCDF-4, compressed": "NETCDF4"}
every_rank = "every rank reads all"
by_parts, scattered = "by parts", "a rank per quantity reads and scatters"
plain = (every_rank, by_parts, scattered)
ahead = {f"{way}, ahead": way for way in (by_parts, scattered)}
ways = (*plain, *ahead)
"""The first is what the paper began with. Runs take one of the last two, by the file's chunks."""

busy_records = 3.0
"""The model computes about as long as reading this many records by parts takes [1]."""

keys = {
    "ranks": "number of ranks",
    "file": "format of the file",
    "way": "who reads what",
    "seconds": "time for which the slowest rank stands still for one record, the median of all [s]",
    "low": "lower quartile [s]",
    "high": "upper quartile [s]",
    "bytes": "bytes that all ranks read for one record (calls of the system, page cache included)",
}


@dataclass(frozen=True)
class InputRow:
    """The cost of one record in one way; see `keys`."""

    ranks: int
    file: str
    way: str
    seconds: float
    low: float
    high: float
    bytes: int


@dataclass
class Samples:
    """Times of single records [s] and bytes read for them, of this rank."""

    seconds: list[float] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)


def measure(
    communicator: Communicator,
    folder: Path | None = None,
    *,
    shape: tuple[int, int] = (721, 1440),
    records: int = 9,
) -> list[InputRow]:
    """Time one record of winds in all ways, in turns; a call for all ranks, the same rows on all.

    Files of `records` times and `shape` (latitude, longitude) are made in `folder`, or a temporary
    one, which all ranks must see; they come from the page cache, but from no cache of the library,
    since every record is read once in each way. The grid is that of the wave benchmark.
    """
    where = Path(tempfile.mkdtemp()) if folder is None and communicator.rank == 0 else folder
    where = communicator.broadcast(where)
    assert where is not None
    rows: list[InputRow] = []
    for name, kind in formats.items():
        # The library would share what it has unpacked among ways that read one file.
        paths = {way: where / f"winds_{kind.lower()}_{at}.nc" for at, way in enumerate(ways)}
        if communicator.rank == 0:
            write_winds(paths[every_rank], kind, shape, records)
            for way in ways[1:]:
                shutil.copyfile(paths[every_rank], paths[way])
        communicator.sum(np.zeros(1))
        rows += _rows(communicator, name, paths, records)
        communicator.sum(np.zeros(1))
        if communicator.rank == 0:
            for path in paths.values():
                path.unlink()
    if folder is None and communicator.rank == 0:
        where.rmdir()
    return rows


def write_winds(path: Path, kind: Kind, shape: tuple[int, int], records: int) -> None:
    """Winds of all the globe, float32, smooth with some noise, rounded to 1 cm s-1."""
    random = np.random.default_rng(0)
    latitude, longitude = np.linspace(-90, 90, shape[0]), np.arange(shape[1]) * (360 / shape[1])
    smooth = 10.0 * np.sin(np.deg2rad(longitude)) * np.cos(np.deg2rad(latitude))[:, None]
    packing: dict[str, Any] = {"compression": "zlib", "complevel": 1} if kind == "NETCDF4" else {}
    with netcdf_lock, netCDF4.Dataset(path, "w", format=kind) as file:
        file.createDimension("time", None)
        for name, line, units in (
            ("lat", latitude, "degrees_north"),
            ("lon", longitude, "degrees_east"),
        ):
            file.createDimension(name, line.size)
            file.createVariable(name, "f8", (name,))[:] = line
            file[name].units = units
        file.createVariable("time", "f8", ("time",)).units = "hours since 2000-01-01"
        for name in names:
            file.createVariable(name, "f4", ("time", "lat", "lon"), **packing)
        for record in range(records):
            file["time"][record] = 6 * record
            for name in names:
                file[name][record] = np.round(smooth + random.standard_normal(shape), 2)


class Ways:
    """All ways to bring a record to the ranks, each from its own copy of the file."""

    def __init__(self, communicator: Communicator, paths: Mapping[str, Path]) -> None:
        self.files = {way: GriddedFiles([path]) for way, path in paths.items()}
        grid = benchmark_grid()
        cut = Decomposition(grid.mask, grid.topology, halo=3, communicator=communicator)
        share = Share(owned_numbers(cut.home), communicator)
        self.numbers = share.numbers
        axes = self.files[every_rank].longitude, self.files[every_rank].latitude
        self.everywhere = bilinear(*axes, (grid.point_x, grid.point_y), "The wind", "the sea")
        self.series = {way: self._series(way, grid, share) for way in ways if way != every_rank}

    def _series(self, way: str, grid: Grid, share: Share) -> FileSeries:
        files = self.files[way]
        period = files.times[0], files.times[-1]
        short_names, variables = tuple(names.values()), tuple(names)
        chosen = ahead.get(way, way) == scattered
        return FileSeries(
            files, short_names, variables, grid, period, "wind", share, scattered=chosen
        )

    def take(self, way: str, record: int) -> Values:
        """A record at the own points, now."""
        if way != every_rank:
            return list(self.series[way].reader.take(record))
        return [self._everywhere(name, record)[self.numbers] for name in names]

    def _everywhere(self, name: str, record: int) -> Array:
        """A component at all points from a whole map."""
        files = self.files[every_rank]
        whole = files.read(name, names[name], files.records[record])
        return self.everywhere(np.where(np.isfinite(whole), whole, 0.0))

    def close(self) -> None:
        """Close all files."""
        for series in self.series.values():
            series.close()
        self.files[every_rank].close()


def benchmark_grid() -> Grid:
    """The grid of the wave benchmark: 29,792 sea points."""
    options = BathymetryOptions(file="w_depth_1p25x1.nc", mask="mask_reduced")
    return read_bathymetry(options, data_folder())


class Model:
    """Computing of a given length, without memory traffic to speak of, as a model's step."""

    def __init__(self, seconds: float) -> None:
        self.values, self.turns = np.linspace(0.1, 0.9, 4096), 1
        spent = 0.0
        while spent < 0.005:
            self.turns *= 2
            begin = time.perf_counter()
            self()
            spent = time.perf_counter() - begin
        self.turns = max(1, round(self.turns * seconds / spent))

    def __call__(self) -> None:
        for _ in range(self.turns):
            self.values = 3.7 * self.values * (1.0 - self.values)


def _rows(
    communicator: Communicator, name: str, paths: Mapping[str, Path], records: int
) -> list[InputRow]:
    """All ways for one file; every record in every way, the order turned from one to the next."""
    made = Ways(communicator, paths)
    samples = {way: Samples() for way in ways}
    begin = time.perf_counter()
    first = [made.take(way, 0) for way in ways]
    one = (time.perf_counter() - begin) / len(ways)
    model = Model(busy_records * float(communicator.maximum(np.array([one]))[0]))
    for record in range(1, records):
        for way in ways if record % 2 else reversed(ways):
            before = bytes_read()
            if way in ahead:
                seconds = _beside(communicator, model, made, way, record)
            else:
                seconds = _together(communicator, partial(made.take, way, record))
            samples[way].seconds.append(seconds)
            samples[way].bytes.append(bytes_read() - before)
    made.close()
    for values in first[1:]:
        assert all(np.array_equal(*pair) for pair in zip(values, first[0], strict=True))
    return [_row(communicator, name, way, samples[way]) for way in ways]


def _beside(communicator: Communicator, model: Model, made: Ways, way: str, record: int) -> float:
    """What a record costs that is read while the model computes [s]."""
    alone = _together(communicator, model)
    made.series[way].reader.prepare(record)

    def step() -> None:
        model()
        made.take(way, record)

    return max(_together(communicator, step) - alone, 0.0)


def _together(communicator: Communicator, action: Callable[[], Any]) -> float:
    """How long `action` takes on the slowest rank, begun together [s]."""
    communicator.sum(np.zeros(1))
    begin = time.perf_counter()
    action()
    return float(communicator.maximum(np.array([time.perf_counter() - begin]))[0])


def bytes_read() -> int:
    """Bytes that calls of this process have read so far, from caches too."""
    for line in Path("/proc/self/io").read_text(encoding="ascii").splitlines():
        if line.startswith("rchar:"):
            return int(line.split()[1])
    return 0


def _row(communicator: Communicator, name: str, way: str, samples: Samples) -> InputRow:
    low, middle, high = np.quantile(samples.seconds, [0.25, 0.5, 0.75]).tolist()
    total = communicator.sum(np.array([statistics.median(samples.bytes)], np.float64))
    return InputRow(communicator.size, name, way, middle, low, high, int(total[0]))
