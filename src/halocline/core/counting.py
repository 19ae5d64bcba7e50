"""Numbers of things in words."""

from __future__ import annotations


def amount(count: int, thing: str) -> str:
    """A number of things, of which there may be one.

    >>> amount(1, "rank"), amount(4, "output server")
    ('1 rank', '4 output servers')
    """
    return f"{count} {thing}{'s' * (count != 1)}"
