"""The platform of this machine: from times that are known, and from real ranks."""

import argparse
import math

import numpy as np
import pytest

from halocline_lab.prediction import platform, platform_measure, predict_check
from halocline_lab.prediction.platform_measure import platform_toml, protocols, wake_seconds
from halocline_lab.prediction.platform_model import Platform, platform_of, read_platform
from halocline_lab.prediction.programs import ProgramBuilder
from halocline_lab.prediction.replay import replay

latency, rate, limit = 1e-6, 5e9, 4096
sizes = (0, 1024, 4096, 65536, 1048576)


def times(size):
    """A known network: rendezvous beyond a limit takes 2 us more."""
    return latency + size / rate + 2e-6 * (size > limit)


@pytest.fixture
def pair():
    least = {f"one way {size}": times(size) for size in sizes}
    least |= {f"both ways {size}": times(size) + size / 20e9 for size in sizes}
    least["barrier"] = 2e-6
    eager = {str(size): float(size <= limit) for size in sizes}
    return {"least": least, "overheads": [2e-7, 3e-7], "eager": eager}


def test_protocols_give_back_the_times(pair):
    rows, channel = protocols(pair)
    measured = Platform(inside=rows, between=rows, memory_channel=channel, processors=2, nodes=1)
    for size in sizes[1:]:
        build = ProgramBuilder(2)
        build.message("send", 1, size, [0])
        build.message("receive", 0, size, [1])
        found = replay(build.program(), measured).seconds
        assert found == pytest.approx(times(size), rel=1e-9)
    assert [row.handshake < 0.0 for row in rows] == [True, True, False, False]
    assert rows[-1].up_to == math.inf


def test_two_messages_at_once_share_the_memory(pair):
    rows, channel = protocols(pair)
    assert channel == pytest.approx(20e9)
    measured = Platform(inside=rows, memory_channel=channel, processors=2, nodes=1)
    build = ProgramBuilder(2)
    build.message("start receive", [1, 0], 1048576, request=1)
    build.message("start send", [1, 0], 1048576, request=2)
    build.wait()
    found = replay(build.program(), measured).seconds
    assert found == pytest.approx(times(1048576) + 1048576 / 20e9, rel=0.01)


def test_noise_does_not_make_large_messages_faster(pair):
    pair["least"]["one way 4096"] = 0.5e-6
    rows, _ = protocols(pair)
    assert all(row.bandwidth > 0.0 and row.latency >= 0.0 for row in rows)


def test_waking_is_what_barriers_of_many_ranks_cost_more(pair):
    crowd = {"least": {"barrier": 10e-6}}
    assert wake_seconds(pair, crowd, cores=2) == pytest.approx(10e-6 / 2 - 2e-6)
    assert wake_seconds(pair, {"least": {"barrier": 1e-6}}, cores=2) == 0.0


def test_sums_cost_what_their_messages_do_not(pair):
    pair["least"]["one way 262144"] = times(262144)
    pair["least"]["sum"] = 2 * times(262144) + 262144 / 8e9
    assert platform_measure.reduction(pair) == pytest.approx(8e9)
    pair["least"]["sum"] = times(262144)
    assert platform_measure.reduction(pair) == math.inf


def test_a_written_platform_is_read_again(pair, tmp_path):
    rows, channel = protocols(pair)
    one = Platform(
        "here", "measured", inside=rows, between=rows, memory_channel=channel, nodes=1, wake=1e-6
    )
    path = tmp_path / "here.toml"
    path.write_text(platform_toml(one), encoding="utf-8")
    again = read_platform(path)
    assert again.inside == one.inside
    assert (again.memory_channel, again.wake, again.nodes) == (channel, 1e-6, 1)
    assert set(again.sources) >= {"inside", "between", "wake", "rate"}
    assert platform_of({"name": "a"}, "a").inside == Platform().inside


def command(*words):
    parser = argparse.ArgumentParser()
    platform.add_arguments(parser)
    return platform.main(parser.parse_args([str(word) for word in words]))


def test_platforms_are_listed_and_shown(capsys):
    assert command() == 0
    assert "cray-x1" in capsys.readouterr().out
    assert command("hector-xt4") == 0
    words = capsys.readouterr().out
    assert "rendezvous" in words and "between: latency and overheads sum to 6 us" in words


def test_this_machine_is_measured_by_real_ranks(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(platform_measure, "sizes", (0, 1024, 262144))
    path = tmp_path / "here.toml"
    assert command("--measure", path, "--rounds", 2) == 0
    here = read_platform(path)
    assert "rendezvous" in capsys.readouterr().out or here.inside[-1].handshake < 0.0
    assert [row.up_to for row in here.inside] == [1024, math.inf]
    assert all(row.bandwidth > 0.0 for row in here.inside)
    assert here.flops > 1e7 and here.memory_bandwidth > 1e7


def test_real_steps_are_beside_predicted_ones():
    found = platform_measure.run_messages(
        3, rounds=3, patterns=predict_check.steps_of, pieces=2, steps=2
    )
    for name, size in predict_check.steps_of:
        rounds = np.array(found["rounds"][f"{name} {size}"])
        assert rounds.shape == (3,) and (rounds > 0.0).all()
    assert found["least"]["barrier"] > 0.0
