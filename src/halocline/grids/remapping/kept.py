"""Weights that are kept on disk, by a key of both grids, the method and its version."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from halocline.core.errors import UserError
from halocline.grids.remapping.remap import SurfaceRemap, version
from halocline.grids.remapping.rows import RemapRows
from halocline.grids.remapping.surface import Surface
from halocline.grids.remapping.weight_files import read_weights, write_weights
from halocline.runtime.ranks.communicator import Communicator


def key_of(remap: SurfaceRemap) -> str:
    """A word that changes with all that weights depend on."""
    found = hashlib.sha256(f"{version} {remap.options}".encode())
    for surface in (remap.source, remap.target):
        _take(found, surface)
    return found.hexdigest()[:32]


def _take(found: hashlib._Hash, surface: Surface) -> None:
    """Places, cells, mask and topology of a surface."""
    found.update(f"{surface.shape} {surface.topology} {surface.place}".encode())
    planes = (surface.longitude, surface.latitude, surface.corner_x, surface.corner_y)
    for plane in (*planes, surface.own_area, surface.wet):
        found.update(b"-" if plane is None else np.ascontiguousarray(plane).tobytes())


def kept_rows(
    remap: SurfaceRemap,
    folder: Path,
    communicator: Communicator,
    tell: Callable[[str], None] = lambda words: None,
) -> RemapRows:
    """Rows of all points of the target, of a file in a folder or made by all ranks and kept there.

    A call for all ranks. Points of the target without values have no terms. A file that cannot be
    read, or whose weights are not those that were written, is made anew; the first rank may `tell`.
    """
    key = key_of(remap)
    path = folder / f"{remap.options.method}-{key}.nc"
    found = _read(path, remap, key)
    whole = communicator.gather(found is not None)
    if communicator.broadcast(whole is not None and all(whole)) and found is not None:
        if communicator.rank == 0:
            tell(f"weights are those kept in '{path}'")
        return found
    rows = made_by_all(remap, communicator)
    if communicator.rank == 0:
        damaged = " anew: the file there was damaged or has other weights" * path.exists()
        tell(f"weights are made{damaged}, and kept in '{path}'")
        folder.mkdir(parents=True, exist_ok=True)
        conservative = remap.options.method.startswith("conservative")
        write_weights(
            path,
            "esmf",
            rows,
            (remap.source, remap.target),
            words_of(remap) | {"key": key, "checksum": checksum_of(rows)},
            all_fractions(remap) if conservative else None,
        )
    return rows


def checksum_of(rows: RemapRows) -> str:
    """A word that changes with every bit of the weights."""
    found = hashlib.sha256()
    for some in (rows.counts, rows.numbers):
        found.update(np.ascontiguousarray(some, np.int64).tobytes())
    found.update(np.ascontiguousarray(rows.weights, np.float64).tobytes())
    return found.hexdigest()[:32]


def words_of(remap: SurfaceRemap) -> dict[str, str]:
    """What a file says of its weights."""
    options = remap.options
    conservative = options.method.startswith("conservative")
    return {
        "title": f"halocline: {options.method} weights",
        "map_method": {
            "nearest": "Nearest source to destination",
            "bilinear": "Bilinear remapping",
            "patch": "Higher-order patch",
            "conservative": "Conservative remapping",
            "conservative-2": "Second-order conservative remapping",
        }[options.method],
        "normalization": options.normalisation if conservative else "none",
        "extrapolation": options.extrapolation,
        "source_grid": remap.source.title,
        "dest_grid": remap.target.title,
    }


def all_fractions(remap: SurfaceRemap) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Shares of all target cells with values that the source covers [1]."""
    j, i = np.nonzero(remap.target.wet)
    found = np.zeros(remap.target.shape)
    found[j, i] = remap.fractions(j, i)
    return found.ravel()


def made_by_all(remap: SurfaceRemap, communicator: Communicator) -> RemapRows:
    """Rows of all points of the target, each rank a share of those that take values."""
    j, i = np.nonzero(remap.target.wet)
    rank, size = communicator.rank, communicator.size
    share = slice(j.size * rank // size, j.size * (rank + 1) // size)
    own = remap.rows(j[share], i[share])
    parts = communicator.gather((own.counts, own.numbers, own.weights))
    counts = np.zeros(remap.target.shape, np.int64)
    if parts is not None:
        counts[j, i] = np.concatenate([part[0] for part in parts])
        numbers, weights = (np.concatenate([part[n] for part in parts]) for n in (1, 2))
        return communicator.broadcast(RemapRows(counts.ravel(), numbers, weights))
    return communicator.broadcast(None)


def _read(path: Path, remap: SurfaceRemap, key: str) -> RemapRows | None:
    """The rows of a file, if they are these."""
    if not path.exists():
        return None
    try:
        stored = read_weights(path)
    except (UserError, OSError, KeyError):
        return None
    fits = stored.words.get("key") == key and stored.rows.counts.size == remap.target.size
    fits = fits and stored.words.get("checksum") == checksum_of(stored.rows)
    return stored.rows if fits and stored.source_size == remap.source.size else None
