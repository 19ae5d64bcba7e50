#pragma once
#include <algorithm>
#include <vector>

#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Waves along closed rows.
namespace halocline {

/// A row as it was, twice behind itself, so that columns are counted round.
template <class T>
struct TwiceRow {
  const T* line;
  std::ptrdiff_t columns;

  /// `to` plus weighted differences, at `packs` packs of columns from i; sums that do not wait for
  /// each other.
  template <class V, int packs>
  INLINE void lessen(T* to, std::ptrdiff_t i, const T* weight, std::ptrdiff_t most) const {
    constexpr std::ptrdiff_t width = width_of<V>;
    V here[packs], more[packs];
    for (int n = 0; n < packs; ++n) here[n] = load<V>(line + i + n * width), more[n] = V{};
    for (std::ptrdiff_t m = 1; m <= most; ++m)
      for (int n = 0; n < packs; ++n) {
        const T* at = line + i + n * width;
        more[n] +=
            weight[m - 1] * ((load<V>(at + m) - here[n]) + (load<V>(at + columns - m) - here[n]));
      }
    for (int n = 0; n < packs; ++n) store<V>(to + i + n * width, here[n] + more[n]);
  }
};

/// Add to every value of closed rows its weighted differences from all others in its row,
///
///     x(i) += sum over m of w(m) ((x(i + m) - x(i)) + (x(i - m) - x(i))),   m = 1 ... n / 2,
///
/// with columns counted round. A wave k of a row is multiplied by
/// 1 - 2 sum over m of w(m) (1 - cos(2 pi k m / n)), its mean stays to round-off, whatever w.
///
/// @param[in,out] values   whole rows, shape (k, j, i)
/// @param[in]     weights  w(m) of row j, shape (j, n / 2); rows of 0 stay as they are
template <class T>
void lessen_row_waves(View3<T> values, View2<const T> weights) {
  using Pack = pack<T, lanes<T>>;
  const std::ptrdiff_t columns = values.extent[2], most = weights.extent[1];
  const int rows = static_cast<int>(values.extent[1]);
  const int count = static_cast<int>(values.extent[0]) * rows;
  for_each_in_with(
      0, count, 1, [&] { return std::vector<T>(2 * static_cast<std::size_t>(columns)); },
      [&](int number, std::vector<T>& twice) {
        const int k = number / rows, j = number % rows;
        const T* weight = weights.row(j);
        if (std::all_of(weight, weight + most, [](T one) { return one == T(0); })) return;
        T* row = values.row(k, j);
        std::copy(row, row + columns, twice.data());
        std::copy(row, row + columns, twice.data() + columns);
        const TwiceRow<T> was{twice.data(), columns};
        std::ptrdiff_t i = 0;
        for (; i + 4 * lanes<T> <= columns; i += 4 * lanes<T>)
          was.template lessen<Pack, 4>(row, i, weight, most);
        for (; i + lanes<T> <= columns; i += lanes<T>)
          was.template lessen<Pack, 1>(row, i, weight, most);
        for (; i < columns; ++i) was.template lessen<T, 1>(row, i, weight, most);
      });
}

}  // namespace halocline
