"""The room's kernels; `contracts` says what each array argument is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_Bytes = NDArray[np.uint8]
_Numbers = NDArray[np.int64]

def pack_runs(
    source: NDArray[Any],
    starts: _Numbers,
    lengths: _Numbers,
    first: int,
    last: int,
    target: _Bytes,
) -> None:
    """Copy the packed columns [first, last) of all rows of `source` into `target`, row by row.

    `source` [row, column] has items of 1, 2, 4 or 8 bytes, contiguous in a row. The packed columns
    are those of the runs (start, length), one run after the other. `target` holds exactly them.
    """

def unpack_runs(
    packed: _Bytes,
    starts: _Numbers,
    lengths: _Numbers,
    first: int,
    last: int,
    first_column: int,
    target: _Bytes,
    row_length: int,
    packed_type: str,
    target_type: str,
    fill: float | None,
) -> None:
    """Put rows of the packed columns [first, last) where the runs say, converted.

    Column c of row r comes to item r row_length + c - first_column of `target`. Types are named as
    by `dtype.str`: "<f4" to ">f4", "<f8"; integers only become integers of the same size. Floating
    values that are not finite in the type of the target become `fill`, if one is given.
    """

def fill_items(target: _Bytes, item: _Bytes) -> None:
    """Give all items of `target` the bytes of one `item` (1, 2, 4 or 8 bytes)."""

def crc32c_shift(value: int, count: int) -> int:
    """The linear CRC `value` after `count` bytes of zero."""

def crc32c_linear(data: _Bytes) -> int:
    """Linear CRC32C: of a register that starts at zero and is not inverted at the end."""

def crc32c_linear_plainly(data: _Bytes) -> int:
    """The same by tables, as on processors without an instruction for it."""

def crc32c_runs(
    packed: _Bytes,
    starts: _Numbers,
    lengths: _Numbers,
    first: int,
    last: int,
    item: int,
    offset: int,
    row_bytes: int,
    bounds: _Numbers,
    hole: int,
    sums: NDArray[np.uint32],
) -> None:
    """XOR what packed bytes give to the linear CRCs of the ranges of a frame into `sums`.

    Range n is the bytes [bounds[n], bounds[n + 1]) of the frame, without the four at `hole` (-1:
    none). The packed columns [first, last) of `item` bytes each are in the file's byte order.
    Column 0 of their first row lies at `offset` [byte], and a row has `row_bytes`.
    """

def end_with_parent() -> None:
    """From now on end this process (SIGKILL) as soon as the process that started it has ended."""

def set_threads(threads: int) -> None:
    """Threads of kernels that this thread calls from now on."""

def __getattr__(name: str) -> Any: ...
