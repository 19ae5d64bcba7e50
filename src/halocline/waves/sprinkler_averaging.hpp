#pragma once
#include <cmath>

#include "numerics/quickest.hpp"
#include "pack.hpp"
#include "spectral_plane.hpp"

/// Averaging against the garden-sprinkler effect (Tolman 2002, Ocean Modelling 4).
namespace halocline::waves {

/// The two diagonals of the averaging area of one component, per distance travelled.
///
/// The area reaches +-s along and +-n across the direction of travel; the corners s + n and n - s
/// and their mirror images count one sixth each, the centre one third. A corner that lies within
/// the ring of neighbours is interpolated on the line from the centre, between a diagonal
/// neighbour and one beside it.
template <class T>
struct AveragingVectors {
  AveragingVectors(T travel_x, T travel_y, T width_along, T width_across)
      : active(width_along > T(0) || width_across > T(0)) {
    const T x[2] = {width_along * travel_x - width_across * travel_y,
                    -width_along * travel_x - width_across * travel_y};
    const T y[2] = {width_along * travel_y + width_across * travel_x,
                    -width_along * travel_y + width_across * travel_x};
    for (int corner = 0; corner < 2; ++corner) {
      size_x[corner] = std::abs(x[corner]);
      size_y[corner] = std::abs(y[corner]);
      rising[corner] = x[corner] * y[corner] > T(0) ? T(1) : T(0);
    }
  }
  bool active;
  T size_x[2], size_y[2];
  T rising[2];  ///< 1 where the diagonal points north-east or south-west
};

/// Averaging as an exchange through faces and corners, so that it neither gains nor loses energy.
///
/// An exchange is in proportion to the difference of densities, to the area, and to the share
/// that passes the face; through a corner, the better of the two ways around it counts.
template <class T>
class SprinklerAveraging {
 public:
  SprinklerAveraging(const PlaneMap<T>& map, const Metrics<T>& metrics, PlaneBuffers<T>& buffers,
                     int frequency, T step, const AveragingVectors<T>& vectors)
      : map_(map),
        metrics_(metrics),
        buffers_(buffers),
        frequency_(frequency),
        sixth_(step / T(6)),
        vectors_(vectors) {}

  /// Contents of row j, columns two cells into the halo; rows come in the order of travel.
  void row(int j, bool northward, T* content) {
    const T* area = metrics_.cell_area.row(j);
    const T* density = buffers_.plane + j * buffers_.width;
    const int west = map_.box.i0 - 2, east = map_.box.i1 + 2;
    if (!vectors_.active) {
#pragma omp simd
      for (int i = west; i < east; ++i) content[i] = area[i] * density[i];
      return;
    }
    const bool first = northward ? j == map_.box.j0 - 2 : j == map_.box.j1 + 1;
    if (first) exchange_across(northward ? j : j + 1);
    exchange_across(northward ? j + 1 : j);
    exchange_along(j);
    add_up(west, east, density, area, buffers_.exchange_x, exchanges(j), exchanges(j + 1), content);
  }

 private:
  struct Exchanges {
    T *straight, *rising, *falling;
  };
  Exchanges exchanges(int face) const {
    T** rows = buffers_.exchange + 3 * (face & 1);
    return {rows[0], rows[1], rows[2]};
  }

  static void add_up(int west, int east, const T* density, const T* area, const T* along,
                     Exchanges south, Exchanges north, T* __restrict content) {
#pragma omp simd
    for (int i = west; i < east; ++i)
      content[i] =
          area[i] * density[i] + ((along[i] - along[i + 1]) +
                                  ((south.straight[i] + (south.rising[i] + south.falling[i + 1])) -
                                   (north.straight[i] + (north.rising[i + 1] + north.falling[i]))));
  }

  /// Exchange eastward through the faces of row j.
  void exchange_along(int j) {
    const T* density = buffers_.plane + j * buffers_.width;
    const T* area = metrics_.cell_area.row(j);
    const T* aspect = metrics_.cell_aspect.row(j);
    const T* rate = metrics_.crossing_rate_x.row(frequency_, j);
    const T* open = metrics_.transparency_x.row(j);
    const T x0 = vectors_.size_x[0], x1 = vectors_.size_x[1];
    const T y0 = vectors_.size_y[0], y1 = vectors_.size_y[1];
    const T scale = sixth_ * T(0.5);
    T* __restrict along = buffers_.exchange_x;
#pragma omp simd
    for (int i = map_.box.i0 - 2; i < map_.box.i1 + 3; ++i) {
      const T shape = T(0.5) * (aspect[i - 1] + aspect[i]);
      const T weight = maximum(x0 - y0 * shape, T(0)) + maximum(x1 - y1 * shape, T(0));
      along[i] = scale * rate[i] * open[i] * (area[i - 1] + area[i]) * weight *
                 (density[i - 1] - density[i]);
    }
  }

  /// Exchange northward through the faces and corners on the line south of row j.
  void exchange_across(int j) {
    const std::ptrdiff_t width = buffers_.width;
    const T* north = buffers_.plane + j * width;
    const T* south = north - width;
    const T *area = metrics_.cell_area.row(j), *area_south = metrics_.cell_area.row(j - 1);
    const T *aspect = metrics_.cell_aspect.row(j), *aspect_south = metrics_.cell_aspect.row(j - 1);
    const T* rate_x = metrics_.crossing_rate_x.row(frequency_, j);
    const T* rate_x_south = metrics_.crossing_rate_x.row(frequency_, j - 1);
    const T* rate_y = metrics_.crossing_rate_y.row(frequency_, j);
    const T* open_y = metrics_.transparency_y.row(j);
    const T *open_x = metrics_.transparency_x.row(j),
            *open_x_south = metrics_.transparency_x.row(j - 1);
    const T x0 = vectors_.size_x[0], x1 = vectors_.size_x[1];
    const T y0 = vectors_.size_y[0], y1 = vectors_.size_y[1];
    const T rising0 = vectors_.rising[0], rising1 = vectors_.rising[1];
    const T scale = sixth_ * T(0.5), smallest = T(1e-12);
    const Exchanges to = exchanges(j);
    T* __restrict straight = to.straight, * __restrict rising = to.rising, * __restrict falling = to.falling;
#pragma omp simd
    for (int i = map_.box.i0 - 2; i < map_.box.i1 + 3; ++i) {
      const T shape = T(0.5) * (aspect_south[i] + aspect[i]);
      const T reach0 = y0 * shape, reach1 = y1 * shape;
      const T area_scale = scale * (area_south[i] + area[i]);
      const T slimness = T(1) / maximum(shape, smallest);
      const T weight = maximum(y0 - x0 * slimness, T(0)) + maximum(y1 - x1 * slimness, T(0));
      straight[i] = area_scale * rate_y[i] * open_y[i] * weight * (south[i] - north[i]);
      const T diagonal0 = minimum(x0, reach0), diagonal1 = minimum(x1, reach1);
      const T corner = T(0.5) * area_scale * (rate_x_south[i] + rate_x[i]);
      const T up = rising0 * diagonal0 + rising1 * diagonal1;
      const T down = (diagonal0 + diagonal1) - up;
      const T way_up = maximum(open_x_south[i] * open_y[i], open_y[i - 1] * open_x[i]);
      const T way_down = maximum(open_x_south[i] * open_y[i - 1], open_y[i] * open_x[i]);
      rising[i] = corner * up * way_up * (south[i - 1] - north[i]);
      falling[i] = corner * down * way_down * (south[i] - north[i - 1]);
    }
  }

  const PlaneMap<T>& map_;
  const Metrics<T>& metrics_;
  PlaneBuffers<T>& buffers_;
  int frequency_;
  T sixth_;
  AveragingVectors<T> vectors_;
};

}  // namespace halocline::waves
