"""The page of a record: what is packed into it, its size, and what a browser makes of it.

Where the machine has a browser, the page's own numbers are compared with those of the analysis.
"""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import browser
from halocline.runtime.record.run_record import beside_thread, empty
from halocline_lab.diagnosis.matching import match
from halocline_lab.diagnosis.roofline import Machine
from halocline_lab.diagnosis.states import shares, state_segments
from halocline_lab.diagnosis.timeline import timeline
from halocline_lab.reporting import report_page
from halocline_lab.reporting.report import report_of
from halocline_lab.reporting.report_drawn import drawn_events
from halocline_lab.reporting.report_packing import (
    folded,
    pack,
    packed_timeline,
    unfolded,
    unpack,
    unpacked,
)
from halocline_lab.reporting.report_page import page
from halocline_lab.reporting.report_steps import typical_step
from records.made import made_record


@pytest.fixture(scope="module")
def made():
    return made_record(8, 6)


def held(text):
    return json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', text, re.DOTALL)[1])


def test_any_integers_come_back():
    values = np.random.default_rng(1).integers(0, 2**62, 3000) >> np.arange(3000) % 62
    np.testing.assert_array_equal(unpack(pack(values)), values)
    signed = np.array([0, -1, 1, 5, -(2**60), 2**60])
    np.testing.assert_array_equal(unfolded(folded(signed)), signed)
    assert unpack(pack([])).size == 0


def test_the_page_holds_the_events_of_the_record(made):
    columns = unpacked(held(page(report_of(made)))["timeline"]["packed"], zero=0)
    kept = made.events[made.kinds_of(made.events["region"]) != "completion"]
    zero = kept["begin"].min()
    for name in ("rank", "thread", "region", "partner", "bytes"):
        np.testing.assert_array_equal(columns[name], kept[name])
    np.testing.assert_array_equal(columns["begin"], kept["begin"] - zero)
    np.testing.assert_array_equal(columns["end"], kept["end"] - zero)
    assert columns["idle"].sum() > 0 and (columns["count"] == 1).all()


def test_lines_lead_from_sends_to_the_waits_that_got_them(made):
    drawn = drawn_events(made, match(timeline(made)))
    sends, into = drawn.events[drawn.senders], drawn.events[drawn.receivers]
    ranks = drawn.rows["rank"]
    assert len(sends) == (made.kinds_of(made.events["region"]) == "start send").sum()
    np.testing.assert_array_equal(sends["partner"], ranks[into["row"]])
    assert {made.regions[number].name for number in into["region"]} == {"MPI_Waitall"}
    assert (into["end"] > sends["begin"]).all()


@pytest.mark.parametrize("part", [2, 8, 30])
def test_fewer_characters_keep_all_times(made, part):
    """Own time and waiting of each rank are the same however coarse, and windows are in full."""
    drawn = drawn_events(made, match(timeline(made)))
    whole = packed_timeline(drawn, 10**9)
    packed = packed_timeline(drawn, whole.length // part + 2500)
    assert packed.shortest > 0 and packed.drawn < packed.events == whole.drawn
    assert packed.length <= whole.length // part + 2500
    fine, coarse = (unpacked(one.data, drawn.zero) for one in (whole, packed))
    for rank in range(made.size):
        sums = [one["idle"][one["rank"] == rank].sum() for one in (fine, coarse)]
        assert sums[0] == sums[1] > 0
    names = ("rank", "begin", "end", "region")
    there = set(zip(*(coarse[name].tolist() for name in names), strict=True))
    for first, last in packed.windows:
        inside = (fine["begin"] >= first) & (fine["begin"] < last)
        wanted = set(zip(*(fine[name][inside].tolist() for name in names), strict=True))
        assert wanted and wanted <= there


@pytest.mark.parametrize(("ranks", "steps"), [(2, 2), (64, 2), (600, 1)])
def test_pages_of_any_size_are_small_and_whole(ranks, steps):
    text = page(report_of(made_record(ranks, steps, iterations=2)))
    assert len(text.encode()) < 5_000_000
    assert "http://" not in text and "https://" not in text
    for name in ("timeline", "phases", "ranks", "steps", "messages", "efficiencies", "cpmip"):
        assert text.count(f'<section id="{name}">') == 1
    assert text.count("<section") == text.count("</section>")
    assert text.count('class="sees"') == text.count("<section")


def test_kernels_lie_under_the_roof_of_a_machine():
    record = made_record(2, 2)
    record.work = empty("work", 2)
    record.work["region"] = [region.name for region in record.regions].index("advection")
    record.work["rank"], record.work["calls"] = [0, 1], 2
    record.work["bytes"], record.work["operations"] = 2e6, 1e6
    plain = page(report_of(record))
    assert "<circle" in plain and 'class="roof"/>' not in plain
    roofed = page(report_of(record, machine=Machine(2e10, 5e10, "a test")))
    assert 'class="roof"/>' in roofed and "20 GB/s, 50 Gop/s" in roofed


def test_a_long_record_is_made_to_fit():
    text = page(report_of(made_record(16, 60)), most=230_000)
    assert 120_000 < len(text.encode()) < 230_000
    assert "were put together" in text


# A browser without a window draws no frames by itself.
frames = """<body><script>window.requestAnimationFrame = (go) => setTimeout(go, 5);</script>"""

script = """
<script>
addEventListener("load", () => setTimeout(() => {
  const canvas = document.querySelector("#gantt");
  const box = canvas.getBoundingClientRect();
  const at = (x, y) => ({ clientX: box.left + x, clientY: box.top + y, bubbles: true,
    cancelable: true, pointerId: 1, buttons: 1 });
  const seen = [];
  const look = () => seen.push(document.querySelector("#view").textContent);
  for (const way of ["kind", "region", "state", "task"]) {
    const select = document.querySelector("#colour");
    select.value = way;
    select.dispatchEvent(new Event("change"));
  }
  canvas.focus();
  const frame = (go) => requestAnimationFrame(() => requestAnimationFrame(go));
  const later = (steps) => {
    if (!steps.length) document.documentElement.dataset.seen = JSON.stringify(seen);
    else { steps[0](); frame(() => { look(); later(steps.slice(1)); }); }
  };
  const key = (key) => () => canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
  later([
    () => canvas.dispatchEvent(new WheelEvent("wheel", { ...at(400, 60), deltaY: -900 })),
    () => canvas.dispatchEvent(new WheelEvent("wheel", { ...at(400, 60), deltaY: -3000 })),
    key("ArrowRight"), key("+"), key("-"), key("PageUp"), key("ArrowDown"), key("0"),
    () => document.querySelector('[data-pixel="1000"]').click(),
    () => canvas.dispatchEvent(new PointerEvent("pointermove", { ...at(300, 50), buttons: 0 })),
    () => document.querySelector("#legend button").click(),
    () => document.querySelector("#theme").click(),
    () => document.querySelector("table.sortable th button").click(),
    () => document.querySelector('[data-matrix="count"]').click(),
  ]);
}, 300));
</script>
"""


measure = """<script>
const boxes = [...document.querySelectorAll(".wide")];
document.documentElement.dataset.wide =
  `${boxes.filter((one) => one.scrollWidth > one.clientWidth + 1).length} of ${boxes.length},`
  + ` ${document.documentElement.scrollWidth > innerWidth + 1}`;
</script>"""


def test_wide_tables_fit_the_page(made, tmp_path):
    long = (
        "advection_of_everything_everywhere.f90:1234 in the_module_of_advection::advect_all_of_it"
    )
    record = replace(made, regions=[replace(one, site=long) for one in made.regions])
    path = tmp_path / "page.html"
    path.write_text(page(report_of(record)).replace("</body>", measure + "</body>"))
    assert long.split()[-1] in path.read_text(encoding="utf-8")
    if browser.program() is not None:
        for width, fits in ((1280, r"0 of [5-9], false"), (500, r"\d of [5-9], false")):
            dom = browser.rendered(path, tmp_path, width=width)
            assert re.search(f'data-wide="{fits}"', dom), re.search(r'data-wide="[^"]*"', dom)


def test_a_page_opens_on_a_typical_step_and_has_the_title(made, tmp_path):
    about = {"title": "Storms of the North Atlantic", "command": ["halocline", "run", "a"]}
    made = replace(made, about={**made.about, **about})
    report = report_of(made)
    number, begin, end = typical_step(made)
    lengths = [made.steps["seconds"][made.steps["step"] == step].max() for step in range(6)]
    assert number == int(np.argmin(np.abs(np.array(lengths) - np.median(lengths))))
    text = page(report)
    assert "<h1>Storms of the North Atlantic on 8 ranks</h1>" in text
    assert held(text)["timeline"]["typical"][0] == number
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    if browser.program() is not None:
        dom = browser.rendered(tmp_path / "page.html", tmp_path)
        assert f"Step {number}, as long as the median one" in dom
    made.about["title"] = ""
    assert "<h1>halocline run a on 8 ranks</h1>" in page(report)


def test_a_browser_draws_what_the_analysis_says(made, tmp_path):
    """Means of busy, overhead and idle ranks, as the page's scripts count them."""
    report = report_of(made)
    states = shares(state_segments(match(timeline(made))), made.size)
    for name, most in (("fine", report_page.most_bytes), ("coarse", 115_000)):
        path = tmp_path / f"{name}.html"
        path.write_text(page(report, most=most), encoding="utf-8")
        assert ("were put together" in path.read_text(encoding="utf-8")) == (name == "coarse")
        if browser.program() is None:
            continue
        dom = browser.rendered(path, tmp_path, "#t=0,1000000000")
        assert browser.faults(dom) == ""
        assert 'data-ready="yes"' in dom[:2000]
        found = re.search(
            r'id="counted"[^>]*>On average ([\d.]+) busy, ([\d.]+) in overhead and'
            r" ([\d.]+) idle, of 8",
            dom,
        )
        shown = [states.busy_share, states.overhead_share, states.idle_share]
        counted = [float(number) for number in found.groups()]
        np.testing.assert_allclose(counted, 8 * np.array(shown), atol=0.02)


def without_events():
    record = made_record(4, 2)
    for name in ("events", "spans", "steps", "messages"):
        setattr(record, name, getattr(record, name)[:0])
    return record


def with_servers_and_threads():
    """The last of four ranks serves; rank 0 has a second thread, and one beside the program."""
    record = made_record(4, 2)
    record.about["roles"] = ["model", "output server"]
    record.ranks["role"][3] = 1
    more = record.of_rank(0)[:40].copy()
    more["thread"] = np.where(np.arange(40) < 20, 1, beside_thread + 13)
    record.events = np.concatenate([record.events, more])
    return record


@pytest.mark.parametrize("make", [without_events, with_servers_and_threads])
def test_a_browser_draws_any_record(make, tmp_path):
    record = make()
    path = tmp_path / "page.html"
    path.write_text(page(report_of(record)), encoding="utf-8")
    data = held(path.read_text(encoding="utf-8"))["timeline"]
    assert data["serves"] == [False, False, False, make is with_servers_and_threads]
    if browser.program() is None:
        return
    dom = browser.rendered(path, tmp_path, "#t=0,1000000000")
    assert browser.faults(dom) == "" and 'data-ready="yes"' in dom[:2000]
    said = "of 3 processes that compute; servers" if sum(data["serves"]) else "No events were kept"
    assert said in dom


def test_a_browser_follows_mouse_and_keys(made, tmp_path):
    text = page(report_of(made)).replace("</body>", script + "</body>").replace("<body>", frames)
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    assert text.count("<script") == text.count("</script>") == 4
    if browser.program() is None:
        return
    dom = browser.rendered(path, tmp_path, "#dark")
    assert browser.faults(dom) == ""
    seen = json.loads(re.search(r'data-seen="([^"]*)"', dom[:4000])[1].replace("&quot;", '"'))
    assert len(seen) == 14
    assert len(set(seen[:5])) >= 4 and "ns per pixel" in seen[1]
    assert seen[7].startswith("0 ") and "1.00 µs per pixel" in seen[8]
    assert 'data-theme="light"' in dom[:4000]
    assert 'aria-sort="descending"' in dom
