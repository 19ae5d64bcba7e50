"""The reaction of BFM against its twin in NumPy and a reference's numbers, and what it keeps."""

from dataclasses import replace

import numpy as np
import pytest

from biogeochemistry.bfm_states import (
    advanced,
    contents,
    cornered,
    corners,
    names,
    random_states,
    rates,
)
from biogeochemistry.references import bfm, bfm_reference
from halocline.biogeochemistry import _native
from halocline.biogeochemistry.bfm import tracers
from halocline.biogeochemistry.bfm.model import productions
from halocline.biogeochemistry.bfm.options import BfmOptions

day = 86400.0
index = tracers.index


def varied() -> tuple[BfmOptions, dict]:
    """Options with all choices unlike those of the preset, and the same for the twin."""
    table, given = BfmOptions().to_table(), bfm.parameters()
    for group in ("P1", "P2", "P3", "P4"):
        table[group] |= {"net_growth": True, "exudes_to": "R2", "chlorophyll": "nutrients"}
        given[group] |= {"net": True, "doc": "R2c", "chl": "nutrients"}
    table["B1"] |= {"uptake_R2": 0.05, "uptake_R3": 0.01, "uptake_poor_R1": 0.02}
    given["B1"] |= {"u2": 0.05, "u3": 0.01, "u1_poor": 0.02}
    table["P4"] |= {"extra_lysis": 0.3}
    given["P4"] |= {"extra": 0.3}
    table["P1"] |= {"silicate_control": "internal", "silicon_affinity": 0.03}
    given["P1"] |= {"si": "in", "a_s": 0.03}
    table["chemistry"] |= {"alkalinity_of_nitrogen": True}
    given["alkalinity"] = True
    return BfmOptions.from_table(table), given


def against_the_twin(state, around, options=None, given=None):
    """The largest difference to the twin over the sum of the sizes of its terms."""
    gain, loss = rates(state, around, options)
    terms = bfm.tendencies(dict(zip(names, state, strict=True)), *around, given or bfm.preset)
    worst = 0.0
    for name in names:
        got = (gain[index[name]] - loss[index[name]]) * day
        wanted = terms.rate[name] + np.zeros(state.shape[1])
        size = terms.size[name] + np.full(state.shape[1], 1e-300)
        assert np.isfinite(got).all(), name
        assert np.isfinite(wanted).all(), name
        worst = max(worst, float((np.abs(got - wanted) / size).max()))
    return worst


def test_all_tendencies_are_those_of_the_twin():
    state, around = random_states(np.random.default_rng(1), 10_000)
    assert against_the_twin(state, around) < 1e-12


@pytest.mark.parametrize("corner", corners)
def test_tendencies_in_the_corners(corner):
    state, around = cornered(corner, *random_states(np.random.default_rng(2), 300))
    assert against_the_twin(state, around) < 1e-12


@pytest.mark.parametrize("limitation", ["least", "geometric", "harmonic"])
def test_other_choices_than_those_of_the_preset(limitation):
    state, around = random_states(np.random.default_rng(3), 300)
    words = {"least": "min", "geometric": "root", "harmonic": "harm"}
    options, given = varied()
    table = options.to_table()
    for group in ("P1", "P2", "P3", "P4"):
        table[group] |= {"limitation": limitation}
        given[group] |= {"both": words[limitation]}
    assert against_the_twin(state, around, BfmOptions.from_table(table), given) < 1e-12


def changed(options, group, name):
    """Options with one number some other."""
    part = getattr(options, group)
    value = getattr(part, name)
    return replace(options, **{group: replace(part, **{name: 0.9 * value if value else 0.3})})


def test_every_number_has_an_effect_of_its_own():
    """Numbers that are mixed up, or never used, would have that of another, or none."""
    state, around = random_states(np.random.default_rng(11), 150)
    state[index["N1p"], :50] *= 1e-3
    groups = ("P1", "P2", "P3", "P4", "B1", "Z3", "Z4", "Z5", "Z6", "cytoplasm", "chemistry")
    elsewhere = {"base_sinking", "stress_sinking", "stress_sinking_below"}
    of_diatoms = {"silicate_half", "silicon_excess_rate", "silicon_affinity", "least_silicon"}
    of_diatoms |= {"silicon_luxury", "reference_silicon"}
    effects: dict[tuple[str, str], bytes] = {}
    for options in (BfmOptions(), varied()[0]):
        table = options.to_table()
        for group in tracers.phytoplankton:
            table[group] |= {"rain_ratio": 0.4, "extra_lysis": 0.1, "extra_lysis_half": 50.0}
        table["P2"] |= {"rain_half": 1.0}
        table["P4"] |= {"stress_lysis": 0.02}
        full = BfmOptions.from_table(table)
        before = np.stack(rates(state, around, full))
        for group in groups:
            for name, value in table[group].items():
                if isinstance(value, bool) or not isinstance(value, int | float):
                    continue
                if name in elsewhere or (name in of_diatoms and group in ("P2", "P3", "P4")):
                    continue
                if not effects.get((group, name)):
                    change = np.stack(rates(state, around, changed(full, group, name))) - before
                    effects[group, name] = change.tobytes() if change.any() else b""
    assert len(effects) > 150
    none = {name for name, effect in effects.items() if not effect}
    assert none == {("Z3", "egested_calcite")}, "which eats no plants"
    assert len(set(effects.values())) == len(effects)


def test_productions_are_those_of_the_twin():
    state, around = random_states(np.random.default_rng(12), 200)
    terms = bfm.tendencies(dict(zip(names, state, strict=True)), *around, bfm.preset)
    _, found, _ = advanced(state, around, 1e-3)
    for name, values in zip(productions, found, strict=True):
        np.testing.assert_allclose(day * values, terms.rate[name], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("respiration", [True, False])
def test_productions_are_means_of_the_parts_of_a_step(respiration):
    """Where nothing is lost but by respiration, they are what carbon grew by."""
    random = np.random.default_rng(13)
    state, around = random_states(random, 300)
    before = state * np.exp(random.normal(0.0, 3.0, state.shape))
    table = BfmOptions().to_table()
    for group in tracers.phytoplankton:
        table[group] |= {"excretion": 0.0, "stress_lysis": 0.0, "net_growth": True}
        if not respiration:
            table[group] |= {"activity_respiration": 0.0, "basal_respiration": 0.0}
    table["B1"] |= {"mortality": 0.0}
    for group in ("Z3", "Z4", "Z5", "Z6"):
        table[group]["diet"] = dict.fromkeys(table[group]["diet"], 0.0)
    after, (gross, net, bacterial), cut = advanced(
        before, around, 1800.0, options=BfmOptions.from_table(table)
    )
    assert cut[0] > 5 and cut[1] == 0
    grown = after - before
    plants = [index[group + "c"] for group in tracers.phytoplankton]
    scale = before[plants].sum(axis=0)
    assert (np.abs(1800.0 * net - grown[plants].sum(axis=0)) < 1e-12 * scale).all()
    bacteria = index["B1c"]
    assert (np.abs(1800.0 * bacterial - grown[bacteria]) < 1e-11 * after[bacteria]).all()
    if respiration:
        assert (gross >= net).all() and (gross > net).any()
    else:
        np.testing.assert_allclose(gross, net, rtol=1e-12)


@pytest.mark.parametrize("case", bfm_reference.cases, ids=lambda case: case.name)
def test_the_tendencies_of_another_code(case):
    """Those measured with BFM v5; exchange with the air is taken off."""
    state = np.array([case.state[name] for name in names])[:, None]
    around = tuple(np.array([x]) for x in (case.temperature, case.light, 5.0))
    gain, loss = rates(state, around)
    got = dict(zip(names, ((gain - loss) * day)[:, 0], strict=True))
    for name, wanted in case.tendencies.items():
        wanted -= case.from_air.get(name, 0.0)
        slack = 1e-6 * abs(wanted) + 1e-9 + case.slack.get(name, 0.0)
        assert abs(got[name] - wanted) <= slack, (name, got[name], wanted)


@pytest.mark.parametrize("element", tracers.elements)
def test_the_reaction_makes_no_element(element):
    """Sums vanish to 1e-14 of what is moved, in the corners too."""
    given = random_states(np.random.default_rng(4), 2000)
    for state, around in (given, *(cornered(corner, *given) for corner in corners)):
        gain, loss = rates(state, around)
        rest = contents(gain - loss, element)
        moved = contents(gain + loss, element)
        assert (np.abs(rest) <= 1e-14 * moved).all()


def test_gains_and_losses_are_not_negative():
    gain, loss = rates(*random_states(np.random.default_rng(5), 2000))
    assert gain.min() >= 0.0
    assert loss.min() >= 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_becomes_negative_and_elements_stay(dtype):
    """From wild states, with plankton up to some grams of carbon, and steps of 1800 s."""
    random = np.random.default_rng(6)
    state, around = random_states(random, 1000)
    wild = state * np.exp(random.normal(0.0, 3.0, state.shape))
    wild[random.random(wild.shape) < 0.05] = 0.0
    wild = wild.astype(dtype)
    after, _, cut = advanced(wild, around, 1800.0, 5, dtype=dtype)
    assert np.isfinite(after).all()
    assert after.min() >= 0.0
    assert cut[0] > 0
    tolerance = 1e-12 if dtype == np.float64 else 2e-5
    for element in tracers.elements:
        before, now = contents(wild.astype(float), element), contents(after.astype(float), element)
        assert (np.abs(now - before) <= tolerance * before).all(), element


def test_the_limiter_does_not_act_on_what_is_usual():
    state = np.array(list(tracers.homogeneous_start().values()))[:, None]
    around = tuple(np.array([x]) for x in (15.0, 100.0, 5.0))
    _, _, cut = advanced(state, around, 1800.0, 48 * 5)
    assert cut.tolist() == [0, 0]


def test_a_step_is_the_tendency_where_the_limiter_does_not_act():
    state, around = random_states(np.random.default_rng(7), 100)
    gain, loss = rates(state, around)
    after, (gross, net, _), cut = advanced(state, around, 1e-3)
    assert cut.tolist() == [0, 0]
    assert np.allclose(after, state + 1e-3 * (gain - loss), rtol=1e-14, atol=0.0)
    grown = sum(gain[index[p + "c"]] for p in tracers.phytoplankton)
    assert np.allclose(gross, grown, rtol=1e-6)
    assert (net < grown).all()


def test_a_dark_box_decays_to_nutrients():
    """Living carbon and organic nitrogen fall without end; what they held is inorganic then."""
    state = np.array(list(tracers.homogeneous_start().values()))[:, None]
    dark = tuple(np.array([x]) for x in (20.0, 0.0, 5.0))
    living = [index[g + "c"] for g in tracers.living]
    before = state[living].sum()
    some, _, _ = advanced(state, dark, 1800.0, 48 * 100)
    more, _, _ = advanced(some, dark, 1800.0, 48 * 600)
    assert more[living].sum() < 0.1 * some[living].sum() + 1e-3 < before
    for nutrient, element in (("N1p", "phosphorus"), ("N5s", "silicon")):
        assert more[index[nutrient]] > some[index[nutrient]] > state[index[nutrient]]
        held = contents(more, element) - more[index[nutrient]]
        assert held < 0.3 * (contents(state, element) - state[index[nutrient]])
    inorganic = [index[name] for name in ("N3n", "N4n", "O4n")]
    assert more[inorganic].sum() > some[inorganic].sum() > state[inorganic].sum()


def test_oxygen_ends_at_zero_and_sulphide_rises_after():
    start = tracers.homogeneous_start() | {"O2o": 2.0, "N6r": 0.0, "R1c": 2e3, "R1n": 30.0}
    start |= {"R1p": 3.0, "B1c": 50.0, "B1n": 0.8, "B1p": 0.09}
    state = np.array([start[name] for name in names])[:, None]
    dark = tuple(np.array([x]) for x in (20.0, 0.0, 5.0))
    oxygen, sulphide = [], []
    for _ in range(40):
        state, _, _ = advanced(state, dark, 1800.0, 4)
        oxygen.append(float(state[index["O2o"], 0]))
        sulphide.append(float(state[index["N6r"], 0]))
    assert min(oxygen) >= 0.0
    assert max(oxygen[20:]) < 1e-2
    assert (np.diff(sulphide[20:]) > 0.0).all()


def test_respiration_without_oxygen_is_owed():
    """O2 - N6r / 0.5 changes by its rate where oxygen ends too."""
    dark = cornered("dark", *random_states(np.random.default_rng(10), 200))
    state, around = cornered("anoxic", *dark)
    gain, loss = rates(state, around)
    dt = 1e-3
    after, _, _ = advanced(state, around, dt)

    def owing(of):
        return of[index["O2o"]] - of[index["N6r"]] / 0.5

    lacking = (gain - loss)[index["O2o"]] < 0.0
    assert lacking.sum() > 150
    assert (after[index["O2o"], lacking] == 0.0).all()
    change = (after - state)[:, lacking] / dt
    wanted = owing((gain - loss)[:, lacking])
    assert np.allclose(owing(change), wanted, rtol=1e-4, atol=1e-9)


def test_acid_water_dissolves_calcite_with_two_of_alkalinity_to_one_of_carbon():
    state = np.zeros((len(names), 1))
    state[index["O5c"]], state[index["O3c"]], state[index["O3h"]] = 12.0, 27060.0, 2660.0
    around = tuple(np.array([x]) for x in (15.0, 0.0, 0.8))
    after, _, _ = advanced(state, around, 1800.0, 10)
    carbon = (after - state)[index["O3c"], 0] / 12.0
    assert 0.3 < carbon < 1.0
    assert (after - state)[index["O3h"], 0] == pytest.approx(2.0 * carbon, rel=1e-9)
    assert (after - state)[index["O5c"], 0] == pytest.approx(-12.0 * carbon, rel=1e-9)
    same, _, _ = advanced(state, (*around[:2], np.array([1.5])), 1800.0, 10)
    assert np.array_equal(same, state)


def a_month(dt):
    """Thirty days from the state of the preset, at noon light."""
    state = np.array(list(tracers.homogeneous_start().values()))[:, None]
    around = tuple(np.array([x]) for x in (15.0, 60.0, 5.0))
    return advanced(state, around, dt, round(30 * day / dt))[0][:, 0]


def test_a_month_converges_with_the_step():
    """Of first order: half the step, half the error."""
    exact = a_month(225.0)
    scale = np.abs(exact) + 1e-6
    errors = [float((np.abs(a_month(dt) - exact) / scale).max()) for dt in (1800.0, 900.0)]
    assert errors[0] < 0.1
    assert 1.8 < errors[0] / errors[1] < 2.8


def test_quotas_stay_within_their_bounds():
    """From reference quotas and in light: chlorophyll and nutrients per carbon stay bounded.

    Where a group starves, respiration takes carbon and leaves chlorophyll, whose share then passes
    the greatest of new cells: it is bright here.
    """
    random = np.random.default_rng(8)
    start = np.array(list(tracers.homogeneous_start().values()))[:, None]
    state = start * np.exp(random.normal(0.0, 1.0, (1, 200)))
    around = tuple(random.uniform(*ends, 200) for ends in ((5.0, 20.0), (100.0, 400.0), (1.0, 5.0)))
    for _ in range(5):
        state, _, _ = advanced(state, around, 1800.0, 48)
        for group in tracers.phytoplankton:
            options = getattr(BfmOptions(), group)
            carbon = state[index[group + "c"]]
            ratio = {one: state[index[group + one]] / carbon for one in "npl"}
            assert ratio["l"].max() <= 1.15 * options.most_chlorophyll
            assert ratio["l"].min() >= 1e-3
            assert ratio["n"].max() <= 2.05 * options.reference_nitrogen
            assert ratio["p"].max() <= 2.05 * options.reference_phosphorus


def test_what_single_precision_loses_of_carbon():
    """A change of 0.0005 mg m-3 in a step is lost beside 27060; that of ammonium is not."""
    state = np.array(list(tracers.homogeneous_start().values()))[:, None]
    deep = tuple(np.array([x]) for x in (13.0, 0.0, 5.0))
    gain, loss = rates(0.02 * state, deep)
    net = (gain - loss)[[index["O3c"], index["N4n"]], 0]
    dt = 5e-4 / net[0]
    begin = 0.02 * state
    begin[index["O3c"]] = 27060.0
    after, _, _ = advanced(begin.astype(np.float32), deep, dt, dtype=np.float32)
    wide, _, _ = advanced(begin, deep, dt)
    assert after[index["O3c"], 0] == np.float32(27060.0)
    assert wide[index["O3c"], 0] - 27060.0 == pytest.approx(5e-4, rel=1e-3)
    assert after[index["N4n"], 0] == pytest.approx(wide[index["N4n"], 0], rel=1e-6)
    assert after[index["N4n"], 0] != np.float32(begin[index["N4n"], 0])


def test_land_is_left_alone():
    state, around = random_states(np.random.default_rng(9), 19)
    volume = (np.arange(19) % 3 > 0).astype(float).reshape(1, 1, 19)
    tracer = state.reshape(len(names), 1, 1, 19).copy()
    tracer[..., volume[0, 0] == 0] = np.nan
    shown = np.full((3, 1, 1, 19), 7.0)
    _native.bfm_react(
        box=(0, 1, 0, 19, 0),
        tracer=tracer,
        volume=volume,
        temperature=around[0].reshape(1, 1, 19),
        light=around[1].reshape(1, 1, 19),
        calcite_saturation=around[2].reshape(1, 1, 19),
        gross_production=shown[0],
        primary_production=shown[1],
        bacterial_production=shown[2],
        cut_cells=np.zeros(2, np.int64),
        numbers=BfmOptions().native(),
        dt=1800.0,
    )
    whole, _, _ = advanced(state, around, 1800.0)
    wet = volume[0, 0] > 0
    assert np.array_equal(tracer[:, 0, 0, wet], whole[:, wet])
    assert np.isnan(tracer[:, 0, 0, ~wet]).all()
    assert (shown[..., ~wet] == 0.0).all()
