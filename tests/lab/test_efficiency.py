"""POP's efficiencies of records that are reckoned by hand, and what is unknown."""

import numpy as np
import pytest

from halocline.lab.efficiency import efficiency
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
