"""Counts by the processor: right where it has them, and known to be absent where it has none."""

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime import _native
from halocline.runtime.record.hardware_counters import counter, events_of, running


def test_operations_are_counted_or_known_not_to_be():
    made = counter("operations")
    values = np.linspace(1.0, 2.0, 1_000_000)
    made.mark()
    product = values * values
    counted = made.since()
    assert np.isfinite(product).all()
    if made.works:
        assert 0.99e6 < counted < 1.05e6
    else:
        assert counted == 0.0


def test_a_misspelt_counter_is_refused():
    with pytest.raises(UserError, match="Nobody knows the counter 'operation'.*instructions"):
        running(("operation",))
    assert set(running(("instructions",))) <= {"instructions"}


def test_more_counters_than_there_are_are_reckoned():
    names = ["operations", "D1 loads", "D1 misses", "instructions", "cycles", "cache misses"] * 3
    made = [counter(name) for name in names]
    values = np.linspace(1.0, 2.0, 200_000)
    for one in made:
        one.mark()
    for _ in range(200):
        values = np.sqrt(values * values)
    for one in made:
        found = one.since()
        assert found >= 0.0 or np.isnan(found)


def test_a_count_that_nobody_knows_is_closed():
    assert events_of("unknown") == []
    assert not _native.HardwareCounter([]).works
    closed = _native.HardwareCounter([(12345, 1, 1.0)])
    assert not closed.works and closed.since() == 0.0
