"""`halocline lab output`: what it runs, what it makes of the numbers, and its page."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from halocline.component.case.reading import make_case
from halocline.core.errors import UserError
from halocline.experiment.command_line import main
from halocline.experiment.run import run
from halocline.runtime.ranks.communicator import Alone
from halocline_lab.benchmarks.wave_run import benchmark_case, component_of
from halocline_lab.output_cost import output, output_costs, output_load, output_runs
from halocline_lab.output_cost import output_papers as papers
from halocline_lab.output_cost.output_page import page
from halocline_lab.output_cost.output_results import Curve as Line
from halocline_lab.output_cost.output_results import Panel, Report, Row, Section
from halocline_lab.output_cost.output_tables import tables
from halocline_lab.output_cost.output_writing import enlist
from halocline_lab.statistics.paired import in_turns


def small(hours: int) -> dict:
    return {
        "component": "waves",
        "grid": {"nx": 24, "ny": 18, "dx": 10.0, "dy": 5.0, "y0": -42.0, "depth": 3000.0},
        "spectrum": {"frequencies": 6, "factor": 1.3, "directions": 8},
        "time": {"start": "2000-01-01", "length": f"{hours}h", "step": "1h"},
        "forcing": {"wind": {"speed": 15.0}},
        "start": {"kind": "jonswap"},
    }


def settings(folder, rounds=2, length=2) -> dict:
    case = small(rounds * length)
    return {
        "case": case, "folder": str(folder), "writers": "first", "way": "first", "servers": 0,
        "rounds": rounds,
        "length": length,
    }  # fmt: skip


@pytest.fixture(scope="module")
def measured(tmp_path_factory) -> dict:
    return output_runs.measure(Alone(), settings(tmp_path_factory.mktemp("runs")))


def test_the_load_is_that_of_the_paper():
    """W-35: 24 x 10 fields, 86 and 284 spectra in four files, about their sizes."""
    grid = make_case(benchmark_case("ST2", "", "24h")).build_grid()
    load = output_load.load(grid)
    (maps,) = load.fields.values()
    assert len(maps.variables) == len(set(maps.variables)) == 10
    counts = {name: len(some.points) for name, some in load.points.items()}
    assert counts == {"points": 86, "boundary1": 95, "boundary2": 95, "boundary3": 94}
    cells = grid.mask.size * 4 * 10 * 24
    assert cells == pytest.approx(output_load.bytes_of_day["fields"], rel=0.1)
    places = [place for some in load.points.values() for place in some.points.values()]
    assert len(set(places)) == 370


def test_every_arrangement_is_timed_and_written(measured):
    seconds = np.array(measured["seconds"])
    assert seconds.shape == (2, 13, 4)
    run, on_disk, calls, diagnostics = np.moveaxis(seconds, -1, 0)
    assert (run > 0.0).all() and (on_disk >= run).all() and (calls <= run).all()
    assert (calls[:, 0] == 0.0).all() and (calls[:, 1:] > 0.0).all()
    restart_alone = output_runs.measured.index(("restart",))
    assert (diagnostics <= calls).all() and (calls[:, restart_alone] > 0.0).all()
    files = {re.sub(r"\d.*", "", name.split(".")[0]) for name in measured["sizes"]}
    assert files == {"fields", "points", "boundary", "restart_"}


def test_repeated_blocks_with_and_without_output_change_no_bit(tmp_path):
    blocks = output_runs.prepare(enlist(Alone(), 0), settings(tmp_path))
    trials = [blocks.trial(kinds) for kinds in ((), papers.kinds, ("fields",))]
    in_turns(Alone(), trials, 2, before_round=blocks.go_on)
    plain = component_of(run(small(4))).model.spectrum.owned
    for ours, theirs in zip(blocks.component.model.spectrum.owned, plain, strict=True):
        assert np.isfinite(ours).all() and ours.max() > 0.0
        np.testing.assert_array_equal(ours, theirs)


def made(rounds=20, noise=0.015) -> dict:
    """Blocks of 1 s; fields cost 50 ms, points save 1 ms in noise, a restart 300 ms."""
    costs = {"fields": 0.05, "points": -0.001, "restart": 0.3, "boundary": 0.02}
    random = np.random.default_rng(3)
    seconds = np.zeros((rounds, len(output_runs.measured), 4))
    pace = random.uniform(1.0, 2.0, (rounds, 1))  # others use the machine, from round to round
    for at, kinds in enumerate(output_runs.measured):
        cost = sum(costs[kind] for kind in kinds)
        seconds[:, at, :2] = 1.0 + cost
        seconds[:, at, 2] = abs(cost)
    seconds[:, :, :2] += pace[..., None] + random.normal(0.0, noise, (rounds, 13, 1))
    return {
        "seconds": seconds.tolist(), "ranks": 2, "writers": "first", "length": 1, "sizes": {},
    }  # fmt: skip


def test_costs_of_a_day_are_found_in_spite_of_a_changing_pace():
    costs = output_costs.Costs(made())
    fields, both = costs.of_day(("fields",)), costs.of_day(("fields", "restart"))
    assert fields.value == pytest.approx(24 * 0.05, rel=0.15) and fields.clear
    assert both.value == pytest.approx(24 * 0.05 + 0.3, rel=0.15)
    assert costs.of_day(("restart",)).value == pytest.approx(0.3, rel=0.05), "one a day"
    whole = costs.of_day(papers.kinds)
    assert whole.value == pytest.approx(24 * 0.069 + 0.3, rel=0.15)
    assert not costs.of_day(("points",)).clear
    assert costs.of_day(papers.kinds, "calls").value == pytest.approx(24 * 0.069 + 0.3)


def test_longer_blocks_make_fewer_of_a_day():
    costs = output_costs.Costs({**made(), "length": 6})
    assert costs.of_day(("fields",)).value == pytest.approx(4 * 0.05, rel=0.15)
    assert costs.of_day(("restart",)).value == pytest.approx(0.3, rel=0.05)


def test_old_numbers_stand_beside_new_ones_in_the_shape_of_the_paper():
    section = output_costs.section(made())
    assert section.row("fields with restart").old == 6.0
    assert section.row("points").ratio is None and not section.row("points").clear
    assert "cannot tell (-" in section.row("points").verdict
    assert section.row("restart").ratio == pytest.approx(0.3 / 2.1, rel=0.05)
    cells = [cell for line in section.matrix.lines.values() for cell in line if cell]
    assert set(cells) == {output_costs.label(kinds) for kinds in papers.arrangements}
    line = output_costs.headline([made(), {**made(), "writers": "core"}])
    assert "first process 3.1 %, paper 4.2 %" in line and "a server's own core 3.1 %" in line


class Shape(HTMLParser):
    """Counts of elements, and what a page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}
        self.fetched: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        links = [found.get(name) for name in ("src", "href", "xlink:href")]
        self.fetched += [link for link in links if link and not link.startswith("#")]


def report() -> Report:
    sections = [output_costs.section(made()), output_costs.section(made(noise=0.1))]
    sections[0] = replace(sections[0], headline=output_costs.headline([made()]))
    sections[1] = replace(sections[1], name="other")
    lines = Panel(
        "Time", "ranks", "s", [Line("here", [1.0, 2.0], [1.0, 2.0], low=[0.5, 1.5], high=[2, 3])]
    )
    plain = Section(
        "lines", "Figure: <time>", "a paper", "so", [Row("a & b", "s", 1.0, 0.5, 2.0)],
        panels=[lines, lines],
    )  # fmt: skip
    return Report({"processor": "A&B"}, [*sections, plain])


def test_the_page_stands_alone():
    text = page(report(), "What output costs", "measured")
    shape = Shape()
    shape.feed(text)
    assert shape.fetched == [] and "@import" not in text and "url(http" not in text
    assert shape.counts["section"] == 3 and shape.counts["svg"] == 3
    assert len(shape.ids) == len(set(shape.ids)), "drawings do not share names"
    assert "prefers-color-scheme: dark" in text and "currentColor" in text
    assert "A&amp;B" in text and "Figure: &lt;time&gt;" in text and "<time>" not in text
    used = set(re.findall(r"(?:href=\"|url\()#([^\")]+)", text))
    assert used <= set(shape.ids)


def test_text_and_json_say_the_same():
    found = report()
    words, plain = tables(found), json.loads(json.dumps(found.to_table()))
    assert found.headline and all(line in words for line in found.headline)
    (first, *_) = plain["sections"]
    fields = next(row for row in first["rows"] if row["name"] == "fields")
    assert fields["ratio"] == pytest.approx(fields["new"] / 1.8)
    assert plain["headline"] == found.headline


@pytest.mark.parametrize("arguments", ["--what none", "--writers nobody", "--rounds 0"])
def test_mistakes_are_refused(arguments, capsys):
    assert main(["lab", "output", *arguments.split()]) != 0
    assert "--" in capsys.readouterr().err


def test_all_numbers_that_are_given_are_used(tmp_path, monkeypatch):
    plans = []
    monkeypatch.setattr(output, "measure", lambda plan, what: plans.append(plan) or report())
    words = "--what frames --frames 3 --restarts 5 --rounds 7 --frame-ranks 2,4 --ways servers"
    page_file = str(tmp_path / "page.html")
    assert main(["lab", "output", *words.split(), "--page", page_file]) == 0
    (plan,) = plans
    assert (plan.frames, plan.restarts, plan.rounds) == (3, 5, 7)
    assert (plan.frame_ranks, plan.ways) == ((2, 4), ("servers",))


def test_frames_without_the_first_rank_are_of_ranks_alone(tmp_path, monkeypatch):
    """Servers are held against the first rank in figures 17 to 19."""
    started = []

    def on_ranks(module, settings, ranks):
        started.append((settings["kind"], ranks, settings["ways"]))
        return settings

    monkeypatch.setattr(output, "on_ranks", on_ranks)
    monkeypatch.setattr(output.output_frames, "sections", lambda results: [])
    plan = output.Plan(tmp_path, 2, frame_ranks=(2, 4), ways=("servers",))
    output.frames(plan)
    assert started == [("ranks", 3, ["servers"]), ("ranks", 5, ["servers"])]
    started.clear()
    output.frames(output.Plan(tmp_path, 2, frame_ranks=(2,)))
    assert [kind for kind, _, _ in started] == ["ranks", *["servers"] * 4, *["layout"] * 4]


def test_full_is_as_in_the_paper(tmp_path):
    plan = output.full(output.Plan(tmp_path, 8))
    assert (plan.rounds, plan.length, plan.ranks) == (papers.paper_runs, papers.day, 8)


def test_unknown_names_are_told():
    with pytest.raises(UserError, match="Known are"):
        output._refuse_unknown("--what", ["x"], output.benchmarks)
