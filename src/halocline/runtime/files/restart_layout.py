"""The bytes of a restart file: where each array lies, and the checksums of its ranges.

A restart is a file of the format safetensors: the length of the header (8 bytes), the header (JSON:
type, shape and place of each array, and a table of texts), then the arrays, little-endian and
contiguous. The last array, `range_checksums`, holds the CRC32C of the header, of every range of
`range_length` bytes of the arrays before it, and of these numbers themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime.files.checksums import DamagedFile, crc32c, mismatch

format_name = "Halocline restart"
format_version = 2
range_length = 1 << 22
"""Bytes of one checksum [1]; a property of the format, so that files do not know who wrote them."""

table_name = "range_checksums"
_alignment = 4096
_kinds = {
    "F32": "<f4", "F64": "<f8", "I8": "|i1", "I16": "<i2", "I32": "<i4", "I64": "<i8",
    "U8": "|u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "BOOL": "|b1",
}  # fmt: skip


@dataclass(frozen=True)
class StoredArray:
    """One array of a file: type, shape and first byte."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int

    @property
    def size(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class RestartLayout:
    """The header of a file, and where things lie."""

    header: bytes
    texts: Mapping[str, str]
    entries: Mapping[str, StoredArray]

    @property
    def table(self) -> StoredArray:
        return self.entries[table_name]

    @property
    def size(self) -> int:
        """Length of the whole file."""
        return self.table.offset + self.table.size

    def ranges(self) -> Iterator[tuple[int, int]]:
        """First byte and end of what each checksum covers: the header, then the arrays."""
        yield 0, len(self.header)
        for begin in range(len(self.header), self.table.offset, range_length):
            yield begin, min(begin + range_length, self.table.offset)


def make_layout(
    arrays: Sequence[tuple[str, np.dtype[Any], tuple[int, ...]]], texts: Mapping[str, str]
) -> RestartLayout:
    """The layout of a new file; wide numbers come first, so that all are aligned."""
    total = sum(prod(shape) * dtype.itemsize for _, dtype, shape in arrays)
    checksums = (2 + -(-total // range_length),)
    ordered = sorted(arrays, key=lambda array: -array[1].itemsize)
    names = {np.dtype(code): kind for kind, code in _kinds.items()}
    table: dict[str, Any] = {
        "__metadata__": {"format": format_name, "format_version": str(format_version), **texts}
    }
    at = 0
    for name, dtype, shape in [*ordered, (table_name, np.dtype("<u4"), checksums)]:
        end = at + prod(shape) * dtype.itemsize
        kind = names[dtype.newbyteorder("<")]
        table[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [at, end]}
        at = end
    body = json.dumps(table, separators=(",", ":")).encode()
    body += b" " * (-(8 + len(body)) % _alignment)
    return parse(len(body).to_bytes(8, "little") + body)


def parse(header: bytes) -> RestartLayout:
    """The layout that a header describes."""
    table = json.loads(header[8:])
    texts = table.pop("__metadata__")
    entries = {
        name: StoredArray(
            np.dtype(_kinds[entry["dtype"]]),
            tuple(entry["shape"]),
            len(header) + entry["data_offsets"][0],
        )
        for name, entry in table.items()
    }
    return RestartLayout(header, texts, entries)


def read_layout(path: Path) -> RestartLayout:
    """The layout of a file, its header and table of checksums verified."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
            length = int.from_bytes(start, "little")
            size = path.stat().st_size
            header = start + file.read(length) if length < size else start
    except OSError as error:
        raise UserError(f"Cannot read the restart file '{path}': {error.strerror}.") from None
    try:
        layout = parse(header)
        known = layout.texts["format"] == format_name and layout.table.dtype == np.dtype("<u4")
        version = int(layout.texts["format_version"])
    except (ValueError, KeyError, TypeError, AttributeError):
        known, version = False, 0
    if not known:
        raise DamagedFile(
            f"'{path}' is no restart file of Halocline, or its header (the first bytes) is damaged."
        )
    if version > format_version:
        raise UserError(
            f"The restart file '{path}' has the format version {version}, this Halocline reads up"
            f" to {format_version}. Use a newer one."
        )
    if size != layout.size:
        raise DamagedFile(
            f"The restart file '{path}' is damaged: it has {size} bytes, expected {layout.size}."
        )
    checksums = read_checksums(path, layout)
    found = crc32c(checksums[:-1])
    if found != checksums[-1]:
        words = mismatch("its table of checksums", int(checksums[-1]), found)
        raise DamagedFile(f"The restart file '{path}' is damaged: {words}.")
    problem = damage(path, layout, checksums, [0])
    if problem:
        raise DamagedFile(problem[1])
    return layout


def read_checksums(path: Path, layout: RestartLayout) -> NDArray[np.uint32]:
    """The table of checksums of a file."""
    with path.open("rb") as file:
        file.seek(layout.table.offset)
        return np.frombuffer(file.read(layout.table.size), layout.table.dtype)


def damage(
    path: Path, layout: RestartLayout, checksums: NDArray[np.uint32], numbers: Sequence[int]
) -> tuple[int, str] | None:
    """Number of the first of these ranges whose checksum is wrong, and what to say of it."""
    ranges = list(layout.ranges())
    with path.open("rb") as file:
        for number in numbers:
            begin, end = ranges[number]
            file.seek(begin)
            found = crc32c(file.read(end - begin))
            if found != checksums[number]:
                inside = ", ".join(
                    name
                    for name, entry in layout.entries.items()
                    if entry.offset < end and begin < entry.offset + entry.size
                )
                place = f"range {number} (bytes {begin} to {end - 1}, {inside or 'the header'})"
                words = mismatch(place, int(checksums[number]), found)
                return number, f"The restart file '{path}' is damaged: {words}."
    return None


def map_entry(path: Path, entry: StoredArray) -> NDArray[Any]:
    """An array as it lies in the file, read where it is used."""
    shape = entry.shape or (1,)
    return np.memmap(path, entry.dtype, "r", entry.offset, shape).reshape(entry.shape)
