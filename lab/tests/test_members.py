"""What a report says of the members of a run: made-up records of known times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from halocline.runtime.record.run_record import Region, RunRecord, empty, for_others, nobody
from halocline.runtime.record.run_record_tables import record_of_events
from halocline_lab.diagnosis.findings import faults
from halocline_lab.diagnosis.matching import match
from halocline_lab.diagnosis.members import better_use, member_times, member_words
from halocline_lab.diagnosis.timeline import compute_ranks, timeline
from halocline_lab.reporting.report import report_of
from halocline_lab.reporting.report_page import page
from halocline_lab.reporting.report_text import full_text

regions = [
    Region("step", "phase"),
    Region("a: step", "phase"),
    Region("a: kernel", "kernel"),
    Region("a: global sum", "sum"),
    Region("a: output", "output"),
    Region("b: step", "phase"),
    Region("b: kernel", "kernel"),
    Region("b: global sum", "sum"),
    Region(for_others, "collective"),
]
number_of = {region.name: at for at, region in enumerate(regions)}
ms = 1_000_000


def record(ranks: dict[str, list[int]], computes: dict[str, int], steps: int = 20) -> RunRecord:
    """Members on their ranks that compute so many ms in each step, add up, and write for 1 ms (a).

    A sum takes 1 ms. The step ends when all ranks are there.
    """
    rows = []

    def event(rank: int, name: str, begin: int, end: int, communicator: int = 0) -> int:
        one = empty("events", 1)[0]
        one["rank"], one["region"], one["partner"] = rank, number_of[name], nobody
        one["begin"], one["end"], one["communicator"] = begin * ms, end * ms, communicator
        rows.append(one)
        return end

    size = 1 + max(rank for some in ranks.values() for rank in some)
    zero = 0
    for _ in range(steps):
        now = dict.fromkeys(range(size), zero)
        for number, (name, own) in enumerate(ranks.items(), 1):
            for rank in own:
                begin = now[rank]
                end = event(rank, f"{name}: kernel", begin, begin + computes[name])
                end = event(rank, f"{name}: global sum", end, end + 1, number)
                if name == "a":
                    end = event(rank, "a: output", end, end + 1)
                now[rank] = event(rank, f"{name}: step", begin, end)
        last = max(now.values())
        for rank in range(size):
            event(rank, for_others, now[rank], last)
            event(rank, "step", zero, last)
        zero = last
    about: dict[str, Any] = {
        "title": "two made-up members",
        "roles": ["a", "b"],
        "schedule": "every 1h: a 1 x 1h, b 1 x 1h",
        "members": {
            name: {"component": name, "ranks": own, "steps": steps} for name, own in ranks.items()
        },
    }
    found = record_of_events(about, regions, np.array(rows, rows[0].dtype), size, step="step")
    if len({tuple(own) for own in ranks.values()}) > 1:
        for rank in ranks["b"]:
            found.ranks["role"][rank] = 1
    return found


def test_members_side_by_side():
    """a: 30 + 1 + 1 ms of 32 on ranks 0 and 1; b: 7 + 1 ms, so that it waits for 24."""
    a, b = member_times(record({"a": [0, 1], "b": [2]}, {"a": 30, "b": 7}))
    assert (a.ranks, b.ranks, a.steps) == ([0, 1], [2], 20)
    assert a.busy == pytest.approx(20 * 0.032) and a.steady == pytest.approx(20 * 0.032)
    assert (a.communicating, a.files) == (pytest.approx(0.02), pytest.approx(0.02))
    assert (a.of_step, b.of_step) == (pytest.approx(0.032), pytest.approx(0.008))
    assert a.waiting == a.lent == b.lent == 0.0
    assert (b.busy, b.waiting) == (pytest.approx(20 * 0.008), pytest.approx(20 * 0.024))
    words = member_words([a, b])
    assert "a 100 %, b 25 %" in words and "waiting, mostly for a: b 75 %" in words


def test_members_in_turns_wait_for_nobody():
    some = member_times(record({"a": [0], "b": [0]}, {"a": 30, "b": 7}))
    assert [one.busy for one in some] == [pytest.approx(20 * 0.032), pytest.approx(20 * 0.008)]
    assert [one.lent for one in some] == [pytest.approx(20 * 0.008), pytest.approx(20 * 0.032)]
    assert member_words(some) == (
        "The members take turns on the same ranks: of the steps, a 80 %, b 20 %."
    )
    assert better_use(some) is None


@pytest.mark.parametrize(
    ("ranks", "computes", "seconds", "words"),
    [
        # 4 x 8 and 2 x 72 rank ms of 20 steps: 1 and 5 ranks are the best, 32 and 28.8 ms
        ({"a": [0, 1, 2, 3], "b": [4, 5]}, {"a": 6, "b": 71}, 0.64, "a.ranks = 1, members.b.r"),
        # nothing to deal with two ranks: (32 + 8) / 2 ms in turns
        ({"a": [0], "b": [1]}, {"a": 30, "b": 7}, 0.4, 'members.b.on_ranks_of = "a"'),
    ],
)
def test_a_better_use_of_the_ranks(
    ranks: dict[str, list[int]], computes: dict[str, int], seconds: float, words: str
):
    better = better_use(member_times(record(ranks, computes)))
    assert better is not None and better.seconds == pytest.approx(seconds)
    assert words in better.words


def test_no_better_use_is_found_where_members_are_alike():
    assert better_use(member_times(record({"a": [0], "b": [1]}, {"a": 30, "b": 31}))) is None


def test_sums_of_one_member_are_not_matched_with_those_of_another():
    """Each member's sums end together; b's come 23 ms before a's, and wait for none of these."""
    some = record({"a": [0, 1], "b": [2, 3]}, {"a": 30, "b": 7})
    found = match(timeline(some))
    waits = found.waits
    where = [
        found.timeline.regions[found.timeline.events["region"][at]].name for at in waits["event"]
    ]
    assert set(where) == {for_others}
    assert set(waits["rank"].tolist()) == {2, 3} and set(waits["culprit"].tolist()) <= {0, 1}


def test_a_member_may_be_called_as_servers_are():
    some = record({"a": [0], "b": [1]}, {"a": 3, "b": 7})
    some.about["roles"] = ["conservation", "output server of a"]
    assert compute_ranks(some).tolist() == [0]


def test_exchanges_are_shown_by_part_as_each_member_sees_them():
    """G-20: a sends for 2 ms, and waits for nobody; b waits for 30, and remaps for 5."""
    some = record({"a": [0], "b": [1]}, {"a": 30, "b": 7})

    def part(seconds: float) -> dict[str, Any]:
        return {"calls": 4, "mean": seconds, "most": 2.0 * seconds}

    some.about["members"]["a"]["exchanges"] = {"wind": {"send": part(2e-3), "gather": part(1e-3)}}
    some.about["members"]["b"]["exchanges"] = {"wind": {"remap": part(5e-3), "wait": part(30e-3)}}
    shown = report_of(some)
    drawn, text = page(shown), full_text(shown)
    assert '<a href="#exchanges">' in drawn
    inside = drawn.partition('<section id="exchanges">')[2].partition("</section>")[0]
    with_waiting, without = (one.partition("</svg>")[0] for one in inside.split("<svg")[1:])
    for words in ("a: send 2 ms", "a: gather 1 ms", "b: remap 5 ms", "b: wait 30 ms"):
        assert f"<title>{words}</title>" in with_waiting
    assert "wait" not in without and "<title>wind, b: remap 5 ms</title>" in without
    # Bars are as high as their times: remapping takes 5 ms of the 5 of the highest column.
    heights = [
        float(one.partition('height="')[2].partition('"')[0]) for one in without.split("<rect")[1:]
    ]
    assert heights[0] / heights[1] == pytest.approx(0.5, abs=0.01)
    assert "Exchanges between members, as each sees them" in text
    without_any = page(report_of(record({"a": [0], "b": [1]}, {"a": 3, "b": 7})))
    assert "#exchanges" not in without_any


def test_exchanges_do_not_count_as_busy():
    """What a member waits for within an exchange is no work of its own."""
    at = regions.index(Region("b: kernel", "kernel"))
    regions[at] = Region("b: exchange wind: receive", "phase")
    try:
        a, b = member_times(record({"a": [0], "b": [1]}, {"a": 30, "b": 7}))
    finally:
        regions[at] = Region("b: kernel", "kernel")
    assert b.exchanging == pytest.approx(20 * 0.007) and b.busy == pytest.approx(20 * 0.001)
    assert a.exchanging == 0.0


def test_the_report_has_a_section_and_advice():
    shown = report_of(record({"a": [0, 1, 2, 3], "b": [4, 5]}, {"a": 6, "b": 71}))
    text, drawn = full_text(shown), page(shown)
    assert "of the steps  a step  computation" in " ".join(text.split("\n"))
    assert "Members (means of their ranks)" in text and "waiting, mostly for b: a 89 %" in text
    assert '<section id="members">' in drawn and '<a href="#members">' in drawn
    assert "every 1h: a 1 x 1h, b 1 x 1h" in drawn
    (finding,) = [one for one in shown.analysis.advice if one.fault == "unequal members"]
    assert finding.fault in faults
    assert "members.a.ranks = 1" in finding.advice[0]
    assert finding.gain.seconds == pytest.approx(20 * (0.072 - 0.032))
    assert not [one for one in shown.analysis.advice if "imbalance" in one.fault]
    load = "the ranks compute for different members, those of a 0.12 s on average, 0.12 s at most;"
    assert f"unequal members: {load}" in text and f"Unequal members: {load}" in drawn
    assert "(rank 4 computes longest, unequal members)" in text
    assert "mbalanced decomposition" not in text + drawn
    assert "of all ranks, not of its own alone" in drawn
    quantity = next(one for one in shown.analysis.cpmip if one.name == "coupling cost")
    assert quantity.value == pytest.approx(4 * 64 / (6 * 72))
