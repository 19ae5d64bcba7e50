"""Coastlines: all outlines can be read, the seam is mended, land lies where land is."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from halocline.analysis.coastline import (
    Resolution,
    draw_land,
    land_at,
    land_touches,
    outlines,
    outlines_within,
)

PLACES = {
    "Madrid": (-3.7, 40.4, True),
    "Kansas": (-98.0, 38.5, True),
    "Antarctica": (60.0, -75.0, True),
    "Chukotka, beyond the date line": (-178.0, 67.5, True),
    "Chukotka, before the date line": (178.5, 67.5, True),
    "North Atlantic": (-40.0, 40.0, False),
    "Pacific on the date line": (180.0, 10.0, False),
    "Caspian Sea": (51.0, 41.5, False),
    "Indian Ocean": (80.0, -30.0, False),
}


@pytest.mark.parametrize("resolution", ["crude", "low", "intermediate"])
def test_outlines_are_closed_and_turn_as_promised(resolution: Resolution) -> None:
    found = outlines(resolution)
    assert sum(outline.area > 1e6 for outline in found) >= 6
    for outline in found:
        points = outline.points
        assert np.array_equal(points[0], points[-1])
        assert np.abs(points[:, 0]).max() <= 180.0
        assert np.abs(points[:, 1]).max() <= 90.0
        x, y = points[:, 0], points[:, 1]
        area = np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])
        assert area >= 0.0 if outline.level != 2 else area <= 0.0


def test_the_largest_outlines_are_the_continents() -> None:
    areas = sorted({outline.area for outline in outlines("crude")}, reverse=True)
    eurasia_africa, north_america = areas[0], areas[2]
    assert eurasia_africa == pytest.approx(5.07e7, rel=0.01)
    assert north_america == pytest.approx(2.02e7, rel=0.01)


@pytest.mark.parametrize("centre", [0.0, 180.0])
@pytest.mark.parametrize("place", PLACES)
def test_land_is_filled_where_land_is(place: str, centre: float) -> None:
    longitude, latitude, is_land = PLACES[place]
    axes = Figure().add_subplot()
    extent = (centre - 180.0, centre + 180.0, -90.0, 90.0)
    patch, _ = draw_land(axes, extent)
    x = extent[0] + np.remainder(longitude - extent[0], 360.0)
    assert _winding(patch.get_path(), x, latitude) == is_land


def _winding(path, x: float, y: float) -> bool:  # type: ignore[no-untyped-def]
    """Non-zero winding rule, as the Agg renderer fills."""
    turns = 0
    for piece in path.to_polygons(closed_only=True):
        before, after = piece[:-1], piece[1:]
        upward = (before[:, 1] <= y) & (after[:, 1] > y)
        downward = (before[:, 1] > y) & (after[:, 1] <= y)
        left = (after[:, 0] - before[:, 0]) * (y - before[:, 1]) - (x - before[:, 0]) * (
            after[:, 1] - before[:, 1]
        )
        turns += int((upward & (left > 0)).sum()) - int((downward & (left < 0)).sum())
    return turns != 0


def test_the_date_line_is_no_coast() -> None:
    axes = Figure().add_subplot()
    _, coast = draw_land(axes, (0.0, 360.0, -90.0, 90.0))
    for line in coast.get_segments():
        along = np.isclose(np.remainder(line[:, 0], 180.0), 0.0, atol=1e-4)
        assert not (along[:-1] & along[1:] & (np.abs(np.diff(line[:, 1])) > 0.2)).any()
        assert line[:, 1].min() > -89.0


def test_a_region_holds_only_its_own_outlines() -> None:
    extent = (-26.0, -12.0, 62.0, 68.0)
    around_iceland = [outline for outline, _ in outlines_within(extent) if outline.area > 5e3]
    assert [round(outline.area, -4) for outline in around_iceland] == [2110e3, 100e3]


def test_land_touches_cells() -> None:
    longitude, latitude = np.arange(-20.0, 21.0, 2.0), np.arange(20.0, 61.0, 2.0)
    land = land_touches(longitude, latitude)
    assert land.shape == (21, 21)
    assert land[np.searchsorted(latitude, 40.0), np.searchsorted(longitude, -4.0)]
    assert not land[np.searchsorted(latitude, 46.0), np.searchsorted(longitude, -14.0)]


def test_land_is_found_on_either_side_of_the_seam() -> None:
    found = land_at(
        np.array([[358.0, -2.0], [180.0, -180.0]]), np.array([[40.0, 40.0], [0.0, 0.0]])
    )
    assert found.tolist() == [[True, True], [False, False]]
