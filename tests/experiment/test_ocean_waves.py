"""The shipped case of an ocean with waves: both ways, and the same bits however it is run.

Ranks: 1 and 3, started here.
"""

from pathlib import Path

import numpy as np

from halocline.core.constants import air_density
from halocline.experiment.run import run
from invariance.printed_bits import printed_bits
from invariance.small_ocean_waves import settings


def test_ranks_and_restarts(tmp_path: Path):
    """Side by side on three ranks, broken off after each interval, as alone on one."""
    alone = printed_bits("small_ocean_waves.py", 1, 1, lines=2)
    assert len(alone) == 2
    assert printed_bits("small_ocean_waves.py", 3, 1, 2, str(tmp_path)) == alone


def test_each_has_what_the_other_gave():
    """Without waves' part of the stress, their drift, or the currents the state is another one."""
    done = run("ocean-waves", settings=settings)
    waves, ocean = done.components["waves"], done.components["ocean"]
    s, density = ocean.model.state, ocean.model.forcing.density
    assert {*ocean.expected} >= {"stokes_drift_u", "stress_from_waves_north", "wind_stress_east"}
    star = waves.model.friction_velocity.gather()
    most = air_density * star.max() ** 2
    stress = density * np.hypot(s.stress_x.gather(), s.stress_y.gather())
    assert 0.7 * most < stress.max() < 1.1 * most
    change = density * np.hypot(s.wave_stress_x.gather(), s.wave_stress_y.gather())
    assert 0.005 * most < change.max() < 0.2 * most
    drift = np.hypot(s.drift_u.gather(), s.drift_v.gather()).max()
    given = waves.diagnose(["stokes_drift_u", "stokes_drift_v"], None)
    assert 0.7 < drift / np.hypot(*(some.gather() for some in given.values())).max() < 1.001
    currents = waves.diagnose(["current_u", "current_v"], None)
    felt = np.hypot(*(some.gather() for some in currents.values())).max()
    there = np.hypot(s.u.gather()[-1], s.v.gather()[-1]).max()
    assert 0.02 < there and 0.3 < felt / there < 1.1  # that of an interval before
