#pragma once
#include <algorithm>
#include <vector>

#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Waves along closed rows.
namespace halocline {

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
  const std::ptrdiff_t columns = values.extent[2], most = weights.extent[1];
  const int rows = static_cast<int>(values.extent[1]);
  const int count = static_cast<int>(values.extent[0]) * rows;
  for_each_in_with(
      0, count, 1, [&] { return std::vector<T>(2 * static_cast<std::size_t>(columns)); },
      [&](int number, std::vector<T>& twice) {
        const int k = number / rows, j = number % rows;
        const T* weight = weights.row(j);
        if (std::all_of(weight, weight + most, [](T one) { return one == T(0); })) return;
        T *row = values.row(k, j), *line = twice.data();
        std::copy(row, row + columns, line);
        std::copy(row, row + columns, line + columns);
        over_row<T>(0, columns, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
          const V here = load<V>(line + i);
          V more{};
          for (std::ptrdiff_t m = 1; m <= most; ++m)
            more += weight[m - 1] *
                    ((load<V>(line + i + m) - here) + (load<V>(line + columns + i - m) - here));
          store<V>(row + i, here + more);
        });
      });
}

}  // namespace halocline
