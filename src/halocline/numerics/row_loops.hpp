#pragma once
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "pack.hpp"
#include "runtime/sums/reductions.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Loops over rows in packs of lanes, with exact sums of products on the way.
///
/// What is left of a row after the last whole pack is done value by value with the same operations.
namespace halocline {

/// A type handed to a generic lambda: `body(Lane<V>{}, i)` computes `width_of<V>` values from i.
template <class V>
struct Lane {
  using type = V;
};

template <class T, class Body>
INLINE void over_row(std::ptrdiff_t i0, std::ptrdiff_t i1, const Body& body) {
  constexpr std::ptrdiff_t width = lanes<T>;
  std::ptrdiff_t i = i0;
  for (; i + width <= i1; i += width) body(Lane<pack<T, lanes<T>>>{}, i);
  for (; i < i1; ++i) body(Lane<T>{}, i);
}

/// The same for bodies that only write: the last pack may begin in the one before it, whose values
/// it computes again. One call in the code, for which compilers put large bodies into the loop.
template <class T, class Body>
INLINE void over_row_again(std::ptrdiff_t i0, std::ptrdiff_t i1, const Body& body) {
  using Pack = pack<T, lanes<T>>;
  constexpr std::ptrdiff_t width = lanes<T>;
  if (i1 - i0 < width) {
    for (std::ptrdiff_t i = i0; i < i1; ++i) body(Lane<T>{}, i);
  } else {
    for (std::ptrdiff_t i = i0; i < i1; i += width) body(Lane<Pack>{}, std::min(i, i1 - width));
  }
}

/// The row of a field that a loop will come to next, which may be one beyond the last; null where
/// there is no field.
template <class T, int Rank, class... At>
INLINE const std::remove_const_t<T>* next_row(const View<T, Rank>& field, At... at) {
  return field.data ? field.row(at...) : nullptr;
}

/// Rows that are next to be read or written, brought near pack by pack while a loop computes: a
/// processor does not foresee rows of one level after the other, which lie far apart, and asked for
/// all at once they keep it waiting. No value changes.
template <class T, std::size_t Count>
class Ahead {
 public:
  /// The first row is one of a field that there is.
  INLINE explicit Ahead(const T* const (&rows)[Count]) {
    for (std::size_t at = 0; at < Count; ++at) rows_[at] = rows[at] ? rows[at] : rows[0];
  }
  INLINE void fetch(std::ptrdiff_t i) const {
    for (const T* row : rows_) __builtin_prefetch(row + i, 0, 2);
  }

 private:
  const T* rows_[Count];
};

/// `Count` order-independent sums that a loop makes on its way; one object per thread.
template <int Count>
class LoopSums {
  using Wide = pack<double, lanes<double>>;

 public:
  explicit LoopSums(View2<const double> parts)
      : LoopSums(parts, std::make_integer_sequence<int, Count>{}) {}

  /// Add a * b, lane by lane, to sum `at`; products of float are exact.
  template <class V>
  INLINE void add(int at, V a, V b) {
    using T = scalar_of<V>;
    if constexpr (std::is_same_v<V, Wide>) {
      sum_[at].add(a * b);
    } else if constexpr (std::is_arithmetic_v<V>) {
      Wide product{};
      product[0] = static_cast<double>(a) * static_cast<double>(b);
      sum_[at].add(product);
    } else {
      for (int first = 0; first < width_of<V>; first += width_of<Wide>) {
        Wide product{};
        for (int lane = 0; lane < width_of<Wide>; ++lane)
          product[lane] = static_cast<double>(static_cast<T>(a[first + lane])) *
                          static_cast<double>(b[first + lane]);
        sum_[at].add(product);
      }
    }
  }

  /// Add to parts[sum][fold].
  void store(View2<double> parts) {
    for (int at = 0; at < Count; ++at) sum_[at].store(parts.row(at));
  }

 private:
  template <int... At>
  LoopSums(View2<const double> parts, std::integer_sequence<int, At...>)
      : sum_{ExactSum<Wide>(parts.row(At))...} {}

  ExactSum<Wide> sum_[Count];
};

/// `body(j, sums)` for every row of the box, adding to `parts`, which carry the scales.
template <int Count, class Body>
void for_rows_with_sums(Box box, View2<double> parts, const Body& body) {
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return LoopSums<Count>({parts.data, parts.extent, parts.stride}); },
      [&](int j, LoopSums<Count>& sums) {
        LoopSums<Count> in_registers = sums;
        body(j, in_registers);
        sums = in_registers;
      },
      [&](LoopSums<Count>& sums) { sums.store(parts); });
}

}  // namespace halocline
