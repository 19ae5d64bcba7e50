"""Output of a run: streams of maps and of spectra, each with its own schedule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from halocline.component.case.output_writers import MapOutput
from halocline.component.streams.field_stream import (
    FieldStream,
    FieldStreamOptions,
    bytes_of_maps,
)
from halocline.component.streams.positions import read_positions
from halocline.core.clock import Clock
from halocline.core.errors import UserError
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.stream_options import in_stream
from halocline.runtime.writing.streams import bytes_of_time
from halocline.waves.boundary_stream import BoundaryStream, BoundaryStreamOptions
from halocline.waves.output_names import listing
from halocline.waves.point_stream import PointStream, PointStreamOptions
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.track_stream import TrackStream, TrackStreamOptions


@dataclass(frozen=True)
class OutputSources:
    """What streams need of other files: points of nests and files of positions, by stream."""

    nests: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    tracks: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class WaveMapOptions(FieldStreamOptions):
    """Maps of some fields."""

    variables: list[str] = option(
        ["significant_height"],
        "",
        "names of the fields; 'halocline explain variables' lists them",
        more=listing,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if "wave_spectrum" in self.variables:
            raise UserError(
                "Whole spectra are written at points, not as maps: name the points in"
                " [output.points.NAME] instead of 'wave_spectrum' in [output.fields.NAME]."
            )


@dataclass(frozen=True, kw_only=True)
class OutputOptions(MapOutput):
    """What a run writes."""

    fields: dict[str, WaveMapOptions] = option({}, "", "streams of maps, by name")
    points: dict[str, PointStreamOptions] = option({}, "", "streams of point spectra, by name")
    tracks: dict[str, TrackStreamOptions] = option(
        {}, "", "streams of spectra along paths, by name"
    )
    boundary: dict[str, BoundaryStreamOptions] = option(
        {}, "", "streams of spectra on the boundary of nested grids, by name"
    )


def make_streams(
    options: OutputOptions,
    grid: Grid,
    spectral: SpectralGrid,
    clock: Clock,
    folder: Path,
    communicator: Communicator,
    *,
    decomposition: Decomposition,
    title: str = "",
    resumed: bool = False,
    precision: str = "float32",
    sources: OutputSources | None = None,
) -> list[FieldStream | PointStream | TrackStream]:
    """All streams of a wave case; a call for all ranks."""
    sources = sources or OutputSources()
    streams: list[FieldStream | PointStream | TrackStream] = [
        FieldStream(
            name,
            some,
            grid,
            clock,
            folder,
            title=title,
            resumed=resumed,
            space=decomposition,
            dtype=precision,
        )
        for name, some in options.fields.items()
    ]
    streams += [
        PointStream(
            name,
            some,
            grid,
            spectral,
            clock,
            folder,
            decomposition=decomposition,
            title=title,
            resumed=resumed,
        )
        for name, some in options.points.items()
    ]
    streams += [
        TrackStream(
            name,
            some,
            grid,
            spectral,
            clock,
            folder,
            communicator,
            decomposition=decomposition,
            title=title,
            resumed=resumed,
            positions=sources.tracks[name],
        )
        for name, some in options.tracks.items()
    ]
    streams += [
        BoundaryStream(
            name,
            some,
            grid,
            spectral,
            clock,
            folder,
            decomposition=decomposition,
            title=title,
            resumed=resumed,
            points=sources.nests[name],
        )
        for name, some in options.boundary.items()
    ]
    return streams


def output_volume(
    options: OutputOptions,
    grid: Grid,
    spectral: SpectralGrid,
    clock: Clock,
    sources: OutputSources | None = None,
) -> dict[str, int]:
    """Bytes that each stream will write at most, without headers and before compression."""
    volume = {}
    for name, maps in options.fields.items():
        with in_stream(name):
            volume[name] = bytes_of_maps(maps, grid, clock, {})
    sources = sources or OutputSources()
    each = 3 + spectral.components
    for name, points in options.points.items():
        with in_stream(name):
            size = 4 if points.precision == "float32" else 8
            values = len(points.points) * (each * points.spectra + len(points.variables))
            each_time = bytes_of_time(bounds=points.cumulative)
            volume[name] = points.records(clock) * (each_time + values * size)
    for name, edge in options.boundary.items():
        with in_stream(name):
            size = 4 if edge.precision == "float32" else 8
            values = len(sources.nests[name]) * each
            volume[name] = edge.records(clock) * (bytes_of_time() + values * size)
    for name, track in options.tracks.items():
        with in_stream(name):
            size = 4 if track.precision == "float32" else 8
            count = read_positions(sources.tracks[name], clock.calendar).seconds.size
            volume[name] = count * (36 + each * size)
    return volume
