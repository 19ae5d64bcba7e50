"""What sums cost, measured at a small size."""

from halocline.runtime.ranks.communicator import Alone
from halocline_lab import _native
from halocline_lab.benchmarks import sums


def test_measures_and_prints_every_way():
    result = sums.measure_sums(Alone(), repeats=2)
    local = {row["name"]: row for row in result["local"]}
    assert local["sequential loop"]["over_sequential"] == 1.0
    assert {"order-independent", "vectorised loop", "NumPy"} < set(local)
    assert all(row["nanoseconds"] > 0.0 for row in result["local"])
    assert [row["values"] for row in result["rows"]] == [1, 3, 50]
    assert [row["choice"] for row in result["global_sum"]] == ["ordinary, all-reduce", "all-reduce"]
    text = sums.table(result)
    assert "over the sea" in text and all(name in text for name in local)
    described = {key.partition(".")[0] for key in sums.keys}
    assert set(result) == described
    assert set(result["rows"][0]) == {k[5:] for k in sums.keys if k.startswith("rows.")}


def test_threads_add_in_shared_memory():
    for threads in (1, 2, 4):
        assert _native.time_flag_sum(threads, 5, 50) > 0.0
        assert _native.time_sentinel_sum(threads, 5, 50) > 0.0
