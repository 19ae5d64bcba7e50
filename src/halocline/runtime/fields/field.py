"""Fields: named arrays of one quantity on all blocks of a rank, and how fresh their halos are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.core.errors import UserError
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition, Layout
from halocline.runtime.fields.freshness import Freshness, all_around, every_row, everywhere, nowhere
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.runtime.fields.dealt import Dealt

Array = NDArray[Any]
alignment = 64


def _aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Zeros that begin on a cache line."""
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.zeros(size + alignment, np.uint8)
    start = -raw.ctypes.data % alignment
    return raw[start : start + size].view(dtype).reshape(shape)


def _row_length(points: int, dtype: np.dtype[Any]) -> int:
    """Row length of whole cache lines, an odd number of them so that rows share no cache set."""
    lines = -(-points * dtype.itemsize // alignment) | 1
    return lines * alignment // dtype.itemsize


class Storage:
    """The arrays of a field in one layout.

    `arrays` has one array per block: outer + (nj, ni) for cells, outer + (points,) for points.
    `flat` sees the same memory as (rows, horizontal), for halos. `fresh` is, for every row,
    how deep the halo is filled. `requests` is the runner's: what it asks of the halo exchange.
    With `once` there is one array for all blocks.
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
        self.arrays: list[Array] = []
        self.flat: list[Array] = []
        rows = int(np.prod(outer))
        for block in layout.blocks[:1] if once else layout.blocks:
            if place == Place.none:
                array = _aligned(outer, dtype)
                self.arrays.append(array)
                self.flat.append(array.reshape(rows, 1))
            elif place == Place.point:
                array = _aligned((*outer, _row_length(block.points, dtype)), dtype)
                self.arrays.append(array[..., : block.points])
                self.flat.append(array.reshape(rows, array.shape[-1])[:, : block.points])
            else:
                if not isinstance(block, Block):
                    raise UserError(
                        "Cards hold sea points only, but a field on cells is needed. Use"
                        " decomposition.kind = 'blocks' or 'curve'."
                    )
                nj, ni = block.shape
                array = _aligned((*outer, nj, block.row_length), dtype)
                self.arrays.append(array[..., :ni])
                self.flat.append(array.reshape(rows, nj * block.row_length))
        self.fresh = Freshness(rows)
        self.requests: dict[tuple[Any, ...], Any] = {}
        self.valid = False


class Field:
    """One quantity on a decomposed grid.

    `outer` are the extents before the horizontal ones; with `by_component` the first of them
    counts spectral components, which the layout `planes` of cards holds in part. A `static` field
    does not change after it is set, all its halos are fresh. The first of `outer` of a field
    without horizontal place counts items that are `dealt` to the ranks, or all ranks have all.
    """

    swaps: ClassVar[int] = 0
    """How often any two fields have been swapped: who keeps memory of fields looks again then."""

    def __init__(
        self,
        name: str,
        units: str,
        decomposition: Decomposition,
        *,
        outer: tuple[int, ...] = (),
        place: Place = Place.point,
        dtype: DTypeLike = np.float32,
        by_component: bool = False,
        restart: bool = False,
        static: bool = False,
        dealt: Dealt | None = None,
    ) -> None:
        assert dealt is None or place == Place.none
        self.dealt = dealt
        self.name, self.units, self.decomposition = name, units, decomposition
        self.outer, self.place, self.dtype = outer, place, np.dtype(dtype)
        self.by_component, self.restart, self.static = by_component, restart, static
        self._storage: dict[str, Storage] = {}
        home = decomposition.planes if place.planar else decomposition.home
        self._valid_in = home.name
        self._maker: Callable[[Any], Array] | None = None
        self.storage(home).valid = True

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
    def blocks(self) -> list[Array]:
        """The newest arrays, one per block of this rank."""
        return self.storage(self.layout).arrays

    @property
    def owned(self) -> list[Array]:
        """The newest values of owned points or cells, one array per block of this rank."""
        if self.place == Place.none:
            return self.blocks
        blocks = self.layout.blocks
        if self.place == Place.point:
            return [a[..., : b.owned_points] for a, b in zip(self.blocks, blocks, strict=True)]
        owned = []
        for array, block in zip(self.blocks, blocks, strict=True):
            j0, j1, i0, i1, _ = block.box
            owned.append(array[..., j0:j1, i0:i1])
        return owned

    def set_global(self, values: Array) -> None:
        """Set all values, halos included, from a global array that every rank has.

        `values` is outer + (nj, ni) for cells, outer + (sea points,) for points in the order of
        global sea numbers, outer for fields without horizontal place.
        """
        values = np.asarray(values)
        layouts: tuple[Layout, ...] = (self.layout,)
        if self.static and not self.place.planar:  # nobody keeps `values` for a layout used later
            layouts = self.decomposition.layouts
        for layout in layouts:
            self._fill(self.storage(layout), values)

    def _fill(self, storage: Storage, values: Array) -> None:
        if self.dealt is not None:
            storage.arrays[0][...] = values[self.dealt.own]
            return
        components = storage.layout.components
        if self.by_component and components is not None:
            values = values[components]
        for array, block in zip(storage.arrays, storage.layout.blocks, strict=True):
            if self.place == Place.none:
                array[...] = values
            elif self.place == Place.point:
                for row in np.ndindex(array.shape[:-1]):
                    array[row] = values[row][block.sea_numbers]
            else:
                assert isinstance(block, Block)
                cells = values[..., block.cell_j, block.cell_i]
                array[...] = np.where(block.inside, cells, np.zeros((), self.dtype))
        halo = self.decomposition.world.halo
        storage.fresh.set(everywhere if self.static else all_around(halo))

    def set_cells(self, function: Callable[[Any, Any], Array], at: int | None = None) -> None:
        """Set values on cells, halos included, from a function of global rows and columns.

        `function(j, i)` gives outer + the shape of j; with `at` it gives the values at that index
        of the outermost axis. Nobody needs a global array for it.
        """
        assert self.place == Place.center
        storage = self.storage(self.layout)
        for array, block in zip(storage.arrays, storage.layout.blocks, strict=True):
            assert isinstance(block, Block)
            cells = function(block.cell_j, block.cell_i)
            part = array if at is None else array[at]
            part[...] = np.where(block.inside, cells, np.zeros((), self.dtype))
        halo = self.decomposition.world.halo
        storage.fresh.set(everywhere if self.static else all_around(halo))

    def set_from(self, function: Callable[[Any], Array]) -> None:
        """Set owned values block by block: `function(block)` gives outer + the owned shape."""
        storage = self.storage(self.layout)
        for array, block in zip(self.owned, self.layout.blocks, strict=True):
            array[...] = function(block)
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
                array[...] = function(block)
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
        """Exchange the values of two fields of one shape, without copying."""
        for one in ("decomposition", "outer", "place", "dtype", "by_component", "dealt"):
            assert getattr(self, one) == getattr(other, one), f"{one} of {self} and {other}"
        assert not self.static and not other.static
        Field.swaps += 1
        self._storage, other._storage = other._storage, self._storage
        self._valid_in, other._valid_in = other._valid_in, self._valid_in

    def __repr__(self) -> str:
        return f"Field({self.name!r}, {self.units!r}, outer={self.outer}, place={self.place.value})"


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
    def axes(self) -> int:
        """How many axes the arrays have."""
        place = self.field.place
        horizontal = 2 if place.planar else int(place is Place.point)
        return len(self.field.outer) + horizontal - isinstance(self.where, int)

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
