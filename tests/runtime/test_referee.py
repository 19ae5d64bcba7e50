"""The referee measures, remembers, obeys and looks again; run alone and on several ranks."""

from types import SimpleNamespace

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.halos import choices
from halocline.runtime.halos.choices import contenders
from halocline.runtime.ranks.communicator import Ranks, world
from halocline.runtime.running import referee as module
from halocline.runtime.running.contest import Score, Standing
from halocline.runtime.running.referee import CommunicationOptions, KeptVerdicts, Referee, Verdict
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.reductions import GlobalSums

several = isinstance(world(), Ranks)


def spread_kernel() -> Kernel:
    """value = mean of itself and its neighbour to the west, on cells."""

    def spread(box, value):
        j0, j1, i0, i1, _ = box
        value[..., j0:j1, i0:i1] = 0.5 * (
            value[..., j0:j1, i0:i1] + value[..., j0:j1, i0 - 1 : i1 - 1]
        )

    arguments = (Argument("value", "update", "center", "1", (-1, 0, 0, 0), "own"),)
    return Kernel("spread", arguments, spread)


def model(rows=1):
    options = DecompositionOptions(kind="blocks", blocks_per_rank=1)
    decomposition = Decomposition(
        np.ones((12, 18), bool),
        Topology(12, 18, periodic_i=True),
        halo=1,
        options=options,
        communicator=world(),
    )
    state = SimpleNamespace(
        value=Field("value", "1", decomposition, axes=(rows,), place=Place.center, dtype=np.float64)
    )
    truth = np.random.default_rng(3).random((rows, 12, 18))
    state.value.set_from(
        lambda b: truth[:, b.rectangle.j0 : b.rectangle.j1, b.rectangle.i0 : b.rectangle.i1]
    )
    return Runner(decomposition), state


def steps(run, state, referee, count):
    for _ in range(count):
        run(spread_kernel(), state)
        referee.after_step(run.recorder.seconds("halo exchange"))
    return state.value.gather()


@pytest.fixture
def eager(monkeypatch):
    monkeypatch.setattr(module, "worth_measuring", 0.0)
    monkeypatch.setattr(module, "worth_seconds", 0.0)
    monkeypatch.delenv("HALOCLINE_HALOS", raising=False)
    monkeypatch.delenv("HALOCLINE_SUMS", raising=False)


def test_judges_what_costs_most_and_changes_no_bit(eager, tmp_path):
    lines: list[str] = []
    run, state = model()
    folder = world().broadcast(tmp_path)
    judged = steps(run, state, Referee(run.exchange, tell=lines.append, folder=folder), 12)
    plain, other = model()
    by_rule = steps(plain, other, Referee(plain.exchange, watch=False, tell=lines.append), 12)
    assert np.array_equal(judged, by_rule) if world().rank == 0 else judged is None
    assert len(lines) == (1 if several else 0)
    if several:
        assert "rivals:" in lines[0]
        (choice,) = run.exchange.chosen.values()
        assert choice.text in contenders
        begin = f"halos of blocks: 1 row of float64 at center to depth 1 west: {choice}"
        assert lines[0].startswith(begin)
        everyone = world().gather(choice.text)
        assert everyone is None or len(set(everyone)) == 1
    assert run.recorder.message_count == plain.recorder.message_count


def test_large_messages_are_tried_in_segments_too(eager, monkeypatch):
    """The contest is decided for the last way, so that what is chosen does not hang on times."""
    monkeypatch.setattr(choices, "least_segment", 1 << 12)
    seen = []

    def decided(communicator, trials, budget):
        for trial in trials:
            trial()
        seen.append(len(trials))
        scores = {at: Score(1.0, 1.0, 1.0, 1.0, 1) for at in range(len(trials))}
        last = len(trials) - 1
        return Standing(last, (last,), scores, 1, 0.0)

    monkeypatch.setattr(module, "contest", decided)
    lines: list[str] = []
    run, state = model(rows=150)
    judged = steps(run, state, Referee(run.exchange, tell=lines.append), 6)
    plain, other = model(rows=150)
    by_rule = steps(plain, other, Referee(plain.exchange, watch=False), 6)
    assert np.array_equal(judged, by_rule) if world().rank == 0 else judged is None
    if several:
        (choice,) = run.exchange.chosen.values()
        assert choice.text == "persistent mixed:4096" and seen[0] >= len(contenders) - 2
        assert run.recorder.message_count > plain.recorder.message_count
        assert run.recorder.message_bytes == plain.recorder.message_bytes
        run.exchange.free()
        small, state = model()
        steps(small, state, Referee(small.exchange, tell=lines.append), 3)
        assert "segments" not in lines[-1] and "mixed" not in lines[-1]


def test_a_later_run_takes_what_an_earlier_one_measured(eager, tmp_path):
    folder = world().broadcast(tmp_path)
    lines: list[str] = []
    for _ in range(2):
        run, state = model()
        steps(run, state, Referee(run.exchange, tell=lines.append, folder=folder), 3)
    if several:
        assert "(measured" in lines[0]
        assert "measured by an earlier run" in lines[1]
        assert lines[0].split("(")[0] == lines[1].split("(")[0]


def test_without_time_to_measure_the_last_winner_is_taken(eager):
    run, state = model()
    lines: list[str] = []
    sums = {"one": GlobalSums(world(), 1), "two": GlobalSums(world(), 1)}
    referee = Referee(run.exchange, tell=lines.append, sums=sums)
    for step in range(8):
        run(spread_kernel(), state)
        sums["one"]([[np.array([1.0])]])
        if step > 2:
            referee.left = 0.0
            sums["two"]([[np.array([1.0])]])
        referee.after_step(run.recorder.seconds("halo exchange"))
    if several:
        assert str(sums["two"].choice) == str(sums["one"].choice)
        assert "no time left for measuring; as sums of one" in lines[-1]


def test_an_exchange_that_costs_too_little_is_left_alone(monkeypatch):
    monkeypatch.setattr(module, "worth_seconds", 1e9)
    run, state = model()
    referee = Referee(run.exchange, steps=20)
    steps(run, state, referee, 12)
    assert not referee.verdicts


def test_judges_again_when_an_exchange_has_become_slower(eager, monkeypatch):
    lines: list[str] = []
    run, state = model()
    referee = Referee(run.exchange, tell=lines.append)
    steps(run, state, referee, 9)
    for counter in run.exchange.spent.values():
        counter.seconds += 10.0
    steps(run, state, referee, 24)
    assert sum("measured again" in line for line in lines) == (1 if several else 0)


def test_sums_are_judged_too_and_keep_their_bits(eager):
    lines: list[str] = []
    run, _ = model()
    sums = GlobalSums(world(), 2)
    referee = Referee(run.exchange, tell=lines.append, sums={"something": sums})
    terms = [[np.linspace(0.1, 1.0, 7) * (world().rank + 1)], [np.array([1.0])]]
    found = []
    for _ in range(4):
        found.append(sums(terms).tolist())
        referee.after_step(sums.spent.seconds)
    assert found == [found[0]] * 4
    if several:
        assert lines[0].startswith(f"sums of something: {sums.choice} (measured")


def test_a_fixed_way_is_taken_for_all(eager, monkeypatch):
    lines: list[str] = []
    run, state = model()
    options = CommunicationOptions(halos="persistent aggregated")
    referee = Referee(run.exchange, options, tell=lines.append)
    steps(run, state, referee, 3)
    assert lines == ["halos: persistent aggregated for all exchanges (fixed)"]
    assert {str(choice) for choice in run.exchange.chosen.values()} == {"persistent aggregated"}
    monkeypatch.setenv("HALOCLINE_HALOS", "put-fence")
    run, state = model()
    steps(run, state, Referee(run.exchange, options, tell=lines.append), 3)
    assert {choice.mechanism for choice in run.exchange.chosen.values()} == {"put-fence"}


def test_fixed_sums(eager):
    lines: list[str] = []
    run, _ = model()
    sums = GlobalSums(world(), 1)
    options = CommunicationOptions(sums="non-blocking")
    Referee(run.exchange, options, tell=lines.append, sums={"something": sums})
    assert str(sums.choice) == "non-blocking"
    assert lines == ["sums: non-blocking for all sums (fixed)"]
    assert sums([[np.array([1.5])]]).tolist() == [1.5 * world().size]


def test_an_unknown_way_is_refused_with_the_nearest(monkeypatch):
    monkeypatch.delenv("HALOCLINE_HALOS", raising=False)
    run, _ = model()
    with pytest.raises(UserError, match="persistent"):
        Referee(run.exchange, CommunicationOptions(halos="persistant"))


def test_memory_keeps_verdicts_and_forgives_what_it_cannot_read(tmp_path):
    memory = KeptVerdicts(tmp_path / "cache")
    verdict = Verdict(
        "a", "persistent aggregated", "measured", (("messages aggregated", 1.2),), 1.0
    )
    memory.write(["fact"], verdict)
    kept = memory.read(["fact"])
    assert (kept.chosen, kept.rivals, kept.seconds) == (verdict.chosen, verdict.rivals, 1.0)
    assert memory.read(["other fact"]) is None
    memory.path(["fact"]).write_text("{")
    assert memory.read(["fact"]) is None
    (tmp_path / "file").write_text("")
    KeptVerdicts(tmp_path / "file").write(["fact"], verdict)
