#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "numerics/scratch.hpp"
#include "view.hpp"

/// What lies around a tile, as it was before any was computed.
namespace halocline {

/// Cells [i0, i1) x [j0, j1) of a padded plane.
struct TileBox {
  int i0, i1, j0, j1;
};

/// Rows south and north of a part of the rows, two deep, as they were before any part was computed:
/// in a field that is computed in its own place other parts write there.
template <class T>
class RowFrame {
 public:
  RowFrame() = default;
  RowFrame(T* values, TileBox part, int levels)
      : values_(values), part_(part), length_(size(part) / 4), levels_(levels) {}

  static std::ptrdiff_t size(TileBox part) { return 4 * (part.i1 - part.i0 + 4); }
  bool has(int row) const { return values_ != nullptr && (row < part_.j0 || row >= part_.j1); }

  void keep(View4<const T> tracer, int t) const {
    for (int k = 0; k < levels_; ++k)
      for (int row : {part_.j0 - 2, part_.j0 - 1, part_.j1, part_.j1 + 1})
        std::memcpy(at(t, k, row), tracer.row(t, k, row) + part_.i0 - 2, length_ * sizeof(T));
  }
  /// A kept row, whose column i is that of the field.
  const T* row(int t, int k, int row) const { return at(t, k, row) - (part_.i0 - 2); }
  /// From a row of one tracer to the same of the next.
  std::ptrdiff_t apart() const { return 4 * length_ * levels_; }

 private:
  T* at(int t, int k, int row) const {
    const int kept = row < part_.j0 ? row - part_.j0 + 2 : row - part_.j1 + 2;
    return values_ + ((static_cast<std::ptrdiff_t>(t) * levels_ + k) * 4 + kept) * length_;
  }

  T* values_ = nullptr;
  TileBox part_{};
  std::ptrdiff_t length_ = 0;
  int levels_ = 0;
};

/// The two cells of every row to the west of a part of the rows: shape (row + 4, k, tracer, 2).
template <class T>
T* western_cells(View4<const T> tracer, TileBox part, int first, int count, int levels,
                 Scratch<T>& scratch) {
  const std::size_t size = 2 * static_cast<std::size_t>(part.j1 - part.j0 + 4) * levels * count;
  scratch.reserve(size);
  T* const cells = scratch.take(size);
  T* to = cells;
  for (int row = part.j0 - 2; row < part.j1 + 2; ++row)
    for (int k = 0; k < levels; ++k)
      for (int t = first; t < first + count; ++t, to += 2)
        std::copy_n(tracer.row(t, k, row) + part.i0 - 2, 2, to);
  return cells;
}

}  // namespace halocline
