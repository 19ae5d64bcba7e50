"""Options become a struct whole, or not at all."""

from dataclasses import dataclass

import pytest

from halocline.core.native_options import native_of
from halocline.core.options import Options, option


class Struct:
    length = speed = 0.0


@dataclass(frozen=True, kw_only=True)
class Given(Options):
    length: float = option(2.0, "m", "length")


def test_options_and_values_fill_a_struct():
    found = native_of(Struct, Given(length=3.0), speed=4.0)
    assert (found.length, found.speed) == (3.0, 4.0)
    assert native_of(Struct, Given(), speed=1.0, length=5.0).length == 5.0


def test_what_is_lacking_or_strange_is_refused():
    with pytest.raises(AssertionError, match="Struct lacks speed"):
        native_of(Struct, Given())
    with pytest.raises(AssertionError, match="Struct has no member depth"):
        native_of(Struct, Given(), speed=1.0, depth=1.0)
