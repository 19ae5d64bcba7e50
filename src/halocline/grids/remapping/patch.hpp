#pragma once
#include "grids/remapping/bilinear.hpp"

/// Smooth interpolation: a quadratic polynomial around each corner of a cell, fitted to the points
/// beside it, and the bilinear mean of the four.
///
/// Khoei and Gharehbaghi (2007), Finite Elem. Anal. Des. 43, 824-842 recover patches in this way.
namespace halocline::remapping {

inline constexpr int patch_points = 9, patch_terms = 6;

/// Values of a quadratic polynomial as weights of the values at some points, by least squares: with
/// A = Q R the weights are Q R^-T phi. Fails where the points do not determine it.
class QuadraticFit {
 public:
  QuadraticFit(const double (*x)[2], int count) : count_(count) {
    for (int point = 0; point < count; ++point) {
      double terms[patch_terms];
      at(x[point][0], x[point][1], terms);
      for (int term = 0; term < patch_terms; ++term) q_[term][point] = terms[term];
    }
    determined = count >= patch_terms;
    for (int term = 0; term < patch_terms && determined; ++term) {
      const double before = size(q_[term]);
      // Twice, so that columns are orthogonal to round-off.
      for (int pass = 0; pass < 2; ++pass)
        for (int other = 0; other < term; ++other) {
          double along = 0.0;
          for (int point = 0; point < count; ++point) along += q_[other][point] * q_[term][point];
          for (int point = 0; point < count; ++point) q_[term][point] -= along * q_[other][point];
          r_[other][term] = (pass ? r_[other][term] : 0.0) + along;
        }
      r_[term][term] = size(q_[term]);
      determined = r_[term][term] > 1e-3 * before;
      for (int point = 0; point < count && determined; ++point) q_[term][point] /= r_[term][term];
    }
  }

  /// Weights of the points for the value at (x, y).
  void weights(double x, double y, double* found) const {
    double phi[patch_terms];
    at(x, y, phi);
    for (int term = 0; term < patch_terms; ++term) {
      for (int other = 0; other < term; ++other) phi[term] -= r_[other][term] * phi[other];
      phi[term] /= r_[term][term];
    }
    for (int point = 0; point < count_; ++point) {
      found[point] = 0.0;
      for (int term = 0; term < patch_terms; ++term) found[point] += q_[term][point] * phi[term];
    }
  }

  bool determined;

 private:
  static void at(double x, double y, double* terms) {
    terms[0] = 1.0, terms[1] = x, terms[2] = y;
    terms[3] = x * x, terms[4] = x * y, terms[5] = y * y;
  }
  double size(const double* column) const {
    double sum = 0.0;
    for (int point = 0; point < count_; ++point) sum += column[point] * column[point];
    return std::sqrt(sum);
  }

  int count_;
  double q_[patch_terms][patch_points] = {}, r_[patch_terms][patch_terms] = {};
};

/// The value at p of the polynomial around a point, times a factor, as terms; the point's own
/// value where too few wet points surround it.
inline void add_polynomial(const Cells& cells, std::int64_t middle,
                           View2<const std::int32_t> around, const std::uint8_t* wet, Vector p,
                           double factor, std::vector<Term>& terms) {
  const Vector center = cells.point(middle);
  std::int64_t number[patch_points] = {middle};
  int count = 1;
  for (int side = 0; side < 8; ++side) {
    const std::int32_t other = around(middle, side);
    if (other >= 0 && wet[other]) number[count++] = other;
  }
  // Along the line to the first point beside it, so that lines of slender cells are axes.
  const Tangents tangents(center, around(middle, 0) >= 0 ? cells.point(around(middle, 0)) : p);
  double x[patch_points][2], scale[2] = {0.0, 0.0};
  const auto on_plane = [&](Vector point, double* to) {
    const double height = std::max(dot(point, center), 1e-3);
    to[0] = dot(point - center, tangents.first) / height;
    to[1] = dot(point - center, tangents.second) / height;
  };
  for (int one = 0; one < count; ++one) {
    on_plane(cells.point(number[one]), x[one]);
    for (int axis = 0; axis < 2; ++axis)
      scale[axis] = std::max(scale[axis], std::abs(x[one][axis]));
  }
  double here[2];
  on_plane(p, here);
  if (scale[0] > 0.0 && scale[1] > 0.0) {
    for (int axis = 0; axis < 2; ++axis) {
      for (int one = 0; one < count; ++one) x[one][axis] /= scale[axis];
      here[axis] /= scale[axis];
    }
    const QuadraticFit fit(x, count);
    if (fit.determined && std::abs(here[0]) <= 1.5 && std::abs(here[1]) <= 1.5) {
      double weight[patch_points];
      fit.weights(here[0], here[1], weight);
      for (int one = 0; one < count; ++one) terms.emplace_back(number[one], factor * weight[one]);
      return;
    }
  }
  terms.emplace_back(middle, factor);
}

/// Rows of patch weights. Points from `around.extent[0]` on are poles, whose polynomial is the mean
/// of those around their `members`; empty rows where no cell surrounds the point.
inline Rows patches(const Cells& cells, Points wanted, View1<const std::uint8_t> wet,
                    View2<const std::int32_t> around, View2<const std::int64_t> members) {
  return make_rows(wanted.extent[0], [&](std::int64_t target, std::vector<Term>& terms) {
    thread_local std::vector<std::int64_t> near;
    CornerWeights found;
    const Vector p = at(wanted.row(target));
    if (cell_of(cells, p, wet.data, near, found) < 0) return;
    for (int corner = 0; corner < found.count; ++corner) {
      const double weight = found.weight[corner];
      if (weight == 0.0) continue;
      const std::int64_t beyond = found.number[corner] - around.extent[0];
      if (beyond < 0 || found.count == 1) {
        if (found.count == 1)
          terms.emplace_back(found.number[corner], 1.0);
        else
          add_polynomial(cells, found.number[corner], around, wet.data, p, weight, terms);
        continue;
      }
      for (std::ptrdiff_t member = 0; member < members.extent[1]; ++member)
        add_polynomial(cells, members(beyond, member), around, wet.data, p,
                       weight / static_cast<double>(members.extent[1]), terms);
    }
  });
}

}  // namespace halocline::remapping
