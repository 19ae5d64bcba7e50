"""Map projections against published examples, inverses, and distances on the sphere. Ranks: 1."""

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.grids.horizontal.projections import Conic, LatitudeLongitude, Mercator
from halocline.grids.sphere import angles_between, degree, directions, vectors

radius = 6.37e6
maps = {
    "lambert": Conic.lambert([50.0, 60.0], -14.0, radius),
    "lambert, one latitude": Conic.lambert([35.0], 100.0, radius),
    "lambert, south": Conic.lambert([-30.0, -60.0], 150.0, radius),
    "stereographic": Conic.stereographic(60.0, -45.0, radius),
    "stereographic, south": Conic.stereographic(-71.0, 10.0, radius),
    "mercator": Mercator(latitude=20.0, longitude=-60.0, radius=radius),
    "rotated": LatitudeLongitude.around(10.0, 45.0, radius),
    "rotated, south": LatitudeLongitude.around(-70.0, -30.0, radius),
    "by its pole": LatitudeLongitude(pole=(-162.0, 39.25), radius=radius),
    "plain": LatitudeLongitude.around(30.0, 0.0, radius),
}
each_map = pytest.mark.parametrize("map_", maps.values(), ids=maps)


def points_of(map_):
    """Points of the map, some thousand kilometres around a place that it is made for."""
    places = {
        "lambert": (-14.0, 54.0), "lambert, one latitude": (105.0, 30.0),
        "lambert, south": (140.0, -45.0), "stereographic": (-60.0, 80.0),
        "stereographic, south": (100.0, -75.0), "mercator": (-50.0, 10.0), "rotated": (10.0, 45.0),
        "rotated, south": (-70.0, -30.0), "by its pole": (10.0, 50.0), "plain": (40.0, 20.0),
    }  # fmt: skip
    name = next(name for name, one in maps.items() if one is map_)
    x, y = map_.to_map(*(np.array(one) for one in places[name]))
    random = np.random.default_rng(2)
    return x + random.uniform(-1e6, 1e6, 50), y + random.uniform(-1e6, 1e6, 50)


def test_examples_of_snyder():
    """USGS Professional Paper 1395, appendix A, pages 266, 295 and 312: spheres of radius 1."""
    here = np.array(-75.0), np.array(35.0)
    x, y = Mercator(latitude=0.0, longitude=-180.0, radius=1.0).to_map(*here)
    assert (round(float(x), 7), round(float(y), 7)) == (1.8325957, 0.6528366)
    assert Mercator(latitude=0.0, longitude=-180.0, radius=1.0).factors(x, y)[0] == pytest.approx(
        1.2207746, abs=5e-8
    )
    lambert = Conic.lambert([33.0, 45.0], -96.0, 1.0)
    assert (round(lambert.cone, 7), round(lambert.size, 7)) == (0.6304777, 1.9550002)
    x, y = lambert.to_map(*here)
    _, origin = lambert.to_map(np.array(-96.0), np.array(23.0))
    assert -round(float(origin), 7) == 1.5071429
    assert (round(float(x), 7), round(float(y - origin), 7)) == (0.2966785, 0.2462112)
    assert round(float(lambert.factors(x, y)[0]), 7) == 0.9970040
    longitude, latitude = lambert.from_map(np.array(0.2966785), 0.2462112 + origin)
    assert (round(float(longitude), 6), round(float(latitude), 6)) == (-74.999998, 34.999998)
    assert lambert.angle(x, y) / degree == pytest.approx(-13.2400316, abs=5e-8)


def test_the_oblique_example_of_snyder_is_the_polar_map_of_a_turned_globe():
    """Stereographic around 40 N, 100 W: the globe is turned so that its pole lies there."""
    turned = LatitudeLongitude(pole=(-100.0, 40.0), radius=1.0)
    there = turned.to_map(np.array(-75.0), np.array(30.0))
    polar = Conic.stereographic(90.0, 180.0, 1.0)
    x, y = polar.to_map(*(one / degree for one in there))
    assert (round(float(x), 7), round(float(y), 7)) == (0.3807224, -0.1263802)
    assert round(float(polar.factors(x, y)[0]), 7) == 1.0402304


@each_map
def test_points_come_back(map_):
    x, y = points_of(map_)
    longitude, latitude = map_.from_map(x, y)
    again = map_.to_map(longitude, latitude)
    assert np.allclose(again, (x, y), rtol=0, atol=1e-6)
    assert np.abs(latitude).max() <= 90.0
    assert np.ptp(longitude) > 1.0


@each_map
def test_factors_and_angles_are_those_of_short_ways_on_the_sphere(map_):
    """Of 200 m, by differences; and conformal maps keep right angles."""
    x, y = points_of(map_)
    here = vectors(*map_.from_map(x, y))
    for along, factor in zip(((100.0, 0.0), (0.0, 100.0)), map_.factors(x, y), strict=True):
        before, after = (
            vectors(*map_.from_map(x + sign * along[0], y + sign * along[1])) for sign in (-1, 1)
        )
        assert np.allclose(200.0 / (radius * angles_between(before, after)), factor, rtol=1e-6)
        turned = directions(here, after - before) - map_.angle(x, y)
        expected = 0.0 if along[0] else 0.5 * np.pi
        assert np.abs((turned - expected + np.pi) % (2 * np.pi) - np.pi).max() < 1e-6


@pytest.mark.parametrize(
    ("map_", "latitudes"),
    [
        (maps["lambert"], [50.0, 60.0]),
        (maps["lambert, one latitude"], [35.0]),
        (maps["lambert, south"], [-30.0, -60.0]),
        (maps["stereographic"], [60.0]),
        (maps["stereographic, south"], [-71.0]),
        (maps["mercator"], [20.0, -20.0]),
    ],
)
def test_maps_keep_lengths_at_their_true_latitudes(map_, latitudes):
    for latitude in latitudes:
        x, y = map_.to_map(np.array([0.0, 20.0]), np.full(2, latitude))
        for factor in map_.factors(x, y):
            assert np.allclose(factor, 1.0, rtol=1e-12)


def test_the_pole_of_a_stereographic_map_is_a_point_like_others():
    map_ = Conic.stereographic(60.0, -45.0, radius)
    x, y = map_.to_map(np.array(0.0), np.array(90.0))
    assert np.allclose((x, y), 0.0, atol=1e-3)
    assert map_.from_map(np.array(0.0), np.array(0.0))[1] == 90.0
    assert map_.factors(np.zeros(1), np.zeros(1))[0][0] == pytest.approx(
        (1 + np.sin(np.pi / 3)) / 2
    )


def test_maps_that_cannot_be_are_refused():
    for latitudes in ([30.0, -30.0], [0.0], [45.0, 90.0]):
        with pytest.raises(UserError, match="cannot be true"):
            Conic.lambert(latitudes, 0.0, radius)
    with pytest.raises(UserError, match="Mercator"):
        Mercator(latitude=90.0, longitude=0.0, radius=radius)


def test_maps_have_the_names_and_parameters_of_the_cf_conventions():
    """Appendix F; x and y count from the pole, which is the origin of the cone."""
    assert maps["lambert, south"].grid_mapping == {
        "grid_mapping_name": "lambert_conformal_conic",
        "standard_parallel": [-30.0, -60.0],
        "longitude_of_central_meridian": 150.0,
        "latitude_of_projection_origin": -90.0,
        "earth_radius": radius,
    }
    assert maps["stereographic, south"].grid_mapping == {
        "grid_mapping_name": "polar_stereographic",
        "standard_parallel": [-71.0],
        "straight_vertical_longitude_from_pole": 10.0,
        "latitude_of_projection_origin": -90.0,
        "earth_radius": radius,
    }
    assert maps["rotated"].grid_mapping == {}
