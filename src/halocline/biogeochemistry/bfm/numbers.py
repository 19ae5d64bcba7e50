"""From options of BFM, per day, to the structs of C++, per second."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from halocline.core.native_options import native_of
from halocline.core.options import Options

seconds_per_day = 86400.0
PRESET = "BFM v5, preset OGS_PELAGIC"


def numbers_of(struct: type, options: Options, **values: Any) -> Any:
    """A `struct` of C++ with the numbers of `options` and further `values`, which come first.

    Rates per day become rates per second, and a factor `q10` for 10 degrees the `warming` per
    degree, its logarithm.
    """
    given: dict[str, Any] = {}
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if field.name in values or isinstance(value, Options | str):
            continue
        if field.name.endswith("q10"):
            given[field.name.replace("q10", "warming")] = math.log(value) / 10.0
        elif field.metadata["units"].endswith("day-1"):
            given[field.name] = value / seconds_per_day
        else:
            given[field.name] = value
    return native_of(struct, None, **given, **values)
