"""The records of two sites as one: made by hand, with clocks that are apart by a known time."""

import argparse

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import Region, RunRecord, empty, periods
from halocline.runtime.record.run_record_file import write_record
from halocline_lab.diagnosis.accounting import account, useful_seconds
from halocline_lab.diagnosis.matching import match
from halocline_lab.diagnosis.phases import waits_for_a_member
from halocline_lab.diagnosis.states import states, states_of_regions
from halocline_lab.diagnosis.timeline import timeline
from halocline_lab.reporting import report
from halocline_lab.reporting.both_sites import both_sites
from halocline_lab.reporting.report_words import verdict

second = 1_000_000_000


def record(name, other, zero, clock, member, partner):
    """Two ranks for 10 s; an event of each at 2 s, with a region of its member."""
    made = RunRecord(
        {
            "site": {"name": name, "other": other, "zero": zero, "clock": clock,
                     "uncertainty": 0.004},
            "hosts": ["node"], "roles": ["model"], "cores": [2], "counters": ["cycles"],
            "communicators": {"0": [0, 1], "1": [0]}, "points": 10, "loop_seconds": 9.0,
            "points_of_ranks": [5, 5], "notes": [f"of {name}"], "title": "both",
            "members": {member: {"component": member, "ranks": [0, 1]}},
        },
        [Region("step", "phase"), Region(f"{member}: send", "send")],
    )  # fmt: skip
    for table, columns in {
        "ranks": {"rank": [0, 1], "end": 10 * second, "steady_end": 10 * second},
        "events": {"rank": [0, 1], "begin": 2 * second, "end": 3 * second, "region": 1,
                   "partner": [partner, -1], "communicator": 1},
        "messages": {"rank": [0, 1], "partner": [1, 0], "region": 1},
        "counters": {"rank": [0, 1], "region": 1, "counter": 0, "value": 7.0},
    }.items():  # fmt: skip
        rows = empty(table, 2)
        for column, values in columns.items():
            rows[column] = values
        setattr(made, table, rows)
    return made


@pytest.fixture
def pair():
    """West began 3 s after east; its clock is 100 s ahead at east's start, 102 s at the end.

    In the middle of the run that is 101 s: on east's clock west began at 1003 + 101 - 101 s.
    """
    ahead, behind = [[1104, 100], [1114, 102]], [[1000, -100], [1010, -102]]
    east, west = (
        record(name, other, zero * second, [[at * second, by * second] for at, by in clock], own, 1)
        for name, other, zero, clock, own in (
            ("east", "west", 1000, behind, "air"),
            ("west", "east", 1104, ahead, "sea"),
        )
    )
    return east, west


def test_all_ranks_are_on_one_time_axis(pair):
    found = both_sites(*pair, ("east", "west"))
    assert found.size == 4 and found.ranks["rank"].tolist() == [0, 1, 2, 3]
    assert found.ranks["begin"].tolist() == [0, 0, 3 * second, 3 * second]
    assert found.events["begin"].tolist() == [2 * second] * 2 + [5 * second] * 2
    assert found.seconds == pytest.approx(13.0)
    # The other way round the first to begin is still at zero.
    turned = both_sites(pair[1], pair[0], ("west", "east"))
    assert turned.ranks["begin"].tolist() == [3 * second, 3 * second, 0, 0]


def test_numbers_are_those_of_both(pair):
    found = both_sites(*pair, ("east", "west"))
    assert [region.name for region in found.regions] == ["step", "air: send", "sea: send"]
    assert found.events["region"].tolist() == [1, 1, 2, 2]
    assert found.events["partner"].tolist() == [1, -1, 3, -1]
    assert found.messages["partner"].tolist() == [1, 0, 3, 2]
    assert found.events["communicator"].tolist() == [1, 1, 3, 3]
    assert found.counters["counter"].tolist() == [0, 0, 1, 1]
    about = found.about
    assert about["communicators"] == {"0": [0, 1], "1": [0], "2": [2, 3], "3": [2]}
    assert about["hosts"] == ["node at east", "node at west"]
    assert found.ranks["host"].tolist() == [0, 0, 1, 1]
    assert about["points"] == 20 and about["loop_seconds"] == 9.0
    assert {name: some["ranks"] for name, some in about["members"].items()} == {
        "air": [0, 1], "sea": [2, 3]
    }  # fmt: skip
    assert about["notes"][0].endswith("to 4 ms.") and about["notes"][1:] == ["of east", "of west"]
    # What was given is as it was.
    assert pair[1].events["rank"].tolist() == [0, 1] and pair[1].about["points"] == 10


def test_records_of_other_runs_are_refused(pair):
    east, west = pair
    with pytest.raises(UserError, match="not the two sites of one run"):
        both_sites(east, east, ("a", "b"))
    later = record("west", "east", 9000 * second, [[0, 0]], "sea", 1)
    with pytest.raises(UserError, match="of two runs"):
        both_sites(east, later, ("a", "b"))
    del west.about["site"]
    with pytest.raises(UserError, match="'b' is not of one of two sites"):
        both_sites(east, west, ("a", "b"))


def test_the_report_shows_both(pair, tmp_path, capsys):
    for name, some in zip(("east", "west"), pair, strict=True):
        (tmp_path / name).mkdir()
        write_record(tmp_path / name / "halocline.record", some)
    for name, minute, words in (("east", 2, "a cut <mended>"), ("west", 1, "output is slow")):
        log = f"== machine ==\nhost {name}\n\n2026-11-28 10:0{minute}:00Z  {words}\n"
        (tmp_path / name / "halocline.log").write_text(log)
    parser = argparse.ArgumentParser()
    report.add_arguments(parser)
    paths = [str(tmp_path / name) for name in ("east", "west")]
    assert report.main(parser.parse_args(paths)) == 0
    told = capsys.readouterr().out
    assert "4 ranks" in told and "east/sites.html" in told
    page = (tmp_path / "east" / "sites.html").read_text()
    assert "Two sites, east and west" in page
    rows = [
        f"<td>2026-11-28 10:0{minute}:00</td><td>{name}"
        for minute, name in ((1, "west"), (2, "east"))
    ]
    assert 0 < page.index(rows[0]) < page.index(rows[1])
    assert "a cut &lt;mended&gt;" in page and "host west" not in page
    assert report.main(parser.parse_args([*paths, "--text"])) == 0
    assert "10:01:00  west  output is slow" in capsys.readouterr().out
    (tmp_path / "west" / "halocline.log").unlink()
    assert report.main(parser.parse_args(paths)) == 0
    assert "output is slow" not in (tmp_path / "east" / "sites.html").read_text()
    with pytest.raises(UserError, match="got 3"):
        report.main(parser.parse_args([*paths, paths[0]]))


def test_numbers_of_the_tables_are_as_they_were(pair):
    found = both_sites(*pair, ("east", "west"))
    for name in ("ranks", "events", "messages", "counters"):
        assert getattr(found, name).dtype == empty(name).dtype
    assert np.all(np.diff(found.events["rank"].astype(int)) >= 0)


def test_waiting_for_the_link_is_idle(pair):
    east, _ = pair
    east.regions[1] = Region("air: exchange temperature: wait", "phase")
    found = states_of_regions(timeline(east), {waits_for_a_member: "idle"})
    assert [states[one] for one in found[:2]] == ["busy", "idle"]


def test_waiting_for_the_link_is_no_lack_of_a_processor(pair):
    """One rank computes for 8 s of 10, the other for 1 s while it waits for 8."""
    east, _ = pair
    east.regions[1] = Region("air: exchange temperature: wait", "phase")
    rows = empty("statistics", 2)
    rows["rank"], rows["region"], rows["calls"] = [0, 1], [0, 1], 1
    rows["period"], rows["own_seconds"] = periods.index("steady"), 8.0
    east.statistics = rows
    east.ranks["steady_processor_seconds"] = [8.0, 1.0]
    found = account(match(timeline(east)))
    assert found.computing == pytest.approx([8.0, 1.0])
    assert found.waiting == pytest.approx([0.0, 8.0])
    assert found.lacking == pytest.approx([2.0, 1.0])
    assert useful_seconds(east) == pytest.approx([8.0, 1.0])
    assert "40.0 % waiting for values of another member" in verdict(report.report_of(east))
