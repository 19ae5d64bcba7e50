"""The ways to add a few numbers over all ranks, by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from halocline.core.errors import UserError, nearest
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.shared_memory import node_of

branchings = range(2, 17)
contenders = (
    "all-reduce",
    "node-then-network",
    "everyone shared",
    "collect shared",
    "fetch shared",
)
"""Ways that win somewhere in `halocline lab communication`; the others stay in the laboratory."""


@dataclass(frozen=True)
class SumChoice:
    """One way to add numbers over all ranks; its text reads back.

    `pattern`: 'all-reduce' and 'non-blocking' (all-reduce) are MPI's own; with 'collect' all ranks
    write to a master, which writes the result back; with 'fetch' the master reads; with 'everyone'
    every rank reads all others; a 'tree' has `branching` children; 'node-then-network' adds in
    shared memory, then over one rank of each node.
    `way`: by 'messages', 'one-sided', or in 'shared' memory. `signal`: how a rank learns that
    numbers are there: 'flags', 'barriers', or 'sentinels' in the place of the numbers themselves.
    `padded`: no two ranks write to one cache line.

    >>> SumChoice.parse("tree:4 shared sentinels")
    SumChoice(pattern='tree', way='shared', signal='sentinels', branching=4, padded=False)
    >>> str(SumChoice("collect", "shared", padded=True))
    'collect shared padded'
    """

    pattern: str = "all-reduce"
    way: str = ""
    signal: str = "flags"
    branching: int = 0
    padded: bool = False

    def __str__(self) -> str:
        words = [f"{self.pattern}:{self.branching}" if self.branching else self.pattern, self.way]
        words += [self.signal] * (self.signal != "flags") + ["padded"] * self.padded
        return " ".join(word for word in words if word)

    @classmethod
    def parse(cls, text: str) -> SumChoice:
        """The choice of this name; a UserError names the nearest."""
        known = {str(choice): choice for choice in every_choice()}
        found = known.get(" ".join(text.split()))
        if found is None:
            raise UserError(
                f"'{text}' is no way to sum over ranks.{nearest(text, known)} The simplest is"
                " 'all-reduce'; 'halocline lab communication' lists and measures all."
            )
        return found


def every_choice() -> Iterator[SumChoice]:
    """All ways there are, simplest first."""
    yield SumChoice()
    yield SumChoice("non-blocking")
    yield SumChoice("collect", "messages")
    for branching in branchings:
        yield SumChoice("tree", "messages", branching=branching)
    yield SumChoice("node-then-network")
    for signal in ("barriers", "flags"):
        yield SumChoice("collect", "one-sided", signal)
        yield SumChoice("fetch", "one-sided", signal)
    for signal in ("flags", "sentinels"):
        for pattern in ("everyone", "collect", "fetch"):
            yield SumChoice(pattern, "shared", signal)
        yield SumChoice("collect", "shared", signal, padded=True)
        for branching in branchings:
            yield SumChoice("tree", "shared", signal, branching)


def choices(communicator: Communicator) -> list[SumChoice]:
    """The ways that can be taken by these ranks, simplest first; a call for all ranks."""
    if communicator.size == 1:
        return [SumChoice()]
    return [choice for choice in every_choice() if _suits(choice, communicator)]


def require(choice: SumChoice, communicator: Communicator) -> None:
    """Refuse a way that these ranks cannot take; a call for all ranks."""
    if choice.way == "shared" and node_of(communicator).size < communicator.size:
        raise UserError(
            f"Cannot sum by '{choice}': it needs all {communicator.size} ranks on one node, and"
            " they lie on several. Use 'node-then-network' or 'all-reduce'."
        )


def _suits(choice: SumChoice, communicator: Communicator) -> bool:
    """Whether a choice can be taken, and differs from a simpler one; few trees stand for all."""
    if choice.branching and (choice.branching & (choice.branching - 1)):
        return False
    if choice.branching >= max(communicator.size - 1, 2):
        return False
    nodes = node_of(communicator).size < communicator.size
    return choice.way != "shared" or not nodes
