"""What all ranks need and none changes: made once on a node, and seen there by all of its ranks."""

from __future__ import annotations

import mmap
import os
import pickle
from collections.abc import Callable
from io import BytesIO
from typing import Any, TypeVar

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.shared_memory import line, node_of

Made = TypeVar("Made")


def once_per_node(communicator: Communicator, make: Callable[[], Made]) -> Made:
    """What `make` gives, made by one rank of each node; a call for all ranks.

    Its arrays lie in memory that the ranks of the node share and that can only be read; it goes
    when the last of them lets go. Where ranks cannot see each other's memory each has a copy. A
    mistake of the rank that makes it is raised by all of its node.
    """
    node = node_of(communicator)
    if node.comm is None:
        return make()
    head, file, failure = b"", -1, None
    if node.here == 0:
        try:
            head, file = _packed(make())
        except UserError as error:
            failure = error
    words, head, path = node.comm.bcast(
        (failure and str(failure), head, f"/proc/{os.getpid()}/fd/{file}")
    )
    if words is not None:
        raise failure or UserError(words)
    values: mmap.mmap | bytes | None = _mapped(path)
    if not all(node.comm.allgather(values is not None)):
        values = node.comm.bcast(values and bytes(values))
    if node.here == 0:
        os.close(file)
    assert values is not None
    made: Made = _unpacked(head, values)
    return made


def _mapped(path: str) -> mmap.mmap | None:
    """The bytes of a file, to be read only; None where this process must not see it."""
    try:
        with open(path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError:
        return None


class _Apart(pickle.Pickler):
    """Keeps the values of arrays apart, in the order of their elements."""

    def reducer_override(self, thing: Any) -> Any:
        if type(thing) is not np.ndarray or thing.dtype.hasobject or not thing.ndim:
            return NotImplemented
        same = [not step and n > 1 for step, n in zip(thing.strides, thing.shape, strict=True)]
        if any(same):  # along an axis, which then needs no room
            once = thing[tuple(slice(1 if some else None) for some in same)]
            return np.broadcast_to, (np.ascontiguousarray(once), thing.shape)
        return np.ascontiguousarray(thing).__reduce_ex__(5)


def _packed(thing: Any) -> tuple[bytes, int]:
    """A thing without the values of its arrays, and a file in memory with those.

    The file has no name. Each array begins on a cache line; the first is left free.
    """
    stream, parts = BytesIO(), list[pickle.PickleBuffer]()
    _Apart(stream, 5, buffer_callback=parts.append).dump(thing)
    file, places = os.memfd_create("halocline"), []
    with open(file, "wb", closefd=False) as writing:
        writing.write(bytes(line))
        for part in parts:
            places.append((writing.tell(), part.raw().nbytes))
            writing.write(part)
            writing.write(bytes(-writing.tell() % line))
    return pickle.dumps((stream.getvalue(), places)), file


def _unpacked(head: bytes, values: mmap.mmap | bytes) -> Any:
    """The thing again; its arrays are views of `values`."""
    content, places = pickle.loads(head)
    whole = memoryview(values)
    return pickle.loads(content, buffers=[whole[at : at + size] for at, size in places])
