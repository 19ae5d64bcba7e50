#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "atmosphere/dynamics/layers.hpp"
#include "elementary.hpp"
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
    const V even = multiply_add(sum[2], b[2] + a[2],
                                V(multiply_add(sum[1], b[1] + a[1], V(sum[0] * (b[0] + a[0])))));
    const V odd =
        multiply_add(difference[2], b[2] - a[2],
                     V(multiply_add(difference[1], b[1] - a[1], V(difference[0] * (b[0] - a[0])))));
    return multiply_add(flux, even, V(elementary::magnitude(flux) * odd));
  }
};

/// Parts of a box that threads work on: of so few rows and columns that what a kernel looks at
/// around some levels of a part stays in the second cache while it goes upward.
class Patches {
 public:
  static constexpr int rows = 16, columns = 160;

  explicit Patches(Box box)
      : box_(box),
        along_y_(parts(box.j1 - box.j0, rows)),
        along_x_(parts(box.i1 - box.i0, columns)) {
    const int threads = most_threads(), wanted = (along_y_ + threads - 1) / threads * threads;
    along_y_ = std::min(wanted, std::max(1, box.j1 - box.j0));
  }
  int count() const { return along_x_ * along_y_; }
  Box at(int number) const {
    const int x = number % along_x_, y = number / along_x_;
    return {cut(box_.j0, box_.j1, y, along_y_), cut(box_.j0, box_.j1, y + 1, along_y_),
            cut(box_.i0, box_.i1, x, along_x_), cut(box_.i0, box_.i1, x + 1, along_x_), 0};
  }
  /// Rows and columns of the largest part.
  int most_rows() const { return parts(box_.j1 - box_.j0, along_y_); }
  int most_columns() const { return parts(box_.i1 - box_.i0, along_x_); }

 private:
  static int parts(int whole, int part) { return std::max(1, (whole + part - 1) / part); }
  static int cut(int begin, int end, int number, int of) {
    return begin + static_cast<int>(static_cast<long long>(end - begin) * number / of);
  }
  Box box_;
  int along_y_, along_x_;
};

/// Rows of fluxes that a thread keeps of a patch: northward of two rows, and upward through the
/// lower and upper faces of all of its rows.
template <class T>
class FluxRows {
 public:
  explicit FluxRows(const Patches& patches)
      : width_(static_cast<std::size_t>(patches.most_columns())),
        values_((2 + 2 * static_cast<std::size_t>(patches.most_rows())) * width_) {}

  void begin(Box patch) { patch_ = patch; }
  T* northward(int j) { return at(j & 1); }
  T* upward(int face, int j) { return at(2 + 2 * (j - patch_.j0) + (face & 1)); }

 private:
  T* at(int row) { return values_.data() + static_cast<std::size_t>(row) * width_ - patch_.i0; }
  std::size_t width_;
  std::vector<T> values_;
  Box patch_;
};

/// Fluxes of `q` through western, southern and lower faces.
template <class T, class Fluxes>
struct CarriedBy {
  View3<const T> q;
  Fluxes fluxes;
  FaceWeights<T> level, upward;        ///< the second for the lower face of entry k
  std::ptrdiff_t before[3], after[3];  ///< from entry k to those below and above that face

  CarriedBy(View3<const T> q, const Fluxes& fluxes, int order)
      : q(q), fluxes(fluxes), level(FaceWeights<T>::of(order)) {}

  /// The lower face of entry k of so many is taken next.
  void take(int k, int levels, int order) {
    const std::ptrdiff_t up = q.stride[0];
    upward = FaceWeights<T>::within(order, std::min(k, levels - k));
    for (int at = 0; at < 3; ++at) {
      before[at] = -std::min(at + 1, k) * up;
      after[at] = std::min(at, levels - 1 - k) * up;
    }
  }
  template <class V>
  INLINE V x(int k, int j, std::ptrdiff_t i) const {
    const T* at = q.row(k, j) + i;
    const V west[] = {load<V>(at - 1), load<V>(at - 2), load<V>(at - 3)};
    const V here[] = {load<V>(at), load<V>(at + 1), load<V>(at + 2)};
    return level.carried(fluxes.template x<V>(k, j, i), west, here);
  }
  template <class V>
  INLINE V y(int k, int j, std::ptrdiff_t i) const {
    const T* at = q.row(k, j) + i;
    const std::ptrdiff_t row = q.stride[1];
    const V south[] = {load<V>(at - row), load<V>(at - 2 * row), load<V>(at - 3 * row)};
    const V here[] = {load<V>(at), load<V>(at + row), load<V>(at + 2 * row)};
    return level.carried(fluxes.template y<V>(k, j, i), south, here);
  }
  template <class V>
  INLINE V z(int k, int j, std::ptrdiff_t i) const {
    const T* at = q.row(k, j) + i;
    const V below[] = {load<V>(at + before[0]), load<V>(at + before[1]), load<V>(at + before[2])};
    const V above[] = {load<V>(at + after[0]), load<V>(at + after[1]), load<V>(at + after[2])};
    return upward.carried(fluxes.template z<V>(k, j, i), below, above);
  }
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
  const Patches patches(box);
  for_each_in_with(
      0, patches.count(), 1, [&] { return FluxRows<T>(patches); },
      [&](int number, FluxRows<T>& rows) {
        const Box patch = patches.at(number);
        const std::ptrdiff_t i0 = patch.i0, i1 = patch.i1;
        CarriedBy<T, Fluxes> carried(q, fluxes, order);
        rows.begin(patch);
        carried.take(first, levels, vertical_order);
        for (int j = patch.j0; j < patch.j1; ++j)
          over_row_again<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
            put<V>(rows.upward(first, j) + i, first > 0 ? carried.template z<V>(first, j, i) : V{});
          });
        for (int k = first; k < levels; ++k) {
          const bool top = k + 1 == levels;
          const T per_depth = 1 / depth(k);
          if (!top) carried.take(k + 1, levels, vertical_order);
          const CarriedBy<T, Fluxes> own = carried;
          over_row_again<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
            put<V>(rows.northward(patch.j0) + i, own.template y<V>(k, patch.j0, i));
          });
          for (int j = patch.j0; j < patch.j1; ++j) {
            T *south = rows.northward(j), *next = rows.northward(j + 1);
            T *lower = rows.upward(k, j), *upper = rows.upward(k + 1, j);
            over_row_again<T>(i0, i1, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) INTO_LOOP {
              const V north = own.template y<V>(k, j + 1, i);
              put<V>(next + i, north);
              const V above = top ? V{} : own.template z<V>(k + 1, j, i);
              put<V>(upper + i, above);
              const V around = (own.template x<V>(k, j, i) - own.template x<V>(k, j, i + 1)) +
                               (load<V>(south + i) - north);
              const V along = load<V>(lower + i) - above;
              finish(lane, k, j, i, around / load<V>(area.row(j) + i) + per_depth * along);
            });
          }
        }
      });
}

}  // namespace halocline::air
