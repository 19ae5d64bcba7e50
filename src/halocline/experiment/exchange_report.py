"""What exchanges took of a member's ranks, part by part."""

from __future__ import annotations

from typing import Any

import numpy as np

from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.recorder import Recorder

parts = ("gather", "send", "wait", "transfer", "scatter", "remap", "mean", "sum")
"""As a source and a target see them; see `PartTimes`. What they receive is waiting and transfer."""


def exchange_words(recorder: Recorder, communicator: Communicator, seconds: float) -> list[str]:
    """A line with the longest time of a rank in each part, of all exchanges of the member.

    A call for all its ranks; `seconds` are those of the run.
    """
    spent = dict.fromkeys(parts, 0.0)
    for name, counter in recorder.counters.items():
        first, _, part = name.rpartition(": ")
        if first.startswith("exchange ") and part in spent:
            spent[part] += counter.seconds
    longest = communicator.maximum(np.array(list(spent.values())))
    told = [
        f"{part} {float(time):.3g} s"
        for part, time in zip(parts, longest, strict=True)
        if time > 0.0
    ]
    working = float(longest.sum() - longest[parts.index("wait")])
    share = f"; {working / max(seconds, 1e-9):.1%} of the run without the waiting"
    return [f"exchanges: {', '.join(told)}{share}"] if told else []


def exchange_facts(recorder: Recorder, communicator: Communicator) -> dict[str, dict[str, Any]]:
    """The same of each exchange, for the record: calls, mean and most seconds of each part.

    A call for all ranks of the member. Of {exchange: {part: {calls, mean, most}}} seconds are of
    all calls together, the start's among them.
    """
    own = {
        (first.removeprefix("exchange "), part): (counter.calls, counter.seconds)
        for name, counter in recorder.counters.items()
        for first, _, part in [name.rpartition(": ")]
        if first.startswith("exchange ") and part in parts
    }
    everyone = communicator.broadcast(communicator.gather(own))
    found: dict[str, dict[str, Any]] = {}
    for exchange, part in dict.fromkeys(key for some in everyone for key in some):
        calls, seconds = zip(
            *(some.get((exchange, part), (0, 0.0)) for some in everyone), strict=True
        )
        found.setdefault(exchange, {})[part] = {
            "calls": max(calls),
            "mean": float(np.mean(seconds)),
            "most": max(seconds),
        }
    return found
