"""All ways to cut a case are rated, give the same bits, and a tie goes to the simplest."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from halocline.component.case.case import Case
from halocline.component.case.reading import make_case
from halocline.core.errors import UserError
from halocline.experiment import advice
from halocline.experiment.advice import Advice, Candidate, Rating, Steps
from halocline.experiment.run import run
from halocline.runtime.fields.processor_grid import factorisations
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.running.contest import Score, Standing

WAVES = {
    "grid": {"nx": 18, "ny": 14, "x0": -8.5, "y0": 20.5, "depth": 300.0},
    "spectrum": {"frequencies": 6, "factor": 1.3, "directions": 12},
    "time": {"length": "3h", "step": "1h"},
    "forcing": {"wind": {"speed": 15.0, "direction": 240.0}},
    "start": {"kind": "jonswap"},
}
TRACERS = {
    "component": "transport",
    "grid": {
        "nx": 16,
        "ny": 12,
        "x0": -7.5,
        "y0": -5.5,
        "depth": 300.0,
        "closed_edges": False,
        "levels": {"thickness": [50.0, 100.0]},
    },
    "time": {"length": "3h", "step": "1h"},
    "transport": {
        "tracers": ["bell", "constant"],
        "start_offset": 2.0,
        "rotation": {"radius": 4.0, "rim": 1.0, "period": 2.0},
    },
}


def fingerprint(case: Case) -> str:
    """Hash of the state after three steps."""
    steps = Steps(case, Alone())
    for _ in range(3):
        steps()
    assert steps.component is not None
    total = hashlib.sha256()
    for field in steps.component.restart_fields():
        values = field.gather()
        assert np.isfinite(values).all()
        total.update(np.ascontiguousarray(values).tobytes())
    return total.hexdigest()


@pytest.mark.parametrize("table", [WAVES, TRACERS])
def test_all_candidates_give_the_same_bits(table):
    case = make_case(table)
    rated = advice.rate_all(case, case.build_grid(), 1, 1, 1)
    possible = [rating.candidate for rating in rated if not rating.problem]
    assert {one.kind for one in possible} >= {"blocks", "curve"}
    assert len({fingerprint(one.apply(case)) for one in possible}) == 1
    assert len(possible) >= 14


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6])
def test_every_factorisation_is_rated(ranks):
    case = make_case(WAVES)
    rated = advice.rate_all(case, case.build_grid(), ranks, 1, 4)
    grids = [(r.candidate.rows, r.candidate.columns) for r in rated if r.candidate.kind == "blocks"]
    expected = [cut for n in (1, 2, 4, 8) for cut in factorisations(n * ranks)]
    assert sorted(grids) == sorted(expected)
    assert sum(r.candidate.by_rule and r.candidate.kind == "blocks" for r in rated) == 4
    for rating in rated:
        if rating.problem:
            assert "Cannot cut" in rating.problem
        else:
            assert rating.seconds > 0
            assert rating.balance >= 1.0 - 1e-12
            assert (rating.messages > 0) == (rating.bytes > 0) == (ranks > 1)
    assert {r.candidate.kind for r in rated} == {"blocks", "curve", "cards"}


def test_candidates_say_which_options_make_them():
    case = make_case({**WAVES, "decomposition": {"blocks_per_rank": 4, "tiles": "auto"}})
    simple = Candidate("blocks", 1, 1, 2)
    assert simple.settings(case) == {
        "decomposition.blocks_per_rank": 1,
        "decomposition.tiles": "given",
    }
    assert simple.settings(simple.apply(case)) == {}
    tall = Candidate("blocks", 4, 8, 1, by_rule=False)
    assert tall.settings(case)["decomposition.rows"] == 8
    assert tall.apply(case).decomposition.rows == 8
    tracers = make_case(TRACERS)
    small = Candidate("blocks", 1, 1, 1, tile=320)
    assert small.settings(tracers) == {"transport.tile_bytes": 320}
    assert small.apply(tracers).transport.tile_bytes == 320


def standing(ratios: dict[int, tuple[float, float]], rounds: int) -> Standing:
    """How a contest ended: median and least ratio of each."""
    scores = {at: Score(0.1 * r, r, low, r, rounds) for at, (r, low) in ratios.items()}
    winner = min(ratios, key=lambda at: ratios[at][0])
    return Standing(winner, (winner,), scores, rounds, 1.0)


@pytest.mark.parametrize(
    "rounds, ratio, low, tie",
    [
        (0, 9.0, 9.0, False),
        (1, 1.4, 1.4, True),
        (1, 1.6, 1.6, False),
        (4, 1.1, 1.07, True),
        (4, 1.3, 1.2, False),
        (10, 1.03, 0.99, True),
        (10, 1.03, 1.01, False),
        (10, 1.07, 0.99, False),
    ],
)
def test_the_simplest_of_a_tie_is_taken_and_called_so(monkeypatch, rounds, ratio, low, tie):
    case = make_case(WAVES)
    many, one = Candidate("blocks", 8, 2, 4), Candidate("blocks", 1, 1, 1)
    ended = standing({0: (1.0, 1.0), 1: (ratio, low)}, rounds)
    monkeypatch.setattr(advice, "contest", lambda *given: ended)
    found = advice.measure(case, [Rating(many, 0.1), Rating(one, 0.2)], Alone(), 1.0)
    assert found.best == (one if tie else many)
    assert ("the simplest of 2 that " in found.words) == tie
    assert (f"{rounds} round{'s' * (rounds != 1)} cannot tell apart" in found.words) == tie
    assert "2 measured of 2" in found.words


def test_no_more_are_measured_than_memory_holds(monkeypatch):
    case = make_case(WAVES)
    rated = advice.rate_all(case, case.build_grid(), 1, 1, 1)
    taken = []

    def contest(communicator, trials, budget):
        taken.extend(trials)
        return standing({0: (1.0, 1.0)}, 1)

    monkeypatch.setattr(advice, "contest", contest)
    monkeypatch.setattr(advice, "_room", lambda *given: 3)
    found = advice.measure(case, rated, Alone(), 1.0)
    assert len(taken) == 3
    assert isinstance(found, Advice) and len(found.rated) == len(rated)


def test_automatic_tiles_are_measured_at_the_start_and_change_no_bit(tmp_path: Path):
    plain = run(make_case(WAVES))
    case = make_case({**WAVES, "decomposition": {"tiles": "auto"}})
    found = run(case, output=tmp_path)
    log = (tmp_path / "halocline.log").read_text()
    (line,) = [line for line in log.splitlines() if "  cut: " in line]
    assert "ms per step" in line and " measured of " in line
    assert 'tiles = "given"' in log
    assert np.array_equal(
        found.component.model.spectrum.gather(), plain.component.model.spectrum.gather()
    )


def test_rows_that_do_not_divide_are_refused():
    case = make_case({**WAVES, "decomposition": {"rows": 3, "blocks_per_rank": 4}})
    with pytest.raises(UserError, match=r"rows = 3 does not divide 4 blocks .* Use one of 1, 2, 4"):
        run(case)
    fine = replace(case, decomposition=replace(case.decomposition, rows=4))
    world = Steps(fine, Alone())
    world()
    rectangles = world.component.run.decomposition.world.rectangles
    assert len({r.j0 for r in rectangles}) == 4 and len({r.i0 for r in rectangles}) == 1
