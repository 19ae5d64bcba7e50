#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "negligible.hpp"
#include "pack.hpp"
#include "view.hpp"

/// One spectral component between its compact list of sea points and rows of a padded plane.
namespace halocline::waves {

/// Planes that say how fast and how freely energy crosses a block.
template <class T>
struct Metrics {
  View<const T, 3> crossing_rate;
  View<const T, 2> transparency_x, transparency_y, cell_area, cell_aspect;
};

/// A plane whose rows can be read in whole packs: the given one where its rows are padded, as those
/// of fields are, else a copy.
template <class T, int Rank>
class WholePacks {
 public:
  explicit WholePacks(View<const T, Rank> plane) : view_(plane) {
    constexpr std::ptrdiff_t unit = 64 / sizeof(T);
    const std::ptrdiff_t columns = plane.extent[Rank - 1];
    if (plane.stride[Rank - 2] % unit == 0) return;
    const std::ptrdiff_t length = (columns + unit - 1) / unit * unit;
    std::ptrdiff_t rows = 1;
    for (int axis = Rank - 2; axis >= 0; --axis) {
      view_.stride[axis] = rows * length;
      rows *= plane.extent[axis];
    }
    copy_.assign(static_cast<std::size_t>(rows * length), T(0));
    view_.data = copy_.data();
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
      std::ptrdiff_t from = 0, rest = row;
      for (int axis = Rank - 2; axis >= 0; --axis) {
        from += rest % plane.extent[axis] * plane.stride[axis];
        rest /= plane.extent[axis];
      }
      std::copy_n(plane.data + from, columns, copy_.data() + row * length);
    }
  }
  WholePacks(const WholePacks&) = delete;
  operator View<const T, Rank>() const { return view_; }

 private:
  View<const T, Rank> view_;
  std::vector<T> copy_;
};

/// A row of a plane, read in packs; with `uniform`, one value.
template <class V, bool uniform>
class Row {
  using T = scalar_of<V>;

 public:
  explicit Row(const T* values) : values_(values) {}
  explicit Row(T value) : value_(splat<V>(value)) {}
  V operator[](std::ptrdiff_t i) const {
    if constexpr (uniform)
      return value_;
    else
      return load<V>(values_ + i);
  }

 private:
  const T* values_ = nullptr;
  V value_{};
};

/// Neighbours in a row: `here` moved by one lane, filled from the pack beside it.
template <class V>
inline V from_west(V west, V here) {
  constexpr int width = width_of<V>;
  mask_of<V> lane{};
  for (int n = 0; n < width; ++n) lane[n] = width - 1 + n;
  return __builtin_shuffle(west, here, lane);
}
template <class V>
inline V from_east(V here, V east) {
  constexpr int width = width_of<V>;
  mask_of<V> lane{};
  for (int n = 0; n < width; ++n) lane[n] = n + 1;
  return __builtin_shuffle(here, east, lane);
}

template <class V>
inline V where(mask_of<V> mask, V value) {
  return mask ? value : V{};
}

/// Cells of a row whose contents are held (active boundary).
template <class T>
struct HeldRow {
  const T* held;  ///< 1 where they are, else 0; null where none is

  template <class V>
  V keep(std::ptrdiff_t i, V before, V after) const {
    return held ? load<V>(held + i) > V{} ? before : after : after;
  }
};

/// Where the points of a block lie: runs of neighbours that are moved as a whole, row by row.
template <class T>
class PlaneMap {
  using V = pack<T, lanes<T>>;
  static constexpr std::ptrdiff_t width = lanes<T>;

 public:
  PlaneMap(const Box& box, View<const std::int32_t, 1> cell_of_point,
           View<const std::int32_t, 1> fixed_point, const Metrics<T>& metrics)
      : box(box),
        rows(metrics.cell_area.extent[0]),
        columns(metrics.cell_area.extent[1]),
        runs_of_row_(rows),
        stretches_of_row_(rows),
        stretches_of_face_(rows + 1),
        fixed_of_row_(rows),
        held_of_row_(rows),
        area_of_row_(rows),
        aspect_of_row_(rows),
        metrics_(metrics) {
    for (std::ptrdiff_t point = 0, end; point < cell_of_point.extent[0]; point = end) {
      const std::ptrdiff_t stop = point < box.points ? box.points : cell_of_point.extent[0];
      const auto cell = std::div(cell_of_point(point), static_cast<std::int32_t>(columns));
      const std::ptrdiff_t most = std::min<std::ptrdiff_t>(stop, point + columns - cell.rem);
      end = point + 1;
      while (end < most && cell_of_point(end) == cell_of_point(end - 1) + 1) ++end;
      runs_of_row_[cell.quot].push_back(
          {static_cast<std::int32_t>(point), cell.rem, static_cast<std::int32_t>(end - point)});
    }
    for (std::ptrdiff_t point = 0; point < fixed_point.extent[0]; ++point)
      if (fixed_point(point) != 0) {
        const auto cell = std::div(cell_of_point(point), static_cast<std::int32_t>(columns));
        fixed_of_row_[cell.quot].push_back({static_cast<std::int32_t>(point), cell.rem});
        std::vector<T>& held = held_of_row_[cell.quot];
        held.resize((columns + width - 1) / width * width, T(0));
        held[cell.rem] = T(1);
      }
    for (std::ptrdiff_t j = 0; j < rows; ++j) stretches_of_row_[j] = near_sea(j - 1, j + 1);
    for (std::ptrdiff_t j = 0; j <= rows; ++j) stretches_of_face_[j] = near_sea(j - 2, j + 1);
    for (std::ptrdiff_t j = 0; j < rows; ++j)
      uniform_ &= one_value(metrics.cell_area.row(j), area_of_row_[j]) &&
                  one_value(metrics.cell_aspect.row(j), aspect_of_row_[j]);
  }

  /// Put the points of row j, halo included, on a row; its land becomes 0.
  void scatter_row(int j, const T* spectrum, T* density) const {
    for (std::ptrdiff_t i = 0; i < columns; i += lanes<T>) store<V>(density + i, V{});
    for (const Run& run : runs_of_row_[j])
      copy_run(run.length, spectrum + run.point, density + run.i, [](auto value) { return value; });
  }

  /// Ask memory for the points of row j, which will be read and written soon. Inlined by order: GCC
  /// drops calls of functions that do nothing but prefetch.
  [[gnu::always_inline]] void prefetch_row(int j, const T* spectrum) const {
    constexpr std::int32_t line = 64 / sizeof(T);
    if (j < 0 || j >= rows) return;
    for (const Run& run : runs_of_row_[j])
      for (std::int32_t n = 0; n < run.length; n += line)
        __builtin_prefetch(spectrum + run.point + n, 1);
  }

  /// Turn contents of row j into densities of its owned points; held ones keep what they have.
  void gather_row(int j, const T* content, T* spectrum) const {
    const std::vector<T>& held = held_of_row_[j];
    if (uniform_ && held.empty()) {
      const T inverse = T(1) / area_of_row_[j];
      for (const Run& run : runs_of_row_[j])
        if (run.point < box.points)
          copy_run(run.length, content + run.i, spectrum + run.point,
                   [inverse](auto value) { return unless_negligible(value * inverse); });
      return;
    }
    const T* area = metrics_.cell_area.row(j);
    for (const Run& run : runs_of_row_[j])
      if (run.point < box.points)
        for (int n = 0; n < run.length; ++n)
          if (held.empty() || held[run.i + n] == T(0))
            spectrum[run.point + n] =
                unless_negligible(content[run.i + n] * (T(1) / area[run.i + n]));
  }

  /// Put the held densities of row j back after an operation on its contents.
  void restore_fixed(int j, const T* density, T* content) const {
    for (const Fixed& fixed : fixed_of_row_[j])
      content[fixed.i] = metrics_.cell_area(j, fixed.i) * density[fixed.i];
  }

  HeldRow<T> held(int j) const {
    return {held_of_row_[j].empty() ? nullptr : held_of_row_[j].data()};
  }

  template <bool uniform>
  Row<V, uniform> area(int j) const {
    if constexpr (uniform)
      return Row<V, true>(area_of_row_[j]);
    else
      return Row<V, false>(metrics_.cell_area.row(j));
  }
  template <bool uniform>
  Row<V, uniform> aspect(int j) const {
    if constexpr (uniform)
      return Row<V, true>(aspect_of_row_[j]);
    else
      return Row<V, false>(metrics_.cell_aspect.row(j));
  }
  /// Stretches [first, last) of row j, in whole packs, that hold all cells of the sea in this row
  /// and in the rows beside it; faces and corners between other packs are closed.
  struct Stretch {
    std::ptrdiff_t first, last;
  };
  const std::vector<Stretch>& stretches(int j) const { return stretches_of_row_[j]; }

  /// Stretches of the line of faces south of row j: those of the rows on both sides of it, so that
  /// what a row reads there has been written for this line.
  const std::vector<Stretch>& face_stretches(int j) const { return stretches_of_face_[j]; }

  /// Whether area and aspect have one value in each row.
  bool uniform() const { return uniform_; }

  Box box;
  std::ptrdiff_t rows, columns;

 private:
  struct Run {
    std::int32_t point, i, length;
  };
  struct Fixed {
    std::int32_t point, i;
  };

  /// The packs in which one of the rows south to north, both included, has sea.
  std::vector<Stretch> near_sea(std::ptrdiff_t south, std::ptrdiff_t north) const {
    std::vector<bool> near((columns + width - 1) / width);
    south = std::max<std::ptrdiff_t>(south, 0);
    north = std::min<std::ptrdiff_t>(north, rows - 1);
    for (std::ptrdiff_t row = south; row <= north; ++row)
      for (const Run& run : runs_of_row_[row])
        for (std::ptrdiff_t n = run.i / width; n <= (run.i + run.length - 1) / width; ++n)
          near[n] = true;
    std::vector<Stretch> stretches;
    for (std::ptrdiff_t n = 0; n < std::ssize(near); ++n) {
      if (!near[n]) continue;
      if (stretches.empty() || stretches.back().last != n * width)
        stretches.push_back({n * width, n * width});
      stretches.back().last += width;
    }
    return stretches;
  }

  /// Whether a row has one value, but for zeros, which stand outside the grid where nothing is.
  bool one_value(const T* values, T& value) const {
    value = T(0);
    for (std::ptrdiff_t i = 0; i < columns; ++i) {
      if (values[i] == T(0)) continue;
      if (value == T(0)) value = values[i];
      if (values[i] != value) return false;
    }
    return true;
  }

  /// Copy a run in packs, the last of which may overlap the one before it.
  template <class Change>
  static void copy_run(std::ptrdiff_t length, const T* from, T* to, Change change) {
    if (length < width) {
      for (std::ptrdiff_t n = 0; n < length; ++n) to[n] = change(from[n]);
      return;
    }
    for (std::ptrdiff_t n = 0; n + width < length; n += width)
      store<V>(to + n, change(load<V>(from + n)));
    store<V>(to + length - width, change(load<V>(from + length - width)));
  }

  std::vector<std::vector<Run>> runs_of_row_;
  std::vector<std::vector<Stretch>> stretches_of_row_, stretches_of_face_;
  std::vector<std::vector<Fixed>> fixed_of_row_;
  std::vector<std::vector<T>> held_of_row_;
  std::vector<T> area_of_row_, aspect_of_row_;
  const Metrics<T>& metrics_;
  bool uniform_ = true;
};

/// Rows that one thread works on, a few kilobytes, in the nearest cache.
template <class T>
class RowBuffers {
 public:
  explicit RowBuffers(std::ptrdiff_t columns)
      : pitch_((columns + line - 1) / line * line + 2 * line), memory_(number * pitch_ + line) {
    const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
    first_ = memory_.data() + (64 - start % 64) % 64 / sizeof(T) + line;
  }
  RowBuffers(const RowBuffers&) = delete;

  T* density(int j) { return at(j & 3); }  ///< of row j as it came
  T* content(int order) { return at(4 + (order & 1)); }
  T* flux(int order) { return at(6 + (order & 1)); }  ///< courant number in y times content
  T* outflow() { return at(8); }
  T* averaged() { return at(9); }
  T* swept(int order) { return at(10 + (order & 1)); }
  T* straight(int face) { return at(12 + (face & 1)); }
  T* rising(int face) { return at(14 + (face & 1)); }
  T* falling(int face) { return at(16 + (face & 1)); }
  void clear() { std::fill(memory_.begin(), memory_.end(), T(0)); }

 private:
  static constexpr int number = 18;
  static constexpr std::ptrdiff_t line = 64 / sizeof(T);
  T* at(int row) { return first_ + row * pitch_; }
  std::ptrdiff_t pitch_;
  std::vector<T> memory_;
  T* first_;
};

}  // namespace halocline::waves
