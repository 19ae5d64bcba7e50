"""Fields: named arrays of one quantity on all blocks of a rank, and how fresh their halos are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.core.errors import UserError
from halocline.runtime.fields.axis import Axis, sizes
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.freshness import Freshness, all_around, every_row, everywhere, nowhere
from halocline.runtime.fields.memory import Memory
from halocline.runtime.fields.pages import cache_line
from halocline.runtime.fields.place import Direction, Place
from halocline.runtime.fields.space import Space

if TYPE_CHECKING:
    from halocline.runtime.fields.dealt import Dealt

Array = NDArray[Any]


def _row_length(points: int, dtype: np.dtype[Any]) -> int:
    """Row length of whole cache lines, an odd number of them so that rows share no cache set."""
    lines = -(-points * dtype.itemsize // cache_line) | 1
    return lines * cache_line // dtype.itemsize


class Storage:
    """The arrays of a field in one layout.

    `arrays` has one array per block, in the `memory` of the layout: outer + (nj, ni) for cells,
    outer + (points,) for points. `flat` sees the same as (rows, horizontal), for halos. `fresh`
    is, for every row, how deep the halo is filled. `requests` is the runner's: what it asks of the
    halo exchange. With `once` there is one array for all blocks.
    """

    def __init__(
        self,
        outer: tuple[int, ...],
        place: Place,
        dtype: np.dtype[Any],
        layout: Layout,
        *,
        once: bool = False,
    ) -> None:
        self.layout = layout
        self.memory = layout.memory
        allocate = self.memory.allocate
        self.arrays: list[Array] = []
        self.flat: list[Array] = []
        rows = int(np.prod(outer))
        for block in layout.blocks[:1] if once else layout.blocks:
            if place == Place.none:
                array = allocate(outer, dtype)
                self.arrays.append(array)
                self.flat.append(array.reshape(rows, 1))
            elif place == Place.point:
                array = allocate((*outer, _row_length(block.points, dtype)), dtype)
                self.arrays.append(array[..., : block.points])
                self.flat.append(array.reshape(rows, array.shape[-1])[:, : block.points])
            else:
                if not isinstance(block, Block):
                    raise UserError(
                        "Cards hold sea points only, but a field on cells is needed. Use"
                        " decomposition.kind = 'blocks' or 'curve'."
                    )
                nj, ni = block.shape
                # rows are whole cache lines, so that what is owned of each begins on one
                array = allocate((*outer, nj, block.row_length), dtype, block.halo)
                self.arrays.append(array[..., :ni])
                self.flat.append(array.reshape(rows, nj * block.row_length))
        self.fresh = Freshness(rows)
        self.requests: dict[tuple[Any, ...], Any] = {}
        self.valid = False

    def read(self) -> list[Array]:
        """The values of `flat` on the host, not to be changed."""
        return [self.memory.read(array) for array in self.flat]

    def entry(self, number: int) -> Storage:
        """One entry of the first axis, in the same memory."""
        one = copy(self)
        one.arrays = [array[number] for array in self.arrays]
        rows = self.fresh.rows // self.arrays[0].shape[0]
        one.flat = [flat[number * rows : (number + 1) * rows] for flat in self.flat]
        one.fresh, one.requests = Freshness(rows), {}
        return one


class Field:
    """One quantity on a decomposed grid.

    `axes` come before the horizontal ones, levels last; a number is the extent of one without name.
    A `static` field does not change after it is set, all its halos are fresh.
    The first axis of a field without horizontal place counts items that are `dealt` to the ranks,
    or all ranks have all. What kernels add up over the points of blocks is `summed`: the runner
    leaves out doubles on a fold. With a `direction` it is a component of a vector along x or y, its
    `partner` is the other one. Of a decomposition the space is that of its plane.
    """

    swaps: ClassVar[int] = 0
    """How often any two fields have been swapped: who keeps memory of fields looks again then."""

    def __init__(
        self,
        name: str,
        units: str,
        space: Space | Decomposition,
        *,
        axes: Sequence[Axis | int] = (),
        place: Place = Place.point,
        dtype: DTypeLike = np.float32,
        restart: bool = False,
        static: bool = False,
        summed: bool = False,
        dealt: Dealt | None = None,
    ) -> None:
        assert not (dealt or summed) or place == Place.none
        self.dealt = dealt
        self.space = space if isinstance(space, Space) else Space(space)
        self.axes = tuple(one if isinstance(one, Axis) else Axis("", one) for one in axes)
        self.outer = sizes(self.axes)
        self.name, self.units = name, units
        self.place, self.dtype = place, np.dtype(dtype)
        self.restart, self.static, self.summed = restart, static, summed
        self.partner: Field | None = None
        self.direction: Direction = ""
        decomposition = self.decomposition
        if place.planar:
            _check_memory(name, place, decomposition, static)
        self._storage: dict[str, Storage] = {}
        home = decomposition.planes if place.planar else decomposition.home
        self._valid_in = home.name
        self._maker: Callable[[Any], Array] | None = None
        self.storage(home).valid = True

    @property
    def decomposition(self) -> Decomposition:
        return self.space.decomposition

    @property
    def by_component(self) -> bool:
        """Whether the first axis is dealt to the ranks in the layout `planes` of cards."""
        return bool(self.axes) and self.axes[0].dealt

    @property
    def levels(self) -> Axis | None:
        """The last axis, if it is that of the levels or interfaces of the space."""
        return self.axes[-1] if self.axes and self.space.is_of_levels(self.axes[-1]) else None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the global array: axes, then that of the place."""
        return (*self.outer, *self.space.shape(self.place))

    @property
    def vector(self) -> bool:
        """Whether it is a component of a vector, which changes sign beyond some sides."""
        return bool(self.direction)

    def storage(self, layout: Layout) -> Storage:
        """Memory of this field in a layout, made when first asked for."""
        if layout.name not in self._storage:
            self._storage[layout.name] = Storage(
                self.outer_in(layout), self.place, self.dtype, layout, once=self.dealt is not None
            )
            if self._maker is not None:
                self._make(self._storage[layout.name], self._maker)
        return self._storage[layout.name]

    def outer_in(self, layout: Layout) -> tuple[int, ...]:
        """The extents before the horizontal ones as this rank has them in a layout."""
        if self.by_component and layout.components is not None:
            return (layout.components.size, *self.outer[1:])
        if self.dealt is not None:
            return (self.dealt.own.size, *self.outer[1:])
        return self.outer

    @property
    def layout(self) -> Layout:
        """The layout whose values are the newest."""
        return next(x for x in self.decomposition.layouts if x.name == self._valid_in)

    @property
    def memory(self) -> Memory:
        """Where the newest values are."""
        return self.layout.memory

    @property
    def blocks(self) -> list[Array]:
        """The newest arrays, one per block of this rank, as its memory has them."""
        return self.storage(self.layout).arrays

    @property
    def owned(self) -> list[Array]:
        """The newest arrays of owned points or cells, one per block, as its memory has them."""
        if self.place == Place.none:
            return self.blocks
        blocks = self.layout.blocks
        if self.place == Place.point:
            return [a[..., : b.owned_points] for a, b in zip(self.blocks, blocks, strict=True)]
        owned = []
        for array, block in zip(self.blocks, blocks, strict=True):
            assert isinstance(block, Block)
            j0, j1, i0, i1, _ = block.box_of(self.place)
            owned.append(array[..., j0:j1, i0:i1])
        return owned

    def read(self) -> list[Array]:
        """The newest values of owned points or cells on the host, one array per block.

        They are not to be changed; where the memory is the host's they are no copies.
        """
        return [self.memory.read(array) for array in self.owned]

    @contextmanager
    def change(self) -> Iterator[Sequence[Array]]:
        """Values of owned points or cells on the host, to be changed in this context."""
        with self.memory.change(self.owned) as owned:
            yield owned
        self.written()

    def copy(self, source: Field | Part) -> None:
        """Take the newest values of another field of the same cut, or of a part of it."""
        part = source if isinstance(source, Part) else Part(source)
        assert part.field.layout is self.layout, f"{source} lies in another way than {self}"
        for array, target in zip(part.arrays(self.layout), self.blocks, strict=True):
            self.memory.copy(array, target)
        self.written()

    def fill(self, value: float) -> None:
        """Give all points or cells one value, those of halos too; a call for all ranks alike."""
        assert not self.vector or value == 0.0, f"{self} changes its sign beyond some sides"
        for array in self.blocks:
            self.memory.fill(array, value)
        self.storage(self.layout).fresh.set(all_around(self.decomposition.world.halo))

    @property
    def wet(self) -> list[NDArray[np.bool_]]:
        """Which owned values are wet, one array per block; without the axes before the levels.

        Both values at one point of a fold are: `counted` has one of them.
        """
        assert self.place.planar
        blocks = [block for block in self.layout.blocks if isinstance(block, Block)]
        return [self.space.wet_in(block, self.place, self.levels) for block in blocks]

    @property
    def counted(self) -> list[NDArray[np.bool_]]:
        """Which owned values count in sums: the wet ones, of two at one point of a fold one."""
        blocks = [block for block in self.layout.blocks if isinstance(block, Block)]
        doubles = (self.space.is_double(block, self.place) for block in blocks)
        return [wet & ~double for wet, double in zip(self.wet, doubles, strict=True)]

    def set_global(self, values: Array) -> None:
        """Set all values, halos included, from a global array of the shape `self.shape`.

        Every rank has it. Points are in the order of global sea numbers.
        """
        values = np.asarray(values)
        assert values.shape == self.shape, f"{self} has the shape {self.shape}, not {values.shape}"
        layouts: tuple[Layout, ...] = (self.layout,)
        if self.static and not self.place.planar:  # nobody keeps `values` for a layout used later
            layouts = self.decomposition.layouts
        for layout in layouts:
            self._fill(self.storage(layout), values)

    def _fill(self, storage: Storage, values: Array) -> None:
        write = storage.memory.write
        if self.dealt is not None:
            write(storage.arrays[0], values[self.dealt.own])
            return
        components = storage.layout.components
        if self.by_component and components is not None:
            values = values[components]
        for array, block in zip(storage.arrays, storage.layout.blocks, strict=True):
            if self.place == Place.none:
                write(array, values)
            elif self.place == Place.point:
                for row in np.ndindex(array.shape[:-1]):
                    write(array[row], values[row][block.sea_numbers])
            else:
                assert isinstance(block, Block)
                points = block.points_of(self.place)
                write(array, self._turned(values[..., points.j, points.i], points))
        halo = self.decomposition.world.halo
        storage.fresh.set(everywhere if self.static else all_around(halo))

    def set_cells(
        self, function: Callable[[Any, Any], Array], at: int | slice | None = None
    ) -> None:
        """Set values on planes, halos included, from a function of global rows and columns.

        `function(j, i)` gives outer + the shape of j; with `at` it gives the values at that index
        of the outermost axis, or at some. Nobody needs a global array for it.
        """
        assert self.place.planar
        part, storage = Part(self, at), self.storage(self.layout)
        for array, block in zip(part.arrays(self.layout), self.layout.blocks, strict=True):
            assert isinstance(block, Block)
            points = block.points_of(self.place)
            storage.memory.write(array, self._turned(function(points.j, points.i), points))
        halo = self.decomposition.world.halo
        for rows in part.rows(self.layout):
            storage.fresh.set(everywhere if self.static else all_around(halo), rows)

    def _turned(self, cells: Array, points: Any) -> Array:
        """Values at the points of a padded plane, 0 where there are none; components of vectors
        with the sign that they have there."""
        values = np.where(points.inside, cells, np.zeros((), self.dtype))
        if self.vector:
            values[..., points.sign(self.direction) < 0] *= -1
        return values

    def set_from(self, function: Callable[[Any], Array]) -> None:
        """Set owned values block by block: `function(block)` gives outer + the owned shape."""
        storage = self.storage(self.layout)
        for array, block in zip(self.owned, self.layout.blocks, strict=True):
            storage.memory.write(array, function(block))
        storage.fresh.set(nowhere)

    def written(self) -> None:
        """Say that owned values were set from outside; halos are stale now."""
        self.storage(self.layout).fresh.set(nowhere)

    def set_per_block(self, function: Callable[[Any], Array]) -> None:
        """Set a static field block by block: `function(block)` gives outer + the padded shape."""
        assert self.static
        self._maker = function
        for storage in self._storage.values():
            self._make(storage, function)

    @property
    def made_per_block(self) -> bool:
        """Whether blocks made their values themselves, halos included (tables of local places)."""
        return self._maker is not None

    def _make(self, storage: Storage, function: Callable[[Any], Array]) -> None:
        for array, block in zip(storage.arrays, storage.layout.blocks, strict=True):
            if isinstance(block, Block):
                storage.memory.write(array, function(block))
        storage.fresh.set(everywhere)

    def gather(self) -> Array | None:
        """Global array (as in `set_global`) on rank 0, None elsewhere; a call for all ranks."""
        from halocline.runtime.fields.gathering import gather

        return gather(self)

    def part(self, where: int | slice, axis: int = 0) -> Part:
        """Some entries of an outer axis, as an argument of a kernel: a slice keeps the axis."""
        return Part(self, where, axis)

    def move_to(self, layout: Layout) -> bool:
        """Whether the values have to be brought to `layout` before use there."""
        return not self.static and self._valid_in != layout.name and self.place == Place.point

    def now_in(self, layout: Layout) -> None:
        """Say that the newest values are those of `layout`."""
        self._valid_in = layout.name

    def swap(self, other: Field) -> None:
        """Exchange the values of two fields that differ in nothing else, without copying."""
        for what in _same_when_swapped:
            mine, theirs = getattr(self, what), getattr(other, what)
            if mine != theirs:
                raise UserError(
                    f"Cannot swap {self} and {other}: the first has {what} = {mine}, the second"
                    f" {theirs}. Swap time levels of one quantity, made alike."
                )
        if self.static:
            raise UserError(f"Cannot swap {self} and {other}: static fields do not change.")
        Field.swaps += 1
        self._storage, other._storage = other._storage, self._storage
        self._valid_in, other._valid_in = other._valid_in, self._valid_in

    def __repr__(self) -> str:
        return f"Field({self.name!r}, {self.units!r}, outer={self.outer}, place={self.place.value})"


_same_when_swapped = (
    *("decomposition", "axes", "place", "units", "dtype", "dealt", "direction", "static"),
)


def pair(x: Field, y: Field) -> None:
    """Make two fields the components of one vector along x and y."""
    x.partner, y.partner, x.direction, y.direction = y, x, "x", "y"


def _check_memory(name: str, place: Place, decomposition: Decomposition, static: bool) -> None:
    """Refuse a place whose last face, or whose faces beside land, would have no memory."""
    world = decomposition.world
    if not (static or decomposition.staggered or place == Place.center):
        raise UserError(
            f"The field '{name}' lies on {place.value}, but the blocks of land that own faces and"
            " corners of sea cells were left out. Make the decomposition with staggered=True."
        )
    if world.halo < 1 and world.topology.shape(place) != world.mask.shape:
        raise UserError(
            f"The field '{name}' lies on {place.value}, one more than cells across closed sides,"
            " which lie in the halo of the last blocks; but there is no halo. Use a halo of 1."
        )


class Part:
    """Entries of one outer axis of a field, or all of it, as an argument of a kernel.

    Its halos are as fresh as those of its own rows, whatever others are. Where components are
    dealt to the ranks, entries are counted over all of them.
    """

    def __init__(self, field: Field, where: int | slice | None = None, axis: int = 0) -> None:
        self.field, self.where, self.axis = field, where, axis
        if where is None:
            return
        entries = range(field.outer[axis])
        if isinstance(where, int):
            where = slice(entries[where], entries[where] + 1)
        chosen = entries[where]
        assert chosen.step == 1, f"{field} has no part {where}: every entry from first to last"
        self._first, self._last = chosen.start, max(chosen.start, chosen.stop)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes before the horizontal ones; one of which some entries were asked for is bare."""
        whole, at = self.field.axes, self.axis
        if self.where is None:
            return whole
        some = () if isinstance(self.where, int) else (Axis("", self._last - self._first),)
        return (*whole[:at], *some, *whole[at + 1 :])

    @property
    def rank(self) -> int:
        """How many axes the arrays have."""
        place = self.field.place
        return len(self.axes) + (2 if place.planar else int(place is Place.point))

    def bounds(self, layout: Layout) -> tuple[int, int]:
        """First and behind-last entry of the axis among those of a layout."""
        if self.where is None:
            return 0, (self.field.outer_in(layout) or (1,))[0]
        if self.axis == 0 and self.field.by_component and layout.components is not None:
            first, last = np.searchsorted(layout.components, (self._first, self._last))
            return int(first), int(last)
        return self._first, self._last

    def count(self, layout: Layout) -> int:
        """How many entries of the axis a layout has."""
        first, last = self.bounds(layout)
        return last - first

    def arrays(self, layout: Layout) -> list[Array]:
        """The arrays of all blocks, without the axis where one entry was asked for."""
        arrays = self.field.storage(layout).arrays
        if self.where is None:
            return arrays
        first, last = self.bounds(layout)
        entries = first if isinstance(self.where, int) else slice(first, last)
        index = (*(slice(None),) * self.axis, entries)
        return [array[index] for array in arrays]

    def rows(self, layout: Layout) -> list[slice]:
        """Which rows of the flat arrays it has, in stretches."""
        if self.where is None:
            return [every_row]
        outer, (first, last) = self.field.outer_in(layout), self.bounds(layout)
        before, inside = math.prod(outer[: self.axis]), math.prod(outer[self.axis + 1 :])
        begins = [n * outer[self.axis] for n in range(before)]
        return [slice((n + first) * inside, (n + last) * inside) for n in begins]

    def __repr__(self) -> str:
        return repr(self.field) if self.where is None else f"{self.field}.part({self.where})"


class Entry(Field):
    """One entry of the first axis of a field as a field of its own, in the memory of that one.

    It has the newest values, after swaps too, and is to be read only. Of halos it knows nothing.
    """

    def __init__(self, whole: Field, number: int, name: str, units: str) -> None:
        assert not whole.by_component and whole.dealt is None, f"{whole} has entries elsewhere"
        vars(self).update(vars(whole))
        self.name, self.units, self.restart = name, units, False
        self.axes, self.outer = whole.axes[1:], whole.outer[1:]
        self.whole, self.number = whole, number
        self._storage = {}
        self._seen: tuple[Storage, Storage] | None = None

    @property
    def layout(self) -> Layout:
        """That of the whole."""
        return self.whole.layout

    def storage(self, layout: Layout) -> Storage:
        """That part of the memory of the whole."""
        whole = self.whole.storage(layout)
        if self._seen is None or self._seen[0] is not whole:
            self._seen = whole, whole.entry(self.number)
        return self._seen[1]
