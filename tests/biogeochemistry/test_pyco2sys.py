"""The carbonate system as PyCO2SYS finds it on 10,000 states. Ranks: 1.

It is told two of our choices: the constant of fluoride (that of Perez and Fraga 1987 is on the
total scale, as in the guide to best practices; PyCO2SYS takes it as one on the free scale) and
total boron (of Uppstrom 1974 it has 4.157e-4 mol kg-1 at salinity 35, the guide and we
4.16e-4). All others are the same. What the two choices do to pH is stated in the second test.
"""

import numpy as np
import PyCO2SYS as pyco2

from biogeochemistry.test_carbonate import constants, sea, states

count = 10_000
chosen = {
    "opt_pH_scale": 1, "opt_k_carbonic": 10, "opt_k_bisulfate": 1, "opt_total_borate": 1,
    "opt_k_fluoride": 2, "opt_gas_constant": 2,
}  # fmt: skip
"""Total scale; Lueker et al., Dickson, Uppstrom, Perez and Fraga, the gas constant of the guide."""
same_name = {
    "K1": "k_carbonic_1", "K2": "k_carbonic_2", "KB": "k_borate", "KW": "k_water",
    "KP1": "k_phosphoric_1", "KP2": "k_phosphoric_2", "KP3": "k_phosphoric_3",
    "KSi": "k_silicate", "calcite": "k_calcite", "aragonite": "k_aragonite",
}  # fmt: skip


def judged(water, totals, **more):
    """What PyCO2SYS finds of totals in mol kg-1 and pressure in dbar."""
    return pyco2.sys(
        *(1e6 * totals[[1, 0]]), 1, 2, temperature=water[0], salinity=water[1], pressure=water[2],
        total_phosphate=1e6 * totals[2], total_silicate=1e6 * totals[3], **chosen, **more,
    )  # fmt: skip


def test_ten_thousand_states():
    water, totals = sea(np.random.default_rng(7), count)
    k = constants(*water)
    theirs = judged(water, totals, k_fluoride=k["KF"] / k["bound"], total_borate=1e6 * k["boron"])
    for ours, name in same_name.items():
        np.testing.assert_allclose(k[ours], theirs[name], rtol=1e-11, err_msg=name)
    found = states(water, totals)
    np.testing.assert_allclose(found[0], theirs["pH"], atol=1e-7)
    species = ["CO2", "HCO3", "CO3", "saturation_calcite", "saturation_aragonite"]
    for row, name in enumerate(species, start=1):
        factor = 1 if "saturation" in name else 1e6
        np.testing.assert_allclose(factor * found[row], theirs[name], rtol=3e-7, err_msg=name)


def test_what_fluoride_and_boron_change():
    """Less than 4e-4 of pH in the Mediterranean."""
    random = np.random.default_rng(8)
    water = random.uniform([[13], [36], [0]], [[28], [39.5], [4000]], (3, 1000))
    totals = 1e-6 * random.uniform(
        [[2050], [2380], [0], [0]], [[2350], [2650], [0.5], [10]], (4, 1000)
    )
    totals[1] = np.maximum(totals[1], 1.08 * totals[0])
    shift = states(water, totals)[0] - judged(water, totals)["pH"]
    assert 1e-5 < np.abs(shift).max() < 4e-4
