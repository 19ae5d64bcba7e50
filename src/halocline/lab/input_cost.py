"""What a record of winds costs the ranks that need it, in several ways to read it.

Cheptsov et al. (2009) had every process read whole arrays, so that the time of input grew with
their number (945 s at 32, 2244 s at 64), and gained most of it back by parts (300 s and 360 s).
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.netcdf_lock import netcdf_lock
from halocline.experiment.shipped import data_folder
from halocline.grids.axes import Bilinear, bilinear
from halocline.grids.bathymetry import BathymetryOptions, read_bathymetry
from halocline.grids.gaps import Filling
from halocline.grids.grid import Grid
from halocline.grids.gridded_files import GriddedFiles
from halocline.grids.parts import Part
from halocline.runtime.communicator import Communicator
from halocline.runtime.decomposition import Decomposition
from halocline.runtime.own_points import owned_numbers
from halocline.runtime.read_ahead import ReadAhead
from halocline.runtime.recorder import Recorder

Array = NDArray[np.float64]
Values = list[Array]

names = {"u10": "wind_u", "v10": "wind_v"}
Kind = Literal["NETCDF3_64BIT_DATA", "NETCDF4"]
formats: dict[str, Kind] = {"CDF-5": "NETCDF3_64BIT_DATA", "netCDF-4, compressed": "NETCDF4"}
every_rank, by_parts, ahead, scattered = ways = (
    "every rank reads all",
    "by parts",
    "by parts, ahead",
    "one rank reads and scatters",
)
"""The first is what Halocline once did, and the paper; the third is what it does."""

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
        self.communicator = communicator
        self.of_way = {way: GriddedFiles([path]) for way, path in paths.items()}
        self.files = self.of_way[every_rank]
        grid = benchmark_grid()
        cut = Decomposition(grid.mask, grid.topology, halo=3, communicator=communicator)
        self.numbers = owned_numbers(cut.home)
        self.everywhere = self._weights(grid, np.arange(grid.sea_points))
        axes = self.files.longitude, self.files.latitude
        own = self._weights(grid, self.numbers)
        self.own = Filling(own, *axes, lambda: np.zeros(self.files.shape, bool))
        self.all_numbers = communicator.broadcast(communicator.gather(self.numbers))
        self.reader = ReadAhead(partial(self.by_parts, way=ahead), communicator, Recorder())

    def _weights(self, grid: Grid, numbers: NDArray[np.int64]) -> Bilinear:
        points = grid.point_x[numbers], grid.point_y[numbers]
        axes = self.files.longitude, self.files.latitude
        return bilinear(*axes, points, "The wind", "the sea")

    def _read(self, way: str, record: int, name: str, part: Part | None) -> Array:
        files = self.of_way[way]
        return files.read(name, names[name], files.records[record], part)

    def _everywhere(self, way: str, record: int) -> Values:
        """Values at all points from whole maps."""
        maps = (self._read(way, record, name, None) for name in names)
        return [self.everywhere(np.where(np.isfinite(one), one, 0.0)) for one in maps]

    def every_rank(self, record: int) -> Values:
        """All points from a whole map on every rank, then its own."""
        return [values[self.numbers] for values in self._everywhere(every_rank, record)]

    def by_parts(self, record: int, way: str = by_parts) -> Values:
        """Own points from the rows and columns that they need."""
        return [self.own.at_points(partial(self._read, way, record, name)) for name in names]

    def scattered(self, record: int) -> Values:
        """All points on rank 0, which sends every rank its own."""
        if self.communicator.rank:
            own = np.empty((len(names), self.numbers.size))
            self.communicator.exchange([], [(0, own.view(np.uint8))])
            return list(own)
        whole = np.array(self._everywhere(scattered, record))
        parts = [np.ascontiguousarray(whole[:, numbers]) for numbers in self.all_numbers]
        send = [(rank, part.view(np.uint8)) for rank, part in enumerate(parts) if rank]
        self.communicator.exchange(send, [])
        return list(parts[0])

    def close(self) -> None:
        """End the reading and close the files."""
        self.reader.wait()
        for files in self.of_way.values():
            files.close()


def benchmark_grid() -> Grid:
    """The grid of the wave benchmark: 29,792 sea points."""
    options = BathymetryOptions(file="w_depth_1p25x1.nc", mask="mask_reduced")
    return read_bathymetry(options, data_folder())


class Model:
    """Computing of a given length, without memory traffic to speak of, as a model's step."""

    def __init__(self, seconds: float) -> None:
        self.values = np.linspace(0.1, 0.9, 4096)
        self.turns = 1
        while (spent := self.timed()) < 0.005:
            self.turns *= 2
        self.turns = max(1, round(self.turns * seconds / spent))

    def timed(self) -> float:
        """Compute, and how long it took [s]."""
        begin = time.perf_counter()
        for _ in range(self.turns):
            self.values = 3.7 * self.values * (1.0 - self.values)
        return time.perf_counter() - begin


def _rows(
    communicator: Communicator, name: str, paths: Mapping[str, Path], records: int
) -> list[InputRow]:
    """All ways for one file; every record in every way, the order turned from one to the next."""
    ways_of_file = Ways(communicator, paths)
    plain: dict[str, Callable[[int], Values]] = {
        every_rank: ways_of_file.every_rank,
        by_parts: ways_of_file.by_parts,
        scattered: ways_of_file.scattered,
    }
    samples = {way: Samples() for way in ways}
    first = {way: take(0) for way, take in plain.items()}
    begin = time.perf_counter()
    first[ahead] = ways_of_file.by_parts(0, ahead)
    one = communicator.maximum(np.array([time.perf_counter() - begin]))[0]
    model = Model(busy_records * float(one))
    for record in range(1, records):
        order = list(plain) if record % 2 else list(reversed(plain))
        for way in order:
            _sample(communicator, samples[way], partial(plain[way], record))
        alone = _together(communicator, model.timed)
        # The record that is taken below is read while the model computes.
        before = bytes_read()
        ways_of_file.reader.prepare(record)
        spent = _together(communicator, partial(_step, model, ways_of_file, record))
        samples[ahead].seconds.append(max(spent - alone, 0.0))
        samples[ahead].bytes.append(bytes_read() - before)
    for way, values in first.items():
        assert all(np.array_equal(*pair) for pair in zip(values, first[by_parts], strict=True)), way
    ways_of_file.close()
    return [_row(communicator, name, way, samples[way]) for way in ways]


def _step(model: Model, all_ways: Ways, record: int) -> float:
    """A step of the model and then the record that was read meanwhile; how long both took [s]."""
    begin = time.perf_counter()
    model.timed()
    all_ways.reader.take(record)
    return time.perf_counter() - begin


def _together(communicator: Communicator, action: Callable[[], float]) -> float:
    """What `action` gives on the slowest rank, begun together [s]."""
    communicator.sum(np.zeros(1))
    return float(communicator.maximum(np.array([action()]))[0])


def _sample(communicator: Communicator, samples: Samples, action: Callable[[], Any]) -> None:
    """One more time of the slowest rank, and the bytes of this one."""
    before = bytes_read()

    def timed() -> float:
        begin = time.perf_counter()
        action()
        return time.perf_counter() - begin

    samples.seconds.append(_together(communicator, timed))
    samples.bytes.append(bytes_read() - before)


def bytes_read() -> int:
    """Bytes that calls of this process have read so far, from caches too."""
    for line in Path("/proc/self/io").read_text(encoding="ascii").splitlines():
        if line.startswith("rchar:"):
            return int(line.split()[1])
    return 0


def _row(communicator: Communicator, name: str, way: str, samples: Samples) -> InputRow:
    quartiles: Sequence[float] = statistics.quantiles(samples.seconds, n=4)
    total = communicator.sum(np.array([statistics.median(samples.bytes)], np.float64))
    return InputRow(
        communicator.size, name, way, quartiles[1], quartiles[0], quartiles[2], int(total[0])
    )
