#pragma once
#include <omp.h>

#include <algorithm>
#include <cstddef>

#include "subnormals.hpp"
#include "view.hpp"

/// Schedules: who does which cells, rows or tiles, and when. All loops over threads are here; what
/// they call knows nothing of threads. All threads compute as their caller does. A device has its
/// own for the same functions of points (docs/decisions/0028-memory-and-schedules-of-devices.md).
namespace halocline {

/// How many threads share a loop at most.
inline int most_threads() { return omp_get_max_threads(); }

/// `body(first)` for every `step`-th number from `begin` on, equal shares for all threads.
template <class Number, class Body>
void for_each_in(Number begin, Number end, Number step, const Body& body) {
  const Arithmetic arithmetic = Arithmetic::of_this_thread();
#pragma omp parallel
  {
    const Computing same(arithmetic);
#pragma omp for schedule(static)
    for (Number first = begin; first < end; first += step) body(first);
  }
}

/// The same where every thread has something of its own: `body(first, own)`, with what `make()`
/// gives; when all of its share is done, `end_of(own)`, threads one after the other.
template <class Number, class Make, class Body, class End>
void for_each_in_with(Number begin, Number end, Number step, const Make& make, const Body& body,
                      const End& end_of) {
  const Arithmetic arithmetic = Arithmetic::of_this_thread();
#pragma omp parallel
  {
    const Computing same(arithmetic);
    auto own = make();
#pragma omp for schedule(static)
    for (Number first = begin; first < end; first += step) body(first, own);
#pragma omp critical(halocline_schedules)
    end_of(own);
  }
}
template <class Number, class Make, class Body>
void for_each_in_with(Number begin, Number end, Number step, const Make& make, const Body& body) {
  const Arithmetic arithmetic = Arithmetic::of_this_thread();
#pragma omp parallel
  {
    const Computing same(arithmetic);
    auto own = make();
#pragma omp for schedule(static)
    for (Number first = begin; first < end; first += step) body(first, own);
  }
}

/// `body(j)` for every row of the box.
template <class Body>
void for_rows(Box box, const Body& body) {
  for_each_in(box.j0, box.j1, 1, body);
}

/// `body(one, other)` for all pairs, the other from `begin` in steps; equal shares of all pairs.
template <class Number, class Body>
void for_pairs(Number count, Number begin, Number end, Number step, const Body& body) {
  const Arithmetic arithmetic = Arithmetic::of_this_thread();
#pragma omp parallel
  {
    const Computing same(arithmetic);
#pragma omp for collapse(2) schedule(static)
    for (Number one = 0; one < count; ++one)
      for (Number other = begin; other < end; other += step) body(one, other);
  }
}

/// `cell(k, j, i)` for all cells of the box at all levels, rows shared among threads.
template <class Cell>
void for_cells(Box box, std::ptrdiff_t levels, const Cell& cell) {
  for_pairs(static_cast<int>(levels), box.j0, box.j1, 1, [&](int k, int j) {
    for (int i = box.i0; i < box.i1; ++i) cell(k, j, i);
  });
}

/// `tile(a, b, c)` for all triples, each to the next thread that is free: tiles cost unequally.
template <class Tile>
void for_tiles(int first_count, int second_count, int third_count, const Tile& tile) {
  const Arithmetic arithmetic = Arithmetic::of_this_thread();
#pragma omp parallel
  {
    const Computing same(arithmetic);
#pragma omp for collapse(3) schedule(dynamic)
    for (int a = 0; a < first_count; ++a)
      for (int b = 0; b < second_count; ++b)
        for (int c = 0; c < third_count; ++c) tile(a, b, c);
  }
}

/// `work(part, parts)` on as many threads as there are, at most `most`, each a part.
template <class Work>
void for_parts(int most, const Work& work) {
  const int parts = std::clamp(most, 1, most_threads());
  const Arithmetic arithmetic = Arithmetic::of_this_thread();
#pragma omp parallel num_threads(parts)
  {
    const Computing same(arithmetic);
#pragma omp for schedule(static)
    for (int part = 0; part < parts; ++part) work(part, parts);
  }
}

/// `work()` on every thread, which share what there is to do themselves (a queue); then
/// `end_of(what it gave)`, threads one after the other.
template <class Work, class End>
void on_threads(const Work& work, const End& end_of) {
  const Arithmetic arithmetic = Arithmetic::of_this_thread();
#pragma omp parallel
  {
    const Computing same(arithmetic);
    const auto result = work();
#pragma omp critical(halocline_schedules)
    end_of(result);
  }
}

}  // namespace halocline
