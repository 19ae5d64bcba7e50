"""Errors that users can make: what is wrong and where, what was got, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """A mistake that the user can mend; its message is all that is shown."""


class BrokenState(UserError):
    """A model came to a state that no step can go on from."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ' Did you mean ...?' with the known words nearest to `word`, or an empty string.

    >>> nearest("depht", ["depth", "wind"])
    " Did you mean 'depth'?"
    """
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" Did you mean '{close[0]}'?" if close else ""
