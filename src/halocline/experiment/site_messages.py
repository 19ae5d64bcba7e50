"""Messages between two sites: a header in words, and arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Header = Mapping[str, Any]


def narrowed(values: Array | None, precision: str) -> Array:
    """Values in a precision, if that is less than theirs."""
    assert values is not None, "the first rank of a member has what it gathers"
    if precision and np.dtype(precision).itemsize < values.dtype.itemsize:
        return values.astype(precision)
    return values


def with_arrays(kind: str, name: str, arrays: Sequence[Array], **more: Any) -> bytes:
    """A message of arrays, whose types and shapes its header has."""
    about = [(some.dtype.str, some.shape) for some in arrays]
    return packed({kind: name, "arrays": about, **more}, *arrays)


def arrays_of(header: Header, body: memoryview) -> list[Array]:
    """Those of a message.

    >>> arrays_of(*unpacked(with_arrays("a", "b", [np.ones(1), np.zeros((1, 2), np.int8)])))
    [array([1.]), array([[0, 0]], dtype=int8)]
    """
    found, begin = [], 0
    for kind, shape in header["arrays"]:
        dtype = np.dtype(kind)
        end = begin + dtype.itemsize * int(np.prod(shape))
        found.append(np.frombuffer(body[begin:end], dtype).reshape(shape))
        begin = end
    return found


def packed(header: Header, *arrays: Array) -> bytes:
    """A message: length of the header, header, values.

    >>> unpacked(packed({"a": 1}, np.ones(2, np.int8)))[1].tolist()
    [1, 1]
    """
    words = json.dumps(header).encode()
    return b"".join([len(words).to_bytes(4, "little"), words, *(some.tobytes() for some in arrays)])


def unpacked(message: Any) -> tuple[Header, memoryview]:
    """Header and values of a message."""
    view = memoryview(message)
    begin = 4 + int.from_bytes(view[:4], "little")
    return json.loads(bytes(view[4:begin])), view[begin:]
