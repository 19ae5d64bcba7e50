#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/patches.hpp"
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

/// Rows of fluxes that a thread keeps of a patch: eastward of a row, northward of two rows, and
/// upward through the lower and upper faces of all of its rows; and of these what is per area.
template <class T>
class FluxRows {
 public:
  explicit FluxRows(const Patches& patches) : rows_(patches, 3 + 3 * patches.most_rows()) {}

  void begin(Box patch) { rows_.begin(patch); }
  T* eastward() { return rows_.at(0); }
  T* northward(int j) { return rows_.at(1 + (j & 1)); }
  T* per_area(int j) { return rows_.of_row(3, 3, j); }
  T* upward(int face, int j) { return rows_.of_row(4 + (face & 1), 3, j); }

 private:
  PatchRows<T> rows_;
};

/// Fluxes of `q` through western, southern and lower faces, by values there of an order
/// (`FaceWeights`) or weighted ones (`WenoFaces`).
template <class T, class Fluxes, class Faces>
struct CarriedBy {
  View3<const T> q;
  Fluxes fluxes;
  Faces level, upward;                 ///< the second for the lower face of entry k
  std::ptrdiff_t before[3], after[3];  ///< from entry k to those below and above that face

  CarriedBy(View3<const T> q, const Fluxes& fluxes, int order)
      : q(q), fluxes(fluxes), level(Faces::of(order)) {}

  /// Asks for values that the next row is the first to read.
  INLINE void fetch(int k, int j, std::ptrdiff_t i) const {
    fluxes.fetch(k, j, i);
    fetch_north(q, std::min(k + 3, static_cast<int>(q.extent[0]) - 1), j, i);
  }
  /// The lower face of entry k of so many is taken next.
  void take(int k, int levels, int order) {
    const std::ptrdiff_t up = q.stride[0];
    upward = Faces::within(order, std::min(k, levels - k));
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

/// What fluxes bring of a field to the cells of a patch: layer after layer upward, and in each row
/// after row northward, so that every flux is found once.
///
/// Fluxes are `x<V>(k, j, i)`, `y`, `z`: through the western, southern [Pa m2 s-1] and lower
/// [Pa s-1] face of the control volume of q(k, j, i).
template <class T, class Fluxes, class Faces>
class Advection {
 public:
  /// @param area     of control volumes [m2]
  /// @param depth    of control volumes, in the coordinate
  /// @param order, vertical_order  2 to 6; near ground and top the next that has its values
  Advection(const Patches& patches, View3<const T> q, const Fluxes& fluxes, View2<const T> area,
            View1<const T> depth, int order, int vertical_order)
      : rows_(patches),
        carried_(q, fluxes, order),
        area_(area),
        depth_(depth),
        vertical_order_(vertical_order),
        levels_(static_cast<int>(q.extent[0])) {}

  /// A patch, from layer `first` upward; nothing comes from below the lowest one of all.
  void begin(Box patch, int first) {
    patch_ = patch;
    rows_.begin(patch);
    carried_.take(first, levels_, vertical_order_);
    for (int j = patch.j0; j < patch.j1; ++j)
      over_row_again<T>(patch.i0, patch.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
        put<V>(rows_.per_area(j) + i, T(1) / load<V>(area_.row(j) + i));
        put<V>(rows_.upward(first, j) + i, first > 0 ? carried_.template z<V>(first, j, i) : V{});
      });
  }
  /// The next layer.
  void begin(int k) {
    if (k + 1 < levels_) carried_.take(k + 1, levels_, vertical_order_);
    const CarriedBy<T, Fluxes, Faces> own = carried_;
    over_row_again<T>(patch_.i0, patch_.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      put<V>(rows_.northward(patch_.j0) + i, own.template y<V>(k, patch_.j0, i));
    });
  }
  /// `finish(lane, k, j, i, gain)` for the next row of the layer; gain per area and coordinate.
  template <class Finish>
  INLINE void row(int k, int j, const Finish& finish) {
    const std::ptrdiff_t i0 = patch_.i0, i1 = patch_.i1;
    const bool top = k + 1 == levels_;
    const T per_depth = 1 / depth_(k);
    const CarriedBy<T, Fluxes, Faces> own = carried_;
    T *west = rows_.eastward(), *south = rows_.northward(j), *next = rows_.northward(j + 1);
    T *lower = rows_.upward(k, j), *upper = rows_.upward(k + 1, j), *per_area = rows_.per_area(j);
    over_row_again<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      put<V>(west + i, own.template x<V>(k, j, i));
    });
    west[i1] = own.template x<T>(k, j, i1);
    over_row_again<T>(i0, i1, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) INTO_LOOP {
      own.fetch(k, j, i);
      const V north = own.template y<V>(k, j + 1, i);
      put<V>(next + i, north);
      const V above = top ? V{} : own.template z<V>(k + 1, j, i);
      put<V>(upper + i, above);
      const V around = (load<V>(west + i) - load<V>(west + i + 1)) + (load<V>(south + i) - north);
      const V along = load<V>(lower + i) - above;
      finish(lane, k, j, i, around * load<V>(per_area + i) + per_depth * along);
    });
  }
  int levels() const { return levels_; }

 private:
  FluxRows<T> rows_;
  CarriedBy<T, Fluxes, Faces> carried_;
  View2<const T> area_;
  View1<const T> depth_;
  int vertical_order_, levels_;
  Box patch_;
};

/// `finish(lane, k, j, i, gain)` for entries [first, levels) of all columns of the box, where gain
/// is what `fluxes` bring of `q` per area and coordinate, and then `beside(k, j, i0, i1)` for a row
/// of them; other arguments as those of `Advection`.
template <class T, class Faces, class Fluxes, class Finish, class Beside>
void advect(Box box, int first, View3<const T> q, const Fluxes& fluxes, View2<const T> area,
            View1<const T> depth, int order, int vertical_order, const Finish& finish,
            const Beside& beside) {
  using Own = Advection<T, Fluxes, Faces>;
  const Patches patches(box);
  for_each_in_with(
      0, patches.count(), 1,
      [&] { return Own(patches, q, fluxes, area, depth, order, vertical_order); },
      [&](int number, Own& own) {
        const Box patch = patches.at(number);
        own.begin(patch, first);
        for (int k = first; k < own.levels(); ++k) {
          own.begin(k);
          for (int j = patch.j0; j < patch.j1; ++j) {
            own.row(k, j, finish);
            beside(k, j, patch.i0, patch.i1);
          }
        }
      });
}
template <class T, class Faces, class Fluxes, class Finish>
void advect(Box box, int first, View3<const T> q, const Fluxes& fluxes, View2<const T> area,
            View1<const T> depth, int order, int vertical_order, const Finish& finish) {
  advect<T, Faces>(box, first, q, fluxes, area, depth, order, vertical_order, finish,
                   [](int, int, int, int) {});
}

}  // namespace halocline::air
