"""Streams at stations, on an edge, along a path, and means split by a restart; prints hashes."""

import hashlib
import tempfile
from pathlib import Path

import numpy as np

from halocline.core.clock import Clock, date, duration
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.transpose import move
from halocline.runtime.ranks.communicator import world
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.writing.restart import read_restart
from halocline.runtime.writing.writers import Writers, write_restart
from halocline.runtime.writing.writing_options import WritingOptions
from halocline.waves.boundary_stream import BoundaryStream, BoundaryStreamOptions
from halocline.waves.point_stream import PointStream, PointStreamOptions
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.track_stream import TrackStream, TrackStreamOptions

communicator = world()
spectral = SpectralGrid(frequencies=5, directions=8)
mask = np.random.default_rng(1).random((11, 24)) < 0.75
grid = Grid(
    x=np.arange(24) * 15.0, y=np.arange(-5.0, 6.0), depth=np.where(mask, 80.0, 0.0), mask=mask
)
begin, hours = date("2011-01-15"), 4
random = np.random.default_rng(2)
places = {f"p{n}": (random.uniform(0, 360), random.uniform(-5, 5)) for n in range(40)}
path = [f"2011-01-15T{n // 6:02}:{n % 6}5:00,{random.uniform(-5, 5)},{n * 15}" for n in range(24)]
names = ["wind_u", "mean_direction"]


def clock() -> Clock:
    return Clock(begin, begin + duration(f"{hours}h"), duration("1h"))


def fields_of(cut: Decomposition, hour: int) -> dict[str, Field]:
    values = np.random.default_rng(hour)
    spectrum = Field("wave_spectrum", "m2 s", cut, axes=(cut.component_axis,))
    spectrum.set_global(values.random((40, cut.sea_points), np.float32))
    if cut.kind == "cards" and hour % 2:
        move(spectrum, cut.planes, Recorder())
    result = {"wave_spectrum": spectrum}
    for name, dtype in zip(("wind_u", "wind_v", names[1]), "ffd", strict=True):
        result[name] = Field(name, "1", cut, dtype=dtype)
        some = values.uniform(-9.0, 350.0, cut.sea_points)
        result[name].set_global(np.where(some < 0.0, np.nan, some) if name == names[1] else some)
    return result


def streams(cut: Decomposition, folder: Path) -> list[PointStream | TrackStream]:
    common = (grid, spectral, clock(), folder)
    sea = {name: place for name, place in places.items() if int(name[1:]) in at_sea}
    means = {"processing": "mean", "interval": "2h", "precision": "float64"}
    track = TrackStreamOptions(outside="leave_out")
    return [
        BoundaryStream("edge", BoundaryStreamOptions(), *common, decomposition=cut, points=places),
        PointStream("buoys", PointStreamOptions(points=sea, variables=names), *common,
                    decomposition=cut),
        PointStream("nearest", PointStreamOptions(points=places, interpolation="nearest"), *common,
                    decomposition=cut),
        PointStream("means", PointStreamOptions(points=sea, variables=names, **means), *common,
                    decomposition=cut),
        TrackStream("ship", track, *common, communicator, decomposition=cut,
                    positions=folder / "ship.csv"),
    ]  # fmt: skip


def wet(x: float, y: float) -> bool:
    """Whether one of the four points around is sea."""
    i, j = int(x // 15), int(y // 1) + 5
    return bool(mask[j : j + 2, [i, (i + 1) % 24]].any())


at_sea = {int(name[1:]) for name, place in places.items() if wet(*place)}


def write(cut: Decomposition, way: str, folder: Path) -> None:
    """Run all streams, the means in two parts with a restart between."""
    if communicator.rank == 0:
        (folder / "ship.csv").write_text("\n".join(["time,lat,lon", *path]))
    made = streams(cut, folder)
    writers = Writers(communicator, WritingOptions(way=way))
    for stream in made:
        stream.open(writers)
    for hour in range(hours + 1):
        time = begin + duration(f"{hour}h")
        fields = fields_of(cut, hour)
        for stream in made:
            if stream.due(time):
                stream.write(time, fields)
        if hour == 1:
            sums = made[3].restart_fields
            saved = folder / "restart.safetensors"
            write_restart(saved, sums, time, {})
            for field in sums:
                field.set_global(np.full(field.outer, 7, field.dtype))
            read_restart(saved, sums, {}, "standard")
    for stream in made:
        stream.close()
    writers.close()
    if communicator.rank == 0:
        for file in sorted(
            file for file in folder.iterdir() if file.suffix not in (".csv", ".record")
        ):
            print("bits", file.name, hashlib.sha256(file.read_bytes()).hexdigest(), flush=True)


if __name__ == "__main__":
    ways = [("blocks", 1, "buffered"), ("blocks", 3, "shared"), ("curve", 2, "parts"),
            ("cards", 2, "gathered")]  # fmt: skip
    for kind, blocks, way in ways:
        options = DecompositionOptions(kind=kind, blocks_per_rank=blocks)
        cut = Decomposition(
            mask, grid.topology, halo=2, options=options, communicator=communicator, components=40
        )
        with tempfile.TemporaryDirectory() as folder:
            shared = Path(communicator.broadcast(folder))
            write(cut, way, shared)
            communicator.broadcast(None)
