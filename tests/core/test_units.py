"""Units are compared by what they mean."""

import pytest

from halocline.core.errors import UserError
from halocline.core.units import same_units


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("m s-1", "s-1 m"),
        ("m s-1", "m/s"),
        ("m2 Hz-1 rad-1", "m2 s rad-1"),
        ("N m-2", "Pa"),
        ("W m-2", "kg s-3"),
        ("J kg-1 K-1", "m2 s-2 K-1"),
        ("1", ""),
        ("m m-1", "1"),
        ("km2", "1000000 m2"),
        ("mmol m-3", "0.001 mol m-3"),
    ],
)
def test_units_of_one_meaning(one, other):
    assert same_units(one, other) and same_units(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("m", "km"),
        ("m s-1", "m"),
        ("degree", "rad"),
        ("s", "day"),
        ("m3 s-2", "m2 s-2"),
        ("K", "1"),
    ],
)
def test_units_of_different_meaning(one, other):
    assert not same_units(one, other)


def test_what_is_no_unit_is_refused():
    with pytest.raises(UserError, match=r"'m-s': 'm-s' is no unit"):
        same_units("m-s", "m")
