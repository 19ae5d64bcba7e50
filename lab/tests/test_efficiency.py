"""POP's efficiencies of records that are reckoned by hand, and what is unknown."""

import numpy as np
import pytest

from halocline.runtime.record.run_record import empty
from halocline_lab.diagnosis.analysis import analyse
from halocline_lab.diagnosis.efficiency import efficiency
from records.small import two_ranks


def test_products():
    found = efficiency(two_ranks(), ideal_share=0.95)
    assert found.seconds == pytest.approx(200e-6)
    assert found.mean_useful == pytest.approx(160e-6)
    value = {
        name: getattr(found, name).value
        for name in ("parallel", "load_balance", "communication", "serialisation", "transfer")
    }
    assert value["parallel"] == pytest.approx(value["load_balance"] * value["communication"])
    assert value["communication"] == pytest.approx(value["serialisation"] * value["transfer"])
    assert value["transfer"] == pytest.approx(0.95)


def test_additive_losses_sum_to_the_loss():
    found = efficiency(two_ranks(), ideal_share=0.95)
    losses = sum(1.0 - one.value for one in found.additive if one.value is not None)
    assert losses == pytest.approx(1.0 - found.parallel.value)


def test_what_no_replay_tells_is_unknown():
    found = efficiency(two_ranks(), why_not="the replay was not made")
    assert found.transfer.value is None and "was not made" in found.transfer.because
    assert found.global_efficiency.value is None


def test_scaling_between_records():
    reference = two_ranks()
    kinds = reference.kinds_of(reference.statistics["region"])
    reference.statistics["own_seconds"][~np.isin(kinds, ["phase", "kernel"])] *= 2.0
    # Useful: 200 - 2 x 20 and 200 - 2 x 60 us there, 180 and 140 us here.
    found = efficiency(two_ranks(), reference=reference)
    assert found.computation_scaling.value == pytest.approx((160 + 80) / (180 + 140))
    assert found.global_efficiency.value == pytest.approx(0.75 * found.parallel.value)


def test_threads():
    record = two_ranks()
    record.ranks["threads"] = 2
    found = efficiency(record)
    assert found.additive[-1].value is None
    assert "not recorded" in found.additive[-1].because


def counted(instructions, cycles):
    """The record of two ranks, whose kernel has these counts on each."""
    record = two_ranks()
    record.about["counters"] = ["instructions", "cycles"]
    number = [region.name for region in record.regions].index("work")
    record.counters = empty("counters", 4)
    for at, (rank, counter) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
        row = record.counters[at]
        row["rank"], row["region"], row["counter"] = rank, number, counter
        row["value"] = (instructions, cycles)[counter]
    return record


def test_computation_scaling_has_factors_where_instructions_are_counted():
    found = efficiency(counted(1000.0, 500.0), reference=counted(800.0, 500.0))
    assert found.instruction_scaling.value == pytest.approx(0.8)
    assert found.ipc_scaling.value == pytest.approx(2.0 / 1.6)
    assert found.frequency_scaling.value == pytest.approx(1.0)
    without = efficiency(two_ranks(), reference=two_ranks())
    assert "record.counters" in without.instruction_scaling.because


def test_counters_become_rates_of_the_kernels():
    found = {one.name: one for one in analyse(counted(1000.0, 500.0)).roofline.counters}
    per_cycle = [one for one in found.values() if one.value == pytest.approx(2.0)]
    assert len(per_cycle) == 1
