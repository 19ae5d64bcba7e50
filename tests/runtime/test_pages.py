"""Memory in stretches of huge pages: apart, zero, on lines of their own, and given back."""

import weakref

import numpy as np

from halocline.runtime.fields.pages import HugePages, cache_line, page, small, stretch_length


def mapped(array):
    """The mapping of memory that an array lies in."""
    while isinstance(array, np.ndarray):
        array = array.base
    return array.obj if isinstance(array, memoryview) else array


def test_arrays_are_zero_and_apart():
    pages = HugePages()
    sizes = [small - 1, small, small + 1, 3 * small, stretch_length // 2, stretch_length, small]
    arrays = [pages.zeros(size) for size in sizes]
    assert [array.size for array in arrays] == sizes
    for number, array in enumerate(arrays, 1):
        assert not array[::page].any() and not array[-1]
        array[::page] = array[-page:] = number
    for number, array in enumerate(arrays, 1):
        assert (array[::page] == number).all() and array[-1] == number


def test_arrays_begin_on_all_lines_of_a_page():
    pages = HugePages()
    begin = [pages.zeros(small, before=12).ctypes.data + 12 for _ in range(page // cache_line)]
    assert sorted(at % page for at in begin) == list(range(0, page, cache_line))


def test_a_stretch_is_given_back_with_its_last_array():
    pages = HugePages()
    one, other = pages.zeros(small), pages.zeros(small)
    assert mapped(one) is mapped(other)
    alive = weakref.ref(mapped(one))
    del one, pages
    assert alive() is not None
    del other
    assert alive() is None
