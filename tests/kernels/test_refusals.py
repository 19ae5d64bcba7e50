"""Every kernel refuses fields that are not what its contract says, and names both sides."""

import math
from collections import Counter

import numpy as np
import pytest

from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import Argument, Kernel
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.running.checks import KernelMismatch
from halocline.runtime.running.extents import Extents, mismatch
from halocline.runtime.running.runner import Runner
from invariance.staggered import kernels as staggered
from kernels.all_kernels import kernels as compiled
from kernels.all_samples import samples

kernels = compiled | staggered
decomposition, other = (
    Decomposition(np.ones((6, 8), bool), Topology(6, 8, periodic_i=True), halo=1) for _ in range(2)
)
sizes = {"tracer": 3, "depth": 4, "frequency": 5, "direction": 6, "component": 30}
single = {
    ("propagate_space", "spectrum", "moving"),  # its number is the scalar `components`
    ("propagate_in_currents", "spectrum", "moving"),
    ("vertical_diffusion", "tracer", "tracer"),
    ("ocean_density", "tracer", "tracer"),
    ("ocean_stability", "tracer", "tracer"),
    ("ocean_expansion", "tracer", "tracer"),
    ("ocean_eddy_x_flow", "tracer", "tracer"),
    ("ocean_eddy_y_flow", "tracer", "tracer"),
    ("ocean_freezing", "tracer", "tracer"),
    ("ocean_kpp", "tracer", "tracer"),
    ("ocean_double_diffusion", "tracer", "tracer"),
    ("count_surface_water", "tracer", "depth"),
    ("ocean_surface_flux", "old_tracer", "depth"),
    ("ocean_short_wave", "new_tracer", "tracer"),
    ("ocean_frazil", "new_tracer", "tracer"),
    ("ocean_age", "age", "depth"),
    ("ocean_overturn", "tracer", "tracer"),
    ("atmosphere_rest_u", "u_tendency", "depth"),
    ("atmosphere_rest_v", "v_tendency", "depth"),
    ("ocean_checkerboard", "old_tracer", "depth"),
    ("ocean_entered", "surface_flux", "tracer"),
    ("ocean_bulk_heat", "old_tracer", "tracer"),
    ("ocean_bulk_heat", "old_tracer", "depth"),
    ("ocean_long_wave", "old_tracer", "tracer"),
    ("ocean_long_wave", "old_tracer", "depth"),
    ("carbonate", "tracer", "tracer"),
    ("air_sea_exchange", "tracer", "tracer"),
    ("atmosphere_air_for_physics", "water", "species"),
    ("atmosphere_moist_theta", "water", "species"),
    ("atmosphere_dilution", "water", "species"),
    ("atmosphere_surface_layer", "water", "species"),
    ("atmosphere_ysu", "water", "species"),
    ("atmosphere_long_wave", "water", "species"),
    ("atmosphere_long_wave", "lower", "lower"),
    ("atmosphere_long_wave", "upper", "upper"),
    ("atmosphere_long_wave", "minors_lower", "lower_gas"),
    ("atmosphere_long_wave", "minors_upper", "upper_gas"),
    ("atmosphere_long_wave", "planck", "kelvin"),
    ("atmosphere_short_wave", "water", "species"),
    ("atmosphere_short_wave", "lower", "lower"),
    ("atmosphere_short_wave", "upper", "upper"),
    ("atmosphere_short_wave", "minors_lower", "lower_gas"),
    ("atmosphere_short_wave", "minors_upper", "upper_gas"),
    ("precondition_blocks", "tile_rows", "tile_row"),  # those of other ranks may be more
    ("atmosphere_kessler", "water", "species"),
    ("atmosphere_wsm6", "water", "species"),
    ("atmosphere_reflectivity", "water", "species"),
    ("atmosphere_thompson", "water", "species"),
    ("atmosphere_thompson_reflectivity", "water", "species"),
    ("integrate_ardhuin", "source_memory", "memory"),
    ("integrate_tolman_chalikov", "source_memory", "memory"),
    ("separate_ardhuin", "source_memory", "memory"),
    ("separate_tolman_chalikov", "source_memory", "memory"),
}
"""Axes whose words stand nowhere else in their contract, so that any extent is taken."""


def extent(word: str) -> int:
    """A number of entries for a word, unlike those of other words."""
    if "*" in word:
        return math.prod(map(extent, word.split("*")))
    name, _, more = word.partition("+")
    return (int(name) if name.isdigit() else sizes.get(name, 7)) + int(more or 0)


def made(argument: Argument, dtype: str, less: int | None = None, **changed) -> Field:
    """A field that fits an argument; `less` is an axis with one entry too few."""
    assert argument.axes is not None
    axes = [extent(word) for word in argument.axes]
    if less is not None:
        axes[less] -= 1
    fits = {
        "units": "1" if argument.units == "any" else argument.units,
        "space": decomposition, "axes": axes, "place": argument.place, "dtype": dtype,
    }  # fmt: skip
    return Field(f"some_{argument.name}", **fits | changed)


def dtypes(kernel: Kernel) -> list[str]:
    if not kernel.versions:
        return ["float64"] * len(kernel.arguments)
    return [dtype for dtype, _ in kernel.versions[0].takes]


def fitting(kernel: Kernel) -> dict[str, Field]:
    pairs = zip(kernel.arguments, dtypes(kernel), strict=True)
    return {argument.name: made(argument, dtype) for argument, dtype in pairs}


def wrong_ones(kernel: Kernel, argument: Argument, dtype: str):
    """Fields that do not fit an argument, and what the refusal has to say."""
    for place in Place:
        if place != argument.place:
            changed = made(argument, dtype, place=place)
            yield changed, f"'{argument.place}'.*'{changed.name}'.*'{place}'"
    if argument.units != "any":
        changed = made(argument, dtype, units="K3 s")
        yield changed, rf"\[{argument.units}\].*'{changed.name}' is in \[K3 s\]"
    elif sum(one.units == "any" for one in kernel.arguments) > 1:
        yield made(argument, dtype, units="K3 s"), r"\[1\].*\[K3 s\]|\[K3 s\].*\[1\]"
    if kernel.versions:
        yield made(argument, "uint8"), f"compiled for .*({argument.name}|all) uint8"
    yield made(argument, dtype, space=other), "of one decomposition"
    if argument.writes:
        yield made(argument, dtype, static=True), f"{argument.access}, .*is static"
    if not argument.optional:
        yield None, "got none"
    axes = (2, *(extent(word) for word in argument.axes))
    yield made(argument, dtype, axes=axes), r"takes . axes.* has|wants the axes.*; got"


@pytest.mark.parametrize("name", sorted(kernels))
def test_what_is_not_in_the_contract_is_refused(name):
    kernel, fits, run = kernels[name], fitting(kernels[name]), Runner(decomposition)
    run.bind(kernel, **fits)
    for argument, dtype in zip(kernel.arguments, dtypes(kernel), strict=True):
        for wrong, says in wrong_ones(kernel, argument, dtype):
            with pytest.raises(KernelMismatch, match=f"'{name}'.*{says}") as refusal:
                run.bind(kernel, **fits | {argument.name: wrong})
            assert argument.name in str(refusal.value)


@pytest.mark.parametrize("name", sorted(kernels))
def test_one_entry_too_few_is_refused(name):
    """On every axis whose word, or a number, says how many there are."""
    kernel, fits, run = kernels[name], fitting(kernels[name]), Runner(decomposition)
    for argument, dtype in zip(kernel.arguments, dtypes(kernel), strict=True):
        for axis, word in enumerate(argument.axes):
            few = made(argument, dtype, less=axis)
            if (name, argument.name, word) in single:
                run.bind(kernel, **fits | {argument.name: few})
                continue
            with pytest.raises(KernelMismatch, match=f"'{name}'.* wants .* got ") as refusal:
                run.bind(kernel, **fits | {argument.name: few})
            assert argument.name in str(refusal.value)


def test_the_list_of_single_words_is_right():
    found = set()
    for name, kernel in kernels.items():
        words = [w for a in kernel.arguments for word in a.axes for w in word.split("*")]
        count = Counter(word.partition("+")[0] for word in words)
        found |= {
            (name, argument.name, word)
            for argument in kernel.arguments
            for word in argument.axes
            if "*" not in word and "+" not in word and not word.isdigit() and count[word] == 1
        }
    assert found == single


@pytest.mark.parametrize("name", sorted(compiled))
def test_the_words_fit_what_is_compiled_and_the_samples(name):
    kernel = kernels[name]
    arrays = samples[name](np.random.default_rng(0), np.float64).arrays
    given = []
    for at, argument in enumerate(kernel.arguments):
        horizontal = 2 if argument.place.planar else int(argument.place == Place.point)
        for version in kernel.versions:
            assert version.takes[at][1] == len(argument.axes) + horizontal, argument
        shape = arrays[argument.name].shape
        given.append(Extents(argument.name, argument.axes, shape[: len(shape) - horizontal]))
    assert mismatch(given) == ("", "")


def test_levels_and_tracers_that_change_places_are_refused():
    """Equal extents do not help: the names of the axes are known."""
    kernel, run = kernels["sinking"], Runner(decomposition)
    argument, dtype = kernel.arguments[0], dtypes(kernel)[0]
    axes = (Axis("depth", 3), Axis("tracer", 4))
    fits = fitting(kernel) | {"tracer": made(argument, dtype, axes=axes)}
    says = "'sinking', argument 'tracer'.*'tracer depth'.*'some_tracer' has 'depth' for 'tracer'"
    with pytest.raises(KernelMismatch, match=says):
        run.bind(kernel, **fits)
