"""`halocline lab tracers`: what it sends and stores, and the tables of Cheptsov et al. (2009).

Ranks: 2 by the launcher.
"""

import json

import netCDF4
import numpy as np
import pytest

from halocline.component.case.reading import make_case
from halocline.experiment import exit_codes
from halocline.experiment.command_line import main
from halocline_lab.acceptance import tracers, tracers_run, tracers_tables
from halocline_lab.acceptance.golden_cheptsov import initialisation, loop, storage
from halocline_lab.acceptance.tracers_tables import Times, ours, paper, printed
from halocline_lab.benchmarks.rank_programs import answer_of
from halocline_lab.benchmarks.tracer_messages import segments
from halocline_lab.output_cost.output_plots import save_picture


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """One round of everything on two ranks and the small grid, and the folder of its files."""
    folder = tmp_path_factory.mktemp("tracers")
    settings = {"quick": True, "levels": None, "rounds": 1, "whole": 2, "stores": 1}
    answer = answer_of(tracers_run.__name__, {**settings, "folder": str(folder)}, 2)
    return json.loads(answer), folder


def test_messages_are_those_of_the_paper_on_this_grid(measured):
    """Two ends of a chain, 4 levels: 51 x (4 - 1) of horizontal diffusion each, not 51 x 71."""
    found, _ = measured
    row = 2 * 16 * 4  # halo, rows, bytes of a number
    assert found["variable_bytes"] == 4 * row
    messages = found["messages"]
    assert messages["trcadv"] == [2 * 408, 2 * 408 * 4 * row]
    assert messages["trchdf"] == [2 * 51 * 3, 2 * 51 * 3 * row]
    assert messages["trcnxt"] == [2 * 51, 2 * 51 * 4 * row]
    assert messages["Halocline"] == [2, 2 * 51 * 4 * row]
    assert found["stored_messages"] == 612


def test_the_disk_needs_room_for_two_stores_however_long_the_run():
    """A store takes 0.7 GB, each replaces the one before: 816 steps were refused for 1.2 TB."""
    case = make_case(tracers_run.benchmark_case(quick=False, levels=None))
    (stream,) = case.output.fields.values()
    assert stream.records(case.time.clock()) == 2
    assert case.grid.file == "m_med_1o8.nc" and case.transport.circulation == "gyres"


def test_all_ways_are_timed(measured):
    found, _ = measured
    seconds = np.array(found["seconds"])
    assert seconds.shape == (1, len(found["trials"]), 2)
    assert (seconds[..., 0] > 0.0).all() and (seconds[..., 1] <= seconds[..., 0]).all()
    times = Times(found)
    assert all(times.phase(way, loop, "mpi")[0] > 0.0 for way in (printed, paper, ours))
    for kind in ("homogeneous", "mixed"):
        assert all(f"exchange, {kind}, {n}" in found["trials"] for n in segments())
    assert found["whole"] > 0.0


def test_every_way_stores_the_same(measured):
    """What the first rank composed of messages, or of a collective, is what Halocline writes."""
    found, folder = measured
    composed = [folder / f"{way}.bin" for way in ("blocking", "collective")]
    first, second = (np.fromfile(path, np.float32) for path in composed)
    assert np.array_equal(first, second)
    whole = first.reshape(51, *found["cells"])
    (stored,) = (path for path in folder.glob("*.nc") if path.name != "start.nc")
    with netCDF4.Dataset(stored) as file:
        names = [n for n in file.variables if file[n].dimensions[-3:-2] == ("depth",)]
        assert len(names) == 51
        for n, name in enumerate(names):
            values = np.ma.masked_invalid(file[name][0])
            assert np.array_equal(values.compressed(), whole[n][~np.ma.getmaskarray(values)]), name


def made(ranks, scale):
    """Two rounds; the second takes twice as long. The input takes 8 s by every rank, 2 by parts."""
    seconds = {
        "input, every rank reads all": (8.0, 0.0),
        "input, by parts": (2.0, 0.0),
        "loop, as printed": (6.0, 3.0),
        "loop, the paper's gains": (5.0, 2.0),
        "loop, Halocline": (3.0, 0.5),
        "storage, blocking messages to the first rank": (4.0, 3.0),
        "storage, collective": (2.0, 0.75),
        "storage, Halocline": (1.0, 0.0),
    }
    kinds = [f"{kind}, {n}" for kind in ("homogeneous", "mixed") for n in segments()]
    for name in [
        "a message for each level",
        tracers_run.blocking_sends,
        *kinds,
        *tracers_run.others,
    ]:
        seconds[f"exchange, {name}"] = (0.4 if name.endswith("51") else 0.8, 0.0)
    one = scale * np.array(list(seconds.values()))
    return {
        "ranks": ranks,
        "built": 0.0,
        "cells": [72, 128, 362],
        "messages": {
            "trcadv": [2 * (ranks - 1) * 408, 2 * (ranks - 1) * 408 * 73728],
            "trchdf": [2 * (ranks - 1) * 3621, 2 * (ranks - 1) * 3621 * 1024],
            "trcnxt": [2 * (ranks - 1) * 51, 2 * (ranks - 1) * 51 * 73728],
            "Halocline": [2 * (ranks - 1), 1e6],
        },
        "stored_messages": 612 * (ranks - 1),
        "trials": list(seconds),
        "seconds": [one.tolist(), (2.0 * one).tolist()],
        "whole": None,
    }


def rows(section):
    return {row.name: row for row in section.rows}


def test_tables_stand_beside_the_printed_numbers():
    few, more = Times(made(2, 1.0)), Times(made(4, 0.5))
    first = rows(tracers_tables.table_1_section(few))
    assert first[f"{initialisation}: of the run"].new == pytest.approx(100 * 8 / 18)
    assert first[f"{initialisation}: of the run"].old == 80.0
    assert first[f"{storage}: MPI in it"].new == pytest.approx(75.0)
    assert first[f"{storage}: MPI in it"].old == 97.0
    third = rows(tracers_tables.table_3_section(few, more))
    assert {row.new for row in third.values()} == {0.5}
    assert third[f"{storage}, mpi"].old == 1.25 and third["all, total"].old == 2.0
    fourth = rows(tracers_tables.table_4_section(few, more))
    one = fourth[f"{initialisation}, 2 ranks (paper: 32)"]
    assert one.new == pytest.approx(25.0) and one.old == pytest.approx(100 * 300 / 945)
    assert fourth["all, 4 ranks (paper: 64)"].new == pytest.approx(100 * 9 / 18)
    assert fourth["all, 4 ranks (paper: 64)"].more["Halocline"] == "33.3 %"
    assert fourth["storing: MPI by a collective"].new == pytest.approx(25.0)


def test_the_real_case_is_put_together_from_phases():
    few, more = Times(made(2, 1.0), least=True), Times(made(4, 0.5), least=True)
    by_hand = 8.0 + 816 * 6.0 / 3 + 17 * 4.0
    after = 2.0 + 816 * 5.0 / 3 + 17 * 2.0
    assert few.real(printed) == pytest.approx([by_hand])
    section = tracers_tables.figure_5_section(few, more)
    found = rows(section)
    one = found["816 steps on 2 ranks (paper: 32), after over before"]
    assert one.new == pytest.approx(100 * after / by_hand)
    assert one.old == pytest.approx(100 * 293 / 309)
    assert found["scalability t2/t4, as printed"].new == pytest.approx(200.0)
    assert found["scalability t2/t4, the paper's gains"].old == pytest.approx(158.4, abs=0.05)
    share = found["the loop in 816 steps on 2 ranks, as printed (paper: up to)"]
    assert share.new == pytest.approx(100 * 816 * 2.0 / by_hand) and share.old == 90.0
    assert "Extrapolated to 32 ranks, 8 times as many as measured" in section.remarks[0]
    curves = {curve.name: curve for curve in section.panels[1].curves}
    assert curves["as printed"].y == pytest.approx([by_hand / 60, by_hand / 120])
    assert section.panels[0].curves[0].y == [309.0, 213.0]


def test_messages_and_segments_beside_the_printed_numbers():
    few, more = Times(made(2, 1.0)), Times(made(4, 0.5))
    messages = rows(tracers_tables.messages_section(few, more))
    assert messages["trchdf: messages of an end rank in a step"].shown == "3,621"
    assert messages["trchdf: messages of an end rank in a step"].ratio == 1.0
    assert messages["32 ranks: messages in a step"].shown == "252,960"
    assert messages["storing: messages of a rank"].new == 612.0
    section = tracers_tables.segments_section([few, more])
    last = rows(section)["4 ranks: 51 in a message, mixed"]
    assert (last.new, last.old) == (pytest.approx(50.0), 50.0)
    assert [len(curve.x) for curve in section.panels[0].curves] == [7, 7]


def test_text_page_and_picture(tmp_path):
    found = [made(2, 1.0), made(4, 0.5)]
    report = tracers.report(found)
    shown = tracers.text(found, report)
    assert "as printed, 2 ranks" in shown and "t4/t2" in shown and "==== Table 4" in shown
    drawn = tracers.page(report, tracers.title, tracers.lead)
    assert drawn.count("<section") == 6 and tracers.title in drawn
    picture = tmp_path / "figure5.png"
    save_picture(tracers_tables.figure_5_panels(*map(Times, found)), picture)
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("-n 1 2", "a rank alone sends no messages"),
        ("-n 4 2", "the smaller one first"),
        ("--rounds 0", "--rounds 0: give 1 or more"),
        ("--levels 1", "--levels 1: 2 or more"),
        ("--picture figure.xyz", "the name must end in .png, .pdf, .svg"),
        ("--folder nowhere", "--folder nowhere: there is no such folder"),
    ],
)
def test_mistakes_are_told_before_anything_is_measured(arguments, words, capsys):
    assert main(["lab", "tracers", *arguments.split()]) == exit_codes.user_error
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_the_command(tmp_path, capsys):
    page, numbers = tmp_path / "tracers.html", tmp_path / "tracers.json"
    words = f"--quick -n 2 3 --rounds 1 --turns 1 --page {page} --json {numbers}"
    assert main(["lab", "tracers", *words.split(), "--folder", str(tmp_path)]) == 0
    assert "Figure 5: the real case" in capsys.readouterr().out
    assert "Table 3: t3/t2" in page.read_text(encoding="utf-8")
    assert len(json.loads(numbers.read_text(encoding="utf-8"))["measured"]) == 2
