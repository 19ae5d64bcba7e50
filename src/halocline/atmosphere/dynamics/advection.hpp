#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Flux-form advection of order 2 to 6 (Wicker and Skamarock 2002, Mon. Wea. Rev. 130, 2088).
namespace halocline::air {

/// Weights of a value at a face for sums and differences of the values at equal distance from it,
/// the nearest first: the value of even order is that of the sums; odd orders add, by the size of
/// the flux, that of the differences.
template <class T>
struct FaceWeights {
  T sum[3]{}, difference[3]{};

  static FaceWeights of(int order) {
    switch (order) {
      case 2:
        return {{T(1) / 2, 0, 0}, {}};
      case 3:
        return {{T(7) / 12, T(-1) / 12, 0}, {T(-3) / 12, T(1) / 12, 0}};
      case 4:
        return {{T(7) / 12, T(-1) / 12, 0}, {}};
      case 5:
        return {{T(37) / 60, T(-8) / 60, T(1) / 60}, {T(-10) / 60, T(5) / 60, T(-1) / 60}};
      default:
        return {{T(37) / 60, T(-8) / 60, T(1) / 60}, {}};
    }
  }
  /// Those with so many values on each side of the face, of the wanted order or the next lower one.
  static FaceWeights within(int order, int values) {
    if (values >= 3) return of(order);
    if (values == 2) return of(order % 2 ? (order < 3 ? 2 : 3) : (order < 4 ? 2 : 4));
    return of(2);
  }

  /// What `flux` carries across a face between a[0] and b[0]; a[1], b[1] ... lie farther from it.
  template <class V>
  INLINE V carried(V flux, const V (&a)[3], const V (&b)[3]) const {
    const V even = sum[0] * (b[0] + a[0]) + (sum[1] * (b[1] + a[1]) + sum[2] * (b[2] + a[2]));
    const V odd = difference[0] * (b[0] - a[0]) +
                  (difference[1] * (b[1] - a[1]) + difference[2] * (b[2] - a[2]));
    return flux * even + absolute(flux) * odd;
  }
};

/// Rows of fluxes that a thread keeps: along x, upward through two faces, northward of two rows.
template <class T>
class FluxRows {
 public:
  explicit FluxRows(Box box)
      : width_(static_cast<std::size_t>(box.i1 - box.i0 + 1)),
        first_(box.i0),
        values_(5 * width_) {}

  T* x() { return at(0); }
  T* upward(int face) { return at(1 + static_cast<std::size_t>(face % 2)); }
  T* northward(int j) { return at(3 + static_cast<std::size_t>(j & 1)); }
  int level = -1, row = -1;  ///< whose northward fluxes, through the southern faces, were made last

 private:
  T* at(std::size_t row) { return values_.data() + row * width_ - first_; }
  std::size_t width_;
  std::ptrdiff_t first_;
  std::vector<T> values_;
};

/// `finish(lane, k, j, i, gain)` for entries [first, levels) of all columns of the box, where gain
/// is what `fluxes` bring of `q` per area and coordinate.
///
/// @param fluxes   `x<V>(k, j, i)`, `y`, `z`: through the western, southern [Pa m2 s-1] and lower
///                 [Pa s-1] face of the control volume of q(k, j, i)
/// @param area     of control volumes [m2]
/// @param depth    of control volumes, in the coordinate
/// @param order, vertical_order  2 to 6; near ground and top the next that has its values
template <class T, class Fluxes, class Finish>
void advect(Box box, int first, View3<const T> q, const Fluxes& fluxes, View2<const T> area,
            View1<const T> depth, int order, int vertical_order, const Finish& finish) {
  const int levels = static_cast<int>(q.extent[0]);
  const auto level = FaceWeights<T>::of(order);
  const std::ptrdiff_t up = q.stride[0], north = q.stride[1], i0 = box.i0, i1 = box.i1;
  const auto northward = [&](T* to, int k, int j) {
    over_row_again<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const T* at = q.row(k, j) + i;
      const V south[] = {load<V>(at - north), load<V>(at - 2 * north), load<V>(at - 3 * north)};
      const V here[] = {load<V>(at), load<V>(at + north), load<V>(at + 2 * north)};
      store<V>(to + i, level.carried(fluxes.template y<V>(k, j, i), south, here));
    });
  };
  const auto upward = [&](T* to, int k, int j) {  // through the lower face of entry k
    if (k == 0 || k == levels) {
      std::fill(to + i0, to + i1, T(0));
      return;
    }
    const auto weights = FaceWeights<T>::within(vertical_order, std::min(k, levels - k));
    const std::ptrdiff_t b1 = k + 1 < levels ? up : 0, b2 = k + 2 < levels ? 2 * up : 0;
    const std::ptrdiff_t a2 = k > 1 ? 2 * up : up, a3 = k > 2 ? 3 * up : up;
    over_row_again<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const T* at = q.row(k, j) + i;
      const V below[] = {load<V>(at - up), load<V>(at - a2), load<V>(at - a3)};
      const V above[] = {load<V>(at), load<V>(at + b1), load<V>(at + b2)};
      store<V>(to + i, weights.carried(fluxes.template z<V>(k, j, i), below, above));
    });
  };
  const int count = box.j1 - box.j0;
  for_each_in_with(
      first * count, levels * count, 1, [&] { return FluxRows<T>(box); },
      [&](int number, FluxRows<T>& rows) {
        const int k = number / count, j = box.j0 + number % count;
        T *x = rows.x(), *south = rows.northward(j), *next = rows.northward(j + 1);
        T *lower = rows.upward(k), *upper = rows.upward(k + 1);
        if (rows.level != k || rows.row != j) northward(south, k, j);
        rows.level = k, rows.row = j + 1;
        northward(next, k, j + 1);
        upward(lower, k, j);
        upward(upper, k + 1, j);
        over_row_again<T>(i0, i1 + 1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
          const T* at = q.row(k, j) + i;
          const V west[] = {load<V>(at - 1), load<V>(at - 2), load<V>(at - 3)};
          const V here[] = {load<V>(at), load<V>(at + 1), load<V>(at + 2)};
          store<V>(x + i, level.carried(fluxes.template x<V>(k, j, i), west, here));
        });
        const T per_depth = 1 / depth(k);
        over_row_again<T>(i0, i1, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) {
          const V around =
              (load<V>(x + i) - load<V>(x + i + 1)) + (load<V>(south + i) - load<V>(next + i));
          const V along = load<V>(lower + i) - load<V>(upper + i);
          finish(lane, k, j, i, around / load<V>(area.row(j) + i) + per_depth * along);
        });
      });
}

}  // namespace halocline::air
