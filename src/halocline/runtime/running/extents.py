"""Whether the extents of fields are those that the words of a contract tie together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Extents(NamedTuple):
    """What one argument of a kernel has: who it is, and the words and sizes of its axes."""

    who: str
    words: tuple[str, ...]
    sizes: tuple[int, ...]


class FirstSaid(NamedTuple):
    """How many entries a word stands for, and who said so first."""

    size: int
    who: str


def mismatch(arguments: Iterable[Extents]) -> tuple[str, str]:
    """Who has a wrong extent, and what is wrong with it; empty if nothing.

    A word stands for one number of entries, "depth+1" for one more, "row*column" for the product,
    "2" for two. Of a product of which one word is found nowhere else the rest has to be a whole
    number.

    >>> salt = Extents("salt", ("tracer", "depth"), (2, 4))
    >>> mismatch([salt, Extents("w", ("depth+1",), (5,))])
    ('', '')
    >>> mismatch([salt, Extents("w", ("depth+1",), (4,))])
    ('w', "wants 5 entries along 'depth+1', as many as salt has; got 4")
    """
    known: dict[str, FirstSaid] = {}
    products: list[tuple[str, str, int]] = []
    for who, words, sizes in arguments:
        if len(words) != len(sizes):
            return who, f"wants the axes '{' '.join(words)}'; got {len(sizes)} of {sizes}"
        for word, size in zip(words, sizes, strict=True):
            if "*" in word:
                products.append((who, word, size))
                continue
            problem = _wrong(known, who, word, size)
            if problem:
                return who, problem
    for who, word, size in products:
        problem = _wrong_product(known, who, word, size)
        if problem:
            return who, problem
    return "", ""


def _wrong(known: dict[str, FirstSaid], who: str, word: str, size: int) -> str:
    """What is wrong with one axis, which is remembered if it is the first of its word."""
    name, _, more = word.partition("+")
    if name.isdigit():
        return "" if size == int(name) else f"wants {name} entries; got {size}"
    beyond = int(more or 0)
    first = known.setdefault(name, FirstSaid(size - beyond, who))
    if size == first.size + beyond:
        return ""
    wanted = first.size + beyond
    return f"wants {wanted} entries along '{word}', as many as {first.who} has; got {size}"


def _wrong_product(known: dict[str, FirstSaid], who: str, word: str, size: int) -> str:
    """The same for the product of two words."""
    one, other = (known.get(name) for name in word.split("*"))
    if one is not None and other is not None:
        if size == one.size * other.size:
            return ""
        return (
            f"wants {one.size} x {other.size} entries along '{word}', by {one.who} and"
            f" {other.who}; got {size}"
        )
    names = word.split("*")
    have, lacking = (one, names[1]) if one is not None else (other, names[0])
    if have is None:
        return _wrong(known, who, word.replace("*", " by "), size)
    if size % max(have.size, 1):
        return f"wants a multiple of {have.size} entries along '{word}', by {have.who}; got {size}"
    return _wrong(known, who, lacking, size // max(have.size, 1))
