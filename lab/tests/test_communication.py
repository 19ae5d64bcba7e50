"""`halocline lab communication`: counts, tables, figures; no time is judged."""

import csv
from dataclasses import replace
from types import SimpleNamespace

import pytest

from halocline.experiment.command_line import main
from halocline.runtime.fields.freshness import all_around
from halocline.runtime.fields.place import Place
from halocline.runtime.halos.patterns import Pattern
from halocline_lab.benchmarks import communication_tables, tracer_messages
from halocline_lab.benchmarks.communication_rows import Row, Verdict, beyond_noise, columns
from halocline_lab.benchmarks.exchanges import grid_of_blocks, nearest_to_square, pairs
from halocline_lab.benchmarks.tracer_messages import (
    aggregated,
    patterns,
    segmented,
    segments,
    sent_in_step,
)
from halocline_lab.statistics.turns import Bounded

ROW = Row("halo", 2, 2, "8 words", 8, "messages aggregated", 6.0, 5.0, 7.0, 1.0, 1.0, 1.0, False)


@pytest.fixture(scope="module")
def measured(tmp_path_factory, request):
    """A folder in which a small measurement on two ranks has left its results."""
    folder = tmp_path_factory.mktemp("communication")
    arguments = "lab communication -n 2 --rounds 2 --seconds 0.02 --words 2 64 --repeats 1"
    assert main([*arguments.split(), "--budget", "0.02", "--output", str(folder)]) == 0
    return folder


def rows_in(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_benchmark_leaves_rows(measured):
    rows = rows_in(measured / "communication.csv")
    assert set(rows[0]) == set(columns)
    assert {row["benchmark"] for row in rows} == {
        "halo", "crowd", "sum", "ninept", "aggregation", "grids", "tiles",
    }  # fmt: skip
    assert all(float(row["microseconds"]) > 0.0 for row in rows)
    halos = [row for row in rows if row["benchmark"] == "halo"]
    assert {row["size"] for row in halos} == {"2", "64"}
    mechanisms = {row["choice"].split()[0] for row in halos}
    assert {"messages", "persistent", "put-flags", "shared-put", "neighbours"} <= mechanisms


def test_messages_of_the_exchanges_on_record(measured):
    """One message to the only neighbour: both sides of 64 words, and four corners of 2 levels."""
    rows = rows_in(measured / "communication.csv")
    (one,) = [
        row
        for row in rows
        if (row["benchmark"], row["size"], row["choice"]) == ("halo", "64", "messages aggregated")
    ]
    assert (int(one["messages"]), int(one["bytes"])) == (1, 4 * (2 * 64 + 4 * 2))
    tracers = {row["choice"]: row for row in rows if row["exchange"] == "trcnxt"}
    assert int(tracers["messages per-field"]["messages"]) == 51
    assert int(tracers["messages aggregated"]["messages"]) == 1
    assert {row["bytes"] for row in tracers.values()} == {str(51 * 72_000)}


def test_the_referee_is_tested(measured):
    verdicts = rows_in(measured / "referee.csv")
    assert [v["exchange"] for v in verdicts] == [
        "2 words", "64 words", "NINEPT_4", "trcnxt", "one sum",
    ]  # fmt: skip
    assert all(0 <= int(v["named"]) <= int(v["right"]) <= int(v["repeats"]) == 1 for v in verdicts)


def test_tables_and_figures_are_written(measured):
    text = (measured / "communication.txt").read_text(encoding="utf-8")
    for words in ("HALO", "GLOBAL_SUM", "NINEPT_4", "wins nowhere", "252,960", "worst pick"):
        assert words in text
    for name in ("halo", "sum", "ninept", "aggregation"):
        assert (measured / f"{name}.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("-n 1", "nobody to exchange with"),
        ("--what halos", "--what halos is not known"),
        ("--words 33", "multiple of 32"),
    ],
)
def test_mistakes_are_refused(capsys, arguments, words):
    assert main(["lab", "communication", *arguments.split()]) == 2
    assert words in capsys.readouterr().err


def test_messages_of_paper_5_exactly():
    """B-10, B-11: 8,160 per inner rank and step, 252,960 in all, 72 kB and 1 kB; 620 aggregated."""
    everyone, names = patterns(32), ("trcadv", "trchdf", "trcnxt")
    sent = sent_in_step(everyone)
    per_rank = [sum(s.messages for s in sent if s.rank == rank) for rank in range(32)]
    assert per_rank == [4080, *[8160] * 30, 4080]
    assert sum(per_rank) == 252_960
    sizes = {name: {s.bytes // s.messages for s in sent if s.routine == name} for name in names}
    assert sizes == {"trcadv": {72_000}, "trchdf": {1_000}, "trcnxt": {72_000}}
    assert sum(s.bytes for s in sent) / 1e6 == pytest.approx(2273.1, abs=0.6)
    together = sent_in_step(everyone, aggregated)
    assert sum(s.messages for s in together) == 620
    assert sum(s.bytes for s in together) == sum(s.bytes for s in sent)


def test_segments_from_one_variable_to_all():
    assert segments() == [1, 2, 4, 8, 16, 32, 51]
    everyone = patterns(3)
    for variables in segments():
        sent = sent_in_step(everyone, segmented(variables))
        (middle,) = [s for s in sent if (s.rank, s.routine) == (1, "trcnxt")]
        assert middle.messages == 2 * -(-tracer_messages.tracers // variables)


@pytest.mark.parametrize("ranks", [2, 5, 6])
def test_pairs_exchange_with_nobody_else(ranks):
    for rank in range(ranks):
        alone = SimpleNamespace(size=ranks, rank=rank)
        decomposition = pairs(alone, 8).decomposition
        pattern = Pattern(decomposition.home, Place.center, all_around(1), ranks, rank)
        partner = [rank ^ 1] if rank ^ 1 < ranks else []
        assert list(pattern.send) == list(pattern.receive) == partner


def test_blocks_cover_the_grid():
    blocks = grid_of_blocks((7, 10), 2, 3)
    assert sum((r.j1 - r.j0) * (r.i1 - r.i0) for r in blocks) == 70
    assert [nearest_to_square(n) for n in (1, 4, 6, 16)] == [(1, 1), (2, 2), (2, 3), (4, 4)]


def test_ratios_of_the_tables():
    plain = ROW
    shared = replace(ROW, choice="shared-put aggregated", microseconds=2.0, ratio=1 / 3, tied=True)
    shared = replace(shared, ratio_low=0.25, ratio_high=0.5)
    text = communication_tables.shared_against_messages("halo", [plain, shared])
    assert "3.00x (2.00 to 4.00)  shared-put aggregated" in text
    assert communication_tables.winners([plain, shared]) == {
        "messages aggregated": [],
        "shared-put aggregated": ["8 words on 2"],
    }
    few = [replace(row, benchmark="crowd") for row in (plain, shared)]
    many = [replace(row, ranks=8, microseconds=10 * row.microseconds) for row in few]
    lines = communication_tables.oversubscription([*few, *many]).splitlines()
    assert lines[-1].split()[-1] == "2.50"  # ten times the time on four times the ranks


def test_a_slow_pick_is_called_slow():
    assert beyond_noise(Bounded(1.5, 1.3, 1.6))
    assert not beyond_noise(Bounded(1.5, 0.9, 1.6)) and not beyond_noise(Bounded(1.04, 1.03, 1.05))
    verdict = Verdict(2, "8 words", "a", "b", 1.5, True, 10, 9, 9, "b", 1.5, 1.3, 1.6, True)
    assert "SLOWER" in communication_tables.verdict_table([verdict])
    assert "SLOWER" not in communication_tables.verdict_table([replace(verdict, slower=False)])
