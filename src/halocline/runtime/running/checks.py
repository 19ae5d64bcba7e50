"""Whether fields are what a kernel's contract wants, said before it runs."""

from __future__ import annotations

from collections.abc import Sequence

from halocline.core.errors import UserError
from halocline.core.units import same_units
from halocline.runtime.fields.axis import mismatch, sizes
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Part
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.running import extents

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
    _check_extents(kernel, pairs)
    _check_names(kernel, parts)


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
        if part is not None and part.rank != axes:
            raise KernelMismatch(
                f"{_of(kernel, argument)} the kernel takes {axes} axes, {part} has {part.rank}:"
                f" {part.field.outer} and those of its place. Give a field, or a part of one, with"
                " as many axes."
            )


def _check_extents(kernel: Kernel, pairs: Sequence[tuple[Argument, Part | None]]) -> None:
    """Refuse extents that the words of the contract do not allow."""
    given = [
        (argument, part, argument.axes)
        for argument, part in pairs
        if part is not None and argument.axes is not None
    ]
    _check_order(kernel, given)
    who = {argument.name: f"'{part.field.name}'" for argument, part, _ in given}
    name, problem = extents.mismatch(
        extents.Extents(argument.name, words, sizes(part.axes)) for argument, part, words in given
    )
    if problem:
        raise KernelMismatch(
            f"Kernel '{kernel.name}', argument '{name}': its contract {problem}, in field"
            f" {who[name]}. Give a field, or a part of one, of this extent."
        )


def _check_order(kernel: Kernel, given: Sequence[tuple[Argument, Part, tuple[str, ...]]]) -> None:
    """Refuse an axis whose name is another word of the contract: axes in another order."""
    known = {word for _, _, words in given for word in words}
    for argument, part, words in given:
        for word, axis in zip(words, part.axes, strict=False):
            if axis.name in known and axis.name != word.partition("+")[0]:
                raise KernelMismatch(
                    f"{_of(kernel, argument)} its contract wants the axes '{' '.join(words)}',"
                    f" field '{part.field.name}' has '{axis.name}' for '{word}'. Give a field with"
                    " axes in this order."
                )


def _check_names(kernel: Kernel, parts: Sequence[Part | None]) -> None:
    """Refuse axes of one name and unequal extents; those of which a part was asked for are free."""
    named = [(part.field.name, part.axes) for part in parts if part is not None]
    problem = mismatch(named)
    if problem:
        raise KernelMismatch(
            f"Kernel '{kernel.name}' is given fields of unequal extent: {problem}. Give fields of"
            " one space, or parts of one length."
        )


def _listed(names: Sequence[str], dtypes: Sequence[str | None]) -> str:
    """Names with their types of numbers, where these are not all alike."""
    known = {dtype for dtype in dtypes if dtype}
    if len(known) == 1:
        return f"all {known.pop()}"
    pairs = zip(names, dtypes, strict=True)
    return ", ".join(f"{name} {dtype}" for name, dtype in pairs if dtype)
