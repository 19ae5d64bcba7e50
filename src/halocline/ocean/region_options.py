"""Options that name a part of the sea."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.errors import UserError
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class RegionOptions(Options):
    """Part of the sea: cells in boxes, and those with some numbers on a map; none if empty."""

    boxes: list[tuple[float, float, float, float]] = option(
        [], "degree or m", "boxes [west, east, south, north]: cells whose centres lie in one"
    )
    file: str = option(
        "", "", "file with a map of numbers, with as many rows and columns as the grid has"
    )
    variable: str = option("region", "", "the map's variable")
    values: list[int] = option([], "1", "numbers of the map that count")

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.file) != bool(self.values):
            raise UserError(
                "A region of a map needs both: 'file', and 'values' with the numbers that count."
            )

    @property
    def given(self) -> bool:
        """Whether a region is named at all."""
        return bool(self.boxes or self.file)
