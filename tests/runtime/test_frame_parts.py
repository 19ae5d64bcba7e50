"""Packing runs of columns, unpacking them into a file's bytes, and checksums made of parts."""

import google_crc32c
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime.files.checksums import crc32c, extend_by_parts, linear, shift

few = settings(max_examples=60, deadline=None)
seeds = st.integers(0, 2**32 - 1)
kinds = ["i1", "u1", "i2", "i4", "i8", "f4", "f8"]
floats = ["f4", "f8"]


def random_runs(random: np.random.Generator, columns: int) -> tuple[NDArray, NDArray]:
    """Runs in order that do not touch, from single columns to all of them."""
    owned = np.repeat(random.random(columns) < random.random(), random.integers(1, 40))[:columns]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], owned, [False]]).astype(int)))
    return edges[::2].astype(np.int64), (edges[1::2] - edges[::2]).astype(np.int64)


def columns_of(starts: NDArray, lengths: NDArray) -> NDArray:
    parts = [np.arange(s, s + n) for s, n in zip(starts, lengths, strict=True)]
    return np.concatenate([np.arange(0), *parts])


def some_of(random: np.random.Generator, count: int) -> tuple[int, int]:
    first, last = sorted(random.integers(0, count + 1, 2))
    return int(first), int(last)


def random_values(random: np.random.Generator, shape: tuple[int, ...], kind: str) -> NDArray:
    """Values of which some are not finite, and some too large for float32."""
    dtype = np.dtype(kind)
    if dtype.kind != "f":
        return random.integers(0, 256, (*shape[:-1], shape[-1] * dtype.itemsize), np.uint8).view(
            dtype
        )
    values = random.normal(size=shape)
    for odd in (np.nan, np.inf, -np.inf, -0.0, 1e300 if kind == "f8" else 1e38):
        values[random.random(shape) < 0.1] = odd
    return values.astype(dtype)


def bytes_of(array: NDArray) -> NDArray:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


@few
@given(seed=seeds, kind=st.sampled_from(kinds), width=st.integers(1, 300))
def test_packed_are_the_chosen_columns_of_every_row(seed, kind, width):
    random = np.random.default_rng(seed)
    rows = int(random.integers(0, 6))
    source = random_values(random, (2 * rows, width + 7), kind)[::2, 3 : width + 3]
    starts, lengths = random_runs(random, width)
    columns = columns_of(starts, lengths)
    first, last = some_of(random, columns.size)
    expected = bytes_of(source[:, columns[first:last]])
    target = np.zeros_like(expected)
    _native.pack_runs(source, starts, lengths, first, last, target)
    assert np.array_equal(target, expected)


def test_whole_rows_are_packed_at_once():
    source = np.arange(60.0).reshape(6, 10)
    target = np.zeros(480, np.uint8)
    _native.pack_runs(source, np.array([0]), np.array([10]), 0, 10, target)
    assert np.array_equal(target.view("f8").reshape(6, 10), source)


def unpacked(packed, columns, first_column, before, target_type, fill):
    """What `unpack_runs` must make of a target `before`, in plain NumPy."""
    after = before.copy()
    with np.errstate(over="ignore"):
        values = packed.astype(target_type)
    if fill is not None and values.dtype.kind == "f":
        values = np.where(np.isfinite(values), values, np.array(fill, target_type))
    after[:, columns - first_column] = values
    return after


@few
@given(
    seed=seeds,
    types=st.one_of(
        st.tuples(st.sampled_from(floats), st.sampled_from(floats)),
        st.sampled_from(kinds).map(lambda kind: (kind, kind)),
    ),
    order=st.sampled_from("<>"),
    fill=st.sampled_from([None, 9.96921e36]),
)
def test_unpacked_are_at_their_columns_as_the_file_wants_them(seed, types, order, fill):
    random = np.random.default_rng(seed)
    target_type = np.dtype(order + types[1])
    rows, width = int(random.integers(1, 6)), int(random.integers(1, 300))
    starts, lengths = random_runs(random, width)
    columns = columns_of(starts, lengths)
    first, last = some_of(random, columns.size)
    columns = columns[first:last]
    low = int(random.integers(0, columns.min(initial=0) + 1))
    values = random_values(random, (rows, columns.size), types[0])
    before = random_values(random, (rows, width - low), types[1]).astype(target_type)
    target = before.copy()
    packed = np.zeros(values.nbytes + 1, np.uint8)[1:]
    packed[...] = bytes_of(values)
    _native.unpack_runs(
        packed, starts, lengths, first, last, low, target.reshape(-1).view(np.uint8),
        width - low, values.dtype.str, target_type.str, fill,
    )  # fmt: skip
    expected = unpacked(values, columns, low, before, target_type, fill)
    assert np.array_equal(bytes_of(target), bytes_of(expected))


@pytest.mark.parametrize("kind", floats)
@pytest.mark.parametrize("order", "<>")
def test_without_a_fill_value_every_bit_is_kept(kind, order):
    """Also those of a signalling not-a-number."""
    bits = np.array([0x7FF0000000000001, 0x7F8000017F800001, 0xFFC12345FF812345], np.uint64)
    packed = bits.view(np.uint8)
    target = np.zeros(24, np.uint8)
    items = 24 // np.dtype(kind).itemsize
    runs = np.array([0]), np.array([items])
    _native.unpack_runs(packed, *runs, 0, items, 0, target, items, "<" + kind, order + kind, None)
    size = np.dtype(kind).itemsize
    step = 1 if order == "<" else -1
    assert np.array_equal(target.reshape(-1, size)[:, ::step], packed.reshape(-1, size))


def test_rows_may_lie_apart_in_the_target():
    target = np.zeros(9, np.uint8)
    packed = np.array([1, 2, 3, 4], np.uint8)
    _native.unpack_runs(
        packed, np.array([5]), np.array([2]), 0, 2, 4, target, 6, "|u1", "|u1", None
    )
    assert target.tolist() == [0, 1, 2, 0, 0, 0, 0, 3, 4]


@pytest.mark.parametrize("item", [np.array(-3, ">f8"), np.array(7, "<i2"), np.array(9, "u1")])
def test_filled_blocks_hold_the_item(item):
    target = np.zeros(13 * item.itemsize, np.uint8)
    _native.fill_items(target, item.reshape(1).view(np.uint8))
    assert np.array_equal(target.view(item.dtype), np.full(13, item))


def numbers(*values: int) -> NDArray:
    return np.array(values, np.int64)


square = np.zeros((4, 4), np.float32)


@pytest.mark.parametrize(
    ("starts", "lengths", "first", "last", "size"),
    [
        ([0], [4], 0, 4, 63),
        ([0], [4], 0, 5, 80),
        ([1], [4], 0, 4, 64),
        ([0], [4], 3, 2, 0),
        ([0, 2], [2], 0, 2, 32),
        ([-1], [2], 0, 2, 32),
        ([0, 0], [-1, 3], 0, 2, 32),
    ],
)
def test_wrong_runs_and_sizes_are_refused(starts, lengths, first, last, size):
    with pytest.raises(ValueError, match="expected"):
        _native.pack_runs(
            square, numbers(*starts), numbers(*lengths), first, last, np.zeros(size, np.uint8)
        )


def test_a_source_whose_items_lie_apart_is_refused():
    target = np.zeros(32, np.uint8)
    with pytest.raises(ValueError, match="stride"):
        _native.pack_runs(square[:, ::2], numbers(0), numbers(2), 0, 2, target)


@pytest.mark.parametrize(
    ("packed", "column", "size", "length", "types"),
    [
        (15, 0, 64, 4, ("<f4", "<f4")),
        (16, 1, 64, 4, ("<f4", "<f4")),
        (16, 0, 15, 4, ("<f4", "<f4")),
        (32, 0, 64, 3, ("<f4", "<f4")),
        (16, 0, 64, 4, ("<i4", "<f4")),
        (16, 0, 64, 4, ("<i4", "<i8")),
        (16, 0, 64, 4, (">f4", "<f4")),
        (16, 0, 64, 4, ("<f2", "<f2")),
        (16, 0, 64, 4, ("<c8", "<c8")),
    ],
)
def test_wrong_messages_are_refused(packed, column, size, length, types):
    with pytest.raises(ValueError, match="expected|Items|type"):
        _native.unpack_runs(
            np.zeros(packed, np.uint8), numbers(0), numbers(4), 0, 4, column,
            np.zeros(size, np.uint8), length, *types, None,
        )  # fmt: skip


@few
@given(seed=seeds, length=st.integers(0, 9000))
def test_linear_checksums_of_any_length(seed, length):
    data = np.random.default_rng(seed).integers(0, 256, length + 3, np.uint8)[3:]
    assert _native.crc32c_linear(data) == linear(data)
    assert _native.crc32c_linear_plainly(data) == linear(data)
    assert extend_by_parts(0, length, linear(data)) == google_crc32c.value(data.tobytes())


@pytest.mark.parametrize("count", [0, 1, 255, 256, 65535, 65536, 1_000_003])
def test_shifted_over_zeros(count):
    assert shift(linear(b"halocline"), count) == linear(b"halocline" + bytes(count))


def test_shifts_add_up_beyond_what_fits_into_memory():
    value, far = linear(b"halocline"), 2**43 + 12345
    for _ in range(2**10):
        value = shift(value, far)
    assert value == shift(linear(b"halocline"), far * 2**10)
    assert value != linear(b"halocline")


def random_bounds(random: np.random.Generator, begin: int, end: int) -> NDArray:
    inner = random.integers(begin, end + 1, random.integers(0, 6))
    return np.sort(np.concatenate([[begin], inner, [end]])).astype(np.int64)


@few
@given(seed=seeds, holed=st.booleans())
def test_checksums_of_ranges_from_the_parts_of_all_owners(seed, holed):
    """A table somewhere in a frame; each owner has some columns, in messages of some of them."""
    random = np.random.default_rng(seed)
    rows, width, item = (int(n) for n in random.integers(1, [5, 1500, 9]))
    offset, rest = (int(n) for n in random.integers(4, 40, 2))
    frame = random.integers(0, 256, offset + rows * width * item + rest, np.uint8)
    bounds = random_bounds(random, int(random.integers(0, 5)), frame.size)
    hole = int(random.integers(bounds[0], frame.size - 4)) if holed else -1
    sums = np.zeros(bounds.size - 1, np.uint32)

    def take_in(begin: int, end: int) -> None:
        _native.crc32c_runs(
            frame[begin:end], numbers(0), numbers(end - begin), 0, end - begin, 1,
            begin, 0, bounds, hole, sums,
        )  # fmt: skip

    table = frame[offset : frame.size - rest].reshape(rows, width, item)
    owners = np.repeat(random.integers(0, 3, width), random.integers(1, 30))[:width]
    for owner in range(3):
        mine = np.concatenate([[False], owners == owner, [False]]).astype(int)
        edges = np.flatnonzero(np.diff(mine)).astype(np.int64)
        starts, lengths = edges[::2].copy(), edges[1::2] - edges[::2]
        columns = columns_of(starts, lengths)
        cut = int(random.integers(0, columns.size + 1))
        for first, last in ((cut, columns.size), (0, cut)):
            packed = bytes_of(table[:, columns[first:last]])
            _native.crc32c_runs(
                packed, starts, lengths, first, last, item, offset, width * item,
                bounds, hole, sums,
            )  # fmt: skip
    take_in(int(bounds[0]), offset)
    take_in(frame.size - rest, frame.size)

    counted = np.ones(frame.size, bool)
    if holed:
        counted[hole : hole + 4] = False
    for total, begin, end in zip(sums, bounds, bounds[1:], strict=False):
        data = frame[begin:end][counted[begin:end]]
        assert extend_by_parts(crc32c(b"before"), data.size, int(total)) == crc32c(
            b"before" + data.tobytes()
        )


def test_checksums_do_not_ask_for_the_order_of_runs():
    frame = np.random.default_rng(3).integers(0, 256, 1000, np.uint8)
    sums, bounds = np.zeros(1, np.uint32), numbers(0, 1000)
    starts, lengths = numbers(700, 20, 300, 0), numbers(300, 280, 400, 20)
    packed = frame[columns_of(starts, lengths)]
    _native.crc32c_runs(packed, starts, lengths, 0, 1000, 1, 0, 1000, bounds, -1, sums)
    assert sums[0] == linear(frame)


def test_bytes_outside_all_ranges_are_refused():
    data, sums = np.zeros(4, np.uint8), np.zeros(1, np.uint32)
    for bounds, message in ((numbers(0, 3), "range"), (numbers(4, 0), "fall"), (numbers(0), "one")):
        with pytest.raises(ValueError, match=message):
            _native.crc32c_runs(data, numbers(0), numbers(4), 0, 4, 1, 0, 4, bounds, -1, sums)
