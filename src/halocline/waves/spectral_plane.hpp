#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "view.hpp"

/// One spectral component between its compact list of sea points and a padded plane [j][i].
namespace halocline::waves {

/// Planes that say how fast and how freely energy crosses the faces of a block.
template <class T>
struct Metrics {
  View<const T, 3> crossing_rate_x, crossing_rate_y;
  View<const T, 2> transparency_x, transparency_y, cell_area, cell_aspect;
};

/// Scratch of one thread: the plane of one component and the few rows that are being swept.
template <class T>
struct PlaneBuffers {
  PlaneBuffers(int rows, int columns)
      : width((columns + 31) / 16 * 16), memory(static_cast<std::size_t>(rows + 16) * width, T(0)) {
    plane = memory.data();
    T* next = plane + static_cast<std::size_t>(rows) * width;
    for (T** row : {&content[0], &content[1], &content[2], &content[3], &outflow[0], &outflow[1],
                    &outflow_x, &averaged, &swept, &exchange[0], &exchange[1], &exchange[2],
                    &exchange[3], &exchange[4], &exchange[5], &exchange_x}) {
      *row = next;
      next += width;
    }
  }

  std::ptrdiff_t width;
  std::vector<T> memory;
  T* plane;
  T *content[4], *outflow[2], *outflow_x, *averaged, *swept, *exchange[6], *exchange_x;
};

/// Where the points of a block lie: runs of neighbours that are moved as a whole, row by row.
template <class T>
class PlaneMap {
 public:
  PlaneMap(const Box& box, View<const std::int32_t, 1> cell_of_point,
           View<const std::int32_t, 1> fixed_point, View<const T, 2> cell_area)
      : box(box),
        columns_(cell_area.extent[1]),
        width_((columns_ + 31) / 16 * 16),
        points_(cell_of_point.extent[0]),
        runs_of_row_(cell_area.extent[0]),
        fixed_of_row_(cell_area.extent[0]),
        inverse_area_(width_ * cell_area.extent[0]) {
    for (std::ptrdiff_t point = 0; point < points_; ++point) {
      const int j = cell_of_point(point) / columns_, i = cell_of_point(point) % columns_;
      add_point(static_cast<std::int32_t>(point), j, i);
      if (fixed_point(point) != 0)
        fixed_of_row_[j].push_back({static_cast<std::int32_t>(point), i});
    }
    for (int j = box.j0; j < box.j1; ++j)
      for (int i = box.i0; i < box.i1; ++i) inverse_area_[j * width_ + i] = T(1) / cell_area(j, i);
  }

  /// Put all points, halo included, on the plane; its land stays as it is.
  void scatter(const T* spectrum, T* plane) const {
    for (const Run& run : halo_)
      std::copy_n(spectrum + run.point, run.length, plane + run.j * width_ + run.i);
    for (const auto& runs : runs_of_row_)
      for (const Run& run : runs)
        std::copy_n(spectrum + run.point, run.length, plane + run.j * width_ + run.i);
  }

  /// Turn contents of row j into densities of the owned points; fixed ones keep what they have.
  void gather_row(int j, const T* plane, const T* content, T* spectrum) const {
    const T* inverse = inverse_area_.data() + j * width_;
    for (const Run& run : runs_of_row_[j]) {
      T* to = spectrum + run.point;
      const T* from = content + run.i;
      const T* scale = inverse + run.i;
#pragma omp simd
      for (int n = 0; n < run.length; ++n) to[n] = from[n] * scale[n];
    }
    for (const Fixed& fixed : fixed_of_row_[j])
      if (fixed.point < box.points) spectrum[fixed.point] = plane[j * width_ + fixed.i];
  }

  /// Put the held densities of row j back after an operation on its contents.
  void restore_fixed(int j, View<const T, 2> cell_area, const T* plane, T* content) const {
    for (const Fixed& fixed : fixed_of_row_[j])
      content[fixed.i] = cell_area(j, fixed.i) * plane[j * width_ + fixed.i];
  }

  Box box;

 private:
  struct Run {
    std::int32_t point, j, i, length;
  };
  struct Fixed {
    std::int32_t point, i;
  };

  void add_point(std::int32_t point, int j, int i) {
    std::vector<Run>& runs = point < box.points ? runs_of_row_[j] : halo_;
    if (!runs.empty()) {
      Run& last = runs.back();
      if (last.point + last.length == point && last.j == j && last.i + last.length == i) {
        ++last.length;
        return;
      }
    }
    runs.push_back({point, j, i, 1});
  }

  std::ptrdiff_t columns_, width_, points_;
  std::vector<std::vector<Run>> runs_of_row_;
  std::vector<std::vector<Fixed>> fixed_of_row_;
  std::vector<Run> halo_;
  std::vector<T> inverse_area_;
};

}  // namespace halocline::waves
