"""Golden numbers of the papers: what follows from their other numbers, and what is flagged."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from halocline.experiment.command_line import main
from halocline_lab.acceptance import golden_cheptsov, golden_govett, golden_porter
from halocline_lab.acceptance.golden import Section, Value, text
from halocline_lab.acceptance.golden_cheptsov import (
    coefficients,
    initialisation,
    loop,
    real_case,
    storage,
    table_1,
    table_3_few,
    table_3_more,
    table_4,
)
from halocline_lab.acceptance.golden_tolman_sections import (
    output_costs,
    output_section,
    scaling_section,
)
from halocline_lab.acceptance.papers import sections
from halocline_lab.acceptance.phase_table import (
    Phase,
    PhaseTable,
    check,
    check_scalability,
    scalability,
    scalability_text,
)
from halocline_lab.acceptance.phase_table import text as phase_text
from halocline_lab.statistics.paired import negative_words, verdict


def named(section, words):
    found = [value for value in section.values if words in value.name]
    assert len(found) == 1, words
    return found[0]


def test_table_41_and_the_operational_run():
    section = scaling_section()
    assert len([v for v in section.values if v.item == "table 4.1"]) == 30
    assert all(abs(v.difference) <= 0.001 for v in section.values if v.item == "table 4.1")
    assert not section.flags
    assert named(section, "on 12 processes").recomputed == pytest.approx(20.3, abs=0.05)
    assert named(section, "on 8 processes").recomputed == pytest.approx(21.4, abs=0.05)


@pytest.mark.parametrize(
    ("table", "outputs", "words"),
    [
        ("separate", "points", "cannot tell (-0.60 s, -1.3 to 0.13)"),
        ("separate", "boundary", "cannot tell (-0.10 s, -0.85 to 0.65)"),
        ("separate", "restart", "costs 2.7 s (1.9 to 3.5)"),
        ("separate", "fields", "costs 1.8 s (0.97 to 2.6)"),
        ("separate", "all", "costs 5.8 s (4.9 to 6.7)"),
        ("first", "points with boundary", "cannot tell (0.10 s, -0.85 to 1.0)"),
        ("first", "all", "costs 6.6 s (5.8 to 7.4)"),
    ],
)
def test_outputs_of_99_runs(table, outputs, words):
    assert verdict(output_costs(table)[outputs]) == words


def test_negative_costs_are_flagged_and_nothing_else_is():
    costs = output_costs("separate") | {f"{n}, first": c for n, c in output_costs("first").items()}
    negative = {name for name, found in costs.items() if negative_words(found)}
    assert negative == {
        "points", "boundary", "points with boundary", "points, first", "boundary, first",
    }  # fmt: skip
    assert negative_words(costs["points"]) == "negative: noise"
    assert negative_words(costs["points with boundary"]).startswith("negative beyond noise")
    assert sum("negative" in words for words in output_section().remarks) == 5


def test_network_and_what_if():
    section = golden_govett.section()
    assert golden_govett.bits() == pytest.approx(13.27e6, abs=1e4)
    assert named(section, "bandwidth").recomputed == pytest.approx(60.3, abs=0.05)
    assert named(section, "WRF on 64").recomputed == pytest.approx(11.7, abs=0.05)
    assert named(section, "ROMS on 8").recomputed == pytest.approx(13.0, abs=0.05)
    assert not section.flags


def test_history_of_a_model_hour():
    section = golden_porter.section()
    assert named(section, "a model hour, without").recomputed == pytest.approx(428.0)
    assert named(section, "hourly frame").recomputed == pytest.approx(6.07, abs=0.01)
    assert not section.flags
    assert "63 MB/s" in section.remarks[1]


def test_table_1_contradicts_itself_where_it_does_and_nowhere_else():
    flags = {flag.where: (flag.printed, flag.recomputed) for flag in check(table_1)}
    assert set(flags) == {
        f"table 1, {storage}, total [s]",
        "table 1, all, mpi [s]",
        "table 1, all, total [s]",
        f"table 1, {loop}, total [%]",
        "table 1, all, computation [%]",
        "table 1, all, mpi [%]",
    }
    assert flags[f"table 1, {storage}, total [s]"] == (213.0, 211.0)
    assert flags["table 1, all, mpi [s]"] == (226.0, 215.0)
    assert table_1.sum("computation") == 949.0


def test_table_3_has_one_wrong_ratio():
    assert not check(table_3_more)
    flags = check_scalability(table_3_few, table_3_more, coefficients)
    assert [flag.where for flag in flags] == [f"{storage}, mpi, t64/t32"]
    assert (flags[0].printed, flags[0].recomputed) == (1.25, pytest.approx(0.83, abs=0.005))
    assert len(coefficients) == len(scalability(table_3_few, table_3_more)) == 12


def test_table_4_and_the_percentages_of_the_text():
    wrong = {key for key, table in table_4.items() if check(table)}
    assert wrong == {(32, "before")}
    assert check(table_4[32, "before"])[0].recomputed == 1166.0
    section = golden_cheptsov.tables_section()
    flagged = {value.name for value in section.flags if value.item == "text"}
    assert flagged == {"test on 64 nodes, reduction, up to", "real case on 64 nodes, reduction"}
    assert named(section, "test on 64 nodes").recomputed == pytest.approx(78.0, abs=0.5)
    assert named(section, "real case on 64").recomputed == pytest.approx(13.1, abs=0.1)
    assert named(section, "t32/t64, before").recomputed == pytest.approx(145.0, abs=0.1)
    assert named(section, "t32/t64, after").recomputed == pytest.approx(158.4, abs=0.1)
    assert "table 2 is absent from the paper" in section.remarks


def test_the_real_case_does_not_follow_from_the_test():
    found = real_case(32, "before")
    by_hand = 945.0 + 816 * 8.0 / 3.0 + 17 * 213.0
    assert found.seconds == pytest.approx(by_hand)
    assert found.share(loop) == pytest.approx(816 * 8.0 / 3.0 / by_hand)
    assert found.share(initialisation) < 0.15, "80 % of the test"
    section = golden_cheptsov.real_section()
    assert len(section.flags) == 5
    assert named(section, "32 nodes, before").recomputed == pytest.approx(by_hand / 60.0)
    assert any("197 minutes are not in the test's phases" in words for words in section.remarks)
    assert any("89 hours" in words for words in section.remarks)


def test_a_table_that_agrees_has_no_flags_and_one_changed_number_is_found():
    phases = (
        Phase("a", 10.0, 5.0, 15.0, shares={"computation": 67.0, "mpi": 33.0, "total": 60.0}),
        Phase("b", 4.0, 6.0, 10.0, shares={"computation": 40.0, "total": 40.0}),
    )
    totals = {"computation": 14.0, "mpi": 11.0, "total": 25.0}
    table = PhaseTable("t", 4, phases, totals, {"computation": 56.0, "mpi": 44.0})
    assert not check(table)
    for part in totals:
        assert check(replace(table, totals={**totals, part: totals[part] + 1.0}))
    assert check(replace(table, phases=(replace(phases[0], total=16.0), phases[1])))
    assert check(replace(table, phases=(replace(phases[0], shares={"mpi": 41.0}), phases[1])))
    assert check(replace(table, total_shares={"mpi": 49.0}))


def test_scalability_of_any_two_tables():
    few = PhaseTable("few", 2, (Phase("a", total=8.0), Phase("b", total=1.0)))
    more = PhaseTable("more", 4, (Phase("a", total=4.0), Phase("c", total=9.0)))
    rows = {row.phase: (row.coefficient, row.percent) for row in scalability(few, more)}
    assert rows["a"] == (0.5, 200.0)
    assert set(rows) == {"a", "all"}
    assert "t4/t2" in scalability_text(few, more)
    assert "1.13" not in phase_text(few)


def test_the_command(capsys, tmp_path):
    path = tmp_path / "papers.json"
    assert main(["lab", "papers", "--json", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "figure 5: real case, 32 nodes, before optimisation [min]" in shown
    assert "t64/t32" in shown and "saves 0.80 s" in shown
    assert len(json.loads(path.read_text())["sections"]) == len(sections()) == 6
    assert main(["lab", "papers", "--flags"]) == 0
    flags = capsys.readouterr().out
    assert "1.25" in flags and "n = 12, zeta" not in flags


def test_rounding_is_no_difference():
    assert Value("", "", 6.1, 6.075).agrees and not Value("", "", 6.1, 6.04).agrees
    assert Value("", "", 20.0, 21.4, within=1.5).agrees
    shown = text([Section("p", "t", (Value("i", "n", 1.0, 2.0),), ("said",))])
    assert shown.count("!") == 1 and "* said" in shown
