#pragma once
#include "grids/remapping/bilinear.hpp"

/// Smooth interpolation: a quadratic polynomial around each corner of a cell, fitted to the points
/// beside it, and the bilinear mean of the four.
///
/// Khoei and Gharehbaghi (2007), Finite Elem. Anal. Des. 43, 824-842 recover patches in this way.
namespace halocline::remapping {

inline constexpr int patch_points = 16, patch_terms = 6;

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

/// The points that a polynomial around one is fitted to.
struct Patch {
  std::int64_t middle, number[patch_points];
  Vector along;  // a point on the first axis
  int count = 0;
};

/// A point and the wet ones of the eight around it. The first axis is along the line to the first
/// of these, so that lines of slender cells are axes.
inline Patch patch_around(const Cells& cells, std::int64_t middle, View2<const std::int32_t> around,
                          const std::uint8_t* wet, Vector p) {
  Patch patch{middle, {middle}, p, 1};
  if (around(middle, 0) >= 0) patch.along = cells.point(around(middle, 0));
  for (int side = 0; side < 8; ++side) {
    const std::int32_t other = around(middle, side);
    if (other >= 0 && wet[other]) patch.number[patch.count++] = other;
  }
  return patch;
}

/// A pole and the wet ones of some points on the last two rows around it.
inline Patch patch_of_pole(std::int64_t pole, const std::int64_t* members, std::ptrdiff_t count,
                           const std::uint8_t* wet, Vector p) {
  Patch patch{pole, {}, p, 0};
  for (std::ptrdiff_t one = 0; one < count && patch.count < patch_points; ++one)
    if (wet[members[one]]) patch.number[patch.count++] = members[one];
  return patch;
}

/// The value at p of the polynomial of a patch, times a factor, as terms; false where too few wet
/// points determine it.
inline bool add_polynomial(const Cells& cells, const Patch& patch, Vector p, double factor,
                           std::vector<Term>& terms) {
  const Vector center = cells.point(patch.middle);
  const Tangents tangents(center, patch.along);
  double x[patch_points][2], here[2], scale[2] = {0.0, 0.0};
  const auto on_plane = [&](Vector point, double* to) {
    const double height = std::max(dot(point, center), 1e-3);
    to[0] = dot(point - center, tangents.first) / height;
    to[1] = dot(point - center, tangents.second) / height;
  };
  for (int one = 0; one < patch.count; ++one) {
    on_plane(cells.point(patch.number[one]), x[one]);
    for (int axis = 0; axis < 2; ++axis)
      scale[axis] = std::max(scale[axis], std::abs(x[one][axis]));
  }
  on_plane(p, here);
  bool fits = true;
  for (int axis = 0; axis < 2; ++axis) {
    fits &= scale[axis] > 0.0 && std::abs(here[axis]) <= 1.5 * scale[axis];
    for (int one = 0; one < patch.count && fits; ++one) x[one][axis] /= scale[axis];
    here[axis] /= fits ? scale[axis] : 1.0;
  }
  if (fits) {
    const QuadraticFit fit(x, patch.count);
    if (fit.determined) {
      double weight[patch_points];
      fit.weights(here[0], here[1], weight);
      for (int one = 0; one < patch.count; ++one)
        terms.emplace_back(patch.number[one], factor * weight[one]);
      return true;
    }
  }
  return false;
}

/// Rows of patch weights; for a corner that has no polynomial the bilinear value stands, of second
/// order, as its own value would not be. Points from `around.extent[0]` on are poles, with
/// polynomials of their `members`; empty rows where no cell surrounds the point.
inline Rows patches(const Cells& cells, Points wanted, View1<const std::uint8_t> wet,
                    View2<const std::int32_t> around, View2<const std::int64_t> members) {
  return make_rows(wanted.extent[0], [&](std::int64_t target, std::vector<Term>& terms) {
    thread_local std::vector<std::int64_t> near;
    CornerWeights found;
    const Vector p = at(wanted.row(target));
    if (cell_of(cells, p, wet.data, near, found) < 0) return;
    if (found.count == 1) return terms.emplace_back(found.number[0], 1.0), void();
    for (int corner = 0; corner < found.count; ++corner) {
      if (found.weight[corner] == 0.0) continue;
      const std::int64_t middle = found.number[corner], pole = middle - around.extent[0];
      const Patch patch =
          pole < 0 ? patch_around(cells, middle, around, wet.data, p)
                   : patch_of_pole(middle, members.row(pole), members.extent[1], wet.data, p);
      if (add_polynomial(cells, patch, p, found.weight[corner], terms)) continue;
      for (int other = 0; other < found.count; ++other)
        terms.emplace_back(found.number[other], found.weight[corner] * found.weight[other]);
    }
  });
}

}  // namespace halocline::remapping
