"""Which of some flags does it: the smallest sets of them with which something goes wrong.

Delta debugging (Zeller and Hildebrandt 2002, IEEE Transactions on Software Engineering 28, 183):
parts of the flags, and what parts leave, are tried in halves, quarters and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Flags = tuple[str, ...]
IsWrong = Callable[[Flags], bool]


def culprits(flags: Sequence[str], is_wrong: IsWrong) -> list[Flags]:
    """Sets of flags with which it goes wrong, and with no part of them; without these it is right.

    `is_wrong` of no flags is taken to be False.

    >>> culprits("abcdef", lambda some: "c" in some or {"a", "f"} <= set(some))
    [('c',), ('a', 'f')]
    """
    found: list[Flags] = []
    rest = tuple(flags)
    while rest and is_wrong(rest):
        found.append(smallest(rest, is_wrong))
        rest = tuple(flag for flag in rest if flag not in found[-1])
    return found


def smallest(flags: Flags, is_wrong: IsWrong) -> Flags:
    """A set of some flags with which it goes wrong, and right without any one of it.

    With all of `flags` it goes wrong.
    """
    parts = 2
    while len(flags) > 1:
        tried = cut(flags, parts)
        rests = [tuple(flag for flag in flags if flag not in part) for part in tried]
        if (wrong := next(filter(is_wrong, tried), None)) is not None:
            flags, parts = wrong, 2
        elif parts > 2 and (wrong := next(filter(is_wrong, rests), None)) is not None:
            flags, parts = wrong, parts - 1
        elif parts < len(flags):
            parts = min(2 * parts, len(flags))
        else:
            break
    return flags


def cut(flags: Flags, parts: int) -> list[Flags]:
    """Flags in so many parts, which are as equal as can be.

    >>> cut(("a", "b", "c"), 2)
    [('a',), ('b', 'c')]
    """
    edges = [len(flags) * part // parts for part in range(parts + 1)]
    return [flags[low:high] for low, high in zip(edges, edges[1:], strict=False)]
