"""Predictions by replay: the same ranks elsewhere, and steps on other numbers of ranks."""

import argparse
import json

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.record.run_record_file import read_record, write_record
from halocline_lab.prediction import predict, predict_replay, predict_whatif
from halocline_lab.prediction import program_patterns as patterns
from halocline_lab.prediction.platform_model import NoiseModel, Platform, Protocol, ideal
from halocline_lab.prediction.replay import replay
from halocline_lab.prediction.step_pattern import (
    Compute,
    Exchange,
    StepPattern,
    Together,
    halo_sizes,
    named_pattern,
    pattern_of_record,
    program_of_pattern,
)

platform = Platform("test", between=(Protocol(5e-6, 1e-6, 1e-6, bandwidth=1e9),))


def command(*words):
    parser = argparse.ArgumentParser()
    predict.add_arguments(parser)
    options = parser.parse_args([str(word) for word in words])
    return predict.main(options)


@pytest.fixture
def record():
    program = patterns.solver(16, seconds=1e-3, size=4000, imbalance=0.1, steps=8)
    return replay(program, platform, record=True).record()


def test_a_record_on_its_own_platform_is_predicted_exactly(record):
    found, _ = predict_replay.predict(record, platform)
    assert found.ratio == pytest.approx(1.0, rel=1e-3)
    assert found.steady_predicted == pytest.approx(record.steady_seconds, rel=1e-3)


def test_a_faster_network_takes_away_what_it_costs(record):
    found, _ = predict_replay.predict(record, ideal)
    computing = 8 * 1.1e-3
    assert found.predicted == pytest.approx(computing, rel=0.01)
    assert found.measured > computing


def test_a_faster_processor_takes_away_its_share(record):
    one, _ = predict_replay.predict(record, platform)
    two, _ = predict_replay.predict(record, Platform("t", rate=2.0, between=platform.between))
    assert one.predicted - two.predicted == pytest.approx(8 * 1.1e-3 / 2, rel=0.02)


def test_computation_of_ranks_that_shared_processors_is_told_apart():
    """Two ranks per processor: each computation is on record as twice as long."""
    crowded = Platform("crowded", processors=2, nodes=1, inside=platform.between)
    program = patterns.halo(4, seconds=1e-3, size=8, steps=5)
    record = replay(program, crowded, record=True).record()
    record.about["machine"] = {"cores": 2}
    same, _ = predict_replay.predict(record, crowded)
    assert same.ratio == pytest.approx(1.0, rel=0.03)
    wide, _ = predict_replay.predict(record, ideal)
    assert wide.predicted == pytest.approx(5e-3, rel=0.03)
    assert record.seconds == pytest.approx(10e-3, rel=0.03)
    record.about["machine"] = {"cores": 4}
    alone, _ = predict_replay.predict(record, ideal)
    assert alone.predicted == pytest.approx(10e-3, rel=0.03)


def test_rooflines_scale_kernels_by_what_bounds_them(record):
    record.about["machine"] = {"flops": 1e9, "memory_bandwidth": 1e10}
    faster = Platform("t", flops=4e9, memory_bandwidth=2e10, between=platform.between)
    operator = next(n for n, r in enumerate(record.regions) if r.name == "operator")
    record.work = np.zeros(1, record.work.dtype)
    for operations, size, factor in ((1e6, 1e3, 4.0), (1e3, 1e6, 2.0 * 16)):
        record.work[0] = (0, operator, 1, size, operations)
        record.ranks["host"] = 0
        program = predict_replay.program_of_record(record)
        scaled = predict_replay.at_speed_of(program, record, faster, 1)
        inside = program.operations["region"] == operator
        before = program.operations["seconds"][inside].sum()
        assert before / scaled.operations["seconds"][inside].sum() == pytest.approx(factor)


def test_the_pattern_of_a_record(record):
    pattern = pattern_of_record(record)
    assert [type(part) for part in pattern.parts] == [Exchange, Compute, Together] + [
        Compute,
        Together,
    ]
    exchange = pattern.parts[0]
    assert (exchange.size, exchange.messages, exchange.partners) == (16000, 4, 4)
    assert pattern.computing == pytest.approx(1e-3)
    assert pattern.imbalance == pytest.approx(0.1)
    again = replay(program_of_pattern(pattern, 16, steps=8), platform)
    assert again.seconds == pytest.approx(record.steady_seconds, rel=0.02)


def test_a_pattern_on_other_ranks_is_that_of_a_record_there():
    """The step of 16 ranks made for 64 takes as long as one that was made there."""
    record = replay(
        patterns.solver(16, seconds=1e-3, size=4000, steps=3), platform, record=True
    ).record()
    pattern = pattern_of_record(record)
    there = replay(patterns.solver(64, seconds=1e-3 / 4, size=2000, steps=3), platform)
    found = replay(program_of_pattern(pattern, 64, steps=3), platform)
    assert found.seconds == pytest.approx(there.seconds, rel=0.01)


def test_halos_shrink_with_the_edges_of_blocks():
    pattern = StepPattern("", 16, (), domain=(320, 160))  # own blocks: 80 x 40 points
    exchange = Exchange(size=2 * 80 * 8 + 2 * 40 * 8)
    assert halo_sizes(pattern, exchange, (4, 4), weak=False) == [80 * 8, 40 * 8]
    assert halo_sizes(pattern, exchange, (16, 4), weak=False) == [80 * 8, 10 * 8]
    assert halo_sizes(pattern, exchange, (16, 4), weak=True) == [80 * 8, 40 * 8]
    cubes = StepPattern("", 8, (), dimensions=3)
    assert halo_sizes(cubes, Exchange(600.0, 6, 6), (4, 4, 4), weak=False) == [25, 25, 25]


def test_packing_goes_with_the_halo():
    pattern = StepPattern("", 16, (Exchange(16000, packing=1e-3),))
    for ranks, seconds in ((16, 1e-3), (64, 0.5e-3)):
        found = replay(program_of_pattern(pattern, ranks), ideal)
        assert found.computing == pytest.approx(seconds)


def test_servers_are_left_out_of_a_pattern():
    program = patterns.frames(17, servers=1, frame=1e6, every=1, steps=6)
    record = replay(program, platform, record=True).record()
    step = next(n for n, r in enumerate(record.regions) if r.name == "step")
    is_step = record.events["region"] == step
    record.events = record.events[~is_step | (record.events["rank"] < 16)]
    record.about["roles"] = ["model", "output server"]
    record.ranks["role"][16] = 1
    pattern = pattern_of_record(record)
    assert pattern.ranks == 16
    assert any("1 ranks that do other things" in words for words in pattern.assumptions)
    assert pattern.computing == pytest.approx(1e-3)


def test_long_rows_are_better():
    """R-18: 8 x 32 against 16 x 16 ranks, where a row costs as much as some points more."""
    pattern = StepPattern("", 256, (Compute(1e-3),), domain=(320, 384), half_length=20.0)
    seconds = {
        shape: replay(program_of_pattern(pattern, 256, grid=shape), ideal).seconds
        for shape in ((16, 16), (32, 8), (8, 32))
    }
    assert seconds[32, 8] / seconds[16, 16] == pytest.approx((1 + 20 / 40) / (1 + 20 / 20))
    assert seconds[8, 32] > seconds[16, 16]


def test_strong_and_weak_scaling():
    pattern = named_pattern("halo2d", ranks=16, seconds=1e-3, size=1000)
    strong = replay(program_of_pattern(pattern, 64), platform)
    weak = replay(program_of_pattern(pattern, 64, weak=True), platform)
    assert strong.computing[0] == pytest.approx(1e-3 / 4)
    assert weak.computing[0] == pytest.approx(1e-3)


def test_noise_at_the_same_moments_gives_most_of_its_cost_back():
    """P-23: 85 to 125 years a day by interrupting all processors of a Cray X1 together.

    A step of 1.25 ms in sums and halos; interruptions take 1 % of each processor. Where they come
    one after the other, somebody is interrupted in most steps.
    """
    pattern = named_pattern("solver", ranks=240, seconds=1.2e-3, size=1000)
    program = program_of_pattern(pattern, 240, steps=400)
    noise = {"kind": "periodic", "period": 20e-3, "duration": 0.25e-3}

    def speed(**more):
        return 1.0 / replay(program, Platform(noise=NoiseModel(**noise, **more))).seconds

    gain = speed(together=True) / speed()
    assert gain == pytest.approx(125 / 85, rel=0.05)


def test_commands(tmp_path, record, capsys):
    path = tmp_path / "a.record"
    write_record(path, record)
    save, numbers = tmp_path / "b.record", tmp_path / "numbers.json"
    code = command(
        "replay", path, "--platform", "ideal", "cray-x1", "--save", save, "--json", numbers
    )
    assert code == 0
    words = capsys.readouterr().out
    assert "measured" in words and "cray-x1" in words
    rows = json.loads(numbers.read_text())
    assert [row["platform"] for row in rows] == ["ideal", "cray-x1"]
    assert read_record(save).steady_seconds == pytest.approx(rows[1]["spans_predicted_s"], rel=0.01)

    picture = tmp_path / "a.png"
    arguments = ["--ranks", "16,64,1024", "--latency", "1us", "10us", "--wiring", "torus"]
    assert command("whatif", path, *arguments, "--png", picture, "--json", numbers) == 0
    words = capsys.readouterr().out
    assert "Assumed: halos shrink" in words and "10us torus" in words
    assert picture.stat().st_size > 10_000
    rows = json.loads(numbers.read_text())["rows"]
    assert len(rows) == 6
    seconds = {(row["choice"], row["ranks"]): row["seconds"] for row in rows}
    assert seconds["1us torus", 1024] < seconds["10us torus", 1024]


@pytest.mark.parametrize("name", ["halo1d", "halo3d", "allreduce", "alltoall", "alltoone", "ocean"])
def test_patterns_by_name(name, capsys):
    assert command("whatif", name, "--ranks", "8,27", "--platform", "cloud-25g") == 0
    assert "cube" in capsys.readouterr().out


def test_the_solver_of_an_ocean_model_ends_its_scaling():
    """P-22, P-24: where latency is low, more processors help for longer."""
    pattern = named_pattern("ocean", ranks=8, seconds=0.5, size=2560)

    def seconds(latency, ranks):
        network = Protocol(latency, bandwidth=1e9)
        machine = Platform(between=(network,))
        return replay(program_of_pattern(pattern, ranks, steps=3), machine).step_seconds

    assert seconds(50e-6, 1024) > 0.8 * seconds(50e-6, 256)
    assert seconds(5e-6, 1024) < 0.5 * seconds(5e-6, 256)


def test_servers_take_output_off_the_step(capsys, tmp_path):
    numbers = tmp_path / "n.json"
    arguments = ["--ranks", "65", "--servers", "0", "1", "--frame", "10MB", "--seconds", "5ms"]
    assert command("whatif", "halo2d", *arguments, "--json", numbers) == 0
    none, one = json.loads(numbers.read_text())["rows"]
    assert none["seconds"] - one["seconds"] == pytest.approx(1e-3, rel=0.2)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nothing"], "neither a record nor a pattern"),
        (["halo2d", "--servers", "1"], "--servers needs --frame"),
        (["halo2d", "--grid", "3xx"], "is no shape"),
        (["halo2d", "--grid", "3x3"], "No process grid of 3x3"),
        (["halo2d", "--noise", "loud,1,1"], "Kinds: none"),
        (["halo2d", "--latency", "soon"], "--latency 'soon' is no quantity"),
        (["halo2d", "--ranks", "1", "--servers", "1", "--frame", "1MB"], "leave nobody"),
    ],
)
def test_mistakes_are_told(arguments, message):
    with pytest.raises(UserError, match=message):
        command("whatif", *arguments)


def test_what_a_pattern_leaves_out_is_told(record):
    options = argparse.Namespace(weak=False)
    pattern = pattern_of_record(record)
    words = predict_whatif.assumptions_of(pattern, options)
    assert any("count as cubes" in one for one in words)
    assert any("outside of kernels" in one or "all computation" in one for one in words)
