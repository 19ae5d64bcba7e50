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
/// read one column up. Below, w and drag are counted in steps of the table.
namespace halocline::waves {

inline constexpr double growth_step = 0.1;        ///< of apparent frequency
inline constexpr double growth_drag_step = 5e-4;  ///< of drag

/// The fit at one drag, a column of the table: in w pieces of a parabola between 0 and `first`, of
/// which the first half is bent, a line up to `second`, and a parabola beyond.
template <class V>
struct GrowthFit {
  V first, second;  ///< limits of w between the pieces
  V a4, a9, a10;
  V bend, offset, slope;  ///< these need divisions: they are looked up
};

/// The coefficients that need no division, at column number `column` of the table.
template <class V>
HD inline GrowthFit<V> growth_fit(V column) {
  using T = scalar_of<V>;
  constexpr double d = growth_drag_step, x = growth_step;
  GrowthFit<V> fit;
  fit.first = multiply_add(T(75 * d / x), column, T(1.075 / x));
  fit.second = multiply_add(T(300 * d / x), column, T(1.2 / x));
  fit.a4 = multiply_add(T(300 * d * x * x), column, T(0.3 * x * x));
  fit.a9 = multiply_add(T(240 * d * x * x), column, T(0.35 * x * x));
  fit.a10 = multiply_add(T(470 * d), column, T(-0.06));
  return fit;
}

/// The same at the next column.
template <class V>
HD inline GrowthFit<V> next_column(const GrowthFit<V>& fit) {
  using T = scalar_of<V>;
  constexpr double d = growth_drag_step, x = growth_step;
  GrowthFit<V> next;
  next.first = fit.first + T(75 * d / x);
  next.second = fit.second + T(300 * d / x);
  next.a4 = fit.a4 + T(300 * d * x * x);
  next.a9 = fit.a9 + T(240 * d * x * x);
  next.a10 = fit.a10 + T(470 * d);
  return next;
}

/// 10^4 times the interaction parameter at w >= 0.
template <class V>
HD inline V growth_with_wind(const GrowthFit<V>& fit, V w) {
  using T = scalar_of<V>;
  const V gradient = w < fit.first ? fit.a4 * w : fit.slope;
  const V middle = gradient * (w - fit.first);
  const V low = T(2) * w < fit.first ? multiply_add(fit.bend, middle, -fit.offset) : middle;
  const V beyond = w - T(1 / growth_step);
  return w < fit.second ? low : multiply_add(fit.a9, beyond * beyond, fit.a10);
}

/// The chord of the square of x between two places, at a place between them.
template <class V>
HD inline V square_chord(V x, V below, V above) {
  return multiply_add(x, below + above, -below * above);
}

/// 10^4 times the interaction parameter at w = -against <= 0 and above -1, the bent parabola, and
/// `square` the chord of its square.
template <class V>
HD inline V growth_against_wind(const GrowthFit<V>& fit, V against, V square) {
  return multiply_add(fit.bend * fit.a4, multiply_add(fit.first, against, square), -fit.offset);
}

/// The same below w = -1, at any place between the columns, in which the fit is linear.
template <class V>
HD inline V growth_far_against_wind(V column, V square) {
  using T = scalar_of<V>;
  constexpr double d = growth_drag_step, x = growth_step;
  const V a1 = multiply_add(T(-395 * d * x * x), column, T(-0.25 * x * x));
  const V a2 = multiply_add(T(-150 * d), column, T(-0.35));
  return multiply_add(a1, square, a2);
}

/// Bends, offsets and slopes of all columns of the table.
template <class T>
struct GrowthColumns {
  static constexpr int size = 32;
  T bend[size], offset[size], slope[size];

  GrowthColumns() {
    for (int column = 0; column < size; ++column) {
      const double drag = growth_drag_step * (column < 1 ? 1 : column);
      const double first = 1.075 + 75 * drag, second = 1.2 + 300 * drag;
      const double a1 = 0.25 + 395 * drag, a2 = 0.35 + 150 * drag, a4 = 0.3 + 300 * drag;
      const double a5 = a4 * first, a0 = 0.25 * a5 * first;
      const double a9 = 0.35 + 240 * drag, a10 = -0.06 + 470 * drag, beyond = second - 1;
      const double bending = (a0 - a2 - a1) / (a0 + a4 + a5);
      bend[column] = T(bending);
      offset[column] = T(a0 * (1 - bending));
      slope[column] = T(growth_step * (a9 * beyond * beyond + a10) / (second - first));
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

/// Where in the table an apparent frequency w >= 0 and a drag lie, both counted in its steps.
template <class V>
struct GrowthPlace {
  V w, below;                    ///< and the step of w not above it
  V column, share;               ///< of the table, and how far the drag lies beyond it
  elementary::integer_of<V> at;  ///< `column`

  HD static GrowthPlace of(V w, V drag) {
    using Integer = elementary::integer_of<V>;
    const Integer first = elementary::integer<Integer>(1), last = elementary::integer<Integer>(20);
    const Integer number = elementary::truncated<V>(drag);
    const Integer raised = number < first ? first : number;
    const Integer at = raised > last ? last : raised;
    return {w, whole(elementary::truncated<V>(w)), whole(at), drag - whole(number), at};
  }

 private:
  HD static V whole(elementary::integer_of<V> number) { return elementary::converted<V>(number); }
};

/// The table of the interaction parameter.
template <class V>
class GrowthTable {
 public:
  using T = scalar_of<V>;
  HD explicit GrowthTable(const GrowthColumns<T>& columns)
      : bend_(columns.bend), offset_(columns.offset), slope_(columns.slope) {}

  /// 10^4 times the interaction parameters for apparent frequencies w and -w.
  HD GrowthPair<V> operator()(const GrowthPlace<V>& at) const {
    auto fit_1 = growth_fit(at.column);
    auto fit_2 = next_column(fit_1);
    read(fit_1, at.at);
    read(fit_2, at.at + elementary::integer<Integer>(1));
    const V w = at.w, below = at.below, above = below + T(1), share = at.share;
    const V part = w - below;
    const V with_1 = between(growth_with_wind(fit_1, below), growth_with_wind(fit_1, above), part);
    const V with_2 = between(growth_with_wind(fit_2, below), growth_with_wind(fit_2, above), part);
    const V square = square_chord(w, below, above);
    const V near = between(growth_against_wind(fit_1, w, square),
                           growth_against_wind(fit_2, w, square), share);
    const V far = growth_far_against_wind(at.column + share, square);
    return {between(with_1, with_2, share), below < T(1 / growth_step) ? near : far};
  }

 private:
  using Integer = elementary::integer_of<V>;

  HD static V between(V first, V second, V part) {
    return multiply_add(part, second - first, first);
  }

  HD void read(GrowthFit<V>& fit, Integer at) const {
    fit.bend = bend_(at);
    fit.offset = offset_(at);
    fit.slope = slope_(at);
  }

  Lookup<V> bend_, offset_, slope_;
};

}  // namespace halocline::waves
