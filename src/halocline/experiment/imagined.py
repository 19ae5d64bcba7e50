"""Ranks that are not there, for looking at what would be on them."""

from __future__ import annotations

from halocline.runtime.ranks.communicator import Alone


class Imagined(Alone):
    """A communicator of any size, for looking at decompositions without ranks."""

    def __init__(self, size: int) -> None:
        self.size = size
