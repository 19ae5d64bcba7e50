#pragma once
#include <vector>

#include "atmosphere/dynamics/advection.hpp"
#include "atmosphere/dynamics/heat_tendency.hpp"
#include "atmosphere/dynamics/layers.hpp"

/// Fluxes of several species through the faces of cells, by the same fluxes of dry mass.
namespace halocline::air {

/// What a flux of dry mass carries of `q` by the order of its advection.
template <class T>
struct SharpFluxes {
  View4<const T> q;
  CellFluxes<T> mass;
  FaceWeights<T> level;
  int vertical_order;

  SharpFluxes(View4<const T> q, CellFluxes<T> mass, int order, int vertical_order)
      : q(q), mass(mass), level(FaceWeights<T>::of(order)), vertical_order(vertical_order) {}

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
    const auto weights = FaceWeights<T>::within(vertical_order, std::min(k, levels - k));
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
template <class T>
struct SharperFluxes {
  SharpFluxes<T> sharp;
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
template <class T>
struct LimitedFluxes {
  SharperFluxes<T> sharper;
  View4<const T> loss_share, gain_share;  ///< the second is empty where nothing limits gains

  template <class V>
  INLINE V x(int s, int k, int j, std::ptrdiff_t i) const {
    const V more = sharper.template x<V>(s, k, j, i);
    return sharper.upstream.template x<V>(s, k, j, i) + limited(more, s, k, j, i, 3);
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

/// Rows of fluxes that a thread keeps, for each species: along x, northward of two rows, upward.
template <class T>
class SpeciesRows {
 public:
  SpeciesRows(Box box, int species)
      : width_(static_cast<std::size_t>(box.i1 - box.i0 + 1)),
        first_(box.i0),
        values_(static_cast<std::size_t>(5 * species) * width_) {}

  T* x(int s) { return at(s, 0); }
  T* upward(int s, int face) { return at(s, 1 + face % 2); }
  T* northward(int s, int j) { return at(s, 3 + (j & 1)); }
  int level = -1, row = -1;  ///< whose northward fluxes, through the southern faces, were made last

 private:
  T* at(int s, int row) {
    return values_.data() + static_cast<std::size_t>(5 * s + row) * width_ - first_;
  }
  std::size_t width_;
  std::ptrdiff_t first_;
  std::vector<T> values_;
};

/// `finish(lane, s, k, j, i, faces)` for all cells of the box and all species, with what `fluxes`
/// (one of the above) carry through their faces; nothing passes ground and top.
template <class T, class Fluxes, class Finish>
void through_faces(Box box, int species, int levels, const Fluxes& fluxes, const Finish& finish) {
  const std::ptrdiff_t i0 = box.i0, i1 = box.i1;
  const auto northward = [&](T* to, int s, int k, int j) {
    over_row_again<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(to + i, fluxes.template y<V>(s, k, j, i));
    });
  };
  const auto upward = [&](T* to, int s, int k, int j) {
    if (k == 0 || k == levels) {
      std::fill(to + i0, to + i1, T(0));
      return;
    }
    over_row_again<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(to + i, fluxes.template z<V>(s, k, j, i));
    });
  };
  const int count = box.j1 - box.j0;
  for_each_in_with(
      0, levels * count, 1, [&] { return SpeciesRows<T>(box, species); },
      [&](int number, SpeciesRows<T>& rows) {
        const int k = number / count, j = box.j0 + number % count;
        const bool known = rows.level == k && rows.row == j;
        rows.level = k, rows.row = j + 1;
        for (int s = 0; s < species; ++s) {
          T *x = rows.x(s), *south = rows.northward(s, j), *north = rows.northward(s, j + 1);
          T *lower = rows.upward(s, k), *upper = rows.upward(s, k + 1);
          if (!known) northward(south, s, k, j);
          northward(north, s, k, j + 1);
          upward(lower, s, k, j);
          upward(upper, s, k + 1, j);
          over_row_again<T>(i0, i1 + 1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
            store<V>(x + i, fluxes.template x<V>(s, k, j, i));
          });
          over_row_again<T>(i0, i1, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) {
            finish(lane, s, k, j, i,
                   SixFaces<V>{load<V>(x + i), load<V>(x + i + 1), load<V>(south + i),
                               load<V>(north + i), load<V>(lower + i), load<V>(upper + i)});
          });
        }
      });
}

}  // namespace halocline::air
