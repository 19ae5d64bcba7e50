"""The report of a record: its command, its terminal form, its numbers for programs."""

import argparse
import json

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.experiment.run_log import machine_facts
from halocline.runtime.record.run_record import Region, RunRecord, empty
from halocline.runtime.record.run_record_file import record_name, write_record
from halocline_lab.diagnosis import roof_here
from halocline_lab.diagnosis.roofline import Machine
from halocline_lab.reporting import report
from halocline_lab.reporting.report_counters import kernel_counters
from halocline_lab.reporting.report_page import page
from halocline_lab.reporting.report_text import full_text, short_text
from halocline_lab.reporting.report_words import pattern_of_steps, verdict
from records.made import made_record


def command(*words):
    parser = argparse.ArgumentParser()
    report.add_arguments(parser)
    return report.main(parser.parse_args([str(word) for word in words]))


@pytest.fixture(autouse=True)
def usual_width(monkeypatch):
    """Wherever the tests run."""
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture(scope="module")
def made():
    return made_record(4, 5)


def test_a_page_lies_beside_the_record_and_the_terminal_says_what_is_lost(made, tmp_path, capsys):
    write_record(tmp_path / record_name, made)
    assert command(tmp_path) == 0
    said = capsys.readouterr().out
    assert "made-up-sea" in said and "are lost" in said and "rank 3 computes longest" in said
    assert str(tmp_path / "report.html") in said
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_text_alone_makes_no_page(made, tmp_path, capsys):
    write_record(tmp_path / "one.nc", made)
    command(tmp_path / "one.nc", "--text")
    said = capsys.readouterr().out
    for word in ("Phases", "barotropic solver", "Efficiencies", "MPI_Allreduce", "CPMIP", "busy"):
        assert word in said
    assert not list(tmp_path.glob("*.html"))


def test_tables_fit_the_terminal():
    record = made_record(4, 5)
    long = (
        "advection_of_everything_everywhere.f90:1234 in the_module_of_advection::advect_all_of_it"
    )
    record.regions = [Region(one.name, one.kind, long) for one in record.regions]
    shown = report.report_of(record)
    text = full_text(shown)
    table = text[text.index("Calls of MPI") :].split("\n\n")[0].splitlines()
    assert len(table) > 5 and max(map(len, table)) <= 100
    words = "".join(line[15:65].strip() for line in table)
    assert "advect_all_of_it" in words.replace(" ", "")


def test_json_has_all_numbers_with_their_keys(made, tmp_path):
    write_record(tmp_path / "one.nc", made)
    command(tmp_path / "one.nc", "--json", tmp_path / "one.json", "--page", tmp_path / "p.html")
    numbers = json.loads((tmp_path / "one.json").read_text())
    assert numbers["size"] == 4 and numbers["steps"] == 5
    assert set(numbers["keys"]) >= {"", "phases[]", "messages.matrix", "efficiency.parallel"}
    assert all(numbers["keys"].values())
    states = numbers["states"]
    assert states["busy_share"] + states["overhead_share"] + states["idle_share"] == pytest.approx(
        1
    )


def test_another_record_gives_scalability_coefficients(made, tmp_path, capsys):
    write_record(tmp_path / "four.nc", made)
    write_record(tmp_path / "two.nc", made_record(2, 5))
    command(tmp_path / "four.nc", "--text", "--against", tmp_path / "two.nc")
    said = capsys.readouterr().out
    assert "t2/t4" in said and "t4/t2" in said
    command(tmp_path / "four.nc", "--against", tmp_path / "two.nc")
    assert ">t2/t4</th>" in (tmp_path / "four.html").read_text(encoding="utf-8")


def test_a_region_can_be_given_a_state(made):
    plain = report.report_of(made).analysis.states
    found = report.report_of(made, assigned={"MPI_Allreduce": "idle"}).analysis.states
    assert sum(found.idle) > sum(plain.idle)
    with pytest.raises(UserError, match=r"put_\*=idle"):
        report.assignments(["MPI_Put"])


def test_the_roof_of_this_machine_is_measured_once(monkeypatch, tmp_path):
    """Only for records made here, and kept; a spoilt file is made anew."""
    record, measured = made_record(2, 2), []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        roof_here,
        "measure_machine",
        lambda threads: measured.append(threads) or Machine(1e10, 2e10, ""),
    )
    record.work = empty("work", 1)
    assert roof_here.roof_here(record) is None and not measured
    record.about["machine"] = machine_facts()
    for _ in range(2):
        assert roof_here.roof_here(record).bandwidth == 1e10
    assert len(measured) == 1
    (tmp_path / "halocline" / "roofs.json").write_text("{")
    assert roof_here.roof_here(record).operations == 2e10 and len(measured) == 2
    record.about["precision"] = "float32"
    assert roof_here.roof_here(record).operations == 4e10 and len(measured) == 2
    record.about["machine"]["host"] = "elsewhere"
    assert roof_here.roof_here(record) is None
    assert roof_here.roof_here(record, again=True) is not None and len(measured) == 3


def test_user_mistakes_are_said(tmp_path):
    with pytest.raises(UserError, match="There is no record"):
        command(tmp_path / "none.nc")
    write_record(tmp_path / "empty.nc", RunRecord({}, []))
    with pytest.raises(UserError, match="holds no ranks"):
        command(tmp_path / "empty.nc")


def test_what_is_lost_adds_up(made):
    shown = report.report_of(made)
    words = verdict(shown)
    shares = [float(part.split()[-1]) for part in words.split(" %")[:-1]]
    computing, lost, *parts = shares
    assert computing + lost == pytest.approx(100, abs=0.11)
    assert sum(parts) == pytest.approx(lost, abs=1.0)


def test_steps_that_differ_are_named(made):
    made = made_record(4, 5)
    assert "step 2" in pattern_of_steps(made)  # which writes output
    made.steps["signature"] = 7
    assert "same pattern" in pattern_of_steps(made)
    made.steps["signature"][made.steps["step"] == 3] = 8
    assert "80.0 %" in pattern_of_steps(made) and "step 3" in pattern_of_steps(made)


def test_phases_stand_below_those_that_they_lie_in(made):
    rows = [row for row in report.report_of(made).analysis.phases if row.period == "steady"]
    names = [row.name for row in rows]
    assert names[:2] == ["steady", "step"]
    assert [row.depth for row in rows if row.name == "tracers"] == [2]
    inner = {"baroclinic", "tracers", "barotropic solver", "output fields"}
    assert set(names[2:]) == inner


def test_counters_become_rates_and_ratios():
    record = made_record(2, 3)
    record.about["counters"] = ["D1 loads", "D1 misses"]
    kernel = [region.name for region in record.regions].index("advection")
    record.counters = empty("counters", 4)
    record.counters["region"] = kernel
    record.counters["rank"], record.counters["counter"] = [0, 0, 1, 1], [0, 1, 0, 1]
    record.counters["value"] = [600.0, 100.0, 400.0, 150.0]
    (found,) = kernel_counters(record)
    mine = record.statistics[record.statistics["region"] == kernel]
    assert found.name == "advection" and found.ratios == {"D1 hit ratio": 0.75}
    assert found.rates["D1 loads"] == pytest.approx(1000.0 / mine["own_seconds"].sum())
    shown = report.report_of(record)
    assert "D1 hit ratio" in full_text(shown) and "<td>advection</td>" in page(shown)


def test_a_record_of_little_is_reported_too():
    record = made_record(2, 3)
    record.about.clear()
    for name in ("events", "spans", "messages", "steps", "work"):
        table = getattr(record, name)
        setattr(record, name, table[:0])
    shown = report.report_of(record)
    assert "2 ranks" in short_text(shown)
    assert "Events were kept of 0 %" in full_text(shown)
    assert np.isfinite(shown.analysis.efficiency.seconds)
