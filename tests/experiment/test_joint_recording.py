"""The one record of a run of several members: who computed where, for whom, and who waited.

Ranks: 1 here; 4 by the command (two of waves, a server of theirs, one of tracers).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halocline.experiment import exit_codes
from halocline.experiment.command_line import main
from halocline.experiment.run import run
from halocline.runtime.record.run_record import RunRecord, for_others, periods
from halocline.runtime.record.run_record_file import read_record, record_name

settings = ["time.length=6h", "restart.interval=3h", "output={}"]


@pytest.fixture(scope="module")
def in_turns(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    folder = tmp_path_factory.mktemp("in-turns")
    run("two-members", settings=settings, output=folder)
    assert sorted(folder.glob("*.record")) == [folder / record_name]
    return read_record(folder)


def rows(record: RunRecord, name: str, table: str = "statistics") -> Any:
    number = [region.name for region in record.regions].index(name)
    found = getattr(record, table)
    return found[found["region"] == number]


def test_members_in_turns_are_phases_of_one_step(in_turns: RunRecord):
    """A step is an hour: one of the waves and two of the tracers."""
    assert len(in_turns.steps) == in_turns.about["steps"] == 6
    step, waves, tracers = (
        rows(in_turns, name) for name in ("step", "waves: step", "tracers: step")
    )
    assert [some["calls"].sum() for some in (step, waves, tracers)] == [6, 6, 12]
    inside = waves["seconds"].sum() + tracers["seconds"].sum()
    assert 0.0 < inside <= step["seconds"].sum() <= in_turns.seconds
    assert {periods[period] for period in waves["period"]} == {"steady"}
    own = in_turns.statistics[in_turns.statistics["thread"] == 0]["own_seconds"]
    assert (own > -1e-9).all() and own.sum() <= in_turns.seconds


def test_kernels_are_those_of_their_member(in_turns: RunRecord):
    names = {in_turns.regions[region].name for region in in_turns.work["region"]}
    assert {"waves: propagate_space", "tracers: transport_tracers_x_first"} <= names
    assert all(name.startswith(("waves: ", "tracers: ")) for name in names)
    assert rows(in_turns, "tracers: transport_tracers_x_first", "work")["bytes"].sum() > 0


def test_what_is_known_is_of_all_members(in_turns: RunRecord):
    about, members = in_turns.about, in_turns.about["members"]
    assert list(members) == ["waves", "tracers"]
    assert [some["component"] for some in members.values()] == ["waves", "transport"]
    assert [some["steps"] for some in members.values()] == [6, 12]
    assert [some["ranks"] for some in members.values()] == [[0], [0]]
    assert about["points"] == sum(some["points"] for some in members.values())
    assert about["points_of_ranks"] == [about["points"]]
    assert about["simulated_seconds"] == 6 * 3600.0
    assert about["roles"] == ["waves, then tracers"]
    assert about["title"] == "Waves and tracers side by side"


def test_ranks_and_servers_of_all_members_are_in_one_record(tmp_path: Path):
    words = ["run", "two-members", "-n", "3", "--oversubscribe", "--quiet"]
    more = [
        "time.length=6h",
        "members.waves.ranks=2",
        "members.waves.output.servers.count=1",
        "members.waves.output.writing.way=servers",
    ]
    changes = [word for setting in more for word in ("--set", setting)]
    assert main([*words, *changes, "--output", str(tmp_path)]) == exit_codes.done
    record = read_record(tmp_path)
    roles = [record.about["roles"][role] for role in record.ranks["role"]]
    assert roles == ["waves", "waves", "output server of waves", "tracers"]
    assert record.about["members"]["tracers"]["ranks"] == [3]
    assert record.about["communicators"] == {"0": [0, 1, 3], "1": [0, 1], "2": [3]}
    kinds = record.kinds_of(record.messages["region"])
    sent = record.messages[kinds == "start send"]
    assert {(int(row["rank"]), int(row["partner"])) for row in sent} == {(0, 1), (1, 0)}
    to_server = record.messages[kinds == "send"]
    assert set(to_server["partner"].tolist()) == {2}
    assert set(rows(record, "waves: output: assembling")["rank"].tolist()) == {2}
    assert set(rows(record, "waves: step")["rank"].tolist()) == {0, 1}
    assert set(rows(record, "tracers: step")["rank"].tolist()) == {3}
    waiting = rows(record, for_others)
    assert set(waiting["rank"].tolist()) == {0, 1, 3}
    assert waiting["calls"].sum() == 3 * 6
    steps = record.steps[record.steps["rank"] != 2]
    assert np.unique(steps["rank"], return_counts=True)[1].tolist() == [6, 6, 6]


def test_no_record_where_no_member_wants_one(tmp_path: Path):
    run("two-members", settings=[*settings, "record.write=false"], output=tmp_path)
    assert not list(tmp_path.glob("*.record"))
