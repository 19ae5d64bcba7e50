"""What every halo exchange brought, changed values or not, read or not, and at what cost."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import Storage
from halocline.runtime.halos.exchange import HaloExchange, Request
from halocline.runtime.running.halo_trials import bits

deepest = 4
"""How many times deeper halos are thought of at most."""

formula = """\
Halos k times as deep are filled every k-th time: 1 - 1/k of the messages are spared, and at most
that share of the time of the exchanges, as if only their number cost (bytes stay about the same).
More computing: the time of the kernels that write the field, times the mean over k calls of
the rim that is computed again (up to depth, 2 depth, ... (k - 1) depth outside) over own cells."""


@dataclass(frozen=True)
class Asked:
    """A field that is about to be exchanged."""

    name: str
    storage: Storage
    request: Request


@dataclass
class Event:
    """One field in one exchange, as this rank sees it."""

    changed: bool  # the values that it gives, since the last exchange as deep
    messages: float
    bytes: int
    seconds: float = 0.0
    read: bool = False


@dataclass
class Account:
    """All exchanges of a field that one kernel asked for; `rims` as in `Ledger._rims`."""

    kernel: str
    field: str
    depth: int
    events: list[Event] = dataclasses.field(default_factory=list)
    rims: list[float] = dataclasses.field(default_factory=list)


@dataclass
class Page:
    """The accounts of one rank, and the time [s] of the kernels that write each field."""

    accounts: dict[tuple[str, str], Account] = dataclasses.field(default_factory=dict)
    writing: dict[str, float] = dataclasses.field(default_factory=dict)


class Ledger:
    """Keeps the accounts of this rank's exchanges."""

    def __init__(self, exchange: HaloExchange) -> None:
        self.exchange, self.page = exchange, Page()
        self._given: dict[Storage, tuple[int, list[NDArray[Any]]]] = {}
        self._unread: dict[Storage, Event] = {}
        self._now: list[Event] = []

    def asked(self, kernel: str, fields: Sequence[Asked]) -> None:
        """Take down that `kernel` is about to have the halos of `fields` filled."""
        sizes = [self._bytes(one) for one in fields]
        self._now = []
        for one, size in zip(fields, sizes, strict=True):
            account = self.page.accounts.setdefault(
                (kernel, one.name), Account(kernel, one.name, one.request.depth)
            )
            account.rims = account.rims or self._rims(one)
            share = size / max(sum(sizes), 1)
            event = Event(self._has_changed(one), share * self._messages(fields), size)
            account.events.append(event)
            self._now.append(event)
            self._unread[one.storage] = event

    def done(
        self,
        exchanging: float,
        computing: float,
        read: Sequence[bool],
        *,
        reads: Sequence[tuple[Storage, int]],
        writes: Sequence[tuple[str, Storage]],
    ) -> None:
        """Take down the times [s] of the call, whether what was filled for it was `read`, and all
        that it reads (with depth) and writes."""
        total = sum(event.bytes for event in self._now)
        asked = {id(event) for event in self._now}
        for event, was_read in zip(self._now, read, strict=True):
            event.seconds, event.read = exchanging * event.bytes / max(total, 1), was_read
        for storage, depth in reads:
            event_of = self._unread.get(storage)
            if depth and event_of is not None and id(event_of) not in asked:
                event_of.read = True
        for name, storage in writes:
            self.page.writing[name] = self.page.writing.get(name, 0.0) + computing
            self._unread.pop(storage, None)
        self._now = []

    def report(self, pages: Sequence[Page]) -> Iterator[str]:
        """Lines on the accounts of all ranks."""
        accounts = [_Sum(key, pages) for key in pages[0].accounts]
        if not accounts:
            yield "no halo was exchanged"
            return
        yield (
            f"{'kernel: field':<40}{'depth':>6}{'exchanges':>10}{'messages':>10}{'MB':>10}{'s':>9}"
        )
        for one in accounts:
            yield one.line(f"{one.kernel}: {one.field}", range(one.count))
        yield from _redundant(accounts)
        yield "deeper halos, an estimate:"
        for one in accounts:
            yield f"  {one.kernel}: {one.field}: {one.deeper()}"
        yield formula

    def _pieces(self, one: Asked) -> Any:
        layout, request = one.storage.layout, one.request
        return self.exchange.pattern(layout.name, request.place, request.depths)

    def _bytes(self, one: Asked) -> int:
        """Bytes that fill the halos of this rank, from other ranks and from blocks here."""
        values = sum(piece.target_index.size for piece in self._pieces(one).targets)
        return int(values * one.request.item.rows * one.request.item.dtype.itemsize)

    def _messages(self, fields: Sequence[Asked]) -> int:
        """Messages to this rank."""
        return len({peer for one in fields for peer in self._pieces(one).receive})

    def _has_changed(self, one: Asked) -> bool:
        """Whether the values that others take differ from those of the last exchange as deep."""
        pattern = self._pieces(one)
        giving = pattern.local + [piece for pieces in pattern.send.values() for piece in pieces]
        given = [one.request.flat[piece.source][:, piece.source_index] for piece in giving]
        depth, before = self._given.get(one.storage, (0, []))
        self._given[one.storage] = one.request.depth, given
        if depth != one.request.depth or [a.shape for a in before] != [a.shape for a in given]:
            return True
        return any((bits(a) != bits(b)).any() for a, b in zip(given, before, strict=True))

    def _rims(self, one: Asked) -> list[float]:
        """Cells to compute again per own cell, mean over k calls, for k = 2 to `deepest`."""
        sides = [
            (r.j1 - r.j0, r.i1 - r.i0)
            for r in (b.rectangle for b in one.storage.layout.blocks if isinstance(b, Block))
        ]
        own = sum(rows * columns for rows, columns in sides)
        found = []
        for k in range(2, deepest + 1):
            widths = [m * one.request.depth for m in range(1, k)]
            more = sum(
                (rows + 2 * w) * (columns + 2 * w) - rows * columns
                for rows, columns in sides
                for w in widths
            )
            found.append(more / k / max(own, 1))
        return found


class _Sum:
    """One account over all ranks."""

    def __init__(self, key: tuple[str, str], pages: Sequence[Page]) -> None:
        self.kernel, self.field = key
        empty = Account(*key, 0)
        accounts = [page.accounts.get(key, empty) for page in pages]
        self.depth = max(account.depth for account in accounts)
        self.events = [account.events for account in accounts]
        self.count = max(len(events) for events in self.events)
        self.writing = max(page.writing.get(self.field, 0.0) for page in pages)
        rims = [account.rims for account in accounts if account.rims]
        self.rims = [max(values) for values in zip(*rims, strict=True)]

    def at(self, number: int) -> list[Event]:
        """One exchange as all ranks see it."""
        return [events[number] for events in self.events if number < len(events)]

    def cost(self, numbers: Sequence[int] | range) -> tuple[float, float, float]:
        """Messages, bytes and time [s] of some of the exchanges; the slowest rank's time."""
        chosen = [self.at(number) for number in numbers]
        return (
            sum(event.messages for events in chosen for event in events),
            sum(event.bytes for events in chosen for event in events),
            sum(max(event.seconds for event in events) for events in chosen),
        )

    def line(self, name: str, numbers: Sequence[int] | range) -> str:
        messages, size, seconds = self.cost(numbers)
        return (
            f"{name:<40}{self.depth:>6}{len(numbers):>10}{messages:>10.0f}{size / 1e6:>10.3f}"
            f"{seconds:>9.3f}"
        )

    def unchanged(self) -> list[int]:
        """Exchanges of values that no rank had changed since the last one."""
        return [n for n in range(self.count) if not any(e.changed for e in self.at(n))]

    def unread(self) -> list[int]:
        """Exchanges of changed values that nobody read before they were stale again."""
        idle = [n for n in range(self.count) if not any(e.read for e in self.at(n))]
        return [n for n in idle if n not in set(self.unchanged())]

    def deeper(self) -> str:
        """The best of deeper halos in words."""
        messages, _, seconds = self.cost(range(self.count))
        found = []
        for k, rim in enumerate(self.rims, start=2):
            saved, more = seconds * (1 - 1 / k), self.writing * rim
            found.append((more - saved, k, saved, more))
        if not found:
            return "cannot be deeper"
        net, k, saved, more = min(found)
        words = (
            f"{k} times as deep: {messages * (1 - 1 / k):.0f} messages fewer, at most"
            f" {saved:.3f} s saved, {more:.3f} s more computing"
        )
        return f"{words}: {'worth a trial' if net < 0 else 'no gain'}"


def _redundant(accounts: Sequence[_Sum]) -> Iterator[str]:
    """Lines on exchanges that brought nothing."""
    found = False
    for one in accounts:
        for numbers, words in ((one.unchanged(), "unchanged"), (one.unread(), "never read")):
            if numbers:
                found = True
                yield one.line(f"redundant, {words}: {one.kernel}: {one.field}", numbers)
    if not found:
        yield "redundant exchanges: none"
