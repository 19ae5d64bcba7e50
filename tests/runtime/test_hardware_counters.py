"""Counts by the processor: right where it has them, and known to be absent where it has none."""

import numpy as np

from halocline.runtime import _native
from halocline.runtime.hardware_counters import counter, events_of


def test_operations_are_counted_or_known_not_to_be():
    made = counter("operations")
    values = np.linspace(1.0, 2.0, 1_000_000)
    before = made.read()
    product = values * values
    counted = made.read() - before
    assert np.isfinite(product).all()
    if made.works:
        assert 0.99e6 < counted < 1.05e6
    else:
        assert counted == 0.0


def test_a_count_that_nobody_knows_is_closed():
    assert events_of("unknown") == []
    assert not _native.HardwareCounter([]).works
    closed = _native.HardwareCounter([(12345, 1, 1.0)])
    assert not closed.works and closed.read() == 0.0
