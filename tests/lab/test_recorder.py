"""The record costs far less than one per cent of a step."""

from halocline.lab import recorder


def test_a_timed_call_costs_microseconds():
    cost = recorder.call_cost(calls=2_000, repeats=3)
    assert 1e-9 < cost < 1e-3
