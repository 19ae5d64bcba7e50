"""What is assumed of input that does not say it, until whoever leads a run or check tells it.

Ranks that read note it, each for itself; `taken` gives it once.
"""

from __future__ import annotations

_noted: dict[str, None] = {}


def assume(words: str) -> None:
    """Note a sentence; the same again is no other one."""
    _noted[words] = None


def taken() -> list[str]:
    """What was noted since the last call, in order.

    >>> assume("'t' of sea.nc has no units"), assume("'t' of sea.nc has no units"), taken()
    (None, None, ["'t' of sea.nc has no units"])
    >>> taken()
    []
    """
    found = list(_noted)
    _noted.clear()
    return found
