#pragma once
#include <vector>

#include "atmosphere/dynamics/advection.hpp"
#include "atmosphere/dynamics/heat_tendency.hpp"
#include "atmosphere/dynamics/layers.hpp"

/// Fluxes of several species through the faces of cells, by the same fluxes of dry mass.
namespace halocline::air {

/// What a flux of dry mass carries of `q`, by values at faces of an order (`FaceWeights`) or of
/// WENO.
template <class T, class Faces>
struct SharpFluxes {
  View4<const T> q;
  CellFluxes<T> mass;
  Faces level;
  int vertical_order;

  SharpFluxes(View4<const T> q, CellFluxes<T> mass, int order, int vertical_order)
      : q(q), mass(mass), level(Faces::of(order)), vertical_order(vertical_order) {}

  template <class V>
  INLINE V x(int s, int k, int j, std::ptrdiff_t i) const {
    return along<V>(mass.template x<V>(k, j, i), q.row(s, k, j) + i, 1);
  }
  template <class V>
  INLINE V y(int s, int k, int j, std::ptrdiff_t i) const {
    return along<V>(mass.template y<V>(k, j, i), q.row(s, k, j) + i, q.stride[2]);
  }
  /// Through the lower face of layer k, neither ground nor top; of lower order beside them.
  template <class V>
  INLINE V z(int s, int k, int j, std::ptrdiff_t i) const {
    const int levels = static_cast<int>(q.extent[1]);
    const auto weights = Faces::within(vertical_order, std::min(k, levels - k));
    const std::ptrdiff_t up = q.stride[1];
    const std::ptrdiff_t b1 = k + 1 < levels ? up : 0, b2 = k + 2 < levels ? 2 * up : 0;
    const std::ptrdiff_t a2 = k > 1 ? 2 * up : up, a3 = k > 2 ? 3 * up : up;
    const T* at = q.row(s, k, j) + i;
    const V below[] = {load<V>(at - up), load<V>(at - a2), load<V>(at - a3)};
    const V above[] = {load<V>(at), load<V>(at + b1), load<V>(at + b2)};
    return weights.carried(mass.template z<V>(k, j, i), below, above);
  }

 private:
  template <class V>
  INLINE V along(V flux, const T* at, std::ptrdiff_t step) const {
    const V before[] = {load<V>(at - step), load<V>(at - 2 * step), load<V>(at - 3 * step)};
    const V after[] = {load<V>(at), load<V>(at + step), load<V>(at + 2 * step)};
    return level.carried(flux, before, after);
  }
};

/// What it carries of the values upstream.
template <class T>
struct UpstreamFluxes {
  View4<const T> q;
  CellFluxes<T> mass;

  template <class V>
  INLINE V x(int s, int k, int j, std::ptrdiff_t i) const {
    return from<V>(mass.template x<V>(k, j, i), q.row(s, k, j) + i, 1);
  }
  template <class V>
  INLINE V y(int s, int k, int j, std::ptrdiff_t i) const {
    return from<V>(mass.template y<V>(k, j, i), q.row(s, k, j) + i, q.stride[2]);
  }
  template <class V>
  INLINE V z(int s, int k, int j, std::ptrdiff_t i) const {
    return from<V>(mass.template z<V>(k, j, i), q.row(s, k, j) + i, q.stride[1]);
  }

 private:
  template <class V>
  INLINE V from(V flux, const T* at, std::ptrdiff_t step) const {
    const V before = load<V>(at - step), after = load<V>(at);
    return maximum(flux, V{}) * before + minimum(flux, V{}) * after;
  }
};

/// What the sharp flux is more than that from upstream.
template <class T, class Faces>
struct SharperFluxes {
  SharpFluxes<T, Faces> sharp;
  UpstreamFluxes<T> upstream;

  template <class V>
  INLINE V x(int s, int k, int j, std::ptrdiff_t i) const {
    return sharp.template x<V>(s, k, j, i) - upstream.template x<V>(s, k, j, i);
  }
  template <class V>
  INLINE V y(int s, int k, int j, std::ptrdiff_t i) const {
    return sharp.template y<V>(s, k, j, i) - upstream.template y<V>(s, k, j, i);
  }
  template <class V>
  INLINE V z(int s, int k, int j, std::ptrdiff_t i) const {
    return sharp.template z<V>(s, k, j, i) - upstream.template z<V>(s, k, j, i);
  }
};

/// The flux from upstream, and as much of what is sharper as the giver may lose and the taker gain.
template <class T, class Faces>
struct LimitedFluxes {
  SharperFluxes<T, Faces> sharper;
  View4<const T> loss_share, gain_share;  ///< the second is empty where nothing limits gains
  View2<const T> x_limited;               ///< 0 in rows along which nothing is limited, or empty

  template <class V>
  INLINE V x(int s, int k, int j, std::ptrdiff_t i) const {
    const V more = sharper.template x<V>(s, k, j, i);
    V kept = limited(more, s, k, j, i, 3);
    if (x_limited.data != nullptr) kept = load<V>(x_limited.row(j) + i) > V{} ? kept : more;
    return sharper.upstream.template x<V>(s, k, j, i) + kept;
  }
  template <class V>
  INLINE V y(int s, int k, int j, std::ptrdiff_t i) const {
    const V more = sharper.template y<V>(s, k, j, i);
    return sharper.upstream.template y<V>(s, k, j, i) + limited(more, s, k, j, i, 2);
  }
  template <class V>
  INLINE V z(int s, int k, int j, std::ptrdiff_t i) const {
    const V more = sharper.template z<V>(s, k, j, i);
    return sharper.upstream.template z<V>(s, k, j, i) + limited(more, s, k, j, i, 1);
  }

 private:
  /// Across the face that the cell has towards the one before it along an axis.
  template <class V>
  INLINE V limited(V more, int s, int k, int j, std::ptrdiff_t i, int axis) const {
    const auto of_two = [&](const View4<const T>& shares, auto later) {
      const T* at = shares.row(s, k, j) + i;
      return later ? load<V>(at) : load<V>(at - (axis == 3 ? 1 : shares.stride[axis]));
    };
    V share = of_two(loss_share, more < V{});
    if (gain_share.data != nullptr) share = minimum(share, of_two(gain_share, more > V{}));
    return share * more;
  }
};

/// Fluxes through the six faces of cells.
template <class V>
struct SixFaces {
  V west, east, south, north, lower, upper;
};

/// Rows of fluxes that a thread keeps of a patch: along x of one row, northward of two, and upward
/// through the lower and upper faces of all of its rows, for each species.
template <class T>
class SpeciesRows {
 public:
  SpeciesRows(const Patches& patches, int species)
      : width_(static_cast<std::size_t>(patches.most_columns()) + 1),
        rows_(patches.most_rows()),
        values_(static_cast<std::size_t>(3 + 2 * rows_ * species) * width_) {}

  void begin(Box patch) { patch_ = patch; }
  T* eastward() { return at(0); }
  T* northward(int j) { return at(1 + (j & 1)); }
  T* upward(int s, int face, int j) { return at(3 + 2 * (rows_ * s + j - patch_.j0) + (face & 1)); }

 private:
  T* at(int row) { return values_.data() + static_cast<std::size_t>(row) * width_ - patch_.i0; }
  std::size_t width_;
  int rows_;
  std::vector<T> values_;
  Box patch_;
};

/// `finish(lane, s, k, j, i, faces)` for all cells of the box and all species, with what `fluxes`
/// (one of the above) carry through their faces; nothing passes ground and top.
template <class T, class Fluxes, class Finish>
void through_faces(Box box, int species, int levels, const Fluxes& fluxes, const Finish& finish) {
  const Patches patches(box);
  for_each_in_with(
      0, patches.count(), 1, [&] { return SpeciesRows<T>(patches, species); },
      [&](int number, SpeciesRows<T>& rows) {
        const Box patch = patches.at(number);
        const std::ptrdiff_t i0 = patch.i0, i1 = patch.i1;
        rows.begin(patch);
        const auto northward = [&](int s, int k, int j) {
          T* to = rows.northward(j);
          over_row_again<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
            put<V>(to + i, fluxes.template y<V>(s, k, j, i));
          });
        };
        const auto upward = [&](int s, int k, int j) {
          T* to = rows.upward(s, k, j);
          if (k == 0 || k == levels) {
            std::fill(to + i0, to + i1, T(0));
            return;
          }
          over_row_again<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
            put<V>(to + i, fluxes.template z<V>(s, k, j, i));
          });
        };
        const auto cells = [&](int s, int k, int j) {
          T *x = rows.eastward(), *south = rows.northward(j), *north = rows.northward(j + 1);
          T *lower = rows.upward(s, k, j), *upper = rows.upward(s, k + 1, j);
          over_row_again<T>(i0, i1 + 1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
            put<V>(x + i, fluxes.template x<V>(s, k, j, i));
          });
          over_row_again<T>(i0, i1, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) INTO_LOOP {
            finish(lane, s, k, j, i,
                   SixFaces<V>{load<V>(x + i), load<V>(x + i + 1), load<V>(south + i),
                               load<V>(north + i), load<V>(lower + i), load<V>(upper + i)});
          });
        };
        for (int s = 0; s < species; ++s)
          for (int j = patch.j0; j < patch.j1; ++j) upward(s, 0, j);
        for (int k = 0; k < levels; ++k)
          for (int s = 0; s < species; ++s) {
            northward(s, k, patch.j0);
            for (int j = patch.j0; j < patch.j1; ++j) {
              northward(s, k, j + 1);
              upward(s, k + 1, j);
              cells(s, k, j);
            }
          }
      });
}

}  // namespace halocline::air
