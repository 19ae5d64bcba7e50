#pragma once
#include <cstdint>
#include <limits>

#include "view.hpp"

/// Marking stale halos, and turning cards to planes and back.
namespace halocline {

/// Put NaN where a halo is stale, so that whoever reads it is found.
template <class T>
void poison(View2<T> to, View1<const std::int32_t> index) {
  for (std::ptrdiff_t row = 0; row < to.extent[0]; ++row)
    for (std::ptrdiff_t n = 0; n < index.extent[0]; ++n)
      to.row(row)[index.data[n]] = std::numeric_limits<T>::quiet_NaN();
}

/// Cards to planes: to[row][hand + n * hands] = from[rows[row]][n].
template <class T>
void deal_out(View2<const T> from, View1<const std::int32_t> rows, int hand, int hands,
              View2<T> to) {
  const std::ptrdiff_t count = from.extent[1];
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t row = 0; row < rows.extent[0]; ++row) {
    const T* source = from.row(rows.data[row]);
    T* target = to.row(row) + hand;
    for (std::ptrdiff_t n = 0; n < count; ++n) target[n * hands] = source[n];
  }
}

/// Planes to cards: to[rows[row]][n] = from[row][hand + n * hands].
template <class T>
void take_in(View2<const T> from, View1<const std::int32_t> rows, int hand, int hands,
             View2<T> to) {
  const std::ptrdiff_t count = to.extent[1];
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t row = 0; row < rows.extent[0]; ++row) {
    const T* source = from.row(row) + hand;
    T* target = to.row(rows.data[row]);
    for (std::ptrdiff_t n = 0; n < count; ++n) target[n] = source[n * hands];
  }
}

}  // namespace halocline
