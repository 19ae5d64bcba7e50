"""Whether fields are what a kernel's contract wants, said before it runs."""

from __future__ import annotations

from collections.abc import Sequence

from halocline.core.errors import UserError
from halocline.core.units import same_units
from halocline.runtime.fields.axis import Axis, mismatch
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Part
from halocline.runtime.fields.kernel import Argument, Kernel

any_units = "any"
"""Of arguments that share units, whatever these are."""


class KernelMismatch(UserError):
    """A field is not what the contract of a kernel says."""


def check(kernel: Kernel, parts: Sequence[Part | None], decomposition: Decomposition) -> None:
    """Refuse fields that do not fit the kernel, each with what it wants and what it got."""
    pairs = list(zip(kernel.arguments, parts, strict=True))
    for argument, part in pairs:
        problem = _problem(argument, part, decomposition)
        if problem:
            raise KernelMismatch(f"{_of(kernel, argument)} {problem}")
    _check_shared_units(kernel, pairs)
    _check_numbers(kernel, pairs)
    _check_axes(kernel, parts)


def _of(kernel: Kernel, argument: Argument) -> str:
    return f"Kernel '{kernel.name}', argument '{argument.name}':"


def _problem(argument: Argument, part: Part | None, decomposition: Decomposition) -> str:
    """What is wrong with one argument by itself; empty if nothing."""
    if part is None:
        if argument.optional:
            return ""
        return (
            "its contract wants a field, got none. Give it by this name, or have it as an attribute"
            " of the state. Only results that the contract calls optional may be None."
        )
    field = part.field
    if field.decomposition is not decomposition:
        return (
            f"field '{field.name}' lies on the {field.decomposition.describe()}; the runner works"
            f" on the {decomposition.describe()}. Use fields of one decomposition in a call."
        )
    if argument.place != field.place:
        return (
            f"its contract wants values at '{argument.place}', field '{field.name}' has them at"
            f" '{field.place}'. Give a field that lies there."
        )
    if argument.units != any_units and not same_units(argument.units, field.units):
        return (
            f"its contract wants [{argument.units}], field '{field.name}' is in [{field.units}]."
            " Give a field in these units, or correct the contract."
        )
    if argument.writes and field.static:
        return f"its contract says {argument.access}, field '{field.name}' is static."
    return ""


def _check_shared_units(kernel: Kernel, pairs: Sequence[tuple[Argument, Part | None]]) -> None:
    """Refuse different units where the contract says that all are alike."""
    shared = [
        (argument, part.field)
        for argument, part in pairs
        if part is not None and argument.units == any_units
    ]
    for argument, field in shared[1:]:
        first, known = shared[0]
        if not same_units(field.units, known.units):
            raise KernelMismatch(
                f"{_of(kernel, argument)} its contract wants the units of '{first.name}', which is"
                f" field '{known.name}' in [{known.units}]; field '{field.name}' is in"
                f" [{field.units}]. Give fields in the same units."
            )


def _check_numbers(kernel: Kernel, pairs: Sequence[tuple[Argument, Part | None]]) -> None:
    """Refuse types of numbers, and numbers of axes, that no compiled version takes."""
    if not kernel.versions:
        return
    names = [argument.name for argument, _ in pairs]
    dtypes = [None if part is None else part.field.dtype.name for _, part in pairs]
    version = next((one for one in kernel.versions if one.fits(dtypes)), None)
    if version is None:
        compiled = " or ".join(
            f"({_listed(names, [kind for kind, _ in one.takes])})" for one in kernel.versions
        )
        raise KernelMismatch(
            f"Kernel '{kernel.name}' is compiled for {compiled}; the fields are"
            f" ({_listed(names, dtypes)}). Give all fields in the types of one of these."
        )
    for (argument, part), (_, axes) in zip(pairs, version.takes, strict=True):
        if part is not None and part.axes != axes:
            raise KernelMismatch(
                f"{_of(kernel, argument)} the kernel takes {axes} axes, {part} has {part.axes}:"
                f" {part.field.outer} and those of its place. Give a field, or a part of one, with"
                " as many axes."
            )


def _check_axes(kernel: Kernel, parts: Sequence[Part | None]) -> None:
    """Refuse axes of one name and unequal extents; those of which a part was asked for are free."""
    named = [(part.field.name, _whole_axes(part)) for part in parts if part is not None]
    problem = mismatch(named)
    if problem:
        raise KernelMismatch(
            f"Kernel '{kernel.name}' is given fields of unequal extent: {problem}. Give fields of"
            " one space, or parts of one length."
        )


def _whole_axes(part: Part) -> tuple[Axis, ...]:
    axes = part.field.axes
    return axes if part.where is None else (*axes[: part.axis], *axes[part.axis + 1 :])


def _listed(names: Sequence[str], dtypes: Sequence[str | None]) -> str:
    """Names with their types of numbers, where these are not all alike."""
    known = {dtype for dtype in dtypes if dtype}
    if len(known) == 1:
        return f"all {known.pop()}"
    pairs = zip(names, dtypes, strict=True)
    return ", ".join(f"{name} {dtype}" for name, dtype in pairs if dtype)
