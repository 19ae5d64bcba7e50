"""Transfers of several sizes over a link, timed: what `path_fit` fits."""

from __future__ import annotations

import time

from halocline.link.connection import Link

fitted_sizes = (8_000, 64_000, 256_000, 512_000, 1_000_000)
warming, repeats = 3, 6
longest_transfer = 3.0
"""Sizes of which one transfer takes longer are left out [s]."""


def time_transfers(link: Link, *, asks: bool) -> list[tuple[int, float]]:
    """Send messages of all sizes, each after the other's answer: size [byte] and time [s] of each.

    Both sides call it, one `asks`. The first ones of each size only open windows.
    """
    if not asks:
        while came := link.receive():
            link.send(len(came).to_bytes(8, "big"))
        return []
    found = []
    for size in fitted_sizes:
        message = bytes(size)
        for number in range(warming + repeats):
            begun = time.perf_counter()
            link.send(message)
            link.receive()
            seconds = time.perf_counter() - begun
            if number >= warming:
                found.append((size, seconds))
            if seconds > longest_transfer and number >= warming:
                break
        if seconds > longest_transfer:
            break
    link.send(b"")
    return found
