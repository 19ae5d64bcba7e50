#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

/// Vectors of three components, points of the unit sphere among them.
namespace halocline::remapping {

struct Vector {
  double x = 0.0, y = 0.0, z = 0.0;
};

inline Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector operator*(double s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double squared(Vector a) { return dot(a, a); }
inline double length(Vector a) { return std::sqrt(squared(a)); }
inline Vector unit(Vector a) {
  const double size = length(a);
  return size > 0.0 ? (1.0 / size) * a : a;
}
inline Vector at(const double* from) { return {from[0], from[1], from[2]}; }

/// The normal of the great circle from a to b, to the left of the way; its length is the sine of
/// the angle. Differences of near points are exact, so that short edges keep their digits.
inline Vector normal(Vector a, Vector b) { return cross(a, b - a); }

/// Two directions that make a right-handed system with the unit vector `up`.
struct Tangents {
  Vector first, second;

  explicit Tangents(Vector up) : Tangents(up, least(up)) {}
  /// The first one towards `along`, as far as it is tangent.
  Tangents(Vector up, Vector along) {
    first = along - dot(along, up) * up;
    if (squared(first) < 1e-28) first = least(up) - dot(least(up), up) * up;
    first = unit(first);
    second = cross(up, first);
  }

 private:
  /// The axis that is least along `up`.
  static Vector least(Vector up) {
    const double x = std::abs(up.x), y = std::abs(up.y), z = std::abs(up.z);
    if (x <= y && x <= z) return {1.0, 0.0, 0.0};
    return y <= z ? Vector{0.0, 1.0, 0.0} : Vector{0.0, 0.0, 1.0};
  }
};

}  // namespace halocline::remapping
