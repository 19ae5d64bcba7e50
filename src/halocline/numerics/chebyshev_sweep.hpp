#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "contract.hpp"
#include "numerics/elliptic.hpp"
#include "view.hpp"

/// Several iterations of Chebyshev's method in one pass over the rows.
namespace halocline {

/// Iterations of a sweep; as many cells around the box are computed anew instead of exchanged.
inline constexpr int sweep_steps = 8;

/// An argument that the first iteration reads around every cell it computes.
constexpr Argument around(Argument argument, int cells) {
  argument.reach = {argument.reach.west - cells, argument.reach.east + cells,
                    argument.reach.south - cells, argument.reach.north + cells};
  return argument;
}

inline constexpr Contract<11> chebyshev_sweep_contract{
    "chebyshev_sweep",
    {{around(diagonal_argument, sweep_steps - 1),
      around(west_argument, sweep_steps - 1),
      around(south_argument, sweep_steps - 1),
      around(corner_argument, sweep_steps - 1),
      around(inverse_diagonal_argument, sweep_steps - 1),
      around({"right_side", Access::read, Place::center, "m3 s-2"}, sweep_steps - 1),
      around({"solution", Access::read, Place::center, "m2 s-2"}, sweep_steps),
      around({"correction", Access::read, Place::center, "m2 s-2"}, sweep_steps - 1),
      {"weights", Access::read, Place::none, "1", "8 2"},
      {"new_solution", Access::write, Place::center, "m2 s-2"},
      {"new_correction", Access::write, Place::center, "m2 s-2"}}}};

/// Memory of a sweep's rows, kept from call to call.
template <class T>
struct SweepRows {
  std::vector<T> memory;

  /// Room for `size` values, the first on a cache line.
  T* lines(std::size_t size) {
    constexpr std::size_t line = 64;
    memory.resize(size + line / sizeof(T));
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (line - address % line) % line / sizeof(T);
  }
};

/// The rows of one box on their way through all iterations: iteration t follows iteration t - 1 at
/// a distance of one row, so that all it needs is still in the cache.
template <class T>
struct ChebyshevSweep {
  NinePoint<T> numbers;
  View2<const T> inverse_diagonal, right_side, solution, correction;
  View2<const double> weights;
  View2<T> new_solution, new_correction;
  SweepRows<T>& rows;

  void run(Box box) {
    first = box.i0 - sweep_steps, end = box.i1 + sweep_steps;
    constexpr std::ptrdiff_t line = 64 / sizeof(T);
    length = (end - first + line - 1) / line * line;
    const std::ptrdiff_t values = (sweep_steps - 1) * kept * length;
    value_rows = rows.lines(static_cast<std::size_t>(values + kept_changes * length));
    change_rows = value_rows + values;
    for (int front = box.j0 - sweep_steps + 2; front < box.j1 + sweep_steps; front += together)
      for (int step = 1; step <= sweep_steps; ++step) {
        const int margin = sweep_steps - step;
        const int j0 = std::max(front - step, box.j0 - margin);
        const int j1 = std::min(front - step + together, box.j1 + margin);
        for (int j = j0; j < j1; ++j) {
          if (step == 1) {
            advance<true, false>(j, step, first, end);
          } else if (step < sweep_steps) {
            advance<false, false>(j, step, first, end);
          } else {
            advance<false, true>(j, step, box.i0, box.i1);
          }
        }
      }
  }

  /// Rows that an iteration takes in turn: they share what the L1 cache holds.
  static constexpr int together = 8;
  /// Rows kept of the values of an iteration, and of the changes of all.
  static constexpr int kept = 16, kept_changes = 16;
  static_assert(kept >= together + 2 && kept_changes >= sweep_steps + together - 1);

  std::ptrdiff_t first = 0, end = 0, length = 0;
  T *value_rows = nullptr, *change_rows = nullptr;

  /// Row j after an iteration, addressed by columns of the block.
  T* value(int step, int j) {
    return value_rows + ((step - 1) * kept + (j & (kept - 1))) * length - first;
  }
  T* change(int j) { return change_rows + (j & (kept_changes - 1)) * length - first; }

  /// Row j of one iteration; columns at the ends of the first ones are wrong, and not used later.
  template <bool First, bool Last>
  void advance(int j, int step, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const auto row = [&](int at) -> const T* {
      return First ? solution.row(at) : value(step - 1, at);
    };
    const T *inverse = inverse_diagonal.row(j), *right = right_side.row(j);
    const T* before = First ? correction.row(j) : change(j);
    T* after = Last ? new_correction.row(j) : change(j);
    T* to = Last ? new_solution.row(j) : value(step, j);
    const T weight = static_cast<T>(weights(step - 1, 0));
    const T memory = static_cast<T>(weights(step - 1, 1));
    numbers.template along_row<!Last>(j, {row(j - 1), row(j), row(j + 1)}, i0, i1,
                                      [&]<class V>(Lane<V>, std::ptrdiff_t i, V x, V image) {
                                        const V rest = load<V>(right + i) - image;
                                        const V scaled = load<V>(inverse + i) * rest;
                                        const V next = splat<V>(weight) * scaled +
                                                       splat<V>(memory) * load<V>(before + i);
                                        store<V>(after + i, next);
                                        store<V>(to + i, x + next);
                                      });
  }
};

/// `sweep_steps` times `chebyshev_step_diagonal`, with the same bits.
///
/// @param[in]  solution      [m2 s-2], read `sweep_steps` cells around the box
/// @param[in]  correction    of the iteration before [m2 s-2]
/// @param[in]  weights       weight and memory of every iteration, shape (sweep_steps, 2)
template <class T>
void chebyshev_sweep(Box box, View2<const T> diagonal, View2<const T> west, View2<const T> south,
                     View2<const T> corner, View2<const T> inverse_diagonal,
                     View2<const T> right_side, View2<const T> solution, View2<const T> correction,
                     View2<const double> weights, View2<T> new_solution, View2<T> new_correction) {
  const int rows = box.j1 - box.j0;
  for_parts(rows / (2 * sweep_steps), [&](int part, int parts) {
    thread_local SweepRows<T> kept_rows;
    ChebyshevSweep<T> sweep{{diagonal, west, south, corner},
                            inverse_diagonal,
                            right_side,
                            solution,
                            correction,
                            weights,
                            new_solution,
                            new_correction,
                            kept_rows};
    Box mine = box;
    mine.j0 = box.j0 + rows * part / parts;
    mine.j1 = box.j0 + rows * (part + 1) / parts;
    sweep.run(mine);
  });
}

}  // namespace halocline
