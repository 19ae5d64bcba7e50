#pragma once
#include "numerics/row_loops.hpp"
#include "view.hpp"

/// The lowest cells of columns, which may be thinner than their level (Adcroft, Hill and Marshall
/// 1997, Mon. Wea. Rev. 125, 2293; Pacanowski and Gnanadesikan 1998, Mon. Wea. Rev. 126, 3248).
///
/// A lowest cell begins where its level does and has a share of its thickness; that of a velocity
/// cell is the least of the four around it. Uppermost cells are whole.
namespace halocline {

/// The share of the thickness of their level that the cells of one row have [1]. Where that is
/// known to be 1 for all, `Whole`, nothing is asked.
template <class T, bool Whole = false>
struct RowShares {
  const T* floor;  ///< the lowest wet level of every column
  const T* share;  ///< of the cell there; none where all cells are whole
  T level;

  /// Whether the cells of all lanes from i on are whole.
  template <class V>
  INLINE bool whole(std::ptrdiff_t i) const {
    if (Whole || !share) return true;
    return !any(load<V>(floor + i) == splat<V>(level));
  }

  template <class V>
  INLINE V at(std::ptrdiff_t i) const {
    if (whole<V>(i)) return splat<V>(T(1));
    return load<V>(floor + i) == splat<V>(level) ? load<V>(share + i) : splat<V>(T(1));
  }

  /// How much higher the centre of a cell lies than that of its level of thickness `dz` [m].
  template <class V>
  INLINE V raised(std::ptrdiff_t i, T dz) const {
    return (T(0.5) * dz) * (T(1) - at<V>(i));
  }

  /// From the centre of a cell to that of the one above it, which lie `spacing` apart where the
  /// cell is whole [m].
  template <class V>
  INLINE V to_above(std::ptrdiff_t i, T dz, T spacing) const {
    return whole<V>(i) ? splat<V>(spacing) : V(spacing - raised<V>(i, dz));
  }
};

/// The lowest cells of all columns; without `share` all are whole.
template <class T>
struct BottomCells {
  View2<const T> floor_level, share;

  template <bool Whole = false>
  RowShares<T, Whole> row(int k, int j) const {
    if (Whole || !share.data) return {nullptr, nullptr, static_cast<T>(k)};
    return {floor_level.row(j), share.row(j), static_cast<T>(k)};
  }
};

/// Values of one row of a level, and of the level above.
template <class T>
struct RowAndAbove {
  const T *here, *above;
};

/// Two cells beside each other, which are compared at the depth of the higher centre: the other one
/// on the straight line to the cell above it (Pacanowski and Gnanadesikan 1998).
template <class V>
struct CellPair {
  std::ptrdiff_t one, other;  ///< their columns
  bool even;                  ///< whether all lanes have whole cells on both sides
  V common;                   ///< the share of their level that both have [1]
  V one_up, other_up;         ///< how far on its line each of them is compared [1]; the higher at 0

  /// How much more the other one has.
  template <class T>
  INLINE V apart(const RowAndAbove<T>& first, const RowAndAbove<T>& second) const {
    const V a = load<V>(first.here + one), b = load<V>(second.here + other);
    if (even) return b - a;
    const V more_a = load<V>(first.above + one) - a, more_b = load<V>(second.above + other) - b;
    return (b - a) + (other_up * more_b - one_up * more_a);
  }
};

/// The cell in column `one` of a row and the cell in column `other` of another one; `spacing` is
/// that between the centres of their level and of the one above [m].
template <class V, class T, bool Whole>
INLINE CellPair<V> pair_of(const RowShares<T, Whole>& first, std::ptrdiff_t one,
                           const RowShares<T, Whole>& second, std::ptrdiff_t other, T dz,
                           T spacing) {
  const V none{};
  if (first.template whole<V>(one) && second.template whole<V>(other))
    return {one, other, true, splat<V>(T(1)), none, none};
  const V up_first = first.template raised<V>(one, dz);
  const V up_second = second.template raised<V>(other, dz), rise = up_first - up_second;
  const V common = minimum(first.template at<V>(one), second.template at<V>(other));
  return {one,
          other,
          false,
          common,
          maximum(-rise, none) / (spacing - up_first),
          maximum(rise, none) / (spacing - up_second)};
}

}  // namespace halocline
