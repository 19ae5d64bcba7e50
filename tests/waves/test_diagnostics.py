"""Output fields of a wave run: parts add up, and any decomposition gives the same bits."""

import numpy as np
import pytest

from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.experiment.run import run

names = [
    "significant_height",
    "mean_direction",
    "wind_sea_height",
    "swell1_height",
    "swell2_height",
    "swell3_height",
    "swell1_direction",
    "wind_sea_fraction",
    "partitions",
    "wind_speed",
]
case = {
    "component": "waves",
    "grid": {"nx": 12, "ny": 9, "x0": -6.0, "y0": 30.0},
    "spectrum": {"frequencies": 12, "factor": 1.2, "directions": 16},
    "time": {"start": "2000-01-01", "length": "1h", "step": "30min"},
    "forcing": {"wind": {"speed": 11.0, "direction": 250.0}},
    "start": {"kind": "jonswap"},
}


def fields(kind):
    result = run({**case, "decomposition": {"kind": kind}})
    found = result.component.diagnose(names, date("2000-01-01T01:00:00"))
    return {name: field.gather() for name, field in found.items()}


def test_wind_sea_and_swells_come_with_the_mean_parameters():
    found = fields("blocks")
    assert list(found) and set(found) == set(names)
    parts = [found[name] for name in names if name.endswith("_height") and name != names[0]]
    total = np.sqrt(sum(part.astype(float) ** 2 for part in parts))
    assert np.allclose(total, found["significant_height"], atol=0.05)
    assert np.nanmax(found["wind_sea_fraction"]) > 0.3
    assert np.allclose(found["wind_speed"], 11.0, rtol=1e-5)
    for kind in ("curve", "cards"):
        other = fields(kind)
        for name, values in found.items():
            assert other[name].tobytes() == values.tobytes(), (kind, name)


def test_a_misspelt_field_is_refused():
    result = run(case)
    with pytest.raises(UserError, match="Did you mean 'swell1_height'"):
        result.component.check_name("swel1_height")


def test_the_case_sets_the_options_of_the_partitions():
    high = {"physics": "ST2", "partitioning": {"minimum_height": 50.0}}
    result = run({**case, "waves": high})
    found = result.component.diagnose(["partitions"], date("2000-01-01T01:00:00"))
    assert not found["partitions"].gather().any()
    usual = run(case).component.diagnose(["partitions"], date("2000-01-01T01:00:00"))
    assert usual["partitions"].gather().all()
