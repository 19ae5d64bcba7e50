"""Planted faults as programs: what runs of them tell, and that they do what they say.

The programs that are timed run with `--all` only.
"""

import json

import pytest

from halocline.core.errors import UserError
from halocline_lab.diagnosis import faults
from halocline_lab.diagnosis.findings import faults as all_faults
from records.simulated_faults import planted


def judged(fault):
    """A trial of a simulated fault, whose two runs are alike."""
    one = planted[fault]()
    return faults.judged(fault, [one.runs()[0]] * 2, [one.mended_run().record()] * 2)


@pytest.mark.parametrize("fault", sorted(set(planted) - {"input by every rank"}))
def test_simulated_faults_are_judged(fault):
    found = judged(fault)
    assert found.named == found.healthy == found.runs == 2
    assert found.verdict == "holds" and found.passed
    assert "named first 2 of 2, not when mended 2 of 2" in faults.line(found)


def test_a_wrong_gain_does_not_hold():
    one = planted["slow rank"]()
    broken = [one.runs()[0]] * 6
    found = faults.judged("slow rank", broken, broken)
    assert found.measured.value == 0.0
    assert found.verdict == "does not hold" and not found.passed
    assert found.healthy == 0


def test_few_runs_cannot_tell():
    one = planted["slow rank"]()
    broken = [one.runs()[0]] * 2
    assert faults.judged("slow rank", broken, broken).verdict == "cannot tell"


def test_unknown_faults_are_refused():
    class Options:
        faults, repeat, json = ["gremlins"], 1, None

    with pytest.raises(UserError, match="no fault 'gremlins'"):
        faults.main(Options())


def test_every_fault_has_a_program():
    import importlib

    for fault in all_faults:
        module = importlib.import_module(faults.program_of(fault))
        assert callable(module.main)


@pytest.mark.slow
@pytest.mark.parametrize("fault", all_faults)
def test_programs_with_faults(fault, tmp_path):
    """Named first, and not when mended; where a busy machine hides it, in some runs at least."""

    class Options:
        faults, repeat, json = [fault], 3, str(tmp_path / "trials.json")

    code = faults.main(Options())
    trial = json.loads((tmp_path / "trials.json").read_text())[0]
    assert trial["fault"] == fault and trial["runs"] == 3
    assert trial["named"] >= 1 and trial["verdict"] != "does not hold"
    assert code == 0 or trial["named"] == 1
