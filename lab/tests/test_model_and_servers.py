"""What is said of the model is said of the ranks that compute it, and of what they can do."""

import json

import numpy as np
import pytest

from halocline.runtime.record.run_record import Region, empty, nobody
from halocline.runtime.record.run_record_tables import record_of_events
from halocline_lab.diagnosis import noise, roof_here
from halocline_lab.diagnosis.analysis import analyse
from halocline_lab.diagnosis.roofline import Machine

regions = [
    Region("step", "phase"),
    Region("advection", "kernel"),
    Region("halo: send", "start send"),
    Region("output: to servers", "send"),
]


def record(ranks=4):
    """Ranks in a ring, and one that takes what the others write."""
    rows = []

    def event(rank, region, begin, end, partner=nobody, size=0):
        one = empty("events", 1)[0]
        one["rank"], one["region"], one["begin"], one["end"] = rank, region, begin, end
        one["partner"], one["bytes"] = partner, size
        rows.append(one)

    for step in range(10):
        zero = 1000 * step
        for rank in range(ranks):
            event(rank, 0, zero, zero + 900)
            event(rank, 1, zero + 10, zero + 510)
            for neighbour in (rank - 1, rank + 1):
                if 0 <= neighbour < ranks:
                    event(rank, 2, zero + 600, zero + 600, neighbour, 800)
            event(rank, 3, zero + 700, zero + 710, ranks, 5000)
    event(ranks, 1, 0, 1)
    found = record_of_events(
        {"roles": ["model", "output server"]},
        regions,
        np.array(rows, rows[0].dtype),
        ranks + 1,
        step="step",
    )
    found.ranks["role"][ranks] = 1
    return found


def test_servers_are_no_part_of_the_pattern_of_the_model():
    pattern = analyse(record()).messages.pattern
    assert pattern.name == "halo 1D" and pattern.grid == [4]


def test_steps_that_lengthen_on_all_ranks_alike_have_other_work():
    generator = np.random.default_rng(1)
    work = 1.0 + generator.random((40, 1)) * np.array([[1.0, 1.1, 0.9]])
    words = noise._words(noise.quanta(work), [], work)
    assert "they have other work" in words and "correlation 1.00" in words
    apart = 1.0 + generator.random((40, 3))
    assert "a rank loses" in noise._words(noise.quanta(apart), [], apart)


def test_no_roof_is_lower_than_what_a_kernel_did(tmp_path, monkeypatch):
    some = record()
    some.about["machine"] = roof_here.machine_facts()
    some.work = empty("work", 4)
    some.work["rank"], some.work["region"], some.work["calls"] = np.arange(4), 1, 10
    some.work["operations"] = 5000.0  # in 10 calls of 500 ns on each of 4 ranks
    assert roof_here.most_done(some) == pytest.approx(4 * 1e9, rel=1e-3)
    measured = []

    def measure(threads):
        measured.append(threads)
        return Machine(1e10, 6e9 if len(measured) > 1 else 1e9, "")

    monkeypatch.setattr(roof_here, "measure_machine", measure)
    monkeypatch.setattr(roof_here, "cache_folder", lambda: tmp_path)
    assert roof_here.roof_here(some).operations == 1e9
    assert roof_here.roof_here(some).operations == 6e9, "measured again"
    assert roof_here.roof_here(some).operations == 6e9 and len(measured) == 2
    assert json.loads((tmp_path / "roofs.json").read_text())
