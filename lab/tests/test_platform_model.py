"""Platform files: units, shipped machines, sources, mistakes."""

import math
import tomllib
from dataclasses import replace
from importlib import resources

import pytest

from halocline.core.errors import UserError
from halocline_lab.prediction import program_patterns as patterns
from halocline_lab.prediction.platform_model import (
    Platform,
    default_algorithms,
    platform_of,
    quantity,
    read_platform,
    shipped,
)
from halocline_lab.prediction.replay import replay

papers = {
    "cray-x1": (12.8e9, 4),
    "earth-simulator": (8.0e9, 8),
    "alphaserver-sc": (2.0e9, 4),
    "ibm-p690": (5.2e9, 32),
    "ibm-sp-power3": (1.5e9, 16),
    "sgi-altix": (6.0e9, 2),
}
not_numbers = {"name", "about", "progress", "wiring", "shape", "sources", "algorithms"}


def test_collectives_change_their_algorithm_where_mpich_does():
    """Sizes [byte] of Thakur, Rabenseifner & Gropp (2005), sections 4.1 to 4.5; each up to it."""
    kib = 1024
    changes = {
        which: {name: size for size, name in rows if size < math.inf}
        for which, rows in default_algorithms.items()
    }
    assert {which: found for which, found in changes.items() if found} == {
        "broadcast": {"binomial": 12 * kib},
        "reduce": {"binomial": 2 * kib},
        "all reduce": {"recursive doubling": 2 * kib},
        "all gather": {"bruck": 80 * kib},
        "all to all": {"bruck": 256, "linear": 32 * kib},
        "reduce scatter": {"recursive halving": 512 * kib},
    }


def test_quantities():
    assert quantity("200 Gb/s") == 25e9
    assert quantity("15 ms") == 0.015
    assert quantity("12.8 Gflop/s") == 12.8e9
    assert quantity("inf") == math.inf
    assert quantity("2.5e-6") == 2.5e-6
    bytes_of = {"kB": 1e3, "KB": 1e3, "MB/s": 1e6, "TB": 1e12, "Kib": 128.0, "MiB": 2.0**20}
    more = {"Gflop": 1e9, "Tflop/s": 1e12, "GiB": 2.0**30, "s": 1.0, "us": 1e-6, "µs": 1e-6}
    for unit, factor in (bytes_of | more | {"ns": 1e-9, "k": 1e3, "M": 1e6, "": 1.0}).items():
        assert quantity(f"3 {unit}") == pytest.approx(3.0 * factor, rel=1e-15)
    for wrong in ("2 parsecs", "fast", "3 GB GB", ""):
        with pytest.raises(UserError, match="is no quantity"):
            quantity(wrong)


@pytest.mark.parametrize("name", shipped())
def test_every_number_of_a_shipped_platform_has_a_source(name):
    text = (resources.files("halocline_lab.prediction") / "platforms" / f"{name}.toml").read_text(
        "utf-8"
    )
    tables = tomllib.loads(text)
    missing = set(tables) - not_numbers - {key for key, words in tables["sources"].items() if words}
    assert not missing
    assert read_platform(name).name == name


@pytest.mark.parametrize("name, expected", papers.items())
def test_the_table_of_worley_and_levesque(name, expected):
    platform = read_platform(name)
    assert (platform.flops, platform.processors) == expected


def test_bytes_per_flop_of_worley_and_levesque():
    """P-29: 1, 0.25 and less than 0.1 bytes per flop of the interconnect."""

    def ratio(name):
        platform = read_platform(name)
        return platform.adapter / (platform.flops * platform.processors)

    assert ratio("cray-x1") == pytest.approx(1.0, rel=0.03)
    assert ratio("earth-simulator") == pytest.approx(0.25)
    assert ratio("ibm-p690") < 0.1


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_platform_replays(name):
    platform = read_platform(name)
    ranks = min(16, platform.processors * (platform.nodes or 16))
    found = replay(patterns.solver(ranks, steps=3), platform)
    assert 3e-4 < found.seconds < 1.0


def test_a_torus_needs_room():
    platform = Platform(name="small", wiring="torus", shape=(2, 2, 2))
    with pytest.raises(UserError, match="has 8 nodes; 9 are wanted"):
        replay(patterns.halo(9), platform)


@pytest.mark.parametrize(
    "tables, message",
    [
        ({"procesors": 2}, "there is no 'procesors'.*processors"),
        ({"between": [{"latencies": 1}]}, "between: there is no 'latencies'"),
        ({"wiring": "ring"}, "wiring 'ring' is none of crossbar"),
        ({"noise": {"kind": "loud"}}, "noise kind 'loud' is none of"),
        ({"noise": {"kind": "delay", "probability": 1.01}}, "noise probability 1.01 is no share"),
        ({"algorithms": {"all reduce": [["inf", "magic"]]}}, "'magic' is none of"),
        ({"flops": "many"}, "x: flops 'many' is no quantity"),
        ({"between": [{"up_to": 9}, {"up_to": 3}]}, "must grow"),
    ],
)
def test_mistakes_in_files_are_told(tables, message):
    with pytest.raises(UserError, match=message):
        platform_of(tables, "x")


def test_an_unknown_platform_is_told(tmp_path):
    with pytest.raises(UserError, match="No platform 'cray-x2'.*cray-x1"):
        read_platform("cray-x2")
    path = tmp_path / "mine.toml"
    path.write_text("name = ", encoding="utf-8")
    with pytest.raises(UserError, match="is no TOML file"):
        read_platform(path)


def test_a_delay_comes_always_unless_it_is_said_how_often():
    platform = platform_of({"noise": {"kind": "delay", "duration": "2 ms"}}, "x")
    program = patterns.collective(1, "barrier", seconds=1e-3, steps=2000)
    rare = replace(platform, noise=replace(platform.noise, probability=0.25))
    for one, share in ((platform, 1.0), (rare, 0.25)):
        mean = replay(program, one).seconds / 2000
        assert mean == pytest.approx(1e-3 + share * 2e-3, rel=0.1)
