"""Who is registered: every model component by an entry point that names its class of cases.

A package adds a component by two lines of its `pyproject.toml`:

    [project.entry-points."halocline.components"]
    shallow-water = "shallow_water:ShallowWaterCase"
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from halocline.component.case.case import Case
from halocline.core.errors import UserError, nearest

group = "halocline.components"


@cache
def registered() -> dict[str, EntryPoint]:
    """Entry points of all components by name, ours first; none of them is imported."""
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda point: not _is_ours(point)):
        other = found.setdefault(point.name, point)
        if other is not point:
            raise UserError(
                f"Two components are called '{point.name}': {_origin(other)} and"
                f" {_origin(point)}. Remove one of the packages, or rename its component."
            )
    if not any(map(_is_ours, found.values())):
        raise UserError(
            "The components of Halocline are not registered in this environment. Install the"
            " package, or in a checkout run: ./halo --version"
        )
    return found


def component_case(name: object) -> type[Case]:
    """The class of cases of a component by its name."""
    known = registered()
    if not isinstance(name, str) or name not in known:
        hint = nearest(str(name), known)
        raise UserError(f"component = {name!r} is not one of: {', '.join(known)}.{hint}")
    return load(name)


def default_component() -> str:
    """What a case simulates that names no component: the first one that is registered."""
    return next(iter(registered()))


def all_cases(*, only_ours: bool = False) -> dict[str, type[Case]]:
    """The classes of cases of all components; or of those that Halocline itself brings."""
    wanted = [name for name, point in registered().items() if _is_ours(point) or not only_ours]
    return {name: load(name) for name in wanted}


def component_names() -> str:
    """All components, a line each: name, and what a case of it is."""
    width = max(map(len, registered()))
    return "\n".join(
        f"{name:<{width}}  {(kind.__doc__ or '').strip().splitlines()[0]}"
        for name, kind in all_cases().items()
    )


@cache
def load(name: str) -> type[Case]:
    """The class of cases of a registered component; this imports it."""
    point = registered()[name]
    try:
        kind = point.load()
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"The component '{name}' of {_origin(point)} cannot be loaded: {error}"
        ) from error
    if not (isinstance(kind, type) and issubclass(kind, Case)):
        raise UserError(f"The component '{name}' of {_origin(point)} is no class of cases (Case).")
    if kind().component != name:
        raise UserError(
            f"The component '{name}' of {_origin(point)} calls itself '{kind().component}'. Give"
            f' its class of cases: component: str = named("{name}")'
        )
    return kind


def _is_ours(point: EntryPoint) -> bool:
    return point.dist is not None and point.dist.name == "halocline"


def _origin(point: EntryPoint) -> str:
    package = f"package '{point.dist.name}'" if point.dist is not None else "an unknown package"
    return f"{point.value} of {package}"
