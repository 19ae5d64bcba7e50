"""Table 5.1 and figures 14 to 19: what is made of measured seconds."""

from itertools import product

import numpy as np
import pytest

from halocline_lab.output_cost import input_cost, output_frames, output_input, output_restart
from halocline_lab.output_cost import output_papers as papers
from halocline_lab.output_cost.output_page import page
from halocline_lab.output_cost.output_results import Report


def seconds(values: list[tuple[float, ...]], rounds=12, noise=0.02) -> list:
    """Rounds of (lost, on disk, memory, ...) of some ways, with a pace that changes."""
    random = np.random.default_rng(1)
    pace = random.uniform(1.0, 3.0, (rounds, 1, 1))
    found = np.array(values) * pace * random.normal(1.0, noise, (rounds, len(values), 1))
    found[:, :, 2] = np.array(values)[:, 2]
    return found.tolist()


def restart(**more) -> dict:
    ways = [output_restart.alone, "striped", "gathered", "buffered", "parts", "servers"]
    values = [
        (0.1, 0.1, 0.0), (0.4, 0.4, 1e6), (0.2, 0.2, 72e6), (0.12, 0.13, 15e6), (0.3, 0.3, 0.0),
        (0.02, 0.12, 9e6),
    ]  # fmt: skip
    return {
        "ways": ways, "seconds": seconds(values), "bytes": 72_500_000, "ranks": 8,
        "missing": {}, **more,
    }  # fmt: skip


def test_ways_of_a_restart_in_times_of_one_process():
    section = output_restart.section(restart())
    rows = {row.name.split(":")[0]: row for row in section.rows}
    assert rows["gathered"].new == pytest.approx(2.0, rel=0.03)
    assert rows["gathered"].old == pytest.approx(3.3 / 1.8)
    assert rows["buffered"].low < 1.3 < rows["buffered"].high * 1.01
    assert rows["gathered"].more["memory"] == "72.0 MB (0.99 of the file)"
    assert rows["parts"].old is None and rows["parts"].ratio is None
    assert "servers takes 1.2×" in section.headline and "within 1.4×" in section.headline
    assert "2.3" in section.remarks[0] and "3.4 times" in section.remarks[0]


def test_emulated_disks_are_told_of_and_what_they_damaged():
    disk = "incoherent:sleep=1"
    emulated = {**restart(), "disk": disk, "damaged": {"striped": 0, "parts": 12, "servers": 0}}
    section = output_restart.section(restart(), [emulated])
    assert output_restart.disks[disk].name in section.remarks[1]
    assert "striped 4.0×" in section.remarks[1]
    assert "Of parts the checksums told" in section.remarks[1] and "12 of 12" in section.remarks[1]


def test_ways_that_cannot_be_had_are_named():
    section = output_restart.section(restart(missing={"pnetcdf": "No library."}))
    assert section.remarks[-1] == "Not measured: pnetcdf. No library."


def start(kind, ranks, servers=1, placement="packed", assignment="consecutive", slower=1.0) -> dict:
    ways = ["first", "parts", *(["servers"] if servers else [])]
    values = [
        (0.2, 0.2, 68e6, 0.1), (0.05 * ranks, 0.05 * ranks, 0.0, 0.05),
        (0.01 * slower, 0.15, 1e7, 0.004),
    ]  # fmt: skip
    return {
        "kind": kind, "ranks": ranks, "servers": servers, "placement": placement,
        "assignment": assignment, "ways": ways, "bytes": output_frames.frame_size(),
        "whole": False, "seconds": seconds(values[: len(ways)]),
    }  # fmt: skip


def starts() -> list[dict]:
    return [
        *(start("ranks", ranks) for ranks in (1, 2, 4, 8)),
        *(start("servers", 4, servers, slower=3.0 / servers) for servers in (1, 2, 3)),
        start("layout", 4, 2),
        start("layout", 4, 2, "spread", "round-robin", slower=5.0),
    ]


def test_frames_have_the_sizes_of_the_paper():
    assert output_frames.frame_size(whole=True) == pytest.approx(papers.frame_bytes, rel=0.01)
    assert output_frames.frame_size() == pytest.approx(68e6, rel=0.02)


def test_figures_of_frames():
    by_ranks, by_servers, by_layout = output_frames.sections(starts())
    first = by_ranks.row("first, 8 ranks")
    assert first.old == pytest.approx(26.0 / 1.63)
    assert first.ratio == pytest.approx(first.new / first.old)
    kept, *_, growth = by_ranks.remarks
    assert "parts 8." in growth and "1 to 8 ranks" in growth
    assert len(by_ranks.remarks) == 5 and kept.startswith("Servers, 1 rank: a frame of 68 MB")
    assert by_ranks.row("servers, 1 ranks").more["of it processor"].startswith("0.00")
    assert "5 %" in by_ranks.headline and "within 10 %" in by_ranks.headline
    lost = by_ranks.panels[0]
    assert {curve.name for curve in lost.curves} == {"first", "parts", "servers", "first (paper)"}
    assert list(lost.curves[0].x) == [1, 2, 4, 8]
    assert by_servers.headline.startswith("Servers: 3 of them")
    assert by_servers.rows[0].old == pytest.approx(63.3, abs=0.1)
    assert by_servers.rows[0].new == pytest.approx(15.0, rel=0.05)
    assert "Layouts differ" in by_layout.remarks[0]
    assert [row.name.split(",")[0] for row in by_layout.rows] == ["packed", "spread"]


def test_what_is_asked_of_servers_is_judged_by_the_median():
    """0.02 s of a small frame; 2 % of the 428 s of the paper's hour of one of 1.63 GB."""
    small = {**start("ranks", 2), "ways": ["servers"]}
    whole = {**small, "whole": True, "bytes": output_frames.frame_size(whole=True)}
    for made, limit in ((small, 0.02), (whole, 8.56)):
        for lost, verdict in ((0.99 * limit, "kept."), (1.01 * limit, "not kept.")):
            rows = [[[0.5 * limit, 1.0, 1e7, 10.0]], *[[[lost, 1.0, 1e7, 10.0]]] * 2]
            (section,) = output_frames.sections([{**made, "seconds": rows}])
            assert section.remarks[0].endswith(f"at most: {verdict}")
    rows = [[[lost, 1.0, 1e7, 0.01 * limit]]] * 3
    (section,) = output_frames.sections([{**whole, "seconds": rows}])
    assert "kept by the processor's time alone" in section.remarks[0]
    rows = [[[0.5 * limit, 1.0, 1e7, 0.1]], *[[[limit, 1.0, 1e7, 0.1]]] * 2]
    (section,) = output_frames.sections([{**whole, "seconds": rows}])
    assert "costs 2.0 (least 1.0, of it processor 0.023) % of an hour's run" in section.remarks[0]


def test_alike_layouts_cannot_be_told_apart():
    alike = [start("layout", 4, 2), start("layout", 4, 2, "spread")]
    (section,) = output_frames.sections(alike)
    assert "No layout can be told from another" in section.remarks[0]


def input_rows() -> list[dict]:
    """Every rank that reads all takes 10 ms for each rank, parts 4 ms, read ahead 1 ms."""
    known = {input_cost.every_rank: 0.01, input_cost.by_parts: 0.004, input_cost.scattered: 0.02}
    rows = []
    for file, ranks, way in product(input_cost.formats, (2, 4), input_cost.ways):
        time = known.get(way, 0.001) * (ranks if way == input_cost.every_rank else 1)
        spread = {"seconds": time, "low": 0.9 * time, "high": 1.1 * time}
        rows.append({"ranks": ranks, "file": file, "way": way, **spread, "bytes": 1_000_000})
    return rows


def input_section():
    return output_input.section(input_rows(), {"shape": [721, 1440], "records": 9})


def test_input_by_parts_stands_beside_that_of_the_paper():
    section = input_section()
    assert "by parts 10 %" in section.headline and "(paper: 16 %)" in section.headline
    assert "ahead, 2 % (CDF-5) and 2 % (netCDF-4, compressed)" in section.headline
    parts = next(row for row in section.rows if row.name.startswith("by parts, CDF-5, 2"))
    assert (parts.new, parts.old) == (pytest.approx(20.0), pytest.approx(100 * 300 / 945))
    growth = next(row for row in section.rows if row.name.startswith("every rank reads all: from"))
    assert (growth.new, growth.old) == (pytest.approx(2.0), pytest.approx(2244 / 945))
    assert [len(panel.curves) for panel in section.panels] == [len(input_cost.ways)] * 2


def test_all_of_it_is_drawn():
    sections = [
        output_restart.section(restart()), *output_frames.sections(starts()), input_section()
    ]  # fmt: skip
    text = page(Report({}, sections), "What output costs", "measured")
    assert text.count("<svg") == 4
    assert text.count("<section") == 5
    assert "nan" not in text.lower().replace("nanosecond", "")
