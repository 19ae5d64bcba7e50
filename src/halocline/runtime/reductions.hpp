#pragma once
#include <cmath>
#include <cstdint>

#include "view.hpp"

/// Sums that do not know the order of their terms (the idea of ReproBLAS: Demmel & Nguyen 2015).
///
/// Every term is split on fixed scales into three parts of 26 bits; the parts are multiples of the
/// scale's unit and their sums stay below 2^53 units, so that adding them is exact in any order.
namespace halocline {

inline constexpr int fold_count = 3;
inline constexpr int fold_bits = 26;

/// Unit of fold `fold` when all |x| < 2^exponent.
inline double fold_unit(int exponent, int fold) {
  return std::ldexp(1.0, exponent - fold_bits * (fold + 1));
}

/// Add the three parts of every value to `folds`; returns how many values exceed 2^exponent.
///
/// @param[in]     values    terms, any type
/// @param[in]     exponent  all |values| < 2^exponent, known to every rank alike
/// @param[in,out] folds     three partial sums, exact while fewer than 2^26 terms are added in all
template <class T>
std::int64_t add_exactly(View1<const T> values, int exponent, View1<double> folds) {
  constexpr int width = 8;
  double magic[fold_count], sum[fold_count][width] = {};
  for (int fold = 0; fold < fold_count; ++fold)
    magic[fold] = 1.5 * std::ldexp(fold_unit(exponent, fold), 52);
  const double bound = std::ldexp(1.0, exponent);
  std::int64_t exceeding[width] = {};
  const std::ptrdiff_t count = values.extent[0], whole = count - count % width;

  const auto add = [&](double value, int lane) {
    exceeding[lane] += !(std::abs(value) < bound);
    for (int fold = 0; fold < fold_count; ++fold) {
      const double part = (value + magic[fold]) - magic[fold];
      sum[fold][lane] += part;
      value -= part;
    }
  };
  for (std::ptrdiff_t n = 0; n < whole; n += width)
    for (int lane = 0; lane < width; ++lane) add(static_cast<double>(values.data[n + lane]), lane);
  for (std::ptrdiff_t n = whole; n < count; ++n)
    add(static_cast<double>(values.data[n]), static_cast<int>(n - whole));

  std::int64_t total = 0;
  for (int lane = 0; lane < width; ++lane) {
    for (int fold = 0; fold < fold_count; ++fold) folds.data[fold] += sum[fold][lane];
    total += exceeding[lane];
  }
  return total;
}

}  // namespace halocline
