"""Who is registered: every biology by an entry point that names its class.

A package adds one by two lines of its `pyproject.toml`:

    [project.entry-points."halocline.biologies"]
    plankton = "plankton:Plankton"
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from halocline.biogeochemistry.biology import Biology
from halocline.core.errors import UserError, nearest

group = "halocline.biologies"


@cache
def registered() -> dict[str, EntryPoint]:
    """Entry points of all biologies by name; none of them is imported."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise UserError(
                f"Two biologies are called '{point.name}': {other.value} and {point.value}. Remove"
                " one of the packages, or rename its biology."
            )
    return found


def check_known(name: str) -> None:
    """Refuse a name that no biology has."""
    known = registered()
    if name not in known:
        raise UserError(
            f"biology.model = '{name}' is not one of: {', '.join(sorted(known))}."
            f"{nearest(name, known)}"
        )


def biology_kind(name: str) -> type[Biology]:
    """The class of a registered biology; this imports it."""
    check_known(name)
    point = registered()[name]
    try:
        kind = point.load()
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"The biology '{name}' ({point.value}) cannot be loaded: {error}"
        ) from error
    if not (isinstance(kind, type) and issubclass(kind, Biology)):
        raise UserError(f"The biology '{name}' ({point.value}) is no class of biologies (Biology).")
    return kind
