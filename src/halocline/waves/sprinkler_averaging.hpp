#pragma once
#include <cmath>

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
template <bool uniform, class T>
class SprinklerAveraging {
  using V = pack<T, lanes<T>>;
  using Shape = Row<V, uniform>;
  using Plane = Row<V, false>;
  static constexpr std::ptrdiff_t width = lanes<T>;

 public:
  SprinklerAveraging(const PlaneMap<T>& map, const Metrics<T>& metrics, RowBuffers<T>& buffers,
                     int frequency, T step, const AveragingVectors<T>& vectors)
      : map_(map),
        metrics_(metrics),
        buffers_(buffers),
        frequency_(frequency),
        quarter_(step / T(24)),
        vectors_(vectors) {}

  /// Contents of row j; rows come in the order of travel, their densities lie in the buffers.
  void row(int j, bool first, bool northward, T* content) {
    if (!vectors_.active) {
      const Shape area = map_.template area<uniform>(j);
      const T* density = buffers_.density(j);
      for (const auto& stretch : map_.stretches(j))
        for (std::ptrdiff_t i = stretch.first; i < stretch.last; i += lanes<T>)
          store<V>(content + i, area[i] * load<V>(density + i));
      return;
    }
    if (first) exchange_across(northward ? j : j + 1);
    exchange_across(northward ? j + 1 : j);
    add_up(j, content);
  }

 private:
  Plane plane_row(View<const T, 2> plane, int j) const { return Plane(plane.row(j)); }
  Plane rate_row(int j) const { return Plane(metrics_.crossing_rate.row(frequency_, j)); }

  /// Contents of row j after all exchanges; those through its west faces are made on the way.
  void add_up(int j, T* content) {
    const Shape area = map_.template area<uniform>(j), aspect = map_.template aspect<uniform>(j);
    const Plane rate = rate_row(j), open = plane_row(metrics_.transparency_x, j);
    const T* density = buffers_.density(j);
    const T *south = buffers_.straight(j), *north = buffers_.straight(j + 1);
    const T *rising = buffers_.rising(j), *rising_north = buffers_.rising(j + 1);
    const T *falling = buffers_.falling(j), *falling_north = buffers_.falling(j + 1);
    for (const auto& stretch : map_.stretches(j)) {
      Along along{vectors_, quarter_, {}, {}, area[stretch.first], aspect[stretch.first]};
      const auto corners = [&](std::ptrdiff_t i) {
        return load<V>(falling + i) - load<V>(rising_north + i);
      };
      std::ptrdiff_t i = stretch.first;
      V density_here = load<V>(density + i), area_here = area[i];
      V west = along.flux(density_here, rate[i], open[i], area_here, aspect[i]);
      V corner = corners(i);
      for (; i < stretch.last; i += width) {
        const bool last = i + width == stretch.last;
        const V density_ahead = last ? V{} : load<V>(density + i + width);
        const V area_ahead = last ? area_here : area[i + width];
        const V east = last ? V{}
                            : along.flux(density_ahead, rate[i + width], open[i + width],
                                         area_ahead, aspect[i + width]);
        const V corner_ahead = last ? V{} : corners(i + width);
        const V across =
            (load<V>(south + i) - load<V>(north + i)) +
            ((load<V>(rising + i) - load<V>(falling_north + i)) + from_east(corner, corner_ahead));
        store<V>(content + i,
                 multiply_add(area_here, density_here, (west - from_east(west, east)) + across));
        density_here = density_ahead;
        area_here = area_ahead;
        west = east;
        corner = corner_ahead;
      }
    }
  }

  /// Exchange eastward through the west faces of a row, pack after pack.
  struct Along {
    AveragingVectors<T> vectors;
    T quarter;
    V density_west, rate_west, area_west, aspect_west;
    V size_of_row = size(area_west, aspect_west);

    V size(V area, V aspect) const {
      const V shape = T(0.5) * (aspect_west + aspect);
      const V weight = maximum(vectors.size_x[0] - vectors.size_y[0] * shape, V{}) +
                       maximum(vectors.size_x[1] - vectors.size_y[1] * shape, V{});
      return (quarter * (area_west + area)) * weight;
    }

    [[gnu::always_inline]] V flux(V density, V rate, V open, V area, V aspect) {
      if constexpr (!uniform) {
        area_west = from_west(area_west, area);
        aspect_west = from_west(aspect_west, aspect);
        size_of_row = size(area, aspect);
        area_west = area;
        aspect_west = aspect;
      }
      const V speed = (from_west(rate_west, rate) + rate) * open;
      const V result = size_of_row * speed * (from_west(density_west, density) - density);
      density_west = density;
      rate_west = rate;
      return result;
    }
  };

  /// Exchange northward through the faces and corners on the line south of row j.
  void exchange_across(int j) {
    const Shape area = map_.template area<uniform>(j),
                area_south = map_.template area<uniform>(j - 1);
    const Shape aspect = map_.template aspect<uniform>(j),
                aspect_south = map_.template aspect<uniform>(j - 1);
    const Plane rate = rate_row(j), rate_south = rate_row(j - 1);
    const Plane open_y = plane_row(metrics_.transparency_y, j);
    const Plane open_x = plane_row(metrics_.transparency_x, j);
    const Plane open_x_south = plane_row(metrics_.transparency_x, j - 1);
    const T *north_row = buffers_.density(j), *south_row = buffers_.density(j - 1);
    const T x0 = vectors_.size_x[0], x1 = vectors_.size_x[1];
    const T y0 = vectors_.size_y[0], y1 = vectors_.size_y[1];
    const T rising0 = vectors_.rising[0], rising1 = vectors_.rising[1];
    T *straight = buffers_.straight(j), *rising = buffers_.rising(j),
      *falling = buffers_.falling(j);
    const T quarter = quarter_;
    for (const auto& stretch : map_.face_stretches(j)) {
      V north_west{}, south_west{}, open_west{}, rate_west{};
      for (std::ptrdiff_t i = stretch.first; i < stretch.last; i += lanes<T>) {
        const V shape = T(0.5) * (aspect_south[i] + aspect[i]);
        const V reach0 = y0 * shape, reach1 = y1 * shape;
        const V size = quarter * (area_south[i] + area[i]);
        const V weight = maximum(reach0 - x0, V{}) + maximum(reach1 - x1, V{});
        const V diagonal0 = minimum(splat<V>(x0), reach0),
                diagonal1 = minimum(splat<V>(x1), reach1);
        const V up = T(0.5) * size * (rising0 * diagonal0 + rising1 * diagonal1);
        const V down = T(0.5) * size * (diagonal0 + diagonal1) - up;
        const V north = load<V>(north_row + i), south = load<V>(south_row + i);
        const V rate_both = rate_south[i] + rate[i];
        const V open = open_y[i], x_north = open_x[i], x_south = open_x_south[i];
        const V beside = from_west(open_west, open);
        const V corner = from_west(rate_west, rate_both) + rate_both;
        store<V>(straight + i, (size * weight) * (rate_both * open) * (south - north));
        const V way_up = maximum(x_south * open, beside * x_north);
        const V way_down = maximum(x_south * beside, open * x_north);
        store<V>(rising + i, up * (corner * way_up) * (from_west(south_west, south) - north));
        store<V>(falling + i, down * (corner * way_down) * (south - from_west(north_west, north)));
        north_west = north;
        south_west = south;
        open_west = open;
        rate_west = rate_both;
      }
    }
  }

  const PlaneMap<T>& map_;
  const Metrics<T>& metrics_;
  RowBuffers<T>& buffers_;
  int frequency_;
  T quarter_;  ///< step / 6, a quarter of it for the two means over neighbours
  AveragingVectors<T> vectors_;
};

}  // namespace halocline::waves
