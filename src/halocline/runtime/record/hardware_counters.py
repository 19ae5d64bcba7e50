"""Counts by the processor itself, where it lets us: floating-point operations, cache misses.

Through Linux' perf_event_open; many virtual machines and containers have none. What counts what
differs by processor: AMD's "Processor Programming Reference" of family 17h and later (events
PMCx003, PMCx041, PMCx043), Intel's "Software Developer's Manual", volume 3 (FP_ARITH_INST_RETIRED).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.runtime import _native

generic, cache, raw = 0, 3, 4  # types of events of Linux

Event = tuple[int, int, float]

of_every_processor: dict[str, list[Event]] = {
    "cycles": [(generic, 0, 1.0)],
    "instructions": [(generic, 1, 1.0)],
    "cache references": [(generic, 2, 1.0)],
    "cache misses": [(generic, 3, 1.0)],
    "D1 loads": [(cache, 0x00000, 1.0)],
    "D1 misses": [(cache, 0x10000, 1.0)],
}
of_amd: dict[str, list[Event]] = {
    "operations": [(raw, 0x0F03, 1.0)],
    "D1 refills from L2": [(raw, 0x0143, 1.0)],
    "D1 refills from L3": [(raw, 0x1243, 1.0)],
    "D1 refills from memory": [(raw, 0x4843, 1.0)],
    "L2 hits": [(raw, 0x7064, 1.0)],
    "L2 misses": [(raw, 0x0864, 1.0)],
}
of_intel: dict[str, list[Event]] = {
    "operations": [
        (raw, 0x03C7, 1.0),
        (raw, 0x04C7, 2.0),
        (raw, 0x18C7, 4.0),
        (raw, 0x60C7, 8.0),
        (raw, 0x80C7, 16.0),
    ],
}


@lru_cache(maxsize=1)
def vendor() -> str:
    """Who made the processor, in its own words; "" where that is not known."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("vendor_id"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return ""


def events_of(name: str) -> list[Event]:
    """What has to be counted for a count, and its weights; empty where that is not known."""
    return {**of_every_processor, **of_vendor()}.get(name, [])


def known_counters() -> list[str]:
    """Names of all counts that this processor may have."""
    return [*of_every_processor, *of_vendor()]


def of_vendor() -> dict[str, list[Event]]:
    """Counts of processors of one make only."""
    return {"AuthenticAMD": of_amd, "GenuineIntel": of_intel}.get(vendor(), {})


def refuse_unknown(names: Sequence[str]) -> None:
    """Refuse names of counts that no processor has."""
    for name in names:
        if name not in {**of_every_processor, **of_amd, **of_intel}:
            raise UserError(
                f"Nobody knows the counter '{name}'. This processor may have:"
                f" {', '.join(known_counters())}."
            )


@lru_cache
def running(names: tuple[str, ...]) -> dict[str, Any]:
    """Counters of this process by name, those that work here.

    They also count in threads that are started after the first call.
    """
    refuse_unknown(names)
    made = {name: counter(name) for name in names}
    return {name: one for name, one in made.items() if one.works}


def counter(name: str) -> Any:
    """A counter that runs from now on; `works` tells whether the machine has it."""
    return _native.HardwareCounter(events_of(name))
