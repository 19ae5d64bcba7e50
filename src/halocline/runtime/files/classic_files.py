"""NetCDF classic files (CDF-5) by their bytes: where values lie, and growth record by record.

The netCDF library defines a file; its header is read for the places of the variables. Records are
then put where the header says: data, fsync, the header's count of records, fsync. A reader never
sees half a record, and a crash at any moment leaves a valid file. A variable holds a checksum of
every record.

Format: NetCDF classic format specification, appendix of the netCDF C library's guide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.netcdf_lock import netcdf_lock
from halocline.runtime.files.checksums import DamagedFile, crc32c, extend_by_parts, mismatch
from halocline.runtime.files.disk import disk

checksum_size = 4
checksum_name = "record_checksum"
"""Variable with the CRC32C of each record, as a signed number (CF-1.8 knows no unsigned ones)."""

most_uncounted = 8
"""Complete records after those that the header counts, which a broken run may leave."""

longest_header = 1 << 26  # [byte]
_magic = b"CDF\x05"
_count_at = 4  # offset of the number of records, 8 bytes
_types = {
    1: ">i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8",
    7: ">u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8",
}  # fmt: skip


@dataclass(frozen=True)
class StoredVariable:
    """Where a variable lies: for one with records, `shape` is that of one record."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int
    grows: bool

    @property
    def bytes(self) -> int:
        """Bytes of one record, or of the whole."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def size(self) -> int:
        """The same, padded to four."""
        return -(-self.bytes // 4) * 4


@dataclass
class Header:
    """What the header of a CDF-5 file says."""

    records: int
    places: dict[str, StoredVariable] = field(default_factory=dict)

    @property
    def growing(self) -> dict[str, StoredVariable]:
        """Variables with records, in the order in which they lie in a record."""
        some = {name: place for name, place in self.places.items() if place.grows}
        return dict(sorted(some.items(), key=lambda item: item[1].offset))

    @cached_property
    def record_size(self) -> int:
        return sum(place.size for place in self.growing.values())

    @cached_property
    def record_start(self) -> int:
        return min(place.offset for place in self.growing.values())

    def record_at(self, number: int) -> int:
        """First byte of a record in the file."""
        return self.record_start + number * self.record_size

    @property
    def length(self) -> int:
        """Bytes that a file with this header has at least."""
        growing, ends = self.growing, [0]
        # A variable alone in the records is not padded to four bytes.
        step = next(iter(growing.values())).bytes if len(growing) == 1 else self.record_size
        for place in self.places.values():
            before = step * (self.records - 1) if place.grows else 0
            if self.records or not place.grows:
                ends.append(place.offset + before + place.bytes)
        return max(ends)

    @property
    def checksum_at(self) -> int:
        """First byte of the checksum in a record."""
        return self.places[checksum_name].offset - self.record_start

    def record_checksum(self, record: NDArray[np.uint8], fixed: int) -> bytes:
        """Checksum of a record, less that of its checksum, as it lies in the file."""
        at = self.checksum_at
        value = crc32c(record[at + checksum_size :], crc32c(record[:at], fixed))
        return value.to_bytes(checksum_size, "big")


class _Bytes:
    """Reads the numbers and names of a header one after the other."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 4
        self.version = content[3] if content[:3] == _magic[:3] else 0
        if self.version not in (1, 2, 5):
            raise ValueError("it is of no version that is known")

    def number(self, size: int = 0) -> int:
        """The next number, which has 8 bytes in CDF-5 and 4 before where nothing else is said."""
        size = size or (8 if self.version == 5 else 4)
        self.at += size
        if self.at > len(self.content):
            raise ValueError("the header ends too early")
        return int.from_bytes(self.content[self.at - size : self.at], "big")

    def skip(self, count: int) -> None:
        self.at += -(-count // 4) * 4

    def name(self) -> str:
        length = self.number()
        start = self.at
        self.skip(length)
        return self.content[start : start + length].decode()

    def count(self) -> int:
        """Number of entries of a list, after its tag."""
        self.number(4)
        return self.number()

    def attributes(self) -> None:
        for _ in range(self.count()):
            self.name()
            kind = np.dtype(_types[self.number(4)])
            self.skip(self.number() * kind.itemsize)


def read_header(path: Path) -> Header:
    """The header of a CDF-5 file."""
    with path.open("rb") as file:
        if file.read(4) != _magic:
            raise UserError(f"'{path}' is no netCDF file of the kind CDF-5.")
        file.seek(0)
        return parse_header(file.read(1 << 22))


def parse_header(start: bytes) -> Header:
    """The header in the first bytes of a CDF-5 file."""
    content = _Bytes(start)
    header = Header(records=content.number())
    lengths = []
    for _ in range(content.count()):
        content.name()
        lengths.append(content.number())
    content.attributes()
    for _ in range(content.count()):
        name = content.name()
        shape = [lengths[content.number()] for _ in range(content.number())]
        content.attributes()
        kind = np.dtype(_types[content.number(4)])
        content.number()
        grows = bool(shape) and shape[0] == 0
        begin = content.number(4 if content.version == 1 else 8)
        header.places[name] = StoredVariable(kind, tuple(shape[grows:]), begin, grows)
    return header


def refuse_damaged(path: Path) -> None:
    """Refuse a netCDF file of a classic kind whose header contradicts itself or its length.

    The netCDF library may hang on such headers, and reads zeros beyond the end of a file.
    """
    with path.open("rb") as file:
        start = file.read(4)
        if start[:3] != _magic[:3]:
            return
        start += file.read(longest_header)
    try:
        header = parse_header(start)
        needed = header.length
    except (IndexError, KeyError, ValueError, OverflowError):
        raise UserError(f"The file '{path}' is damaged: its header cannot be read.") from None
    if (size := path.stat().st_size) < needed:
        raise UserError(
            f"The file '{path}' is not complete: it has {size} bytes, its header says that it has"
            f" {needed}."
        )


def map_variable(path: Path, place: StoredVariable) -> NDArray[Any]:
    """A variable without records as it lies in the file, big-endian, read where it is used."""
    return np.memmap(path, place.dtype, "r", place.offset, place.shape or (1,)).reshape(place.shape)


def make_head(content: Callable[[netCDF4.Dataset], None]) -> bytes:
    """Header and fixed variables of a CDF-5 file, without records.

    `content` writes its dimensions, attributes and fixed variables.
    """
    with netcdf_lock:
        file = netCDF4.Dataset("head", "w", memory=1 << 16, format="NETCDF3_64BIT_DATA")
        content(file)
        whole = bytes(file.close())
    return whole[: parse_header(whole).record_start]


def create(path: Path, head: bytes) -> None:
    """Make a CDF-5 file without records; it appears under its name when complete."""
    part = path.with_name(path.name + ".part")
    try:
        with disk().open(part, create=True) as file:
            file.write(head, 0)
        disk().publish(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError, kept: str = "") -> UserError:
    """What to say when a file cannot be written."""
    reason = error.strerror or str(error)
    return UserError(
        f"Cannot write '{path}': {reason}.{kept} Free some space or choose another folder."
    )


class GrowingFile:
    """A CDF-5 file with an unlimited first dimension, valid at every record."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header = read_header(path)
        self._fixed = fixed_checksum(path, self.header)
        try:
            self.file = disk().open(path)
        except OSError as error:
            raise unwritable(path, error) from None

    @property
    def records(self) -> int:
        """Number of complete records."""
        return self.header.records

    def append(self, values: Mapping[str, NDArray[Any]]) -> None:
        """Add one record; `values` has one array for every variable with records."""
        growing = self.header.growing
        checksum = growing.pop(checksum_name)
        assert set(values) == set(growing), "a record has all variables"
        buffer = np.zeros(self.header.record_size, np.uint8)
        for name, place in growing.items():
            data = np.array(values[name], place.dtype, order="C")
            assert data.shape == place.shape, f"{name}: {data.shape} is not {place.shape}"
            start = place.offset - self.header.record_start
            buffer[start : start + data.nbytes] = np.frombuffer(data.tobytes(), np.uint8)
        words = self.header.record_checksum(buffer, self._fixed)
        start = self.header.checksum_at
        buffer[start : start + checksum.size] = np.frombuffer(words, np.uint8)
        with self.keeping():
            self.file.write(buffer, self.header.record_at(self.records))
            self.file.sync()
            self._commit(self.records + 1)

    def complete(self, linear: int) -> None:
        """Count a record whose bytes are written, less its checksum, which follows from them.

        `linear` is the linear checksum of these bytes; what this process wrote may not be on disk.
        """
        header = self.header
        value = extend_by_parts(self._fixed, header.record_size - checksum_size, linear)
        with self.keeping():
            start = header.record_at(self.records) + header.checksum_at
            self.file.write(value.to_bytes(checksum_size, "big"), start)
            self.file.sync()
            self._commit(self.records + 1)

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Say of a failure to write that complete records are kept."""
        try:
            yield
        except OSError as error:
            kept = f" The file keeps its {self.records} complete records."
            raise unwritable(self.path, error, kept) from None

    def recount(self) -> None:
        """Count all complete records, whatever the header says of their number."""
        there = (self.path.stat().st_size - self.header.record_start) // self.header.record_size
        counted = min(self.records, there)
        records = counted + complete_from(self.path, self.header, counted)
        if records != self.records:
            self._commit(records)

    def cut(self, records: int) -> None:
        """Drop all but the first `records`, a few at a time: broken off, the file is still good."""
        assert records <= self.records
        while True:
            self._commit(max(records, self.records - most_uncounted))
            size = self.header.record_start + self.records * self.header.record_size
            self.file.truncate(size)
            if self.records == records:
                return

    def read(self, name: str, record: int) -> NDArray[Any]:
        """One record of a variable."""
        place = self.header.places[name]
        start = place.offset + record * self.header.record_size
        count = prod(place.shape) * place.dtype.itemsize
        return np.frombuffer(self.file.read(count, start), place.dtype).reshape(place.shape)

    def close(self) -> None:
        self.file.close()

    def _commit(self, records: int) -> None:
        self.file.write(records.to_bytes(8, "big"), _count_at)
        self.file.sync()
        self.header.records = records


def define_checksum(file: netCDF4.Dataset) -> None:
    """The variable for the checksums of records."""
    variable = file.createVariable(checksum_name, "i4", ("time",))
    variable.long_name = "CRC32C of header, fixed variables and the other bytes of the record"


def fixed_checksum(path: Path, header: Header) -> int:
    """Checksum of header and fixed variables, less the count of records; records go on from it."""
    with path.open("rb") as file:
        start = file.read(header.record_start)
    return crc32c(start[_count_at + 8 :], crc32c(start[:_count_at]))


def verify_records(path: Path) -> tuple[int, int]:
    """How many records a file has, all of whose checksums are right, and how many more follow.

    Those that follow are complete too, but not counted in the header.
    """
    try:
        header = read_header(path)
        growing = header.growing
    except (IndexError, KeyError, ValueError, OverflowError, MemoryError):
        raise DamagedFile(f"The file '{path}' is damaged: its header cannot be read.") from None
    if checksum_name not in growing:
        raise UserError(
            f"'{path}' has no checksums ('{checksum_name}'), so it cannot be verified. Files of"
            " output streams and restart files have them."
        )
    expected = header.record_start + header.records * header.record_size
    if path.stat().st_size < expected:
        raise DamagedFile(
            f"The file '{path}' is damaged: it has {path.stat().st_size} bytes, its"
            f" {header.records} records need {expected}."
        )
    fixed = fixed_checksum(path, header)
    with path.open("rb") as file:
        file.seek(header.record_start)
        for number in range(header.records):
            begin = file.tell()
            stored, found = _next_checksums(file, header, fixed)
            if stored != found:
                place = f"record {number} (bytes {begin} to {begin + header.record_size - 1})"
                words = mismatch(place, stored, found)
                raise DamagedFile(f"The file '{path}' is damaged: {words}.")
    more = complete_from(path, header, header.records)
    if more > most_uncounted:
        raise DamagedFile(
            f"The file '{path}' is damaged: its header counts {header.records} records, but {more}"
            " more follow that are complete."
        )
    return header.records, more


def complete_from(path: Path, header: Header, number: int) -> int:
    """How many complete records follow one another from that number on."""
    fixed, count = fixed_checksum(path, header), 0
    with path.open("rb") as file:
        file.seek(header.record_at(number))
        while path.stat().st_size >= file.tell() + header.record_size:
            stored, found = _next_checksums(file, header, fixed)
            if stored != found:
                break
            count += 1
    return count


def _next_checksums(file: BinaryIO, header: Header, fixed: int) -> tuple[int, int]:
    """The checksum in the next record of a file, and that of its bytes."""
    record = np.frombuffer(file.read(header.record_size), np.uint8)
    stored = record[header.checksum_at : header.checksum_at + 4].tobytes()
    return int.from_bytes(stored, "big"), int.from_bytes(header.record_checksum(record, fixed))
