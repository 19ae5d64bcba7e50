"""What a run and the thread of its link both know."""

from __future__ import annotations

import os
import threading

from halocline.link import frames
from halocline.link.counts import LinkCounts
from halocline.link.options import LinkOptions
from halocline.link.ordering import Inbox, Outbox

megabyte = 1 << 20


class LinkState:
    """Messages on their way and how the link is; touched by who holds `changed` only."""

    def __init__(self, options: LinkOptions) -> None:
        self.changed = threading.Condition()
        self.counts = LinkCounts()
        most = (options.buffer + options.largest_message) * megabyte
        self.outbox, self.inbox = Outbox(), Inbox(2 * most)
        self.nonce, self.other_nonce = os.urandom(32), frames.nobody
        self.hello, self.other_hello = b"", b""
        self.met = self.leaving = self.ended = False
        self.failure = ""
        self.last_trouble = ""
        self.last_refusal = ""

    def trouble(self) -> str:
        """What went wrong last, for a message."""
        words = f" Last trouble: {self.last_trouble}." if self.last_trouble else ""
        if self.last_refusal not in ("", self.last_trouble):
            words += f" Last refusal: {self.last_refusal}."
        return words
