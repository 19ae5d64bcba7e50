"""Every kernel keeps its contract: measured reach equals stated reach, nothing else is touched."""

from typing import Any

import numpy as np
import pytest

from halocline.runtime.fields.kernel import Argument, Kernel, rim
from halocline.runtime.fields.place import Place
from kernels.all_kernels import kernels
from kernels.all_samples import samples
from kernels.samples import Sample


def run(kernel: Kernel, sample: Sample, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Outputs of the kernel on copies of `arrays`."""
    copies = {name: array.copy() for name, array in arrays.items()}
    kernel.function(box=sample.box, **copies, **sample.scalars)
    return copies


def places(argument: Argument, sample: Sample, array: np.ndarray) -> np.ndarray:
    """Cell (j, i) of every horizontal place of an argument, shape horizontal + (2,)."""
    if argument.place == "point":
        assert sample.location is not None, "a kernel on points needs the sample's `location`"
        return sample.location[: array.shape[-1]]
    return np.stack(np.indices(array.shape[-2:]), axis=-1)


def owned(argument: Argument, sample: Sample, array: np.ndarray) -> np.ndarray:
    """Mask of the horizontal places that the kernel has to compute."""
    j0, j1, i0, i1, points = sample.box
    if argument.place == "point":
        return np.arange(array.shape[-1]) < points
    mask = np.zeros(array.shape[-2:], bool)
    mask[j0:j1, i0:i1] = True
    return mask


def horizontal_rank(argument: Argument) -> int:
    return 1 if argument.place == "point" else 2


def fresh(kernel: str, seed: int, dtype: type) -> Sample:
    return samples[kernel](np.random.default_rng(seed), dtype)


def test_every_kernel_has_a_sample():
    assert kernels
    assert set(kernels) == set(samples)


@pytest.mark.parametrize("name", sorted(kernels))
def test_samples_are_complete_and_answers_finite(name):
    kernel, sample = kernels[name], fresh(name, 0, np.float64)
    assert set(sample.arrays) == {argument.name for argument in kernel.arguments}
    result = run(kernel, sample, sample.arrays)
    changed = False
    for argument in kernel.arguments:
        if not argument.writes:
            assert np.array_equal(result[argument.name], sample.arrays[argument.name]), argument
            continue
        assert np.isfinite(result[argument.name]).all(), argument
        changed |= not np.array_equal(result[argument.name], sample.arrays[argument.name])
        if argument.place != Place.none:
            outside = ~owned(argument, sample, sample.arrays[argument.name])
            before = sample.arrays[argument.name][..., outside]
            assert np.array_equal(result[argument.name][..., outside], before), argument
    assert changed


@pytest.mark.parametrize("name", sorted(kernels))
def test_values_beyond_the_stated_reach_are_not_read(name):
    """Halos that nobody promised hold NaN; the answer must be the same."""
    kernel = kernels[name]
    for seed in range(3):
        sample = fresh(name, seed, np.float64)
        expected = run(kernel, sample, sample.arrays)
        for argument in kernel.arguments:
            array = sample.arrays[argument.name]
            if argument.place == Place.none or array.dtype.kind != "f":
                continue
            place = places(argument, sample, array)
            west, east, south, north = argument.reach
            target = place[owned(argument, sample, array)]
            promised = np.zeros(place.shape[:-1], bool)
            cells = {tuple(cell) for cell in target}
            for at in np.ndindex(promised.shape):
                j, i = place[at]
                promised[at] = any(
                    (j - dj, i - di) in cells
                    for dj in range(south, north + 1)
                    for di in range(west, east + 1)
                )
            arrays = dict(sample.arrays)
            arrays[argument.name] = np.where(promised, array, np.nan).astype(array.dtype)
            result = run(kernel, sample, arrays)
            for output in kernel.arguments:
                if not output.writes:
                    continue
                if output.place == Place.none:
                    assert np.array_equal(result[output.name], expected[output.name]), argument
                    continue
                own = owned(output, sample, sample.arrays[output.name])
                got, wanted = result[output.name][..., own], expected[output.name][..., own]
                assert np.array_equal(got, wanted), (argument, output)


def inputs_at_places(kernel: Kernel) -> list[Argument]:
    """What an answer may depend on, cell by cell."""
    return [a for a in kernel.arguments if a.access != "write" and a.place != Place.none]


@pytest.mark.parametrize("name", sorted(kernels))
def test_measured_reach_equals_stated_reach(name):
    """Change one cell of an input and see which cells of the answer change."""
    kernel = kernels[name]
    for argument in inputs_at_places(kernel):
        measured = measure(kernel, argument, enough=argument.reach)
        if measured is None:
            assert fresh(name, 0, np.float64).arrays[argument.name].dtype.kind != "f", (
                f"{argument.name} never changes an answer"
            )
            continue
        assert measured == argument.reach, argument


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(kernels))
def test_no_sample_reaches_further_than_stated(name):
    """In packs of two lengths, of both precisions: no cell heeds what others of its pack hold."""
    kernel = kernels[name]
    for argument in inputs_at_places(kernel):
        for dtype, seeds in ((np.float64, range(5, 7)), (np.float32, range(9, 11))):
            measured = measure(kernel, argument, seeds, dtype)
            if measured is None:
                continue
            west, east, south, north = argument.reach
            assert measured[0] >= west and measured[1] <= east, (argument, measured)
            assert measured[2] >= south and measured[3] <= north, (argument, measured)


def measure(
    kernel: Kernel,
    argument: Argument,
    seeds: range = range(4),
    dtype: type = np.float64,
    enough: tuple[int, int, int, int] | None = None,
) -> tuple[int, int, int, int] | None:
    """How far the answers of some samples reach; of no more samples than show what is `enough`."""
    offsets: list[tuple[int, int]] = []
    for seed in seeds:
        sample = fresh(kernel.name, seed, dtype)
        base = run(kernel, sample, sample.arrays)
        random = np.random.default_rng(100 + seed)
        array = sample.arrays[argument.name]
        if array.dtype.kind != "f":
            return None
        rank = horizontal_rank(argument)
        place = places(argument, sample, array)
        for at in np.ndindex(array.shape[-rank:]):
            changed = array.copy()
            changed[(..., *at)] *= random.uniform(0.5, 0.9) if seed % 4 < 2 else 0.0  # 0: dry
            result = run(kernel, sample, {**sample.arrays, argument.name: changed})
            offsets += compare(kernel, sample, argument, base, result, place[at], at)
        if enough is not None and extent(offsets) == enough:
            break
    return extent(offsets)


def compare(
    kernel: Kernel,
    sample: Sample,
    argument: Argument,
    base: dict[str, Any],
    result: dict[str, Any],
    poked: np.ndarray,
    at: tuple[int, ...],
) -> list[tuple[int, int]]:
    """Offsets from every changed cell of the answer to the poked cell."""
    found = []
    for output in kernel.arguments:
        if not output.writes:
            continue
        differs = base[output.name] != result[output.name]
        if output.place == Place.none:  # a sum over the cells of the box
            if differs.any() and owned(argument, sample, base[argument.name])[at]:
                found.append((0, 0))
            continue
        if output.name == argument.name:
            inside = owned(output, sample, base[output.name])[at]
            if not inside:
                differs[(..., *at)] = False
        rank = horizontal_rank(output)
        horizontal = differs.reshape(-1, *differs.shape[-rank:]).any(axis=0)
        for target in places(output, sample, base[output.name])[horizontal]:
            found.append((int(poked[0] - target[0]), int(poked[1] - target[1])))
    return found


def extent(offsets: list[tuple[int, int]]) -> tuple[int, int, int, int] | None:
    if not offsets:
        return None
    j, i = np.array(offsets).T
    return int(i.min()), int(i.max()), int(j.min()), int(j.max())


split_kernels = sorted(name for name, kernel in kernels.items() if kernel.splits)


def test_some_kernels_split():
    """Those of transport, at least: the runner overlaps them with their halo exchange."""
    assert {"sweep_x", "sweep_y", "sweep_z"} <= set(split_kernels)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", split_kernels)
def test_parts_of_a_box_give_the_bits_of_the_whole(name, dtype):
    kernel = kernels[name]
    random = np.random.default_rng(7)
    for seed in range(3):
        sample = fresh(name, seed, dtype)
        whole = run(kernel, sample, sample.arrays)
        j0, j1, i0, i1, points = sample.box
        a0, a1 = sorted(random.integers(j0, j1 + 1, 2))
        b0, b1 = sorted(random.integers(i0, i1 + 1, 2))
        inner = (int(a0), int(a1), int(b0), int(b1), points)
        apart = {key: array.copy() for key, array in sample.arrays.items()}
        parts = [sample.box]
        if a0 < a1 and b0 < b1:
            parts = [inner, *rim(sample.box, inner)]
        for part in parts:
            kernel.function(box=part, **apart, **sample.scalars)
        for argument in kernel.arguments:
            if argument.writes:
                assert np.array_equal(apart[argument.name], whole[argument.name]), argument


@pytest.mark.parametrize("name", split_kernels)
def test_outputs_are_written_everywhere_in_the_box(name):
    """What is stated as written does not depend on what stood there: halos can be recomputed."""
    kernel = kernels[name]
    sample = fresh(name, 1, np.float64)
    results = []
    for fill in (-1.0, 2.0):
        arrays = {
            a.name: np.full_like(sample.arrays[a.name], fill)
            if a.access == "write"
            else sample.arrays[a.name]
            for a in kernel.arguments
        }
        results.append(run(kernel, sample, arrays))
    for argument in kernel.arguments:
        if argument.writes:
            own = owned(argument, sample, sample.arrays[argument.name])
            one, two = (result[argument.name][..., own] for result in results)
            assert np.array_equal(one, two), argument
