"""Names of output files: each its own, all below the folder of results, no link followed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Protocol

from halocline.core.errors import UserError

own_prefix = "halocline."
"""What the names of a run's own files in its folder begin with."""

restart_name = re.compile(r"restart_.*\.safetensors.*", re.DOTALL)
unfinished = ("", ".new", ".new.part", ".part", ".old", ".old.part")
"""Endings under which a file is made, or made again, beside its own name."""

longest_part, longest_name = 200, 2000  # [byte], so that no file system refuses longer endings
dates = r"\d{8}T\d{6}"


class Named(Protocol):
    """The files of a stream, as far as their names go."""

    @property
    def name(self) -> str:
        """The name of the stream."""

    @property
    def folder(self) -> Path:
        """The folder of results."""

    @property
    def patterns(self) -> Sequence[str]:
        """All names that its files may have, relative to the folder, as regular expressions."""

    @property
    def first_paths(self) -> Sequence[Path]:
        """The names of its first file, growing and finished."""


def filled(pattern: str, words: Mapping[str, str]) -> str:
    """A pattern with its {words} replaced.

    >>> filled("{stream}_{date}.nc", {"stream": "maps", "date": "2011"})
    'maps_2011.nc'
    """
    rest = re.sub(r"\{(" + "|".join(words) + r")\}", "", pattern)
    if "{" in rest or "}" in rest:
        known = [f"{{{word}}}" for word in words]
        raise UserError(
            f"file = {_shown(pattern)}: only {', '.join(known[:-1])} and {known[-1]} can be"
            " replaced."
        )
    return re.sub(r"\{(\w+)\}", lambda found: words[found[1]], pattern)


def refuse_strange(name: str, given: str) -> None:
    """Refuse a `name` that is none of a file of its own below a folder; `given` is the option."""
    parts = name.split("/")
    plain = name.isprintable() and not {"", ".."} & set(parts) and parts[-1] != "."
    if not plain:
        raise UserError(
            f"file = {_shown(given)}: '{_cut(name)}' is no name of a file below the folder of"
            " results. Give one, for example '{stream}.nc' or 'maps/{stream}.nc'."
        )
    encoded = os.fsencode(name)
    if len(encoded) > longest_name or max(map(len, encoded.split(b"/"))) > longest_part:
        raise UserError(
            f"file = {_shown(given)}: the name of {len(encoded)} bytes is too long; it may have"
            f" {longest_part} between slashes."
        )
    parts = [part for part in parts if part != "."]
    if parts[0].startswith(own_prefix) or restart_name.fullmatch(parts[0]):
        raise UserError(
            f"file = {_shown(given)}: '{name}' is one of the names of Halocline's own files"
            f" ({own_prefix}*, restart_*). Give another name."
        )
    for ending in (".new", ".part", ".old"):
        if any(part.endswith(ending) for part in parts):
            raise UserError(
                f"file = {_shown(given)}: names that end with '{ending}' are those of unfinished"
                " files. Give another name."
            )


def refuse_shared(streams: Sequence[Named]) -> None:
    """Refuse streams that share a name, or a file, or of which one is in the way of another."""
    names = [some.name for some in streams]
    for name in names:
        if names.count(name) > 1:
            raise UserError(
                f"Two output streams have the same name, '{name}'. Give each a name of its own."
            )
        if name == "restart":
            raise UserError(
                f"An output stream is called '{name}', as the restart files are. Give it another"
                " name."
            )
    for one, other in permutations(streams, 2):
        if shared := _meeting(one, other):
            raise UserError(
                f"Two output streams write to '{shared}': '{min(one.name, other.name)}' and"
                f" '{max(one.name, other.name)}'. Give each a file of its own, for example with"
                " {stream} in its name."
            )


def _meeting(one: Named, other: Named) -> str:
    """A name that a file of the first stream may have and one of the other is, or lies below."""
    for path in other.first_paths:
        inside = path.relative_to(other.folder)
        for some in (inside, *inside.parents):
            if any(re.fullmatch(pattern, str(some)) for pattern in one.patterns):
                return str(some)
    return ""


def refuse_links(folder: Path, paths: Iterable[Path]) -> None:
    """Refuse links at or above names in a folder, below which nothing may lead elsewhere."""
    for path in paths:
        for some in _from(folder, path):
            if some.is_symlink():
                raise UserError(
                    f"'{some}' is a link, to '{os.readlink(some)}'. A run writes to its folder of"
                    " results only and follows no link there. Remove the link, or choose another"
                    " name or folder."
                )


def names_in_use(path: Path) -> Iterator[Path]:
    """The names under which a file may lie while it is made."""
    for ending in unfinished:
        yield path.with_name(path.name + ending)


def _from(folder: Path, path: Path) -> Iterator[Path]:
    """All names on the way from a folder to a file in it."""
    here = folder
    for part in path.relative_to(folder).parts:
        here = here / part
        yield here


def _shown(pattern: str) -> str:
    return repr(_cut(pattern))


def _cut(words: str) -> str:
    """The beginning of a long text.

    >>> _cut("x" * 100)[-6:]
    'xxx...'
    """
    words = "".join(letter if letter.isprintable() else "?" for letter in words)
    return words if len(words) <= 60 else f"{words[:57]}..."
