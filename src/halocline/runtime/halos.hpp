#pragma once
#include <cstdint>
#include <limits>

#include "view.hpp"

/// Moving halo values between flat arrays [row][horizontal index] and contiguous buffers.
namespace halocline {

/// buffer[row][n] = from[row][index[n]], rows side by side in threads.
template <class T>
void pack(View2<const T> from, View1<const std::int32_t> index, View1<T> buffer) {
  const std::ptrdiff_t rows = from.extent[0], count = index.extent[0];
#pragma omp parallel for schedule(static) if (rows * count > 16384)
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const T* source = from.row(row);
    T* target = buffer.data + row * count;
    for (std::ptrdiff_t n = 0; n < count; ++n) target[n] = source[index.data[n]];
  }
}

/// to[row][index[n]] = buffer[row][n].
template <class T>
void unpack(View1<const T> buffer, View1<const std::int32_t> index, View2<T> to) {
  const std::ptrdiff_t rows = to.extent[0], count = index.extent[0];
#pragma omp parallel for schedule(static) if (rows * count > 16384)
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const T* source = buffer.data + row * count;
    T* target = to.row(row);
    for (std::ptrdiff_t n = 0; n < count; ++n) target[index.data[n]] = source[n];
  }
}

/// to[row][to_index[n]] = from[row][from_index[n]], between two blocks of one process.
template <class T>
void copy(View2<const T> from, View1<const std::int32_t> from_index, View2<T> to,
          View1<const std::int32_t> to_index) {
  const std::ptrdiff_t rows = to.extent[0], count = to_index.extent[0];
#pragma omp parallel for schedule(static) if (rows * count > 16384)
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const T* source = from.row(row);
    T* target = to.row(row);
    for (std::ptrdiff_t n = 0; n < count; ++n)
      target[to_index.data[n]] = source[from_index.data[n]];
  }
}

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
