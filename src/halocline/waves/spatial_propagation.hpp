#pragma once
#include <cmath>
#include <cstdint>

#include "contract.hpp"
#include "numerics/quickest.hpp"
#include "schedules.hpp"
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
    {{{"spectrum", Access::update, Place::point, "m2 Hz-1 rad-1", "moving", {-3, 3, -3, 3}},
      {"cell_of_point", Access::read, Place::point, "1", {-3, 3, -3, 3}},
      {"fixed_point", Access::read, Place::point, "1", {-3, 3, -3, 3}},
      {"frequency_of", Access::read, Place::none, "1", "frequency*direction"},
      {"direction_of", Access::read, Place::none, "1", "frequency*direction"},
      {"crossing_rate", Access::read, Place::center, "s-1", "frequency", {-3, 3, -3, 3}},
      {"transparency_x", Access::read, Place::x_face, "1", {-2, 3, -3, 3}},
      {"transparency_y", Access::read, Place::y_face, "1", {-3, 3, -2, 3}},
      {"cell_area", Access::read, Place::center, "1", {-3, 3, -3, 3}},
      {"cell_aspect", Access::read, Place::center, "1", {-3, 3, -3, 3}},
      {"travel", Access::read, Place::none, "1", "direction 2"},
      {"spatial_step", Access::read, Place::none, "s", "3 frequency"}}}};

/// One sweep in x of a row whose packs come in the order of travel: what neighbours need stays in
/// registers.
template <Advection scheme, bool eastward, class T>
class SweepX {
  using V = pack<T, lanes<T>>;
  using Plane = Row<V, false>;
  using M = mask_of<V>;

 public:
  /// What one pack of cells tells its neighbours.
  struct Cells {
    V content{}, courant{}, flux{}, open{};
  };

  SweepX(const Metrics<T>& metrics, const HeldRow<T>& held, int frequency, int j, T reach,
         T behind_coast)
      : rate_(metrics.crossing_rate.row(frequency, j)),
        faces_(metrics.transparency_x.row(j)),
        held_(held),
        reach_(reach),
        behind_coast_(behind_coast) {}

  [[gnu::always_inline]] Cells cells(std::ptrdiff_t i, V content) const {
    const V courant = rate_[i] * reach_;
    return {content, courant, courant * content, faces_[i]};
  }

  /// What crosses the downstream faces of a pack, in contents.
  [[gnu::always_inline]] V outflow(const Cells& behind, const Cells& here,
                                   const Cells& ahead) const {
    const V open_upstream = eastward ? here.open : upstream(behind.open, here.open);
    const V open_downstream = eastward ? downstream(here.open, ahead.open) : here.open;
    const M fed = open_upstream > V{}, open = open_downstream > V{};
    const V flux_behind = fed ? upstream(behind.flux, here.flux) : behind_coast_ * here.flux;
    const V content_behind =
        fed ? upstream(behind.content, here.content) : behind_coast_ * here.content;
    const V beyond = numerics::beyond_upwind<scheme>(here.flux - flux_behind,
                                                     downstream(here.flux, ahead.flux) - here.flux,
                                                     here.content - content_behind, here.courant);
    return numerics::outflow<scheme>(here.content, here.flux, where(open, beyond));
  }

  /// Contents after the sweep of the pack at i.
  [[gnu::always_inline]] V after(std::ptrdiff_t i, const Cells& behind, const Cells& here,
                                 V out_behind, V out) const {
    const V open_upstream = eastward ? here.open : upstream(behind.open, here.open);
    return held_.keep(i, here.content,
                      multiply_add(open_upstream, upstream(out_behind, out), here.content - out));
  }

 private:
  static V upstream(V behind, V here) {
    return eastward ? from_west(behind, here) : from_east(here, behind);
  }
  static V downstream(V here, V ahead) {
    return eastward ? from_east(here, ahead) : from_west(ahead, here);
  }

  Plane rate_, faces_;
  HeldRow<T> held_;
  T reach_, behind_coast_;
};

/// One sweep in y: with each row that comes, the row before it is finished.
template <Advection scheme, bool uniform, class T>
class SweepY {
  using V = pack<T, lanes<T>>;
  using Plane = Row<V, false>;
  using M = mask_of<V>;

 public:
  /// Take row j, the `order`-th in the order of travel.
  SweepY(const PlaneMap<T>& map, const Metrics<T>& metrics, RowBuffers<T>& buffers, int frequency,
         int order, int j, bool northward, T reach, T behind_coast)
      : rate_(metrics.crossing_rate.row(frequency, j)),
        rate_centre_(metrics.crossing_rate.row(frequency, northward ? j - 1 : j + 1)),
        aspect_(map.template aspect<uniform>(j)),
        aspect_centre_(map.template aspect<uniform>(northward ? j - 1 : j + 1)),
        faces_(metrics.transparency_y.row(northward ? j : j + 1)),
        faces_behind_(metrics.transparency_y.row(face_behind(order, j, northward))),
        held_(map.held(northward ? j - 1 : j + 1)),
        content_(buffers.content(order)),
        content_centre_(buffers.content(order + 1)),
        flux_(buffers.flux(order)),
        flux_centre_(buffers.flux(order + 1)),
        outflow_(buffers.outflow()),
        reach_(reach),
        behind_coast_(behind_coast) {}

  /// Take the pack at i of the row and return that of the row before it after the sweep.
  ///
  /// The rows of the buffers take turns: that of the row before last holds the new one after it.
  [[gnu::always_inline]] V pass(std::ptrdiff_t i, V here) {
    const V flux_ahead = rate_[i] * (aspect_[i] * reach_) * here;
    const V content = load<V>(content_centre_ + i), flux = load<V>(flux_centre_ + i);
    const V behind = load<V>(content_ + i), flux_behind = load<V>(flux_ + i);
    const V courant = rate_centre_[i] * (aspect_centre_[i] * reach_);
    const V open = faces_behind_[i];
    const M fed = open > V{}, open_ahead = faces_[i] > V{};
    const V flux_upstream = fed ? flux_behind : behind_coast_ * flux;
    const V upstream = fed ? behind : behind_coast_ * content;
    const V beyond = numerics::beyond_upwind<scheme>(flux - flux_upstream, flux_ahead - flux,
                                                     content - upstream, courant);
    const V out = numerics::outflow<scheme>(content, flux, where(open_ahead, beyond));
    const V after = multiply_add(open, load<V>(outflow_ + i), content - out);
    store<V>(content_ + i, here);
    store<V>(flux_ + i, flux_ahead);
    store<V>(outflow_ + i, out);
    return held_.keep(i, content, after);
  }

 private:
  static int face_behind(int order, int j, bool northward) {
    return order == 0 ? j : northward ? j - 1 : j + 2;
  }

  Plane rate_, rate_centre_;
  Row<V, uniform> aspect_, aspect_centre_;
  Plane faces_, faces_behind_;
  HeldRow<T> held_;
  T *content_, *content_centre_, *flux_, *flux_centre_, *outflow_;
  T reach_, behind_coast_;
};

/// In place of a sweep in y that rests: rows go out one later than they come in, as they are.
template <class T>
class RestY {
  using V = pack<T, lanes<T>>;

 public:
  RestY(RowBuffers<T>& buffers, int order)
      : content_(buffers.content(order)), content_centre_(buffers.content(order + 1)) {}

  [[gnu::always_inline]] V pass(std::ptrdiff_t i, V here) {
    store<V>(content_ + i, here);
    return load<V>(content_centre_ + i);
  }

 private:
  T *content_, *content_centre_;
};

/// Times that the parts of one sub-step cover [s]; 0 for a sweep that rests.
template <class T>
struct Steps {
  T averaging, x, y;
};

/// One sub-step of one component; rows pass through in the order of travel.
///
/// Each row is averaged (or copied), then swept in x and y (or y and x) at once, pack by pack,
/// while it lies in the nearest cache; two rows before and one after the owned ones are recomputed
/// in the halo.
template <Advection scheme, bool uniform, class T>
class ComponentStep {
  using V = pack<T, lanes<T>>;
  static constexpr int width = lanes<T>;

 public:
  ComponentStep(const PlaneMap<T>& map, const Metrics<T>& metrics, RowBuffers<T>& buffers,
                int frequency, T travel_x, T travel_y, const Steps<T>& steps, T behind_coast,
                const AveragingVectors<T>& averaging)
      : map_(map),
        metrics_(metrics),
        buffers_(buffers),
        frequency_(frequency),
        northward_(travel_y >= T(0)),
        eastward_(travel_x >= T(0)),
        behind_coast_(behind_coast),
        reach_x_(std::abs(travel_x) * steps.x),
        reach_y_(std::abs(travel_y) * steps.y),
        averaging_(map, metrics, buffers, frequency, steps.averaging, averaging),
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
    for (int order = 0; order < rows + 3; ++order) {
      const int j = first + order * step;
      take_row(j + ahead_ * step, spectrum);
      averaging_.row(j, order == 0, northward_, buffers_.averaged());
      map_.restore_fixed(j, buffers_.density(j), buffers_.averaged());
      if (eastward_)
        sweep<true>(order, j, x_first);
      else
        sweep<false>(order, j, x_first);
      if (order > 3) give_row(j - 2 * step, buffers_.swept(order - 1), spectrum);
    }
    give_row(first + (rows + 1) * step, buffers_.swept(rows + 2), spectrum);
  }

 private:
  void take_row(int j, const T* spectrum) {
    constexpr int rows_ahead = 4;
    map_.prefetch_row(northward_ ? j + rows_ahead : j - rows_ahead, spectrum);
    map_.scatter_row(j, spectrum, buffers_.density(j));
  }

  void give_row(int j, const T* content, T* spectrum) { map_.gather_row(j, content, spectrum); }

  template <bool eastward>
  void sweep(int order, int j, bool x_first) {
    if (reach_y_ == T(0)) {
      both_sweeps<eastward>(order, j, x_first, RestY<T>(buffers_, order));
      return;
    }
    both_sweeps<eastward>(order, j, x_first,
                          SweepY<scheme, uniform, T>(map_, metrics_, buffers_, frequency_, order, j,
                                                     northward_, reach_y_, behind_coast_));
  }

  /// Both sweeps: row j comes in, the row before it goes out, complete from the fourth row on.
  template <bool eastward, class Y>
  void both_sweeps(int order, int j, bool x_first, Y y) {
    const int row_in_x = x_first ? j : northward_ ? j - 1 : j + 1;
    SweepX<scheme, eastward, T> x(metrics_, map_.held(row_in_x), frequency_, row_in_x, reach_x_,
                                  behind_coast_);
    const T* before = buffers_.averaged();
    T* swept = buffers_.swept(order);
    for (const auto& stretch : map_.stretches(j)) {
      if (x_first)
        sweep_stretch<eastward>(
            stretch, x, [&](std::ptrdiff_t i) { return load<V>(before + i); },
            [&](std::ptrdiff_t i, V content) { store<V>(swept + i, y.pass(i, content)); });
      else
        sweep_stretch<eastward>(
            stretch, x, [&](std::ptrdiff_t i) { return y.pass(i, load<V>(before + i)); },
            [&](std::ptrdiff_t i, V content) { store<V>(swept + i, content); });
    }
  }

  /// `take(i)` gives the contents before the sweep in x, `give(i, contents)` takes those after it.
  template <bool eastward, class Take, class Give>
  static void sweep_stretch(const typename PlaneMap<T>::Stretch& stretch,
                            const SweepX<scheme, eastward, T>& x, Take take, Give give) {
    using Cells = typename SweepX<scheme, eastward, T>::Cells;
    constexpr std::ptrdiff_t step = eastward ? width : -width;
    const std::ptrdiff_t end = eastward ? stretch.last - width : stretch.first;
    std::ptrdiff_t i = eastward ? stretch.first : stretch.last - width;
    Cells behind{}, here = x.cells(i, take(i)), ahead{};
    V out_behind{};
    while (true) {
      const bool last = i == end;
      ahead = last ? Cells{} : x.cells(i + step, take(i + step));
      const V out = x.outflow(behind, here, ahead);
      give(i, x.after(i, behind, here, out_behind, out));
      if (last) break;
      behind = here;
      here = ahead;
      out_behind = out;
      i += step;
    }
  }

  const PlaneMap<T>& map_;
  const Metrics<T>& metrics_;
  RowBuffers<T>& buffers_;
  int frequency_;
  bool northward_, eastward_;
  T behind_coast_, reach_x_, reach_y_;
  SprinklerAveraging<uniform, T> averaging_;
  int behind_, ahead_;  ///< rows that are taken before and after the one in work
};

/// Move the first `components` spectral components by one sub-step of their `spatial_step`.
///
/// Nothing comes through a closed face. For the shape of the spectrum within the cell downstream of
/// it, which says how much leaves, -1 behind the coast stands for one that falls linearly to 0 at
/// the coast, 0 for a neighbour without energy, 1 for none that changes.
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
/// @param[in]     spatial_step    times that averaging, sweep in x and sweep in y cover [s], 0 for
/// a
///                                sweep that rests, shape (3, frequency)
/// @param[in]     components      how many leading local components take part
/// @param[in]     x_first         whether the x sweep comes before the y sweep
/// @param[in]     scheme          0 upwind, 1 QUICKEST, 2 ULTIMATE QUICKEST
/// @param[in]     behind_coast    spectrum behind a coast upstream over that of the cell before it
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
                     View<const T, 2> travel, View<const T, 2> spatial_step, int components,
                     bool x_first, int scheme, double behind_coast, double width_along,
                     double width_across) {
  const WholePacks<T, 3> rate(crossing_rate);
  const WholePacks<T, 2> open_x(transparency_x), open_y(transparency_y), area(cell_area),
      aspect(cell_aspect);
  const Metrics<T> metrics{rate, open_x, open_y, area, aspect};
  const PlaneMap<T> map(box, cell_of_point, fixed_point, metrics);
  const auto move = [&](int component, RowBuffers<T>& buffers) {
    const int frequency = frequency_of(component);
    const int direction = direction_of(component);
    const T travel_x = travel(direction, 0), travel_y = travel(direction, 1);
    const AveragingVectors<T> averaging(travel_x, travel_y, static_cast<T>(width_along),
                                        static_cast<T>(width_across));
    const Steps<T> steps{spatial_step(0, frequency), spatial_step(1, frequency),
                         spatial_step(2, frequency)};
    const auto advance = [&]<Advection choice, bool uniform>() {
      buffers.clear();
      ComponentStep<choice, uniform, T>(map, metrics, buffers, frequency, travel_x, travel_y, steps,
                                        static_cast<T>(behind_coast), averaging)
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
  };
  for_each_in_with(0, components, 1, [&] { return RowBuffers<T>(map.columns); }, move);
}

}  // namespace halocline::waves
