"""The member that computes what air and sea exchange: what it takes, gives, adds up. Ranks: 1."""

import numpy as np
import pytest

import halocline
from halocline.core.errors import UserError
from halocline.coupler.case import FluxCase
from halocline.coupler.options import given, taken
from halocline.experiment.run import run


def case(**more):
    """A sea of 8 x 6 cells with an island, for six hours."""
    depth = np.full((6, 8), 100.0)
    depth[2:4, 3] = 0.0
    table = {
        "time": {"start": "2000-01-01T00:00:00", "length": "6h", "step": "1h"},
        "grid": {
            "nx": 8,
            "ny": 6,
            "dx": 1.0,
            "y0": 40.0,
            "depth": depth.tolist(),
            "closed_edges": False,
        },
        "fluxes": {"usual": {"wind_u": 8.0, "air_temperature": 285.0, "short_wave": 100.0}},
    }
    return FluxCase.from_table(table | more)


def test_what_passes_the_surface_is_added_up():
    component = run(case()).component
    heat = component.fields["heat_flux_into_sea"].gather()
    mask = component.plane.mask
    assert np.ptp(heat[mask]) == 0.0 and not heat[~mask].any()
    passed = component.passed.read()[0]
    area = np.broadcast_to(component.plane.at(component.sea.place).area, mask.shape)[mask].sum()
    expected = heat[mask][0] * area * 6 * 3600.0
    assert passed[0] == pytest.approx(expected, rel=1e-13)
    assert passed[2] > 0.0 and passed[3] == 0.0 and passed[-1] == 6 * 3600.0
    assert f"heat {passed[0]:+.6e} J" in component.summary()


def test_waves_take_their_part_of_the_momentum():
    """What waves take and give is constant here: the rest is the ocean's, on the sea alone."""
    usual = {
        "wind_u": 8.0, "wind_v": -3.0, "stress_into_waves_east": 0.05,
        "stress_into_waves_north": -0.02, "stress_from_waves_east": 0.03,
        "stress_from_waves_north": -0.015,
    }  # fmt: skip
    component = run(case(fluxes={"usual": usual})).component
    mask = component.plane.mask
    passed = component.passed.read()[0]
    area = np.broadcast_to(component.plane.at(component.sea.place).area, mask.shape)[mask].sum()
    for n, (to, kept) in enumerate((("east", 0.02), ("north", -0.005))):
        air, left = (
            component.fields[f"{name}_{to}"].gather()
            for name in ("wind_stress", "stress_into_ocean")
        )
        np.testing.assert_allclose(left[mask], air[mask] - kept, rtol=0, atol=1e-16)
        assert not left[~mask].any()
        whole, into, out, rest = passed[2 + n : 10 : 2]
        assert abs(whole - into + out - rest) < 1e-14 * abs(whole)
        assert whole - rest == pytest.approx(kept * area * 6 * 3600.0, rel=1e-12)


def test_what_others_give_takes_the_place_of_what_the_case_says():
    model = halocline.Bmi()
    model.initialize(case())
    assert model.get_input_var_names() == tuple(
        name for name in model.get_output_var_names() if name in taken
    )
    assert set(given) <= set(model.get_output_var_names())
    model.update()
    before = model.get_value_ptr("wind_stress_east").copy()
    model.set_value("wind_u", np.full(48, -16.0))
    model.update()
    after = model.get_value_ptr("wind_stress_east")
    sea = ~np.isnan(after)
    assert sea.sum() == 46 and (before[sea] > 0).all()
    assert (after[sea] < -3.0 * before[sea]).all()
    model.finalize()


@pytest.mark.parametrize("blocks", [1, 6])
def test_broken_off_and_taken_up_in_any_blocks(tmp_path, blocks):
    cut = {"decomposition": {"blocks_per_rank": blocks}}
    whole = run(case(restart={"interval": "3h"}, **cut), output=tmp_path).component
    middle = str(tmp_path / "restart_20000101T030000.safetensors")
    halves = run(case(restart={"source": middle})).component
    assert whole.passed.read()[0].tobytes() == halves.passed.read()[0].tobytes()
    for name in given:
        assert whole.fields[name].gather().tobytes() == halves.fields[name].gather().tobytes()


def test_no_number_is_told_with_its_place():
    """A sea without a temperature; waves without a period have no roughness of their own."""
    component = run(case()).component
    time = component.taken_at

    def give(name, values):
        component.ports[name].field.set_global(values)
        component.took([name], time)

    give("significant_height", np.full((6, 8), 2.0))
    give("peak_period", np.full((6, 8), np.nan))
    component.step(time)
    assert np.isfinite(component.fields["wind_stress_east"].gather()).all()
    cold = np.full((6, 8), 2.0)
    cold[2:4, 3] = np.nan  # land
    give("surface_temperature", cold)
    component.step(time)
    cold[1, 2] = np.nan
    give("surface_temperature", cold)
    with pytest.raises(UserError, match=r"surface_temperature, .* not finite at x = 2, y = 41"):
        component.step(time)


def test_air_of_a_humidity():
    """Where nobody tells how much vapour there is, it is a part of saturation."""
    usual = {"wind_u": 8.0, "air_temperature": 293.15, "surface_temperature": 20.0}
    component = run(case(fluxes={"usual": usual, "relative_humidity": 0.5})).component
    ratio = 287.0 / 461.6 * 0.5 * 2336.9 / (101325.0 - 0.5 * 2336.9)
    moist = component.fields["air_humidity"].gather()[0, 0]
    assert moist == pytest.approx(ratio / (1.0 + ratio), rel=1e-4)
