#pragma once
#include <stdexcept>

#include "grids/remapping/polygons.hpp"
#include "grids/remapping/tree.hpp"
#include "view.hpp"

/// Cells between points of the sphere.
namespace halocline::remapping {

using Points = View2<const double>;         // (n, 3)
using Corners = View2<const std::int64_t>;  // (cells, 4), numbers of points

/// The corners of a cell, turned to go round anticlockwise; equal ones that follow each other once.
inline Polygon cell_polygon(Points points, const std::int64_t* corners) {
  Polygon found;
  for (int at = 0; at < 4; ++at) {
    const Vector point = remapping::at(points.row(corners[at]));
    if (found.count == 0 || squared(point - found.corner[found.count - 1]) > 0.0) found.add(point);
  }
  while (found.count > 1 && squared(found.corner[0] - found.corner[found.count - 1]) == 0.0)
    --found.count;
  if (area(found) < 0.0) std::reverse(found.corner.begin(), found.corner.begin() + found.count);
  return found;
}

/// A box that holds a convex polygon on the sphere: its corners lie in a cap of some radius, and
/// what is between them nowhere bulges more than the cap does over its base.
inline SpaceBox box_around(const Polygon& polygon) {
  SpaceBox box;
  Vector sum;
  for (int at = 0; at < polygon.count; ++at)
    sum = sum + polygon.corner[at], box.take(polygon.corner[at]);
  const Vector middle = unit(sum);
  double cosine = 1.0;
  for (int at = 0; at < polygon.count; ++at)
    cosine = std::min(cosine, dot(middle, polygon.corner[at]));
  box.widen(1.0 - cosine + 1e-12);
  return box;
}

/// Cells of which some count, and where to find them.
class Cells {
 public:
  Cells(Points points, Corners corners, View1<const std::uint8_t> counts)
      : points_(points), corners_(corners) {
    std::vector<SpaceBox> boxes(corners.extent[0]);
    std::vector<std::int64_t> numbers;
    for (std::int64_t cell = 0; cell < corners.extent[0]; ++cell) {
      if (!counts.data[cell]) continue;
      boxes[cell] = box_around(polygon(cell));
      numbers.push_back(cell);
    }
    tree_ = BoxTree(boxes, std::move(numbers));
  }

  Polygon polygon(std::int64_t cell) const { return cell_polygon(points_, corners_.row(cell)); }
  const std::int64_t* corners(std::int64_t cell) const { return corners_.row(cell); }
  Vector point(std::int64_t number) const { return at(points_.row(number)); }
  const BoxTree& tree() const { return tree_; }

 private:
  Points points_;
  Corners corners_;
  BoxTree tree_;
};

}  // namespace halocline::remapping
