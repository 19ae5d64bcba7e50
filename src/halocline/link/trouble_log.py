"""What goes wrong with connections, told line by line, and never too often."""

from __future__ import annotations

import time
from collections.abc import Callable

from halocline.link.link_state import LinkState


class TroubleLog:
    """Lines of a log: ten a second at most, the same one once a minute."""

    def __init__(self, state: LinkState, there: str, log: Callable[[str], None]) -> None:
        self._state, self._there, self._log = state, there, log
        self._quiet_until, self._last, self._untold = 0.0, "", 0

    def tell(self, what: str, *, refusal: bool = False) -> None:
        """Keep it as the last trouble, and tell it unless it comes too soon."""
        now = time.monotonic()
        again = what == self._last
        self._state.last_trouble = what
        if refusal:
            self._state.last_refusal = what
        if now < self._quiet_until + (60.0 if again else 0.0):
            self._untold += 1
            return
        self._quiet_until, self._last = now + 0.1, what
        more = f" (and {self._untold} more)" if self._untold else ""
        self._untold = 0
        self._log(f"link to '{self._there}': {what}{more}")
