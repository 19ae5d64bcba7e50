"""Kernels under the roof: rates and times over the floor, of work that is known."""

import pytest

from halocline.runtime.record.run_record import empty
from halocline_lab.diagnosis.roofline import Machine, roofline
from records.small import two_ranks


def record_with_work(bytes_each, operations_each):
    record = two_ranks()
    number = [region.name for region in record.regions].index("work")
    record.work = empty("work", 2)
    for rank in range(2):
        record.work[rank] = (rank, number, 2, bytes_each, operations_each)
    return record


def test_a_kernel_bound_by_memory():
    # 120 and 80 us, mean 100; 2000 bytes of both ranks at 80 MB/s need 25 us.
    found = roofline(record_with_work(1000.0, 500.0), Machine(80e6, 1e9, "test"))
    kernel = found.kernels[0]
    assert kernel.name == "work" and kernel.calls == 4
    assert kernel.seconds == pytest.approx(100e-6)
    assert kernel.intensity == pytest.approx(0.5)
    assert kernel.byte_rate == pytest.approx(2000 / 100e-6)
    assert kernel.over_floor == pytest.approx(4.0)
    assert kernel.bound == "memory"
    assert kernel.share == pytest.approx(0.5)


def test_a_kernel_bound_by_computation():
    found = roofline(record_with_work(1.0, 25_000.0), Machine(80e6, 1e9, "test"))
    assert found.kernels[0].bound == "computation"
    assert found.kernels[0].over_floor == pytest.approx(2.0)


def test_unknown_operations_and_machine():
    kernel = roofline(record_with_work(1000.0, float("nan"))).kernels[0]
    assert kernel.operations is None and kernel.over_floor is None
    found = roofline(two_ranks())
    assert found.kernels == [] and found.why_no_kernels and found.why_no_machine


def test_a_record_tells_its_machine():
    record = record_with_work(1000.0, 500.0)
    record.about["machine"] = {
        "stream_bytes_per_second": 80e6,
        "peak_operations_per_second": 1e9,
    }
    assert roofline(record).kernels[0].over_floor == pytest.approx(4.0)
