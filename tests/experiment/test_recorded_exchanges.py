"""A member under what a coupled run gave it, from files: the bits it had there. Ranks: 1, 2."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.experiment.check import look
from halocline.experiment.members import make_members
from halocline.experiment.run import run
from invariance.coupled_seas import case, ocean
from invariance.printed_bits import printed_bits

members = ("air", "ocean", "waves", "fluxes")
down = ["wind_stress_east", "wind_stress_north", "short_wave", "heat_flux_into_sea", "water_flux"]


def coupled(**more: Any) -> dict[str, Any]:
    found = case(**more)
    found["schedule"] = found["schedule"] | {"recorded": ["all"]}
    return found


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, bytes]]]:
    """The folder of a coupled run, and what its members had at the end."""
    folder = tmp_path_factory.mktemp("coupled")
    done = run(coupled(), output=folder)
    return folder, {name: state(some) for name, some in done.components.items()}


def state(component: Any) -> dict[str, bytes]:
    """All that a restart holds, to the bit."""
    return {
        field.name: np.concatenate([np.ravel(some) for some in field.read()]).tobytes()
        for field in component.restart_fields()
    }


@pytest.mark.parametrize("live", members)
def test_each_member_alone_has_the_bits_of_the_coupled_run(recorded, live: str):
    """All others stand aside: what they gave is in files."""
    folder, bits = recorded
    table = case()
    for name in members:
        if name != live:
            table["members"][name] = table["members"][name] | {"recorded_in": str(folder)}
    done = run(table)
    assert live in done.components and len(done.components) == len(set(done.components))
    assert not set(done.components) & set(members) - {live}
    found = state(done.components[live])
    assert found.keys() == bits[live].keys()
    ports = set(done.components[live].ports)
    later = {"air": {"skin_temperature"}, "fluxes": ports}
    other = {name for name in found if found[name] != bits[live][name]}
    assert other <= later.get(live, set()), "what came at the end for a next step, and no more"


def lone(folder: Path, **more: Any) -> dict[str, Any]:
    """An ocean and a data model, by hand."""
    given = {
        "component": "data", "time": {"step": "20min"}, "on_ranks_of": "ocean",
        "data": {"recorded": [str(folder / "ocean.down.exchange.nc")]}, "grid": ocean["grid"],
    }  # fmt: skip
    return {
        "time": case()["time"],
        "members": {"given": given | more, "ocean": ocean},
        "exchanges": {"down": {"source": "given", "target": "ocean", "fields": down}},
    }


def test_by_hand_and_from_a_restart(recorded, tmp_path: Path):
    """A data model with the grid of the ocean, broken off after each interval."""
    folder, bits = recorded
    table = lone(folder)
    assert state(run(table).components["ocean"]) == bits["ocean"]
    resume = False
    while (done := run(table, output=tmp_path, walltime=1e-3, resume=resume)).stopped_by:
        resume = True
    assert resume and state(done.components["ocean"]) == bits["ocean"]


@pytest.mark.parametrize("ranks", [1, 2])
def test_on_ranks(recorded, tmp_path: Path, ranks: int):
    """The restarts have the same bytes."""
    folder, _ = recorded
    file = folder / "restart_20000601T020000.ocean.safetensors"
    found = printed_bits("recorded_seas.py", ranks, 1, 1, str(folder), str(tmp_path))
    assert found == {f"bits {hashlib.sha256(file.read_bytes()).hexdigest()}"}


refused = {
    "has no record of 2000-06-01 00:10: there are those from": {"time": {"step": "10min"}},
    "but the grid of the data model has": {"grid": ocean["grid"] | {"depth": 300.0, "nx": 9}},
    "Cells of .* lie at another longitude": {"grid": ocean["grid"] | {"x0": -5.0}},
    "gives what is recorded or maps": {
        "data": {"recorded": ["x.nc"], "gives": {"a": {"file": "x.nc", "fields": ["ice"]}}}
    },
}


@pytest.mark.parametrize("words", refused)
def test_refused(recorded, words: str):
    with pytest.raises(UserError, match=words):
        run(lone(recorded[0], **refused[words]))


def test_room_for_restarts_counts_what_exchanges_add(recorded, tmp_path: Path):
    """What is looked for before a run, beside the files that it leaves."""
    table = coupled()
    members_of = make_members(table)
    folder, _ = recorded
    for name, member in members_of.members.items():
        found = look(
            member.running(), 1, tmp_path, member=name, exchanges=members_of.exchanges()
        ).restarts  # fmt: skip
        sizes = sorted(path.stat().st_size for path in folder.glob(f"restart_*.{name}.safetensors"))
        assert sizes[-1] <= found[0].largest < 1.1 * sizes[-1] + 4096, name


def test_names_and_files_that_are_not_there_are_refused(recorded):
    table = case()
    table["schedule"] = table["schedule"] | {"recorded": ["upp"]}
    with pytest.raises(UserError, match="schedule.recorded names 'upp'.*Did you mean 'up'"):
        run(table)
    table = case()
    for name in members:
        table["members"][name] = table["members"][name] | {"recorded_in": "nowhere"}
    with pytest.raises(UserError, match="nothing is computed"):
        run(table)
    del table["members"]["ocean"]["recorded_in"]
    with pytest.raises(UserError, match="schedule.recorded"):
        run(table)
