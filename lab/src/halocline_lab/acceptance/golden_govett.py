"""WRF and ROMS coupled across sites (Govett, 2004): bandwidth, and what more ranks would give."""

from __future__ import annotations

from halocline_lab.acceptance.golden import Section, Value
from halocline_lab.scaling.extrapolation import PhaseTime, Wanted, forecast

exchanges, fields, side, bytes_per_value = 4, 2, 161, 8
communication = 0.34
"""ROMS, serial, tuned, across sites [s]."""

latency = 0.015
"""Each way [s]."""

loops = {"WRF": (125.0, 6, 64), "ROMS": (52.0, 2, 8)}
"""Seconds of the main loop, processors that it ran on, and those of the what-if."""


def bits() -> float:
    """What all exchanges carry; 4-byte reals were sent as 8 bytes."""
    return 8.0 * exchanges * fields * side**2 * bytes_per_value


def section() -> Section:
    """Bandwidth and the what-if of perfect scaling."""
    sending = communication - exchanges * 2.0 * latency
    values = [Value("text", "bandwidth", 60.0, bits() / sending / 1e6, "Mbit/s")]
    notes = []
    for name, (seconds, ranks, more) in loops.items():
        loop = [PhaseTime("loop", "run", seconds, ranks)]
        found = forecast(loop, Wanted(0.0, 0.0, more), perfect=True).seconds
        values.append(Value("text", f"{name} on {more} processors", 12.0, found, "s", within=1.0))
        notes.append(f"{name} {found:.1f} s")
    remarks = (
        f'"about 12 seconds" for both is {" and ".join(notes)}, if they scale perfectly',
        f"{bits() / 1e6:.1f} Mbit in {sending:.2f} s: a round trip of {2e3 * latency:.0f} ms per"
        " exchange is not counted",
    )
    return Section("Govett (2004)", "coupling across sites", tuple(values), remarks)
