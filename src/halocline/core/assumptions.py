"""What is assumed of input that does not say it, until whoever leads a run or check tells it.

Ranks that read note it, each for itself; `taken` gives it once.
"""

from __future__ import annotations

_noted: dict[str, None] = {}


def assume(words: str) -> None:
    """Note a sentence; the same again is no other one."""
    _noted[words] = None


def without_units(what: str, ours: str) -> str:
    """Note that something without units is taken in ours; these.

    >>> _ = taken()
    >>> without_units("'t' of sea.nc", "K"), taken()
    ('K', ["'t' of sea.nc has no units and is taken to be in K. If it is not, ..."])
    """
    assume(
        f"{what} has no units and is taken to be in {ours}. If it is not, its values are wrong:"
        " give it the CF attribute units."
    )
    return ours


def taken() -> list[str]:
    """What was noted since the last call, in order.

    >>> _ = taken()
    >>> assume("'t' of sea.nc has no units"), assume("'t' of sea.nc has no units"), taken()
    (None, None, ["'t' of sea.nc has no units"])
    >>> taken()
    []
    """
    found = list(_noted)
    _noted.clear()
    return found
