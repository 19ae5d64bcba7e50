"""What happens, on record: time per phase and kernel, messages and bytes, as counters."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from halocline.runtime.communicator import Communicator


@dataclass
class Counter:
    """How often something was done and how long it took [s]."""

    calls: int = 0
    seconds: float = 0.0


@dataclass
class Recorder:
    """Counters of one rank. `halocline lab recorder` measures what that costs."""

    counters: dict[str, Counter] = field(default_factory=dict)
    message_count: int = 0
    message_bytes: int = 0

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        """Count one call of `name` and its wall time."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, time.perf_counter() - start)

    def add(self, name: str, seconds: float, calls: int = 1) -> None:
        counter = self.counters.get(name)
        if counter is None:
            counter = self.counters[name] = Counter()
        counter.calls += calls
        counter.seconds += seconds

    def messages(self, count: int, size: int) -> None:
        """Count messages sent and their bytes."""
        self.message_count += count
        self.message_bytes += size

    def seconds(self, name: str) -> float:
        return self.counters[name].seconds if name in self.counters else 0.0

    def clear(self) -> None:
        self.counters.clear()
        self.message_count = self.message_bytes = 0

    def table(self, communicator: Communicator) -> str | None:
        """Time per phase over all ranks as text, on rank 0; a call for all ranks."""
        everyone = communicator.gather((self.counters, self.message_count, self.message_bytes))
        if everyone is None:
            return None
        names = sorted(
            {name for counters, _, _ in everyone for name in counters},
            key=lambda name: -max(c[name].seconds if name in c else 0 for c, _, _ in everyone),
        )
        lines = [f"{'phase':<32}{'calls':>9}{'min s':>10}{'mean s':>10}{'max s':>10}"]
        for name in names:
            seconds = [c[name].seconds if name in c else 0.0 for c, _, _ in everyone]
            calls = max(c[name].calls if name in c else 0 for c, _, _ in everyone)
            lines.append(
                f"{name:<32}{calls:>9}{min(seconds):>10.3f}"
                f"{sum(seconds) / len(seconds):>10.3f}{max(seconds):>10.3f}"
            )
        count = sum(n for _, n, _ in everyone)
        size = sum(b for _, _, b in everyone)
        lines.append(f"messages: {count}, {size / 1e6:.3f} MB in all")
        return "\n".join(lines)
