"""From options to the C++ struct that kernels take: the one way."""

from __future__ import annotations

from typing import Any

from halocline.core.options import Options


def native_of(struct: type, options: Options | None = None, **values: Any) -> Any:
    """A `struct` of C++ with the options of equal names and further `values`, which come first.

    Every member must be given, so that no number stands in C++ alone, and nothing that is none.
    """
    given = {**(options.to_table() if options else {}), **values}
    members = {name for name in dir(struct) if not name.startswith("_")}
    strange, lacking = sorted(given.keys() - members), sorted(members - given.keys())
    assert not strange, f"{struct.__name__} has no member {', '.join(strange)}"
    assert not lacking, f"{struct.__name__} lacks {', '.join(lacking)}"
    native = struct()
    for name, value in given.items():
        setattr(native, name, value)
    return native
