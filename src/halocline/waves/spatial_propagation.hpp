#pragma once
#include <cmath>
#include <cstdint>

#include "contract.hpp"
#include "spectral_plane.hpp"
#include "sprinkler_averaging.hpp"

/// Propagation of the spectrum in space: one component at a time, on a plane of the block.
///
/// d(F A)/dt + d(c_x F A)/dx + d(c_y F A)/dy = 0, by a sweep in x and one in y (either first), each
/// in flux form: contents F A change by what crosses faces, and only land and obstacles absorb.
namespace halocline::waves {

using numerics::Advection;

inline constexpr Contract<13> propagate_space_contract{
    "propagate_space",
    {{{"spectrum", Access::update, Place::point, "m2 Hz-1 rad-1", {-3, 3, -3, 3}},
      {"cell_of_point", Access::read, Place::point, "1", {-3, 3, -3, 3}},
      {"fixed_point", Access::read, Place::point, "1", {-3, 3, -3, 3}},
      {"frequency_of", Access::read, Place::none, "1"},
      {"direction_of", Access::read, Place::none, "1"},
      {"crossing_rate_x", Access::read, Place::x_face, "s-1", {-2, 3, -3, 3}},
      {"crossing_rate_y", Access::read, Place::y_face, "s-1", {-2, 2, -2, 3}},
      {"transparency_x", Access::read, Place::x_face, "1", {-2, 3, -3, 3}},
      {"transparency_y", Access::read, Place::y_face, "1", {-3, 3, -2, 3}},
      {"cell_area", Access::read, Place::center, "1", {-3, 3, -3, 3}},
      {"cell_aspect", Access::read, Place::center, "1", {-3, 3, -3, 3}},
      {"travel", Access::read, Place::none, "1"},
      {"spatial_step", Access::read, Place::none, "s"}}}};

/// One sub-step of one component between planes; rows pass through in the order of travel.
///
/// Each row is averaged (or copied), swept in x and swept in y (or y, then x) while it lies in the
/// nearest cache; two rows before and one after the owned ones are recomputed in the halo.
template <Advection scheme, class T>
class ComponentStep {
 public:
  ComponentStep(const PlaneMap<T>& map, const Metrics<T>& metrics, PlaneBuffers<T>& buffers,
                int frequency, T travel_x, T travel_y, T step, const AveragingVectors<T>& averaging)
      : map_(map),
        metrics_(metrics),
        buffers_(buffers),
        frequency_(frequency),
        northward_(travel_y >= T(0)),
        eastward_(travel_x >= T(0)),
        reach_x_(std::abs(travel_x) * step),
        reach_y_(std::abs(travel_y) * step),
        averaging_(map, metrics, buffers, frequency, step, averaging) {}

  /// Advance the plane of `buffers` and write the owned points of `spectrum`.
  void advance(T* spectrum, bool x_first) {
    const Box& box = map_.box;
    const int rows = box.j1 - box.j0;
    const int first = northward_ ? box.j0 - 2 : box.j1 + 1;
    const int step = northward_ ? 1 : -1;
    const int west = x_first ? box.i0 : box.i0 - 2;
    const int east = x_first ? box.i1 : box.i1 + 2;
    for (int order = 0; order < rows + 3; ++order) {
      const int j = first + order * step;
      T* row = content(order);
      if (x_first) {
        prepare(j, buffers_.averaged);
        sweep_x(j, buffers_.averaged, row);
      } else {
        prepare(j, row);
      }
      if (order < 2) continue;
      const int upwind_row = j - step;
      const int face = northward_ ? j : j + 1;
      const int face_behind = northward_ ? j - 1 : j + 2;
      rows_outflow(west, east, content(order - 2), content(order - 1), row,
                   metrics_.crossing_rate_y.row(frequency_, face), reach_y_,
                   metrics_.transparency_y.row(face_behind), metrics_.transparency_y.row(face),
                   outflow_row(order));
      if (order < 3) continue;
      T* after = buffers_.swept;
      update_row(west, east, content(order - 1), outflow_row(order), outflow_row(order - 1),
                 metrics_.transparency_y.row(face_behind), after);
      map_.restore_fixed(upwind_row, metrics_.cell_area, buffers_.plane, after);
      if (!x_first) {
        sweep_x(upwind_row, after, buffers_.averaged);
        after = buffers_.averaged;
      }
      map_.gather_row(upwind_row, buffers_.plane, after, spectrum);
    }
  }

 private:
  T* content(int order) const { return buffers_.content[order & 3]; }
  T* outflow_row(int order) const { return buffers_.outflow[order & 1]; }

  /// Contents of row j before the sweeps, two cells into the halo in x.
  void prepare(int j, T* row) {
    averaging_.row(j, northward_, row);
    map_.restore_fixed(j, metrics_.cell_area, buffers_.plane, row);
  }

  void sweep_x(int j, const T* before, T* after) {
    const int west = map_.box.i0, east = map_.box.i1;
    const T* rate = metrics_.crossing_rate_x.row(frequency_, j);
    const T* open = metrics_.transparency_x.row(j);
    T* flux = buffers_.outflow_x;
    if (eastward_) {
      rows_outflow(west, east + 1, before - 2, before - 1, before, rate, reach_x_, open - 1, open,
                   flux);
      update_row(west, east, before, flux + 1, flux, open, after);
    } else {
      rows_outflow(west, east + 1, before + 1, before, before - 1, rate, reach_x_, open + 1, open,
                   flux);
      update_row(west, east, before, flux, flux + 1, open + 1, after);
    }
    map_.restore_fixed(j, metrics_.cell_area, buffers_.plane, after);
  }

  /// Outflow through the faces [from, to) of a row. Beside a closed face it is upwind.
  static void rows_outflow(int from, int to, const T* upstream, const T* centre,
                           const T* downstream, const T* rate, T reach, const T* open_behind,
                           const T* open_ahead, T* __restrict outflow) {
#pragma omp simd
    for (int i = from; i < to; ++i) {
      const bool open = (open_behind[i] > T(0)) & (open_ahead[i] > T(0));
      const T behind = open ? centre[i] - upstream[i] : T(0);
      const T ahead = open ? downstream[i] - centre[i] : T(0);
      outflow[i] = numerics::outflow<scheme>(centre[i], behind, ahead, rate[i] * reach);
    }
  }

  static void update_row(int from, int to, const T* content, const T* out, const T* in,
                         const T* transparency, T* __restrict after) {
#pragma omp simd
    for (int i = from; i < to; ++i) after[i] = content[i] - out[i] + transparency[i] * in[i];
  }

  const PlaneMap<T>& map_;
  const Metrics<T>& metrics_;
  PlaneBuffers<T>& buffers_;
  int frequency_;
  bool northward_, eastward_;
  T reach_x_, reach_y_;
  SprinklerAveraging<T> averaging_;
};

/// Move the first `components` spectral components by one sub-step of their `spatial_step`.
///
/// @param[in,out] spectrum        variance density, shape (component, point), owned points first
/// @param[in]     cell_of_point   j * width + i of each point in the padded plane
/// @param[in]     fixed_point     1 where the spectrum is held (active boundary), else 0
/// @param[in]     frequency_of    index of the frequency of each local component
/// @param[in]     direction_of    index of the direction of each local component
/// @param[in]     crossing_rate_x group speed / distance between centres, shape (frequency, j, i)
/// @param[in]     crossing_rate_y the same at faces south of centres
/// @param[in]     transparency_x  share of energy that passes a face; 0 where land touches it
/// @param[in]     transparency_y  the same at faces south of centres
/// @param[in]     cell_area       area of cells, in any unit
/// @param[in]     cell_aspect     dx / dy of cells
/// @param[in]     travel          cosine and sine of each direction, shape (direction, 2)
/// @param[in]     spatial_step    length of one sub-step of each frequency [s]
/// @param[in]     components      how many leading local components take part
/// @param[in]     x_first         whether the x sweep comes before the y sweep
/// @param[in]     scheme          0 upwind, 1 QUICKEST, 2 ULTIMATE QUICKEST
/// @param[in]     width_along     averaging half-width along the direction of travel, per distance
///                                travelled (Tolman 2002); 0 with `width_across` 0: no averaging
/// @param[in]     width_across    averaging half-width across the direction of travel
template <class T>
void propagate_space(Box box, View<T, 2> spectrum, View<const std::int32_t, 1> cell_of_point,
                     View<const std::int32_t, 1> fixed_point,
                     View<const std::int32_t, 1> frequency_of,
                     View<const std::int32_t, 1> direction_of, View<const T, 3> crossing_rate_x,
                     View<const T, 3> crossing_rate_y, View<const T, 2> transparency_x,
                     View<const T, 2> transparency_y, View<const T, 2> cell_area,
                     View<const T, 2> cell_aspect, View<const T, 2> travel,
                     View<const T, 1> spatial_step, int components, bool x_first, int scheme,
                     double width_along, double width_across) {
  const Metrics<T> metrics{crossing_rate_x, crossing_rate_y, transparency_x,
                           transparency_y,  cell_area,       cell_aspect};
  const PlaneMap<T> map(box, cell_of_point, fixed_point, cell_area);
#pragma omp parallel
  {
    PlaneBuffers<T> buffers(static_cast<int>(cell_area.extent[0]),
                            static_cast<int>(cell_area.extent[1]));
#pragma omp for schedule(static)
    for (int component = 0; component < components; ++component) {
      const int frequency = frequency_of(component);
      const int direction = direction_of(component);
      const T travel_x = travel(direction, 0), travel_y = travel(direction, 1);
      const T step = spatial_step(frequency);
      const AveragingVectors<T> averaging(travel_x, travel_y, static_cast<T>(width_along),
                                          static_cast<T>(width_across));
      T* values = spectrum.row(component);
      map.scatter(values, buffers.plane);
      const auto advance = [&]<Advection choice>() {
        ComponentStep<choice, T>(map, metrics, buffers, frequency, travel_x, travel_y, step,
                                 averaging)
            .advance(values, x_first);
      };
      if (scheme == 0) advance.template operator()<Advection::upwind>();
      if (scheme == 1) advance.template operator()<Advection::quickest>();
      if (scheme == 2) advance.template operator()<Advection::ultimate_quickest>();
    }
  }
}

}  // namespace halocline::waves
