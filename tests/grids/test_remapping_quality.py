"""Functions of Valcke et al. (2022) against their definitions, and orders of methods on them."""

import math

import numpy as np
import pytest

from grids.globes import between_poles, regular
from halocline.grids.remapping.quality import functions, qualities
from halocline.grids.remapping.remap import RemapOptions, methods
from halocline.grids.remapping.surface import Surface
from halocline.runtime.fields.place import Place

orders = {
    "nearest": (0.9, 1.1),
    "bilinear": (1.85, 2.1),
    "patch": (2.9, 4.0),
    "conservative": (0.9, 1.6),
    "conservative-2": (1.7, 3.1),
}


def surface(grid, name="a grid"):
    return Surface.of(grid, Place.center, name)


def measured(method, rows, target, **options):
    source = surface(regular(rows, west=1.3))
    found = qualities(source, surface(target), RemapOptions(method=method, **options))
    return {one.function: one for one in found}


@pytest.mark.parametrize("method", methods)
def test_orders_on_published_functions(method):
    coarse, fine = (measured(method, rows, regular(5 * rows // 4)) for rows in (60, 120))
    low, high = orders[method]
    for name in ("sinusoid", "harmonic", "vortex"):
        assert low < math.log2(coarse[name].mean / fine[name].mean) < high, name
    assert fine["gulfstream"].mean < coarse["gulfstream"].mean


@pytest.mark.parametrize("method", ["conservative", "conservative-2"])
@pytest.mark.parametrize("normalisation", ["fracarea", "destarea"])
def test_integrals_are_kept(method, normalisation):
    found = measured(method, 24, regular(30), normalisation=normalisation)
    assert max(one.conservation for one in found.values()) < 1e-13
    assert min(one.conservation for one in measured("bilinear", 24, regular(30)).values()) < 1e-3


def test_means_stay_within_the_values_of_the_source():
    for method in ("nearest", "bilinear", "conservative"):
        found = measured(method, 24, between_poles("tripole", 30), extrapolation="nearest")
        assert max(max(one.below, one.above) for one in found.values()) < 1e-15
    smooth = measured("patch", 24, between_poles("tripole", 30))
    assert max(max(one.below, one.above) for one in smooth.values()) > 1e-4


def test_misfits_at_coasts_are_told_apart():
    source = surface(regular(24, land=[[100.0, 160.0, -30.0, 20.0]]))
    (one, *_) = qualities(
        source, surface(regular(36)), RemapOptions(method="bilinear", extrapolation="nearest")
    )
    assert one.coast > 10.0 * one.mean


def exact(name, longitude, latitude):
    """At one point, in the words of the benchmark, with degrees turned to radians."""
    x, y = math.radians(longitude), math.radians(latitude)
    wave = 2.0 - math.cos(math.acos(math.cos(x) * math.cos(y)) / 1.2)
    if name == "sinusoid":
        return wave
    if name == "harmonic":
        return 2.0 + math.sin(2.0 * y) ** 16 * math.cos(16.0 * x)
    if name == "vortex":
        turned = math.cos(y) * math.cos(x - 5.5)
        dx = math.sin(0.2) * turned - math.cos(0.2) * math.sin(y)
        dy = math.cos(y) * math.sin(x - 5.5)
        latitude = math.asin(math.sin(0.2) * math.sin(y) + math.cos(0.2) * turned)
        rho = 3.0 * math.cos(latitude)
        turn = 1.5 * math.sqrt(3.0) * math.tanh(rho) / math.cosh(rho) ** 2 / rho
        return 2.0 * (1.0 + math.tanh(rho / 5.0 * math.sin(math.atan2(dy, dx) - 6.0 * turn)))
    west = longitude - 360.0 if longitude > 180.0 else longitude
    dx, dy = math.radians(west + 80.0), math.radians(latitude - 25.0)
    distance, angle = math.hypot(dx, dy), math.atan2(dy, dx)
    end = math.hypot(math.radians(78.2), math.radians(25.0))
    fade = math.hypot(math.radians(54.5), math.radians(30.5))
    strength = 0.0 if distance > end else 1.3
    if distance > fade:
        strength *= math.cos(0.5 * math.pi * (distance - fade) / (end - fade))
    jet = 1000.0 * math.sin(
        0.4 * (0.5 * distance + angle) + 0.007 * math.cos(50.0 * angle) + 0.37 * math.pi
    )
    return wave + strength * (max(jet, 999.0) - 999.0)


@pytest.mark.parametrize("name", functions)
def test_functions_are_those_of_the_benchmark(name):
    x, y = np.meshgrid(np.arange(0.5, 360.0, 4.9), np.arange(-88.0, 89.0, 3.7))
    true = [exact(name, *point) for point in zip(x.ravel(), y.ravel(), strict=True)]
    found = functions[name](x, y).ravel()
    assert np.abs(found - true).max() < 1e-9
    plain = [exact("sinusoid", *point) for point in zip(x.ravel(), y.ravel(), strict=True)]
    assert (np.abs(np.array(plain) - true).max() > 0.3) == (name != "sinusoid")
