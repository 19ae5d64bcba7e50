"""Command `halocline habitat`: indicators of habitat and carrying capacity from maps of a run."""

from __future__ import annotations

import argparse
from pathlib import Path

from halocline.core.errors import UserError

words = "make maps of habitat and carrying capacity of those of a run"
example = "habitat results/mediterranean-bloom/daily.nc --range temperature=16:24"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add = parser.add_argument
    add("file", metavar="FILE", help="maps of a run, with levels")
    add(
        "--range",
        action="append",
        default=[],
        metavar="NAME=LOW:HIGH",
        help="surface range of a suitable habitat (may be repeated)",
    )
    add("--trophic-level", type=float, default=3.0, help="of what the sea carries (3)")
    add("--efficiency", type=float, default=0.1, help="transfer to the next level (0.1)")
    add("-o", "--output", help="folder of habitat.nc and habitat.png; default: beside FILE")


def range_of(text: str) -> tuple[str, tuple[float, float]]:
    """Name and limits of a range.

    >>> range_of("temperature=16:24")
    ('temperature', (16.0, 24.0))
    """
    name, _, limits = text.partition("=")
    try:
        low, high = (float(one) for one in limits.split(":"))
    except ValueError:
        raise UserError(f"'{text}' is no range. Write NAME=LOW:HIGH.") from None
    if not low <= high:
        raise UserError(f"'{text}' holds nothing. Write NAME=LOW:HIGH, the lower limit first.")
    return name, (low, high)


def main(options: argparse.Namespace) -> int:
    """Make the maps, write and draw them; the exit code."""
    from halocline.analysis.habitat import HabitatMaps, habitat_figure

    if not options.trophic_level >= 1.0 or not 0.0 < options.efficiency <= 1.0:
        raise UserError("The trophic level is at least 1, the efficiency above 0 and at most 1.")
    found = HabitatMaps(
        options.file,
        level=options.trophic_level,
        efficiency=options.efficiency,
        ranges=dict(range_of(text) for text in options.range),
    )
    maps = found.maps()
    for name, why in found.lacking.items():
        print(f"no {name}: {why}")
    folder = Path(options.output) if options.output else Path(options.file).parent
    folder.mkdir(parents=True, exist_ok=True)
    for what, one in maps.data_vars.items():
        print(f"{what}: mean {float(one.mean()):.4g}, at most {float(one.max()):.4g} {one.units}")
    maps.to_netcdf(folder / "habitat.nc")
    print(folder / "habitat.nc")
    if any(min(one.shape) == 1 for one in maps.data_vars.values()):
        print("no map is drawn: the file has a single row or column of cells")
        return 0
    habitat_figure(maps).savefig(folder / "habitat.png", dpi=150)
    print(folder / "habitat.png")
    return 0
