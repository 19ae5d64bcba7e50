#pragma once
#include "grids/remapping/cells.hpp"
#include "grids/remapping/rows.hpp"

/// Linear interpolation between the corners of the cell that holds a point.
namespace halocline::remapping {

/// Corners and their weights.
struct CornerWeights {
  std::int64_t number[4];
  double weight[4];
  int count = 0;

  void add(std::int64_t point, double value) { number[count] = point, weight[count++] = value; }
};

/// What of a weight is round-off [1].
inline constexpr double weight_slack = 1e-10;

/// Whether all weights are those of a point inside, and then without round-off, with the sum 1.
inline bool made_whole(CornerWeights& found) {
  double sum = 0.0;
  for (int at = 0; at < found.count; ++at) {
    if (!(found.weight[at] >= -weight_slack)) return false;
    if (found.weight[at] < weight_slack) found.weight[at] = 0.0;
    sum += found.weight[at];
  }
  if (!(sum > 0.0)) return false;
  for (int at = 0; at < found.count; ++at) found.weight[at] /= sum;
  return true;
}

/// Weights of three corners: p is along their sum, as on the plane through them.
inline bool in_triangle(Vector p, const Vector corner[3], double weight[3]) {
  double sum = 0.0;
  for (int at = 0; at < 3; ++at) {
    const Vector b = corner[(at + 1) % 3] - p, c = corner[(at + 2) % 3] - p;
    weight[at] = dot(p, cross(b, c));
    sum += weight[at];
  }
  if (sum == 0.0) return false;
  bool inside = true;
  for (int at = 0; at < 3; ++at) {
    weight[at] /= sum;
    inside &= weight[at] >= -weight_slack;
  }
  return inside;
}

/// Weights of four corners: p is along (1-s)(1-t) v0 + s (1-t) v1 + s t v2 + (1-s) t v3, so that
/// edges are great circles. Both unknowns by Newton's method, from the middle.
inline bool in_quadrilateral(Vector p, const Vector corner[4], double weight[4]) {
  const Tangents tangents(p);
  double x[4], y[4];
  for (int at = 0; at < 4; ++at) {
    x[at] = dot(tangents.first, corner[at] - p);
    y[at] = dot(tangents.second, corner[at] - p);
  }
  double s = 0.5, t = 0.5;
  for (int step = 0; step < 40; ++step) {
    const double xs = (1 - t) * (x[1] - x[0]) + t * (x[2] - x[3]);
    const double ys = (1 - t) * (y[1] - y[0]) + t * (y[2] - y[3]);
    const double xt = (1 - s) * (x[3] - x[0]) + s * (x[2] - x[1]);
    const double yt = (1 - s) * (y[3] - y[0]) + s * (y[2] - y[1]);
    const double here_x = (1 - s) * x[0] + s * x[1] + t * xt;
    const double here_y = (1 - s) * y[0] + s * y[1] + t * yt;
    const double scale = xs * yt - ys * xt;
    if (scale == 0.0) return false;
    const double ds = (here_x * yt - here_y * xt) / scale;
    const double dt = (xs * here_y - ys * here_x) / scale;
    s = std::clamp(s - ds, -1.0, 2.0);
    t = std::clamp(t - dt, -1.0, 2.0);
    if (std::abs(ds) + std::abs(dt) < 1e-14) break;
    if (step == 39 && std::abs(ds) + std::abs(dt) > 1e-9) return false;
  }
  if (std::min(s, t) < -weight_slack || std::max(s, t) > 1.0 + weight_slack) return false;
  s = std::clamp(s, 0.0, 1.0), t = std::clamp(t, 0.0, 1.0);
  weight[0] = (1 - s) * (1 - t), weight[1] = s * (1 - t);
  weight[2] = s * t, weight[3] = (1 - s) * t;
  return true;
}

/// The weights of a cell's wet corners at a point, if they surround it: of four of them bilinear
/// ones; of three, where a corner is dry, meets another one or the cell is not convex, those of
/// the triangle; at a wet corner itself its value.
inline bool weights_in(const Cells& cells, std::int64_t cell, Vector p, const std::uint8_t* wet,
                       CornerWeights& found) {
  const std::int64_t* number = cells.corners(cell);
  Vector corner[4];
  int some[4], count = 0;
  for (int at = 0; at < 4; ++at) {
    corner[at] = cells.point(number[at]);
    if (dot(corner[at], p) <= 0.0) return false;
    if (!wet[number[at]]) continue;
    found.count = 0;
    if (squared(corner[at] - p) < 1e-26) return found.add(number[at], 1.0), true;
    bool known = false;
    for (int other = 0; other < count; ++other)
      known |= squared(corner[at] - corner[some[other]]) == 0.0;
    if (!known) some[count++] = at;
  }
  double weight[4];
  const auto triangle = [&](int a, int b, int c) {
    const Vector three[3] = {corner[a], corner[b], corner[c]};
    if (!in_triangle(p, three, weight)) return false;
    found.count = 0;
    found.add(number[a], weight[0]), found.add(number[b], weight[1]),
        found.add(number[c], weight[2]);
    return made_whole(found);
  };
  if (count == 3) return triangle(some[0], some[1], some[2]);
  if (count < 3) return false;
  if (is_convex(cells.polygon(cell)) && in_quadrilateral(p, corner, weight)) {
    found.count = 0;
    for (int at = 0; at < 4; ++at) found.add(number[at], weight[at]);
    return made_whole(found);
  }
  return !is_convex(cells.polygon(cell)) && (triangle(0, 1, 2) || triangle(0, 2, 3));
}

/// The first cell, by its number, whose wet corners surround a point, and their weights; -1.
inline std::int64_t cell_of(const Cells& cells, Vector p, const std::uint8_t* wet,
                            std::vector<std::int64_t>& near, CornerWeights& found) {
  SpaceBox box;
  box.take(p);
  near.clear();
  cells.tree().each_touching(box, [&](std::int64_t cell) { near.push_back(cell); });
  std::sort(near.begin(), near.end());
  for (const auto cell : near)
    if (weights_in(cells, cell, p, wet, found)) return cell;
  return -1;
}

/// Rows of bilinear weights; of points that no cell surrounds they are empty.
inline Rows bilinear(const Cells& cells, Points wanted, View1<const std::uint8_t> wet) {
  return make_rows(wanted.extent[0], [&](std::int64_t target, std::vector<Term>& terms) {
    thread_local std::vector<std::int64_t> near;
    CornerWeights found;
    if (cell_of(cells, at(wanted.row(target)), wet.data, near, found) < 0) return;
    for (int corner = 0; corner < found.count; ++corner)
      if (found.weight[corner] > 0.0)
        terms.emplace_back(found.number[corner], found.weight[corner]);
  });
}

}  // namespace halocline::remapping
