#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

/// What cells of a row that is joined to itself lack, taken from others of it.
namespace halocline::air {

/// Scratch for `fill_lack`.
struct RowLack {
  std::vector<double> held, beside, share;

  /// What is below 0 in `row`, n values, is taken from other cells.
  ///
  /// A cell asks those 1, 2, 4 ... columns to both sides for as much of what they have, at most
  /// half of it each time; what is then still lacking is taken from all. The sum stays, to
  /// round-off; if that is below 0, cells stay so too.
  void fill(double* row, std::ptrdiff_t n) {
    for (auto* values : {&held, &beside, &share}) values->resize(static_cast<std::size_t>(n));
    for (std::ptrdiff_t reach = 1; 2 * reach <= n && lacks(row, n); reach *= 2) {
      for (std::ptrdiff_t i = 0; i < n; ++i) at(held, i) = std::max(row[i], 0.0);
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const std::ptrdiff_t east = i + reach < n ? i + reach : i + reach - n;
        const std::ptrdiff_t west = i >= reach ? i - reach : i - reach + n;
        const double lacking = std::max(-row[i], 0.0), around = at(held, east) + at(held, west);
        at(beside, i) = around;
        at(share, i) = around > 2.0 * lacking ? lacking / around : 0.5 * (lacking > 0.0);
      }
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const std::ptrdiff_t east = i + reach < n ? i + reach : i + reach - n;
        const std::ptrdiff_t west = i >= reach ? i - reach : i - reach + n;
        row[i] += at(share, i) * at(beside, i) - at(held, i) * (at(share, east) + at(share, west));
      }
    }
    if (!lacks(row, n)) return;
    double total = 0.0, all_held = 0.0;
    for (std::ptrdiff_t i = 0; i < n; ++i) total += row[i], all_held += std::max(row[i], 0.0);
    if (!(total > -1e-6 * all_held)) return;
    const double less = all_held > 0.0 ? std::max(total, 0.0) / all_held : 0.0;
    for (std::ptrdiff_t i = 0; i < n; ++i) row[i] = std::max(row[i], 0.0) * less;
  }

 private:
  static double& at(std::vector<double>& values, std::ptrdiff_t i) {
    return values[static_cast<std::size_t>(i)];
  }
  static bool lacks(const double* row, std::ptrdiff_t n) {
    return std::any_of(row, row + n, [](double value) { return value < 0.0; });
  }
};

}  // namespace halocline::air
