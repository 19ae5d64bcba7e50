#pragma once
#include "atmosphere/dynamics/layers.hpp"
#include "elementary.hpp"
#include "view.hpp"

/// Rates at which the wind deforms the air, D_mn = d u_m / d x_n + d u_n / d x_m at constant height
/// (Skamarock et al. 2019, NCAR/TN-556, section 4.2): gradients along layers less slope times the
/// gradient upward.
namespace halocline::air {

/// Geopotential of interfaces, and gradients upward from it.
template <class T>
struct Heights {
  View3<const T> geopotential, base_geopotential;

  template <class V>
  INLINE V face(int k, int j, std::ptrdiff_t i) const {
    return load<V>(geopotential.row(k, j) + i) + load<V>(base_geopotential.row(k, j) + i);
  }
  template <class V>
  INLINE V middle(int k, int j, std::ptrdiff_t i) const {
    return T(0.5) * (face<V>(k, j, i) + face<V>(k + 1, j, i));
  }
  int layers() const { return static_cast<int>(geopotential.extent[0]) - 1; }
};

/// Cube root of the volume of a cell over `plane` [m2].
template <class V, class T>
INLINE V cell_width(const Heights<T>& heights, int k, int j, std::ptrdiff_t i, V plane) {
  const V depth = heights.template face<V>(k + 1, j, i) - heights.template face<V>(k, j, i);
  return pow(V(plane * depth / T(gravity)), T(1.0 / 3.0));
}

/// Upward gradient at entry k of `entries` of something, over two of them, or one at the ends.
template <class V, class Of, class Geopotential>
INLINE V upward_gradient(int k, int entries, const Of& of, const Geopotential& at) {
  const int low = k > 0 ? k - 1 : 0, high = k + 1 < entries ? k + 1 : k;
  return static_cast<scalar_of<V>>(gravity) * (of(high) - of(low)) / (at(high) - at(low));
}

/// Lengths of a grid [m]: of cells, and between middles of cells at their faces.
template <class T>
struct Lengths {
  View2<const T> dx, dy, x_distance, y_distance;
};

/// Deformation by the wind [s-1]; layers are level where not `sloping`.
template <class T, bool sloping>
struct Deformation {
  View3<const T> u, v, w;
  Heights<T> heights;
  Lengths<T> lengths;
  T upward;  ///< share of what the horizontal wind's gradient upward adds: 1, or 0 along layers

  /// D11 (eastward) or D22 in cells.
  template <class V, bool eastward>
  INLINE V stretching(int k, int j, std::ptrdiff_t i) const {
    const auto& wind = eastward ? u : v;
    const int dj = !eastward, di = eastward;
    const auto own = [&](int k, int n) { return load<V>(wind.row(k, j + n * dj) + i + n * di); };
    V rate = (own(k, 1) - own(k, 0)) / load<V>((eastward ? lengths.dx : lengths.dy).row(j) + i);
    if constexpr (sloping)
      rate -= slope_in_cell<V, eastward>(k, j, i) *
              upward_gradient<V>(
                  k, heights.layers(), [&](int k) { return T(0.5) * (own(k, 0) + own(k, 1)); },
                  [&](int k) { return heights.template middle<V>(k, j, i); });
    return T(2) * rate;
  }
  /// D33 in cells.
  template <class V>
  INLINE V rising(int k, int j, std::ptrdiff_t i) const {
    const V more = load<V>(w.row(k + 1, j) + i) - load<V>(w.row(k, j) + i);
    const V depth = heights.template face<V>(k + 1, j, i) - heights.template face<V>(k, j, i);
    return T(2 * gravity) * more / depth;
  }
  /// D12 of layers at south-western corners of cells.
  template <class V>
  INLINE V turning(int k, int j, std::ptrdiff_t i) const {
    const auto two = [&](const View2<const T>& of, int dj, int di) {
      return load<V>(of.row(j) + i) + load<V>(of.row(j - dj) + i - di);
    };
    const V x = T(0.5) * two(lengths.x_distance, 1, 0), y = T(0.5) * two(lengths.y_distance, 0, 1);
    const auto from = [&](const View3<const T>& wind, int k, int dj, int di, T sign) {
      return load<V>(wind.row(k, j) + i) + sign * load<V>(wind.row(k, j - dj) + i - di);
    };
    V rate = from(u, k, 1, 0, T(-1)) / y + from(v, k, 0, 1, T(-1)) / x;
    if constexpr (sloping) {
      const auto middle = [&](int k, int dj, int di) {
        return heights.template middle<V>(k, j - dj, i - di);
      };
      const auto at = [&](int k) {
        return T(0.25) *
               ((middle(k, 0, 0) + middle(k, 1, 1)) + (middle(k, 0, 1) + middle(k, 1, 0)));
      };
      const auto risen = [&](const View3<const T>& wind, int dj, int di) {
        return upward_gradient<V>(
            k, heights.layers(), [&](int k) { return T(0.5) * from(wind, k, dj, di, T(1)); }, at);
      };
      const V even = middle(k, 0, 0) - middle(k, 1, 1), odd = middle(k, 0, 1) - middle(k, 1, 0);
      const T half = T(0.5 / gravity);
      rate -= half * ((even - odd) / x * risen(v, 0, 1) + (even + odd) / y * risen(u, 1, 0));
    }
    return rate;
  }
  /// D13 at western (eastward) or D23 at southern faces of interfaces; none at the ground.
  template <class V, bool eastward>
  INLINE V shear(int k, int j, std::ptrdiff_t i) const {
    const auto& wind = eastward ? u : v;
    const int dj = !eastward, di = eastward, top = heights.layers();
    if (k == 0) return V{};
    const auto both = [&](int k) {
      return load<V>(w.row(k, j) + i) + load<V>(w.row(k, j - dj) + i - di);
    };
    const auto faces = [&](int k) {
      return heights.template face<V>(k, j, i) + heights.template face<V>(k, j - dj, i - di);
    };
    V rate = (load<V>(w.row(k, j) + i) - load<V>(w.row(k, j - dj) + i - di)) /
             load<V>((eastward ? lengths.x_distance : lengths.y_distance).row(j) + i);
    if constexpr (sloping)
      rate -= slope_at_face<V, eastward>(k, j, i) * upward_gradient<V>(k, top + 1, both, faces);
    if (k < top) {
      const V more = load<V>(wind.row(k, j) + i) - load<V>(wind.row(k - 1, j) + i);
      rate += upward * T(4 * gravity) * more / (faces(k + 1) - faces(k - 1));
    }
    return rate;
  }
  /// Slope of the middle of a layer in a cell.
  template <class V, bool eastward>
  INLINE V slope_in_cell(int k, int j, std::ptrdiff_t i) const {
    const int dj = !eastward, di = eastward;
    const auto& between = eastward ? lengths.x_distance : lengths.y_distance;
    const V apart = load<V>(between.row(j) + i) + load<V>(between.row(j + dj) + i + di);
    return (heights.template middle<V>(k, j + dj, i + di) -
            heights.template middle<V>(k, j - dj, i - di)) /
           (T(gravity) * apart);
  }
  /// Slope of an interface across a western or southern face.
  template <class V, bool eastward>
  INLINE V slope_at_face(int k, int j, std::ptrdiff_t i) const {
    const int dj = !eastward, di = eastward;
    const auto& between = eastward ? lengths.x_distance : lengths.y_distance;
    return (heights.template face<V>(k, j, i) - heights.template face<V>(k, j - dj, i - di)) /
           (T(gravity) * load<V>(between.row(j) + i));
  }
};

}  // namespace halocline::air
