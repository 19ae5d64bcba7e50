#pragma once
#include "grids/remapping/cells.hpp"
#include "grids/remapping/rows.hpp"

/// What cells of two grids have in common.
namespace halocline::remapping {

/// Overlaps smaller than this share of the target cell are round-off [1].
inline constexpr double least_overlap = 1e-12;

/// `found(source, overlap)` for the parts of a cell that lie in cells of a source, these in order.
template <class Found>
void each_overlap(const Cells& sources, const Polygon& cell, std::vector<std::int64_t>& near,
                  const Found& found) {
  near.clear();
  sources.tree().each_touching(box_around(cell),
                               [&](std::int64_t source) { near.push_back(source); });
  std::sort(near.begin(), near.end());
  const ConvexParts parts(cell);
  const double least = least_overlap * area(cell);
  for (const auto source : near) {
    const Polygon whole = sources.polygon(source);
    for (int part = 0; part < parts.count; ++part) {
      const Polygon overlap = common(whole, parts.part[part]);
      if (overlap.count < 3) continue;
      const double size = area(overlap);
      if (size > least) found(source, overlap, size);
    }
  }
}

/// Rows of the areas [rad2] that target cells have in common with the cells of a source.
inline Rows overlaps(const Cells& sources, Points points, Corners targets) {
  return make_rows(targets.extent[0], [&](std::int64_t target, std::vector<Term>& terms) {
    thread_local std::vector<std::int64_t> near;
    each_overlap(sources, cell_polygon(points, targets.row(target)), near,
                 [&](std::int64_t source, const Polygon&, double size) {
                   terms.emplace_back(source, size);
                 });
  });
}

/// How the gradient of a cell follows from values in the cells around it: the sum over these of a
/// vector times the difference of their value and the own one, by least squares on the plane that
/// touches the sphere at the centroid, near cells weighing more; exact for linear functions.
struct Gradient {
  std::int64_t number[8];
  Vector share[8];
  int count = 0;

  Gradient(Points centroids, View2<const std::int32_t> around, std::int64_t cell) {
    const Vector middle = at(centroids.row(cell));
    const Tangents tangents(middle);
    double x[8], y[8], xx = 0.0, xy = 0.0, yy = 0.0;
    for (int side = 0; side < 8; ++side) {
      const std::int32_t other = around(cell, side);
      if (other < 0 || other == cell) continue;
      const Vector apart = at(centroids.row(other)) - middle;
      const double near = 1.0 / length(apart);
      x[count] = near * dot(apart, tangents.first), y[count] = near * dot(apart, tangents.second);
      xx += x[count] * x[count], xy += x[count] * y[count], yy += y[count] * y[count];
      x[count] *= near, y[count] *= near;
      number[count++] = other;
    }
    const double scale = xx * yy - xy * xy;
    if (scale <= 1e-10 * (xx + yy) * (xx + yy)) {
      count = 0;
      return;
    }
    for (int side = 0; side < count; ++side)
      share[side] = ((yy * x[side] - xy * y[side]) / scale) * tangents.first +
                    ((xx * y[side] - xy * x[side]) / scale) * tangents.second;
  }
};

/// Rows of integrals [rad2] over target cells of functions that are linear in the source's cells,
/// f + gradient . (position - centroid): their integral over an overlap is f times its area plus
/// the gradient times its moment, as the gradient is tangent at the centroid, thus normal to it
/// (Kritsikis et al. 2017, doi:10.5194/gmd-10-425-2017, section 3).
inline Rows linear_overlaps(const Cells& sources, Points points, Corners targets, Points centroids,
                            View2<const std::int32_t> around) {
  return make_rows(targets.extent[0], [&](std::int64_t target, std::vector<Term>& terms) {
    thread_local std::vector<std::int64_t> near;
    each_overlap(sources, cell_polygon(points, targets.row(target)), near,
                 [&](std::int64_t source, const Polygon& overlap, double size) {
                   const Gradient gradient(centroids, around, source);
                   const Vector first = moment(overlap);
                   double own = size;
                   for (int side = 0; side < gradient.count; ++side) {
                     const double share = dot(gradient.share[side], first);
                     terms.emplace_back(gradient.number[side], share);
                     own -= share;
                   }
                   terms.emplace_back(source, own);
                 });
  });
}

}  // namespace halocline::remapping
