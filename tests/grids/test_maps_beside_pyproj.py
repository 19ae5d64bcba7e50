"""Maps beside PROJ (pyproj): where points lie, map factors, the way to east. Ranks: 1."""

import numpy as np
import pytest
from pyproj import Proj

from grids.test_projections import maps, points_of, radius
from halocline.grids.horizontal.projections import Projection
from halocline.grids.sphere import degree

# What PROJ calls them, with the pole as origin of cones.
names = {
    "lambert": "+proj=lcc +lat_1=50 +lat_2=60 +lat_0=90 +lon_0=-14",
    "lambert, one latitude": "+proj=lcc +lat_1=35 +lat_0=90 +lon_0=100",
    "lambert, south": "+proj=lcc +lat_1=-30 +lat_2=-60 +lat_0=-90 +lon_0=150",
    "stereographic": "+proj=stere +lat_0=90 +lat_ts=60 +lon_0=-45",
    "stereographic, south": "+proj=stere +lat_0=-90 +lat_ts=-71 +lon_0=10",
    "mercator": "+proj=merc +lat_ts=20 +lon_0=-60",
    "rotated": "+proj=ob_tran +o_proj=eqc +o_lon_p=0 +o_lat_p=45 +lon_0=10",
    "rotated, south": "+proj=ob_tran +o_proj=eqc +o_lon_p=0 +o_lat_p=120 +lon_0=-70",
    "by its pole": "+proj=ob_tran +o_proj=eqc +o_lon_p=0 +o_lat_p=39.25 +lon_0=18",
    "plain": "+proj=eqc +lon_0=30",
}
each = pytest.mark.parametrize("name", names)


def both(name: str) -> tuple[Projection, Proj]:
    return maps[name], Proj(f"{names[name]} +R={radius} +no_defs")


@each
def test_points_lie_where_proj_has_them(name: str):
    """To a micrometre, there and back."""
    ours, theirs = both(name)
    longitude, latitude = ours.from_map(*points_of(ours))
    x, y = theirs(longitude, latitude)
    found = ours.to_map(longitude, latitude)
    np.testing.assert_allclose(found, (x, y), rtol=0, atol=1e-6)
    again = theirs(x, y, inverse=True)
    np.testing.assert_allclose(again[1], latitude, rtol=0, atol=1e-11)
    np.testing.assert_allclose((again[0] - longitude + 180) % 360, 180, rtol=0, atol=1e-10)


@each
def test_factors_and_angles_are_those_of_proj(name: str):
    """PROJ has factors along meridian and parallel, and the angle from map north to true north;
    turned longitudes and latitudes are not conformal, and their factors are found from its
    derivatives."""
    ours, theirs = both(name)
    x, y = points_of(ours)
    found = theirs.get_factors(*ours.from_map(x, y))
    cosine = np.cos(degree * ours.from_map(x, y)[1])
    # Columns: steps on the map of a step to east and to north on the sphere, radius 1.
    slope = np.array([
        [found.dx_dlam / cosine, found.dx_dphi], [found.dy_dlam / cosine, found.dy_dphi]
    ])  # fmt: skip
    back = np.linalg.inv(np.moveaxis(slope, -1, 0))  # east and north of steps along x and y
    along_x, along_y = back[:, :, 0], back[:, :, 1]
    factors = ours.factors(x, y)
    np.testing.assert_allclose(factors[0], 1.0 / np.hypot(*along_x.T), rtol=1e-7)
    np.testing.assert_allclose(factors[1], 1.0 / np.hypot(*along_y.T), rtol=1e-7)
    angle = np.arctan2(along_x[:, 1], along_x[:, 0])
    np.testing.assert_allclose(ours.angle(x, y), angle, rtol=0, atol=1e-7)
    if "cone" in vars(ours) or name == "mercator":
        np.testing.assert_allclose(factors[0], found.meridional_scale, rtol=1e-7)
        np.testing.assert_allclose(factors[1], found.parallel_scale, rtol=1e-7)
