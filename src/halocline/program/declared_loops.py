"""Loops of a program as kernels: what they touch is said in words.

>>> words_of("height(west=1, south=2), u", "reads")
{'height': (1, 0, 2, 0), 'u': (0, 0, 0, 0)}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from halocline.component.outside import Loops
from halocline.core.errors import UserError, nearest
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.freshness import Depths
from halocline.runtime.fields.kernel import Argument, Box, Call, Kernel, Version

sides = ("west", "east", "south", "north")
one_field = re.compile(r"\s*(\w+)\s*(?:\(([^()]*)\))?\s*(?:,|$)")
one_side = re.compile(r"\s*(\w+)\s*=\s*(\d+)\s*(?:,|$)")


class DeclaredLoops:
    """Loops with their kernel, and the fields that it is bound to."""

    def __init__(self, kernel: Kernel, loops: Loops, fields: Mapping[str, Field]) -> None:
        self.kernel, self.loops = kernel, loops
        self.fields = {argument.name: fields[argument.name] for argument in kernel.arguments}

    @property
    def box(self) -> Box:
        """What this rank computes, in padded indices."""
        return self.block.box_of(self.kernel.place)

    @property
    def block(self) -> Block:
        return block_of(next(iter(self.fields.values())))

    def again(self) -> None:
        """Compute all that is owned once more, and nothing else."""
        self.loops(*on_the_grid(self.box, self.block))


def made(
    name: str, loops: Loops, reads: str, writes: str, updates: str, fields: Mapping[str, Field]
) -> DeclaredLoops:
    """The kernel that a declaration makes of loops, refused where it contradicts itself."""
    declared: dict[str, tuple[str, Depths]] = {}
    for access, words in (("read", reads), ("write", writes), ("update", updates)):
        try:
            found = words_of(words, f"{access}s")
        except UserError as error:
            raise UserError(f"Kernel '{name}': {error}") from None
        for field, depths in found.items():
            if field not in fields:
                raise UserError(
                    f"Kernel '{name}' {access}s '{field}', which is no field of"
                    f" [program.fields].{nearest(field, fields)}"
                )
            if field in declared:
                raise UserError(
                    f"Kernel '{name}' names '{field}' twice. What is read and written in its own"
                    " place is updated: name it there only."
                )
            _refuse_depths(name, field, access, depths, fields[field])
            declared[field] = access, depths
    kernel = _kernel(name, loops, declared, fields)
    _refuse_places(kernel, fields)
    return DeclaredLoops(kernel, loops, fields)


def words_of(words: str, what: str) -> dict[str, Depths]:
    """Fields with how far each is used to the west, east, south and north [cells]."""
    found: dict[str, Depths] = {}
    at = 0
    while words[at:].strip():
        one = one_field.match(words, at)
        if one is None or one[1] in found:
            raise UserError(
                f"{what} = {words!r} cannot be read at {words[at:].strip()!r}. Write fields once"
                " each, with how far they are read: 'height(west=1, south=2), u'."
            )
        found[one[1]] = _sides(one[2] or "", words)
        at = one.end()
    return found


def on_the_grid(box: Box, block: Block) -> tuple[int, int, int, int]:
    """First and last columns and rows, the last ones not included, from 0."""
    j0, j1, i0, i1, _ = box
    rows, columns = block.rectangle.j0 - block.halo, block.rectangle.i0 - block.halo
    return i0 + columns, i1 + columns, j0 + rows, j1 + rows


def block_of(field: Field) -> Block:
    """The one block that a rank has."""
    block = field.decomposition.planes.blocks[0]
    assert isinstance(block, Block)
    return block


def _sides(words: str, whole: str) -> Depths:
    depths = dict.fromkeys(sides, 0)
    at = 0
    while words[at:].strip():
        one = one_side.match(words, at)
        if one is None or one[1] not in (*sides, "around"):
            raise UserError(
                f"{whole!r} cannot be read at {words[at:].strip()!r}. Say how many cells to which"
                f" side, as in (west=1): {', '.join(sides)}, or around for all."
            )
        for side in sides if one[1] == "around" else (one[1],):
            depths[side] = int(one[2])
        at = one.end()
    return depths["west"], depths["east"], depths["south"], depths["north"]


def _refuse_depths(name: str, field: str, access: str, depths: Depths, known: Field) -> None:
    halo = known.decomposition.world.halo
    if access != "read" and any(depths):
        raise UserError(
            f"Kernel '{name}' {access}s '{field}' beyond its own place. Only what is not written"
            " can be read there: the neighbour may have computed it already. Write another field."
        )
    if access != "read" and known.static:
        raise UserError(f"Kernel '{name}' {access}s '{field}', which is of the grid. Read it only.")
    if max(depths) > halo:
        raise UserError(
            f"Kernel '{name}' reads '{field}' {max(depths)} cells beyond its own place, and halos"
            f" are {halo} deep. Let the case have program.halo = {max(depths)}."
        )


def _refuse_places(kernel: Kernel, fields: Mapping[str, Field]) -> None:
    """Refuse loops that write what has different numbers of values on the whole grid."""
    written = [fields[argument.name] for argument in kernel.arguments if argument.writes]
    if not written:
        raise UserError(
            f"Kernel '{kernel.name}' writes and updates nothing. Name what it computes."
        )
    for other in written[1:]:
        if other.shape[-2:] != written[0].shape[-2:]:
            raise UserError(
                f"Kernel '{kernel.name}' writes '{written[0].name}' at {written[0].place}"
                f" {written[0].shape[-2:]} and '{other.name}' at {other.place}"
                f" {other.shape[-2:]}: they have different numbers of rows and columns. Write them"
                " in a kernel each."
            )


def _kernel(
    name: str,
    loops: Loops,
    declared: Mapping[str, tuple[str, Depths]],
    fields: Mapping[str, Field],
) -> Kernel:
    arguments = tuple(
        Argument(
            field, access, fields[field].place, fields[field].units,
            (-west, east, -south, north), "own",
        )
        for field, (access, (west, east, south, north)) in declared.items()
    )  # fmt: skip
    takes = tuple(("float64", len(fields[field].outer) + 2) for field in declared)

    def bind(calls: list[Call]) -> Callable[..., None]:
        block = block_of(next(iter(fields.values())))
        boxes = [on_the_grid(call[0], block) for call in calls]
        return _Bound(loops, boxes)

    return Kernel(name, arguments, _never, (Version(takes, bind),))


class _Bound:
    """Loops over some boxes."""

    def __init__(self, loops: Loops, boxes: Sequence[tuple[int, int, int, int]]) -> None:
        self.loops, self.boxes = loops, boxes

    def __call__(self) -> None:
        for i0, i1, j0, j1 in self.boxes:
            self.loops(i0, i1, j0, j1)


def _never(**_: Any) -> None:
    raise AssertionError("loops are bound to their memory")
