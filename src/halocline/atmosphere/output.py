"""Output of the atmosphere: maps, and series and columns at stations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halocline.component.case.output_writers import MapOutput
from halocline.component.streams.station_stream import StationStreamOptions
from halocline.core.options import option


@dataclass(frozen=True, kw_only=True)
class AirOutput(MapOutput):
    """What a run writes."""

    stations: Mapping[str, StationStreamOptions] = option(
        {}, "", "streams of series or columns at stations, by name"
    )
