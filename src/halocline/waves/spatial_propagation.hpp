#pragma once
#include <cmath>
#include <cstdint>

#include "contract.hpp"
#include "numerics/quickest.hpp"
#include "spectral_plane.hpp"
#include "sprinkler_averaging.hpp"

/// Propagation of the spectrum in space: one component at a time, on rows of a padded plane.
///
/// d(F A)/dt + d(c_x F A)/dx + d(c_y F A)/dy = 0, by a sweep in x and one in y (either first), each
/// in flux form: contents F A change by what crosses faces, and only land and obstacles absorb.
namespace halocline::waves {

using numerics::Advection;

inline constexpr Contract<12> propagate_space_contract{
    "propagate_space",
    {{{"spectrum", Access::update, Place::point, "m2 Hz-1 rad-1", {-3, 3, -3, 3}},
      {"cell_of_point", Access::read, Place::point, "1", {-3, 3, -3, 3}},
      {"fixed_point", Access::read, Place::point, "1", {-3, 3, -3, 3}},
      {"frequency_of", Access::read, Place::none, "1"},
      {"direction_of", Access::read, Place::none, "1"},
      {"crossing_rate", Access::read, Place::center, "s-1", {-3, 3, -3, 3}},
      {"transparency_x", Access::read, Place::x_face, "1", {-2, 3, -3, 3}},
      {"transparency_y", Access::read, Place::y_face, "1", {-3, 3, -2, 3}},
      {"cell_area", Access::read, Place::center, "1", {-3, 3, -3, 3}},
      {"cell_aspect", Access::read, Place::center, "1", {-3, 3, -3, 3}},
      {"travel", Access::read, Place::none, "1"},
      {"spatial_step", Access::read, Place::none, "s"}}}};

/// One sub-step of one component; rows pass through in the order of travel.
///
/// Each row is averaged (or copied), swept in x and swept in y (or y, then x) while it lies in the
/// nearest cache; two rows before and one after the owned ones are recomputed in the halo.
template <Advection scheme, bool uniform, class T>
class ComponentStep {
  using V = pack<T, lanes<T>>;
  using Plane = Row<V, false>;
  using M = mask_of<V>;
  static constexpr int width = lanes<T>;

 public:
  ComponentStep(const PlaneMap<T>& map, const Metrics<T>& metrics, RowBuffers<T>& buffers,
                int frequency, T travel_x, T travel_y, T step, const AveragingVectors<T>& averaging)
      : map_(map),
        metrics_(metrics),
        buffers_(buffers),
        frequency_(frequency),
        northward_(travel_y >= T(0)),
        eastward_(travel_x >= T(0)),
        reach_x_(std::abs(travel_x) * step),
        reach_y_(std::abs(travel_y) * step),
        averaging_(map, metrics, buffers, frequency, step, averaging),
        behind_(averaging.active ? 1 : 0),
        ahead_(averaging.active ? 2 : 1) {}

  /// Advance the owned points of `spectrum`, one component.
  ///
  /// Rows are taken one earlier and given back one later than they could be: values that were just
  /// stored in packs can only be loaded at once in the same packs.
  void advance(T* spectrum, bool x_first) {
    const int rows = map_.box.j1 - map_.box.j0;
    const int first = northward_ ? map_.box.j0 - 2 : map_.box.j1 + 1;
    const int step = northward_ ? 1 : -1;
    for (int n = -behind_; n < ahead_; ++n) take_row(first + n * step, spectrum);
    T* finished = nullptr;
    for (int order = 0; order < rows + 3; ++order) {
      const int j = first + order * step, upwind_row = j - step;
      take_row(j + ahead_ * step, spectrum);
      T* row = buffers_.content(order);
      if (x_first) {
        prepare(j, order == 0, buffers_.averaged());
        sweep_x(j, buffers_.averaged(), row);
      } else {
        prepare(j, order == 0, row);
      }
      T* after = buffers_.swept(order);
      sweep_y(order, j, after);
      if (order < 3) continue;
      map_.restore_fixed(upwind_row, buffers_.density(upwind_row), after);
      if (!x_first) {
        sweep_x(upwind_row, after, buffers_.turned(order));
        after = buffers_.turned(order);
      }
      if (finished) give_row(upwind_row - step, finished, spectrum);
      finished = after;
    }
    if (finished) give_row(first + (rows + 1) * step, finished, spectrum);
  }

 private:
  void take_row(int j, const T* spectrum) {
    constexpr int rows_ahead = 32;
    map_.prefetch_row(northward_ ? j + rows_ahead : j - rows_ahead, spectrum);
    map_.scatter_row(j, spectrum, buffers_.density(j));
  }

  void give_row(int j, const T* content, T* spectrum) {
    map_.gather_row(j, buffers_.density(j), content, spectrum);
  }

  void prepare(int j, bool first, T* row) {
    averaging_.row(j, first, northward_, row);
    map_.restore_fixed(j, buffers_.density(j), row);
  }

  Plane rate_row(int j) const { return Plane(metrics_.crossing_rate.row(frequency_, j)); }
  static V where(M mask, V value) { return mask ? value : V{}; }

  void sweep_x(int j, const T* before, T* after) {
    if (eastward_)
      sweep_x_towards<true>(j, before, after);
    else
      sweep_x_towards<false>(j, before, after);
    map_.restore_fixed(j, buffers_.density(j), after);
  }

  /// Packs come in the order of travel, so that their neighbours stay in registers.
  template <bool eastward>
  void sweep_x_towards(int j, const T* before, T* after) {
    const auto upstream = [](V behind, V here) {
      return eastward ? from_west(behind, here) : from_east(here, behind);
    };
    const auto downstream = [](V here, V ahead) {
      return eastward ? from_east(here, ahead) : from_west(ahead, here);
    };
    const Plane rate = rate_row(j), faces(metrics_.transparency_x.row(j));
    const T reach = reach_x_;
    const std::ptrdiff_t step = eastward ? width : -width;
    for (const auto& stretch : map_.stretches(j)) {
      const std::ptrdiff_t packs = (stretch.last - stretch.first) / width;
      std::ptrdiff_t i = eastward ? stretch.first : stretch.last - width;
      V content_behind{}, flux_behind{}, open_behind{}, out_behind{};
      V content = load<V>(before + i), courant = rate[i] * reach, open = faces[i];
      V flux = courant * content;
      for (std::ptrdiff_t n = 0; n < packs; ++n, i += step) {
        const bool last = n + 1 == packs;
        const V content_ahead = last ? V{} : load<V>(before + i + step);
        const V courant_ahead = last ? V{} : rate[i + step] * reach;
        const V open_ahead = last ? V{} : faces[i + step];
        const V flux_ahead = courant_ahead * content_ahead;
        const V open_upstream = eastward ? open : upstream(open_behind, open);
        const V open_downstream = eastward ? downstream(open, open_ahead) : open;
        const M both = (open_upstream > V{}) & (open_downstream > V{});
        const V out = numerics::outflow<scheme>(
            content, flux, where(both, flux - upstream(flux_behind, flux)),
            where(both, downstream(flux, flux_ahead) - flux),
            where(both, content - upstream(content_behind, content)), courant);
        store<V>(after + i, content - out + open_upstream * upstream(out_behind, out));
        content_behind = content;
        flux_behind = flux;
        open_behind = open;
        out_behind = out;
        content = content_ahead;
        courant = courant_ahead;
        flux = flux_ahead;
        open = open_ahead;
      }
    }
  }

  /// Take row j, the `order`-th; with it, the row before it can be finished.
  void sweep_y(int order, int j, T* after) {
    const int upwind_row = northward_ ? j - 1 : j + 1;
    const int face = northward_ ? j : j + 1, face_behind = northward_ ? j - 1 : j + 2;
    const bool complete = order >= 2;
    const Plane rate = rate_row(j);
    const Row<V, uniform> aspect = map_.template aspect<uniform>(j);
    const Plane rate_centre = rate_row(complete ? upwind_row : j);
    const Row<V, uniform> aspect_centre = map_.template aspect<uniform>(complete ? upwind_row : j);
    const Plane faces(metrics_.transparency_y.row(complete ? face : j));
    const Plane faces_behind(metrics_.transparency_y.row(complete ? face_behind : j));
    const T *here = buffers_.content(order), *centre = buffers_.content(order + 3),
            *behind = buffers_.content(order + 2);
    const T *flux_centre = buffers_.flux(order + 3), *flux_behind = buffers_.flux(order + 2);
    T *flux_here = buffers_.flux(order), *outflow = buffers_.outflow(order);
    const T* inflow = buffers_.outflow(order + 1);
    const T reach = reach_y_;
    for (const auto& stretch : map_.stretches(j))
      for (std::ptrdiff_t i = stretch.first, end = stretch.last; i < end; i += width) {
        const V flux_ahead = rate[i] * aspect[i] * reach * load<V>(here + i);
        store<V>(flux_here + i, flux_ahead);
        if (!complete) continue;
        const V content = load<V>(centre + i), flux = load<V>(flux_centre + i);
        const V courant = rate_centre[i] * aspect_centre[i] * reach;
        const V open = faces_behind[i];
        const M both = (open > V{}) & (faces[i] > V{});
        const V out = numerics::outflow<scheme>(
            content, flux, where(both, flux - load<V>(flux_behind + i)),
            where(both, flux_ahead - flux), where(both, content - load<V>(behind + i)), courant);
        store<V>(outflow + i, out);
        store<V>(after + i, content - out + open * load<V>(inflow + i));
      }
  }

  const PlaneMap<T>& map_;
  const Metrics<T>& metrics_;
  RowBuffers<T>& buffers_;
  int frequency_;
  bool northward_, eastward_;
  T reach_x_, reach_y_;
  SprinklerAveraging<uniform, T> averaging_;
  int behind_, ahead_;  ///< rows that are taken before and after the one in work
};

/// Move the first `components` spectral components by one sub-step of their `spatial_step`.
///
/// @param[in,out] spectrum        variance density, shape (component, point), owned points first
/// @param[in]     cell_of_point   j * columns + i of each point in the padded plane
/// @param[in]     fixed_point     1 where the spectrum is held (active boundary), else 0
/// @param[in]     frequency_of    index of the frequency of each local component
/// @param[in]     direction_of    index of the direction of each local component
/// @param[in]     crossing_rate   group speed / dx, 0 on land, shape (frequency, j, i)
/// @param[in]     transparency_x  share of energy that passes the face west of a cell, 0 beside
/// land
/// @param[in]     transparency_y  the same at the face south of a cell
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
                     View<const std::int32_t, 1> direction_of, View<const T, 3> crossing_rate,
                     View<const T, 2> transparency_x, View<const T, 2> transparency_y,
                     View<const T, 2> cell_area, View<const T, 2> cell_aspect,
                     View<const T, 2> travel, View<const T, 1> spatial_step, int components,
                     bool x_first, int scheme, double width_along, double width_across) {
  const WholePacks<T, 3> rate(crossing_rate);
  const WholePacks<T, 2> open_x(transparency_x), open_y(transparency_y), area(cell_area),
      aspect(cell_aspect);
  const Metrics<T> metrics{rate, open_x, open_y, area, aspect};
  const PlaneMap<T> map(box, cell_of_point, fixed_point, metrics);
#pragma omp parallel
  {
    RowBuffers<T> buffers(map.columns);
#pragma omp for schedule(static)
    for (int component = 0; component < components; ++component) {
      const int frequency = frequency_of(component);
      const int direction = direction_of(component);
      const T travel_x = travel(direction, 0), travel_y = travel(direction, 1);
      const AveragingVectors<T> averaging(travel_x, travel_y, static_cast<T>(width_along),
                                          static_cast<T>(width_across));
      const auto advance = [&]<Advection choice, bool uniform>() {
        buffers.clear();
        ComponentStep<choice, uniform, T>(map, metrics, buffers, frequency, travel_x, travel_y,
                                          spatial_step(frequency), averaging)
            .advance(spectrum.row(component), x_first);
      };
      const auto choose = [&]<bool uniform>() {
        if (scheme == 0) advance.template operator()<Advection::upwind, uniform>();
        if (scheme == 1) advance.template operator()<Advection::quickest, uniform>();
        if (scheme == 2) advance.template operator()<Advection::ultimate_quickest, uniform>();
      };
      if (map.uniform())
        choose.template operator()<true>();
      else
        choose.template operator()<false>();
    }
  }
}

}  // namespace halocline::waves
