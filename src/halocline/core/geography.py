"""Places on the globe in words."""

from __future__ import annotations


def latitude_words(latitude: float, form: str = "g") -> str:
    """A latitude [degree].

    >>> latitude_words(-12.5), latitude_words(0.0), latitude_words(47.25, ".1f")
    ('12.5 S', '0 N', '47.2 N')
    """
    return f"{abs(latitude):{form}} {'S' if latitude < 0.0 else 'N'}"


def position_words(longitude: float, latitude: float, form: str = "g") -> str:
    """A longitude and a latitude [degree]; a longitude below 0 is one west of Greenwich.

    >>> position_words(-1.55, 53.8), position_words(352.5, -37.0, ".1f")
    ('1.55 W, 53.8 N', '352.5 E, 37.0 S')
    """
    east = f"{abs(longitude):{form}} {'W' if longitude < 0.0 else 'E'}"
    return f"{east}, {latitude_words(latitude, form)}"
