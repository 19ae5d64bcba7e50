"""Life in the ocean of the same run: its twin off-line, constants, budgets, what is refused.

Ranks: 1; more of them and restarts are in `invariance/test_living_ocean_bits.py`.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

from halocline.component.case.reading import make_case, read_case
from halocline.core.errors import UserError
from halocline.experiment.run import run
from halocline.living_ocean.case import LivingOceanCase
from living_ocean.seas import ocean, sea, under_air

inert = dict.fromkeys(
    (
        "growth", "respiration", "death", "grazing", "excretion", "predation",
        "remineralisation", "phytoplankton_sinking", "detritus_sinking",
    ),
    0.0,
)  # fmt: skip


given = (
    "temperature",
    "salinity",
    "cell_thickness",
    "vertical_diffusivity",
    "short_wave",
    "wind_speed",
)
passing = {
    "velocity": ("velocity_u", "velocity_v"),
    "eddies": ("x_volume_flux", "y_volume_flux"),
}
eddies = {"along": 500.0, "flattening": 500.0}
same = (
    "tracer", "volume", "x_volume_flux", "y_volume_flux", "z_volume_flux", "surface_water",
    "temperature", "salinity", "vertical_diffusivity", "wind_speed",
)  # fmt: skip


@pytest.mark.parametrize(
    ("advection", "flow"),
    [("limited3", "eddies"), ("smolarkiewicz", "velocity")],
)
def test_off_line_with_every_step_is_its_twin(tmp_path: Path, advection: str, flow: str):
    """BFM, moved by the ocean or by what it wrote of every step: the same bits of all 51 tracers.

    Both take means of the two ends of a step, by the same kernels; with eddies the ocean writes
    what passes faces, and the diffusivity across surfaces of density.
    """
    life = {
        "biology": {"model": "bfm"},
        "transport": {"advection": advection, "horizontal_diffusivity": 100.0},
    }
    every = {"interval": "1h", "precision": "float64", "variables": [*given, *passing[flow]]}
    water = under_air(tmp_path)
    water["mixing"] |= {"eddies": eddies} if flow == "eddies" else {}
    on_line = run(
        sea("living-ocean", ocean=water, output={"fields": {"steps": every}}, **life),
        output=tmp_path,
    )
    with xarray.open_dataset(tmp_path / "steps.nc") as steps:
        told = [steps[name].attrs.get("comment", "") for name in passing[flow]]
        told.append(steps.vertical_diffusivity.attrs.get("comment", ""))
    assert ["eddies" if "surfaces of density" in text else "velocity" for text in told] == [
        flow
    ] * 3
    life["transport"] |= {"circulation": "files", "files": {"file": str(tmp_path / "steps.nc")}}
    off_line = run(sea("biogeochemistry", **life))
    living, alone = on_line.component.life.state, off_line.component.state
    for name in same:
        ours, theirs = getattr(living, name), getattr(alone, name)
        pairs = zip(ours.read(), theirs.read(), ours.wet, strict=True)
        for found, expected, wet in pairs:
            assert np.array_equal(found[..., wet], expected[..., wet]), name
    moved = living.tracer.read()[0][2]
    assert np.ptp(moved[:, living.tracer.wet[0].any(axis=0)]) > 1e-6 * np.abs(moved).max()


@pytest.fixture(scope="module")
def calm_life():
    """Tracers that do not react, in water with eddies, thickened by rain and averages of levels."""
    wet = ocean()
    wet["mixing"] |= {"eddies": eddies}
    wet["forcing"] |= {"water": {"amplitude": 1e-6}}
    biology = {"model": "npzd", "npzd": inert, "start": {"P": 0.25}}
    profile = {"surface": [0.2, 0.2], "deep": [9.0, 4.0], "cline": [40.0, 40.0]}
    case = sea("living-ocean", ocean=wet, biology=biology, transport={"profiles": {"N": profile}})
    return run(case, check_halos=True)


def test_a_constant_stays_while_the_surface_moves(calm_life):
    living, component = calm_life.component.life.state, calm_life.component
    tracer, layer = living.tracer.gather(), component.model.state.layer.gather()
    wet = component.grid.wet
    assert np.ptp(layer[component.grid.mask]) > 1e-3
    np.testing.assert_allclose(tracer[1][wet], 0.25, rtol=1e-13)
    assert np.ptp(tracer[0][wet]) > 1.0


def test_elements_change_by_what_passes_the_surface_alone(calm_life):
    """Contents, added up here, are those of the start and what the water brought."""
    component = calm_life.component
    living = component.life
    now, begin = living.model.contents(), living.contents_at_start.read()[0]
    came = living.boundaries.totals()
    np.testing.assert_allclose(now, begin + came, rtol=1e-13)
    assert abs(came[0]) > 1e-9 * begin[0]
    expected, found = living.elements()["nitrogen"]
    assert found == pytest.approx(expected, rel=1e-13)
    assert "nitrogen" in component.summary() and "volume" in component.summary()


def test_volumes_are_those_of_the_ocean(calm_life):
    component = calm_life.component
    thick = np.where(component.grid.wet, component.grid.thickness[:, None, None], 0.0)
    thick[-1] = component.model.state.layer.gather() * component.grid.mask
    volume = component.life.state.volume.gather()
    np.testing.assert_allclose(volume, thick * component.plane.area, rtol=1e-14)


def test_maps_hold_what_swims_and_what_flows(tmp_path: Path):
    maps = {"interval": "1h", "variables": ["sea_level", "chlorophyll", "N", "velocity_u"]}
    means = {"interval": "2h", "processing": "mean", "variables": ["P", "surface_temperature"]}
    case = sea(
        "living-ocean",
        ocean=ocean(),
        biology={"model": "npzd"},
        time={"start": "2000-04-01", "length": "2h", "step": "1h"},
        output={"fields": {"maps": maps, "means": means}},
    )
    component = run(case, output=tmp_path).component
    with xarray.open_dataset(tmp_path / "maps.nc") as found:
        assert found.chlorophyll.dims == found.N.dims == ("time", "depth", "latitude", "longitude")
        assert found.chlorophyll.attrs["units"] == "mg m-3"
        nutrient = component.life.state.tracer.gather()[0]
        kept = np.where(component.grid.wet, nutrient, np.nan)
        np.testing.assert_allclose(found.N[-1], kept, rtol=1e-6)
    with xarray.open_dataset(tmp_path / "means.nc") as found:
        assert set(found.data_vars) > {"P", "surface_temperature"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"ocean": ocean(forcing={}), "biology": {"model": "npzd"}},
            "needs light, but this ocean has no short wave. Set ocean.forcing.heat.short_wave",
        ),
        (
            {"ocean": ocean(), "biology": {"model": "bfm"}},
            "needs wind speed, but this ocean has no speed of the wind. Set ocean.forcing.bulk",
        ),
        ({"transport": {"circulation": "files"}}, "circulation"),
        ({"transport": {"mixing": {"surface": 0.1}}}, "here the ocean does it. Leave it out"),
        ({"transport": {"tracers": ["N"]}}, "tracers are those of the biology"),
        (
            {
                "ocean": ocean(tracers={"passive": {"P": {}}}),
                "biology": {"model": "npzd"},
            },
            r"has a field 'P', and so has the ocean. Rename \[ocean.tracers.passive.P\]",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(more: dict[str, Any], words: str):
    with pytest.raises(UserError, match=words):
        run(sea("living-ocean", **more))


def test_thin_cells_are_refused():
    case = sea("living-ocean", ocean=ocean(), biology={"model": "npzd"})
    case["grid"]["levels"]["least_share"] = 0.2
    case["grid"]["depth"][2][2] = 25.0
    with pytest.raises(UserError, match="takes whole cells only"):
        run(case)


def test_what_mixes_the_ocean_but_not_life_is_said():
    usual, both = "ocean.mixing.diffusivity", r"ocean.mixing.eddies.along and ocean.mixing.diff"
    for mixing, diffusivity, words in (
        ({"diffusivity": 0.0}, 0.0, ""),
        ({"diffusivity": 10.0}, 0.0, f"by {usual}, which act on temperature and salinity alone"),
        ({"diffusivity": 10.0}, 7.0, ""),
        ({"diffusivity": 0.0, "eddies": {"flattening": 500.0}}, 0.0, ""),
        ({"diffusivity": 10.0, "eddies": eddies}, 0.0, f"by {both}usivity, which"),
        ({"diffusivity": 10.0, "eddies": eddies}, 7.0, ""),
    ):
        table = sea("living-ocean", ocean=ocean(mixing=mixing), biology={"model": "npzd"})
        table["transport"] = {"horizontal_diffusivity": diffusivity}
        lines = LivingOceanCase.from_table(table).lacking(watched=True)
        assert len(lines) == bool(words)
        assert re.search(words, "".join(lines))


def test_the_shipped_case_is_one():
    case = read_case("bloom-channel")
    assert isinstance(case, LivingOceanCase)
    assert case.life.tracer_names == ["N", "P", "Z", "D"]


def test_what_is_written_of_a_case_gives_it_again():
    case = make_case(sea("living-ocean", ocean=ocean(), biology={"model": "npzd"}))
    assert make_case(case.to_table()) == case
