#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "pack.hpp"
#include "view.hpp"

/// Sums that do not know the order of their terms (the idea of ReproBLAS: Demmel & Nguyen 2015).
///
/// Every term is split on fixed scales into three parts of 26 bits; the parts are multiples of the
/// scale's unit and their sums stay below 2^53 units, so that adding them is exact in any order.
/// The scale depends on the largest term only: 2^exponent is above it, exponent a multiple of 16
/// and at least -960. A term is rounded by at most 2^-63 of the largest, or by 2^-1039 (1.7e-313)
/// where that is more: where all terms are below 2^-976 (1.6e-294), few of their bits or none are
/// left.
namespace halocline {

inline constexpr int fold_count = 3;
inline constexpr int fold_bits = 26;
inline constexpr int exponent_step = 16;
/// Outside these, units or sums would leave the range of double.
inline constexpr int least_exponent = -960, greatest_exponent = 960;

/// Parts of one sum on one rank: three folds, the largest |term|, and the exponent of their scale.
inline constexpr int largest_place = fold_count, exponent_place = fold_count + 1;
inline constexpr int part_count = fold_count + 2;
/// What is added over ranks: three folds and a verdict on the scale.
inline constexpr int word_count = fold_count + 1;

/// Unit of fold `fold` when all |x| < 2^exponent.
inline double fold_unit(int exponent, int fold) {
  return std::ldexp(1.0, exponent - fold_bits * (fold + 1));
}

/// The exponent that belongs to a largest |term|.
inline int exponent_of(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  const int steps = (exponent - least_exponent + exponent_step - 1) / exponent_step;
  return least_exponent + std::max(steps, 0) * exponent_step;
}

/// Adds terms, a pack at a time, to three exact partial sums per lane.
///
/// Inside a fused loop: `ExactSum sum(parts)`, `sum.add(value)` for every pack (at most 2^25
/// between two stores; zeros in lanes that do not count), then `sum.store(parts)`. The parts of
/// blocks, threads and ranks add up exactly, in any order, while there are fewer than 2^26 terms in
/// all.
template <class V = pack<double, lanes<double>>>
class ExactSum {
 public:
  explicit ExactSum(const double* parts) {
    const int exponent = static_cast<int>(parts[exponent_place]);
    for (int fold = 0; fold < fold_count; ++fold) {
      start_[fold] = 1.5 * std::ldexp(fold_unit(exponent, fold), 52);
      sum_[fold] = splat<V>(start_[fold]);
    }
  }

  INLINE void add(V value) {
    largest_ = maximum(largest_, magnitude(value));
    for (int fold = 0; fold + 1 < fold_count; ++fold) {
      const V before = sum_[fold];
      sum_[fold] = before + without_ties(value);
      value -= sum_[fold] - before;
    }
    sum_[fold_count - 1] += without_ties(value);
  }

  /// Add what was summed to `parts` and begin anew.
  void store(double* parts) {
    for (int fold = 0; fold < fold_count; ++fold) {
      double lane[width_of<V>];
      halocline::store<V>(lane, sum_[fold] - splat<V>(start_[fold]));
      for (const double sum : lane) parts[fold] += sum;
      sum_[fold] = splat<V>(start_[fold]);
    }
    double lane[width_of<V>];
    halocline::store<V>(lane, largest_);
    for (const double largest : lane)
      parts[largest_place] = std::max(parts[largest_place], largest);
    largest_ = V{};
  }

 private:
  using Bits = pack<std::int64_t, width_of<V>>;

  static INLINE V magnitude(V value) {
    return std::bit_cast<V>(std::bit_cast<Bits>(value) & std::numeric_limits<std::int64_t>::max());
  }
  /// With its last bit set no value lies halfway between two units: rounding ignores the sum.
  static INLINE V without_ties(V value) { return std::bit_cast<V>(std::bit_cast<Bits>(value) | 1); }

  double start_[fold_count];
  V sum_[fold_count], largest_{};
};

/// The ordinary sum with the same calls: fast, and its bits depend on the order of the terms.
template <class V = pack<double, lanes<double>>>
class OrdinarySum {
 public:
  explicit OrdinarySum(const double*) {}
  INLINE void add(V value) { sum_ += value; }
  void store(double* parts) {
    double lane[width_of<V>];
    halocline::store<V>(lane, sum_);
    for (const double sum : lane) parts[0] += sum;
    sum_ = V{};
  }

 private:
  V sum_{};
};

/// Add all values to one kind of sum: `parts` as in its `store`.
template <template <class> class Sum, class T>
void add_values(View1<const T> values, double* parts) {
  using V = pack<double, lanes<double>>;
  constexpr std::ptrdiff_t width = width_of<V>, most = std::ptrdiff_t{1} << 24;
  const auto load_some = [&](std::ptrdiff_t from, std::ptrdiff_t count) {
    double lane[width] = {};
    for (std::ptrdiff_t n = 0; n < count; ++n) lane[n] = static_cast<double>(values.data[from + n]);
    return load<V>(lane);
  };
  Sum<V> sum(parts), other(parts);
  const std::ptrdiff_t count = values.extent[0];
  for (std::ptrdiff_t begin = 0; begin < count; begin += most * width) {
    const std::ptrdiff_t end = std::min(count, begin + most * width);
    std::ptrdiff_t n = begin;
    for (; n + 2 * width <= end; n += 2 * width) {
      sum.add(load_some(n, width));
      other.add(load_some(n + width, width));
    }
    for (; n < end; n += width) sum.add(load_some(n, std::min(width, end - n)));
    sum.store(parts);
    other.store(parts);
  }
}

/// Add every value exactly.
///
/// @param[in]     values  terms, any type
/// @param[in,out] parts   parts of the sum, with the exponent of their scale
template <class T>
void add_exactly(View1<const T> values, View1<double> parts) {
  add_values<ExactSum>(values, parts.data);
}

/// Add every value to parts[0] in an order that depends on the lanes.
template <class T>
void add_ordinarily(View1<const T> values, View1<double> parts) {
  add_values<OrdinarySum>(values, parts.data);
}

/// What a rank says of its scale in the place of its largest |term|; added over ranks.
namespace verdict {
inline constexpr double nothing = 0.0, low = 1.0, fits = 0x1p26;
inline constexpr double beyond = std::numeric_limits<double>::infinity();
}  // namespace verdict

/// Words of every sum: the folds of its parts and the verdict on its scale.
inline void judge_parts(View2<const double> parts, View1<double> words) {
  for (std::ptrdiff_t at = 0; at < parts.extent[0]; ++at) {
    const double *part = parts.row(at), largest = part[largest_place];
    const int exponent = static_cast<int>(part[exponent_place]);
    double* word = words.data + at * word_count;
    bool finite = true;
    for (int fold = 0; fold < fold_count; ++fold) {
      word[fold] = part[fold];
      finite &= std::isfinite(part[fold]);
    }
    if (!finite || !(largest < std::ldexp(1.0, exponent)))
      word[fold_count] = verdict::beyond;
    else if (largest == 0.0)
      word[fold_count] = verdict::nothing;
    else
      word[fold_count] = exponent_of(largest) < exponent ? verdict::low : verdict::fits;
  }
}

/// a + b rounded to odd: exact if it fits, else the neighbour whose last bit is set.
inline double add_to_odd(double a, double b) {
  const double sum = a + b, other = sum - a;
  const double error = (a - (sum - other)) + (b - other);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0.0 || bits & 1) return sum;
  return std::bit_cast<double>((error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1);
}

/// a + b + c, correctly rounded (Boldo & Melquiond 2008).
inline double add_three(double a, double b, double c) {
  const auto two_sum = [](double x, double y, double& error) {
    const double sum = x + y, other = sum - x;
    error = (x - (sum - other)) + (y - other);
    return sum;
  };
  double low_error, high_error;
  const double low = two_sum(b, c, low_error);
  const double high = two_sum(a, low, high_error);
  return high + add_to_odd(high_error, low_error);
}

/// values[sum] = the rounded sum of its words over all ranks; returns how many have a wrong scale.
inline int round_parts(View1<const double> totals, View1<double> values) {
  int wrong = 0;
  for (std::ptrdiff_t at = 0; at < values.extent[0]; ++at) {
    const double* part = totals.data + at * word_count;
    const double said = part[fold_count];
    wrong += !(said == verdict::nothing || (said >= verdict::fits && said < verdict::beyond));
    values.data[at] = add_three(part[0], part[1], part[2]);
  }
  return wrong;
}

}  // namespace halocline
