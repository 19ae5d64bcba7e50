"""`halocline lab coupler`: four exchanges between two lengths of runs. Ranks: 2, started here."""

import argparse
import json

import pytest

from halocline.core.errors import UserError
from halocline.experiment.exchange_report import parts
from halocline_lab.benchmarks import coupler


def answer(steps, each, sent):
    """A run whose parts and steps take `each` seconds for an exchange or a step."""
    spent = dict.fromkeys(parts, 0.0) | {"send": each * (steps // 5 + 1), "step": 0.1 * steps}
    return {
        "members": {"air": spent, "ocean": spent | {"remap": 2.0 * each * (steps // 5 + 1)}},
        "bytes": {"stress": sent * (steps // 5 + 1), "temperature": 7 * (steps // 5 + 1)},
    }


def test_what_begins_both_runs_is_not_counted():
    """Six exchanges less two are four, twenty-five steps less five are twenty; medians."""
    short = [answer(5, each, 1000) for each in (0.5, 0.25, 9.0)]
    long = [answer(25, each, 1000) for each in (0.5, 0.25, 9.0)]
    row = coupler.between("serial", short, long)
    assert row["members"]["air"]["send"] == pytest.approx(4 * 0.5)
    assert row["members"]["air"]["step"] == pytest.approx(2.0)
    assert coupler.communication(row["members"]["ocean"]) == pytest.approx(4 * 1.5)
    assert row["bytes"] == {"stress": 4000, "temperature": 28}


def test_the_paper_sent_eight_bytes_for_each_point():
    """13.3 Mbit, from which the paper's 60 Mbit/s follow."""
    assert 8e-6 * coupler.sent_by_mct == pytest.approx(13.3, abs=0.05)


def test_both_paths_on_two_ranks(tmp_path, capsys):
    path = tmp_path / "found.json"
    parser = argparse.ArgumentParser()
    coupler.add_arguments(parser)
    words = ["--quick", "--rounds", "1", "--json", str(path)]
    assert coupler.main(parser.parse_args(words)) == 0
    found = json.loads(path.read_text())
    serial, parallel = found["rows"]
    for row in (serial, parallel):
        # 50 x 50 points of the sea want stress of cells around them, 2 x 4 bytes, 4 times.
        assert 0 < row["bytes"]["stress"] <= 4 * 8 * 40 * 40
        assert row["members"]["air"]["step"] > 0.0
    assert serial["bytes"] == parallel["bytes"]
    # A difference of two short runs may have either sign; what is not measured is 0.
    assert serial["members"]["air"]["gather"] != 0.0 == parallel["members"]["air"]["gather"]
    assert "small grids: nothing of the paper's" in capsys.readouterr().out


def test_ranks_that_are_none_are_refused():
    with pytest.raises(UserError, match=r"--on '6,2' is no ranks"):
        coupler.ranks_of("6,2")
