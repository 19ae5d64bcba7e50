"""Energy counters of a node, as files."""

import pytest

from halocline.experiment.energy import Energy


def counters(folder, values, most=999_999_999):
    for number, value in enumerate(values):
        package = folder / f"intel-rapl:{number}"
        package.mkdir(parents=True, exist_ok=True)
        (package / "energy_uj").write_text(f"{value}\n")
        (package / "max_energy_range_uj").write_text(f"{most}\n")
    (folder / "intel-rapl:0:0").mkdir(exist_ok=True)


def test_joules_of_all_packages_also_past_the_maximum(tmp_path):
    counters(tmp_path, [1_000_000, 990_000_000])
    energy = Energy(tmp_path)
    counters(tmp_path, [3_000_000, 10_000_000])
    assert energy.joules() == pytest.approx(2.0 + 20.0)


def test_nothing_to_read_is_unknown(tmp_path):
    assert Energy(tmp_path).joules() is None
