#pragma once
#include <array>

#include "grids/remapping/vectors.hpp"

/// Polygons on the unit sphere whose edges are arcs of great circles: clipping, areas, moments.
namespace halocline::remapping {

/// A few corners, anticlockwise seen from outside. Equal corners may follow each other.
struct Polygon {
  static constexpr int most = 16;
  std::array<Vector, most> corner;
  int count = 0;

  void add(Vector point) {
    if (count < most) corner[count++] = point;
  }
};

/// Twice the tangent of half the area is the quotient of volume and sum of cosines (Van Oosterom
/// and Strackee 1983, doi:10.1109/TBME.1983.325207); differences keep the digits of small ones.
inline double triangle_area(Vector a, Vector b, Vector c) {
  const double volume = dot(a, cross(b - a, c - a));
  return 2.0 * std::atan2(volume, 1.0 + dot(a, b) + dot(b, c) + dot(c, a));
}

/// Area [rad2], positive if the corners go round anticlockwise.
inline double area(const Polygon& polygon) {
  double sum = 0.0;
  for (int at = 2; at < polygon.count; ++at)
    sum += triangle_area(polygon.corner[0], polygon.corner[at - 1], polygon.corner[at]);
  return sum;
}

/// The integral of the position over the area: by Stokes' theorem half the sum over all edges of
/// their angle times the unit normal of their plane, so that moments of parts add up to the whole.
inline Vector moment(const Polygon& polygon) {
  Vector sum;
  for (int at = 0; at < polygon.count; ++at) {
    const Vector a = polygon.corner[at], b = polygon.corner[at + 1 < polygon.count ? at + 1 : 0];
    const Vector across = normal(a, b);
    const double sine = length(across);
    if (sine == 0.0) continue;
    const double angle = 2.0 * std::asin(std::min(0.5 * length(b - a), 1.0));
    sum = sum + (0.5 * angle / sine) * across;
  }
  return sum;
}

/// How far a point is to the left of an edge from a, whose normal is given.
inline double beside(Vector across, Vector a, Vector point) { return dot(across, point - a); }

/// What of a polygon lies to the left of the great circle from a to b (Sutherland and Hodgman 1974,
/// doi:10.1145/360767.360802). An edge without length cuts nothing.
inline void cut(Polygon& polygon, Vector a, Vector b) {
  const Vector across = normal(a, b);
  Polygon kept;
  double before = 0.0;
  Vector former;
  for (int at = -1; at < polygon.count; ++at) {
    const Vector point = polygon.corner[at < 0 ? polygon.count - 1 : at];
    const double here = beside(across, a, point);
    if (at >= 0) {
      if ((before < 0.0) != (here < 0.0))
        kept.add(unit(former + (before / (before - here)) * (point - former)));
      if (here >= 0.0) kept.add(point);
    }
    before = here, former = point;
  }
  polygon = kept;
}

/// What two polygons have in common; the second one is convex.
inline Polygon common(const Polygon& one, const Polygon& convex) {
  Polygon found = one;
  for (int at = 0; at < convex.count && found.count > 2; ++at)
    cut(found, convex.corner[at], convex.corner[at + 1 < convex.count ? at + 1 : 0]);
  return found;
}

/// Whether no corner lies to the right of an edge.
inline bool is_convex(const Polygon& polygon) {
  for (int at = 0; at < polygon.count; ++at) {
    const Vector a = polygon.corner[at], b = polygon.corner[at + 1 < polygon.count ? at + 1 : 0];
    const Vector across = normal(a, b);
    const double slack = -1e-12 * length(across);
    for (int other = 0; other < polygon.count; ++other) {
      const Vector point = polygon.corner[other];
      if (beside(across, a, point) < slack * length(point - a)) return false;
    }
  }
  return true;
}

/// A polygon in convex parts: itself, or of four corners that are not convex two triangles.
struct ConvexParts {
  std::array<Polygon, 2> part;
  int count = 0;

  explicit ConvexParts(const Polygon& whole) {
    if (whole.count != 4 || is_convex(whole)) {
      part[count++] = whole;
      return;
    }
    // The diagonal inside is the one whose halves have the larger smaller area.
    const auto& c = whole.corner;
    const double first = std::min(triangle_area(c[0], c[1], c[2]), triangle_area(c[0], c[2], c[3]));
    const double other = std::min(triangle_area(c[1], c[2], c[3]), triangle_area(c[1], c[3], c[0]));
    const int from = first >= other ? 0 : 1;
    for (const auto& [two, three] : {std::pair{1, 2}, std::pair{2, 3}}) {
      Polygon half;
      half.add(c[from]);
      half.add(c[(from + two) % 4]);
      half.add(c[(from + three) % 4]);
      if (area(half) > 0.0) part[count++] = half;
    }
  }
};

}  // namespace halocline::remapping
