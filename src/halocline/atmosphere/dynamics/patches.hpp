#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedules.hpp"
#include "view.hpp"

/// Parts of a box that threads work on.
namespace halocline::air {

/// Parts of so few rows and columns that what a kernel looks at around some levels of a part stays
/// in the second cache while it goes upward.
class Patches {
 public:
  static constexpr int rows = 16, columns = 160;

  explicit Patches(Box box)
      : box_(box),
        along_y_(parts(box.j1 - box.j0, rows)),
        along_x_(parts(box.i1 - box.i0, columns)) {
    const int threads = most_threads(), wanted = (along_y_ + threads - 1) / threads * threads;
    along_y_ = std::min(wanted, std::max(1, box.j1 - box.j0));
  }
  int count() const { return along_x_ * along_y_; }
  Box at(int number) const {
    const int x = number % along_x_, y = number / along_x_;
    return {cut(box_.j0, box_.j1, y, along_y_), cut(box_.j0, box_.j1, y + 1, along_y_),
            cut(box_.i0, box_.i1, x, along_x_), cut(box_.i0, box_.i1, x + 1, along_x_), 0};
  }
  /// Rows and columns of the largest part.
  int most_rows() const { return parts(box_.j1 - box_.j0, along_y_); }
  int most_columns() const { return parts(box_.i1 - box_.i0, along_x_); }

 private:
  static int parts(int whole, int part) { return std::max(1, (whole + part - 1) / part); }
  static int cut(int begin, int end, int number, int of) {
    return begin + static_cast<int>(static_cast<long long>(end - begin) * number / of);
  }
  Box box_;
  int along_y_, along_x_;
};

/// Rows of values that a thread keeps of a patch. The first column of each begins on a cache line,
/// as that of fields does; there is room for one column more on both sides.
template <class T>
class PatchRows {
 public:
  PatchRows(const Patches& patches, int count)
      : width_((patches.most_columns() + 1 + line) / line * line),
        values_(static_cast<std::size_t>(count * width_ + 2 * line)) {}

  /// Columns count from the first one of the patch, and rows of `row` from its first one.
  void begin(Box patch) { patch_ = patch; }
  /// One of `count` rows.
  T* at(int number) {
    const auto data = reinterpret_cast<std::uintptr_t>(values_.data());
    T* aligned = values_.data() + (align - data % align) % align / sizeof(T);
    return aligned + line + number * width_ - patch_.i0;
  }
  /// Rows from `first` on belong to rows of the patch, so many to each.
  T* of_row(int first, int each, int j) { return at(first + each * (j - patch_.j0)); }

 private:
  static constexpr std::ptrdiff_t align = 64, line = align / sizeof(T);
  std::ptrdiff_t width_;
  std::vector<T> values_;
  Box patch_;
};

}  // namespace halocline::air
