#pragma once
#include <cmath>

#include "elementary.hpp"

/// Growth of waves in a turbulent air flow: the interaction parameter of Chalikov and Belevich
/// (1993) as Tolman and Chalikov (1996, appendix) fit it, a function of the apparent frequency
/// w = (wind component at the height of an apparent wavelength) / phase speed and of the drag
/// coefficient at that height.
///
/// As in WAVEWATCH III it is read from a table with steps of 0.1 in w and 0.0005 in drag, linearly
/// in both. The table is not stored: its corners are computed. A drag below the first column is
/// read one column up.
namespace halocline::waves {

inline constexpr double growth_step = 0.1;        ///< of apparent frequency
inline constexpr double growth_drag_step = 5e-4;  ///< of drag
inline constexpr int growth_columns = 21;         ///< drags from one step up

/// Coefficients of the fit at one drag; `bend`, `offset` and `slope` need divisions.
template <class V>
struct GrowthFit {
  V first, second;  ///< limits of w between the pieces
  V a1, a2, a4, a5, a9, a10;
  V bend, offset, slope;
};

/// The coefficients that need no division, at column number `column` of the table.
template <class V>
HD inline GrowthFit<V> growth_fit(V column) {
  using T = scalar_of<V>;
  constexpr T d = T(growth_drag_step);
  GrowthFit<V> fit;
  fit.first = T(1.075) + (T(75) * d) * column;
  fit.second = T(1.2) + (T(300) * d) * column;
  fit.a1 = T(0.25) + (T(395) * d) * column;
  fit.a2 = T(0.35) + (T(150) * d) * column;
  fit.a4 = T(0.3) + (T(300) * d) * column;
  fit.a5 = fit.a4 * fit.first;
  fit.a9 = T(0.35) + (T(240) * d) * column;
  fit.a10 = T(-0.06) + (T(470) * d) * column;
  return fit;
}

/// The same at the next column.
template <class V>
HD inline GrowthFit<V> next_column(const GrowthFit<V>& fit) {
  using T = scalar_of<V>;
  constexpr T d = T(growth_drag_step);
  GrowthFit<V> next;
  next.first = fit.first + T(75) * d;
  next.second = fit.second + T(300) * d;
  next.a1 = fit.a1 + T(395) * d;
  next.a2 = fit.a2 + T(150) * d;
  next.a4 = fit.a4 + T(300) * d;
  next.a5 = next.a4 * next.first;
  next.a9 = fit.a9 + T(240) * d;
  next.a10 = fit.a10 + T(470) * d;
  return next;
}

/// Complete a fit: bend and offset of the piece around 0, slope of the linear piece.
template <class V>
HD inline GrowthFit<V> complete(GrowthFit<V> fit) {
  using T = scalar_of<V>;
  const V a0 = T(0.25) * fit.a5 * fit.first;
  fit.bend = (a0 - fit.a2 - fit.a1) / (a0 + fit.a4 + fit.a5);
  fit.offset = a0 * (T(1) - fit.bend);
  const V beyond = fit.second - T(1);
  fit.slope = (fit.a9 * beyond * beyond + fit.a10) / (fit.second - fit.first);
  return fit;
}

/// 10^4 times the interaction parameter at w >= 0.
template <class V>
HD inline V growth_with_wind(const GrowthFit<V>& fit, V w) {
  using T = scalar_of<V>;
  const V parabola = w * (fit.a4 * w - fit.a5);
  const V beyond = w - T(1);
  const V low = w < T(0.5) * fit.first ? fit.bend * parabola - fit.offset : parabola;
  const V high = w < fit.second ? fit.slope * (w - fit.first) : fit.a9 * beyond * beyond + fit.a10;
  return w < fit.first ? low : high;
}

/// 10^4 times the interaction parameter at w = -against <= 0, linear between the steps of w. Both
/// pieces are parabolas that meet at a step, so the chord is the parabola plus half its curvature
/// times the distances to the two steps.
template <class V>
HD inline V growth_against_wind(const GrowthFit<V>& fit, V against, V below, V above) {
  const V distances = (against - below) * (above - against);
  const V near =
      fit.bend * (against * (fit.a4 * against + fit.a5) + fit.a4 * distances) - fit.offset;
  const V far = -fit.a1 * (against * against + distances) - fit.a2;
  return below < splat<V>(scalar_of<V>(1) - scalar_of<V>(0.5 * growth_step)) ? near : far;
}

/// Bends, offsets and slopes of all columns of the table.
template <class T>
struct GrowthColumns {
  static constexpr int size = 32;
  T bend[size], offset[size], slope[size];

  GrowthColumns() {
    for (int column = 0; column < size; ++column) {
      const auto fit = complete(growth_fit<double>(column < 1 ? 1 : column));
      bend[column] = T(fit.bend);
      offset[column] = T(fit.offset);
      slope[column] = T(fit.slope);
    }
  }
};

/// Values of a table of 32 entries at whole numbers.
template <class V>
class Lookup {
 public:
  using T = scalar_of<V>;
  HD explicit Lookup(const T* table) {
    if constexpr (std::is_arithmetic_v<V>) {
      table_ = table;
    } else {
      for (int part = 0; part < parts; ++part) part_[part] = load<V>(table + part * width_of<V>);
    }
  }

  HD V operator()(elementary::integer_of<V> at) const {
    if constexpr (std::is_arithmetic_v<V>) {
      return table_[at];
#ifndef __CUDACC__
    } else if constexpr (parts == 2) {
      return __builtin_shuffle(part_[0], part_[1], at);
    } else if constexpr (parts == 4) {
      const V low = __builtin_shuffle(part_[0], part_[1], at);
      const V high = __builtin_shuffle(part_[2], part_[3], at);
      return at < 2 * width_of<V> ? low : high;
#endif
    } else {
      V value;
      for (int lane = 0; lane < width_of<V>; ++lane)
        value[lane] = part_[at[lane] / width_of<V>][at[lane] % width_of<V>];
      return value;
    }
  }

 private:
  static constexpr int parts = std::is_arithmetic_v<V> ? 1 : 32 / width_of<V>;
  const T* table_ = nullptr;
  V part_[parts];
};

/// Growth parameters of a wave and of the opposite one.
template <class V>
struct GrowthPair {
  V with, against;
};

/// The table of the interaction parameter.
template <class V>
class GrowthTable {
 public:
  using T = scalar_of<V>;
  HD explicit GrowthTable(const GrowthColumns<T>& columns)
      : bend_(columns.bend), offset_(columns.offset), slope_(columns.slope) {}

  /// Interaction parameters for apparent frequencies `w` >= 0 and -`w`.
  HD GrowthPair<V> operator()(V w, V drag) const {
    const auto column = whole(drag * T(1 / growth_drag_step));
    const V share = drag * T(1 / growth_drag_step) - column.value;
    const Integer at = limited(column.integer);
    const auto step = whole(w * T(1 / growth_step));
    const V below = step.value * T(growth_step), above = (step.value + T(1)) * T(growth_step);
    const V part = w * T(1 / growth_step) - step.value;
    auto fit_1 = growth_fit(elementary::converted<V>(at));
    auto fit_2 = next_column(fit_1);
    read(fit_1, at);
    read(fit_2, at + elementary::integer<Integer>(1));
    const V with_1 = between(growth_with_wind(fit_1, below), growth_with_wind(fit_1, above), part);
    const V with_2 = between(growth_with_wind(fit_2, below), growth_with_wind(fit_2, above), part);
    return {T(1e-4) * between(with_1, with_2, share),
            T(1e-4) * between(growth_against_wind(fit_1, w, below, above),
                              growth_against_wind(fit_2, w, below, above), share)};
  }

 private:
  using Integer = elementary::integer_of<V>;

  HD static V between(V first, V second, V part) { return first + part * (second - first); }

  /// The largest whole number not above x >= 0.
  HD static elementary::Rounded<V> whole(V x) {
    const Integer integer = elementary::truncated<V>(x);
    return {integer, elementary::converted<V>(integer)};
  }

  HD static Integer limited(Integer column) {
    const Integer first = elementary::integer<Integer>(1), last = elementary::integer<Integer>(20);
    const Integer raised = column < first ? first : column;
    return raised > last ? last : raised;
  }

  HD void read(GrowthFit<V>& fit, Integer at) const {
    fit.bend = bend_(at);
    fit.offset = offset_(at);
    fit.slope = slope_(at);
  }

  Lookup<V> bend_, offset_, slope_;
};

}  // namespace halocline::waves
