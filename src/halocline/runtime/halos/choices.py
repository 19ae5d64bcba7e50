"""Ways to exchange halos: mechanism, grouping, packing, stages, order; as text and back."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import Any

from halocline.core.errors import UserError

mechanisms = {
    "messages": "non-blocking sends and receives",
    "blocking": "blocking sends into receives begun before; with 'send-first' blocking receives",
    "persistent": "persistent requests",
    "partitioned": "partitioned sends: every field leaves as soon as it is packed (MPI-4)",
    "neighbours": "neighbourhood all-to-all",
    "neighbours-persistent": "persistent neighbourhood all-to-all (MPI-4)",
    "put-fence": "one-sided puts between fences",
    "get-fence": "one-sided gets between fences",
    "put-post": "one-sided puts; post, start, complete, wait",
    "get-post": "one-sided gets; post, start, complete, wait",
    "put-flags": "one-sided puts to passive targets, then a flag",
    "get-flags": "one-sided gets from passive targets after a flag",
    "shared-read": "neighbours of a node read the packed buffer, ordered by flags",
    "shared-put": "packed into the memory of neighbours of a node, then a flag",
    "shared-count": "put into the memory of neighbours of a node, a count beside each word",
}
one_sided = tuple(name for name in mechanisms if name.startswith(("put-", "get-")))
shared = tuple(name for name in mechanisms if name.startswith("shared-"))
grouped = (
    "messages",
    "blocking",
    "persistent",
    *(name for name in one_sided if name.startswith("put-")),
)
ordered = ("messages", "blocking", "persistent")
typed = ("messages", "persistent", "neighbours")
groupings = ("aggregated", "per-field", "segments", "mixed")


@dataclass(frozen=True)
class HaloChoice:
    """One way to exchange halos.

    `grouping` says what shares a message: all fields (aggregated), rows of one field (per-field),
    rows of one field up to `segment` bytes (segments), rows of any fields up to `segment` bytes
    (mixed). A message is packed into a buffer, or described by MPI's derived `types`. Two stages
    fill east and west first, then north and south with the corners. `send_first` starts sends
    before receives. Flags of shared memory lie on cache lines of their own unless `dense`. With
    `overlap` a kernel that can computes its inner cells while the halos are under way.

    >>> HaloChoice("messages", "segments", 4096, two_stage=True, send_first=True).text
    'messages segments:4096 two-stage send-first'
    """

    mechanism: str = "messages"
    grouping: str = "aggregated"
    segment: int = 0
    types: bool = False
    two_stage: bool = False
    send_first: bool = False
    dense: bool = False
    overlap: bool = False

    @property
    def text(self) -> str:
        """Words that `parse_choice` understands."""
        words = [self.mechanism, self.grouping + (f":{self.segment}" if self.segment else "")]
        words += [word for word, name in _switches.items() if getattr(self, name)]
        return " ".join(words)

    def __str__(self) -> str:
        return self.text

    @property
    def needs_host(self) -> bool:
        """Whether it reaches into the memory of fields without packers that this memory makes."""
        return self.types or self.mechanism in shared

    @property
    def problem(self) -> str | None:
        """Why no exchange at all can be done so; None where some can."""
        if self.grouping != "aggregated" and self.mechanism not in grouped:
            return f"'{self.mechanism}' sends one message per neighbour: use 'aggregated'"
        if (self.segment > 0) != (self.grouping in ("segments", "mixed")):
            return "'segments' and 'mixed' need a size in bytes ('segments:4096'), others none"
        if self.types and self.mechanism not in typed:
            return f"derived types go with {_listed(typed)}"
        if self.dense and self.mechanism not in shared:
            return f"'dense' flags go with {_listed(shared)}"
        if self.send_first and self.mechanism not in ordered:
            return f"'send-first' goes with {_listed(ordered)}"
        return None


_switches = {
    "types": "types",
    "two-stage": "two_stage",
    "send-first": "send_first",
    "dense": "dense",
    "overlap": "overlap",
}
simplest = HaloChoice()


contenders = (
    "messages aggregated",
    "persistent aggregated",
    "neighbours-persistent aggregated",
    "put-fence aggregated",
    "shared-read aggregated",
    "shared-put aggregated",
)
"""Ways that win somewhere in `halocline lab communication`; the others stay in the laboratory."""

least_segment = 1 << 15
"""Segments of so many bytes or more are worth a try: what is packed flies while more is packed."""


def contends(choice: HaloChoice) -> bool:
    """Whether a run tries a way, where it makes sense.

    >>> [contends(parse_choice(f"messages segments:{size}")) for size in (4096, 262144)]
    [False, True]
    """
    return choice.text in contenders or choice.segment >= least_segment


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def parse_choice(text: str) -> HaloChoice:
    """The choice that a text names; its first word is the mechanism, the others in any order.

    >>> parse_choice("put-fence per-field")
    HaloChoice(mechanism='put-fence', grouping='per-field', segment=0, types=False, \
two_stage=False, send_first=False, dense=False, overlap=False)
    """
    words = text.split()
    if not words:
        raise UserError(
            f"A choice of halo exchange is empty. Name one of {_listed(tuple(mechanisms))}."
        )
    if words[0] not in mechanisms:
        raise _unknown(words[0], tuple(mechanisms), text)
    choice = HaloChoice(words[0])
    for word in words[1:]:
        name, colon, size = word.partition(":")
        if name in groupings:
            if colon and not (size.isdigit() and int(size) > 0):
                raise UserError(
                    f"Halo exchange '{text}': the size in '{word}' is no positive number of bytes."
                    " Write for example 'segments:4096'."
                )
            choice = replace(choice, grouping=name, segment=int(size) if colon else 0)
        elif word in _switches:
            switched: dict[str, Any] = {_switches[word]: True}
            choice = replace(choice, **switched)
        else:
            raise _unknown(word, (*groupings, *_switches), text)
    if choice.problem:
        raise UserError(f"Halo exchange '{text}' makes no sense: {choice.problem}.")
    return choice


def _unknown(word: str, known: tuple[str, ...], text: str) -> UserError:
    near = difflib.get_close_matches(word, known, 1, 0.3)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    return UserError(
        f"Halo exchange '{text}': '{word}' is not known. {hint}Known are {_listed(known)}."
    )


def all_choices(
    *,
    fields: int,
    row_bytes: int,
    bytes_per_rank: int,
    node: bool,
    grid: bool,
    partitioned: bool,
    persistent_collectives: bool = True,
) -> list[HaloChoice]:
    """Choices that make sense, the simplest first.

    For an exchange of `fields` fields whose messages hold up to `bytes_per_rank` bytes made of
    rows of up to `row_bytes`; `node` where some ranks share memory, `grid` where two stages work,
    `partitioned` and `persistent_collectives` where the library can.
    """
    found = [simplest, HaloChoice(send_first=True), HaloChoice(types=True)]
    found += [HaloChoice("blocking"), HaloChoice("blocking", send_first=True)]
    found += [HaloChoice("persistent"), HaloChoice("persistent", types=True)]
    found += [HaloChoice("partitioned")] if partitioned else []
    found += [HaloChoice("neighbours"), HaloChoice("neighbours", types=True)]
    found += [HaloChoice("neighbours-persistent")] if persistent_collectives else []
    found += [HaloChoice(name) for name in one_sided]
    if node:
        found += [HaloChoice(name) for name in shared]
        found += [HaloChoice(name, dense=True) for name in ("shared-read", "shared-put")]
    if fields > 1:
        each = ("messages", "blocking", "persistent", "put-fence")
        found += [HaloChoice(name, "per-field") for name in each]
        found.append(HaloChoice(types=True, grouping="per-field"))
    for size in (1 << 12, 1 << 15, 1 << 18, 1 << 21):
        if row_bytes <= size < bytes_per_rank:
            found += [HaloChoice("messages", "segments", size)]
            found += [HaloChoice("persistent", "mixed", size)]
    if grid:
        stepped = ("messages", "persistent", "put-post", *(shared if node else ()))
        found += [HaloChoice(name, two_stage=True) for name in stepped]
    return found
