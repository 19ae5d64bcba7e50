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

}  // namespace halocline
