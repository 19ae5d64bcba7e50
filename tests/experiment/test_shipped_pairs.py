"""Shipped cases of several components, as they are shipped, for the first interval of exchanges."""

import numpy as np
import pytest

import halocline


@pytest.mark.parametrize(
    ("case", "interval", "target", "fields", "covered"),
    [
        ("storm-coupled", "30min", "fluxes", ("significant_height", "peak_period"), 0.5),
        pytest.param(
            "atmosphere-ocean",
            "2h",
            "ocean",
            ("wind_stress_east", "wind_stress_north"),
            0.02,  # air over the North Pacific, an ocean all around the earth
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "north-pacific-coupled",
            "10min",
            "fluxes",
            ("wind_u", "significant_height"),
            0.5,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_they_run_and_give_each_other_what_they_should(case, interval, target, fields, covered):
    done = halocline.run(case, settings=[f"time.length={interval}"])
    member = done.components[target]
    for name in fields:
        values = member.ports[name].field.gather()
        share = np.isfinite(values).mean()
        assert share > covered and np.abs(values[np.isfinite(values)]).max() > 0.0, (name, share)
