#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "contract.hpp"
#include "numerics/quickest.hpp"
#include "schedules.hpp"
#include "spectral_plane.hpp"
#include "sprinkler_averaging.hpp"

/// Propagation of the spectrum in space over water that moves: with c_g + U in place of c_g.
///
/// Where currents oppose them, waves of one component go one way in some cells and the other way in
/// others: a cell gives to that side to which it moves, by the flux of `propagate_space`, whose
/// sweeps over cells that all move alike are much faster.
namespace halocline::waves {

using numerics::Advection;

inline constexpr Contract<15> propagate_in_currents_contract{
    "propagate_in_currents",
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
      {"inverse_width", Access::read, Place::center, "m-1", {-2, 2, -2, 2}},
      {"current_u", Access::read, Place::center, "m s-1", {-2, 2, -2, 2}},
      {"current_v", Access::read, Place::center, "m s-1", {-2, 2, -2, 2}},
      {"travel", Access::read, Place::none, "1", "direction 2"},
      {"spatial_step", Access::read, Place::none, "s", "3 frequency"}}}};

/// The water's part of the motion.
template <class T>
struct CurrentPlanes {
  View<const T, 2> u, v, inverse_width;
  T along_x, along_y;  ///< 1 for the axes along which waves travel, else 0
};

/// Planes that one thread works on; what lies beside the sea stays 0.
template <class T>
class CurrentBuffers {
 public:
  CurrentBuffers(std::ptrdiff_t rows, std::ptrdiff_t columns)
      : rows(columns),
        pitch_((columns + line - 1) / line * line + 2 * line),
        plane_(rows * pitch_),
        memory_(3 * plane_ + 2 * pitch_ + line) {}

  T* content(int j) { return at(0, j); }
  T* courant(int j) { return at(1, j); }  ///< in y, positive northward
  T* outflow(int j) { return at(2, j); }  ///< in y, negative where it goes south
  T* row_courant() { return at(3, 0); }   ///< the same of a row in x
  T* row_outflow() { return at(3, 1); }

  RowBuffers<T> rows;

 private:
  static constexpr std::ptrdiff_t line = 64 / sizeof(T);
  T* at(int plane, int row) { return memory_.data() + line + plane * plane_ + row * pitch_; }
  std::ptrdiff_t pitch_, plane_;
  std::vector<T> memory_;
};

/// A cell, or a pack of them, and those before and after it along the axis of a sweep.
template <class V>
struct Three {
  V before, here, after;
};

/// What leaves cells in one sweep, in contents, negative where it leaves backwards; `open` are the
/// shares that pass the faces before and after the cells.
template <Advection scheme, class V>
[[gnu::always_inline]] inline V signed_outflow(const Three<V>& content, const Three<V>& courant,
                                               V open_before, V open_after,
                                               scalar_of<V> behind_coast) {
  const V zero{};
  const auto forward = courant.here > zero;
  const V speed = absolute(courant.here), flux = speed * content.here;
  const V upstream = forward ? content.before : content.after;
  const V downstream = forward ? content.after : content.before;
  // neighbours that move the other way bring nothing, and take nothing along
  const V speed_upstream = maximum(forward ? courant.before : -courant.after, zero);
  const V speed_downstream = maximum(forward ? courant.after : -courant.before, zero);
  const auto fed = (forward ? open_before : open_after) > zero;
  const auto open = (forward ? open_after : open_before) > zero;
  const V flux_upstream = fed ? speed_upstream * upstream : behind_coast * flux;
  const V content_upstream = fed ? upstream : behind_coast * content.here;
  const V beyond =
      numerics::beyond_upwind<scheme>(flux - flux_upstream, speed_downstream * downstream - flux,
                                      content.here - content_upstream, speed);
  const V out = numerics::outflow<scheme>(content.here, flux, where(open, beyond));
  return forward ? out : -out;
}

/// Contents after a sweep, from what left them and their neighbours.
template <class V>
[[gnu::always_inline]] inline V after_sweep(V content, const Three<V>& outflow, V open_before,
                                            V open_after) {
  const V zero{};
  const V kept = content - absolute(outflow.here);
  return multiply_add(open_after, maximum(-outflow.after, zero),
                      multiply_add(open_before, maximum(outflow.before, zero), kept));
}

/// Times that the parts of one sub-step cover [s]; 0 for a sweep that rests.
template <class T>
struct StepTimes {
  T averaging, x, y;
};

/// One sub-step of one component on the planes of one block.
template <Advection scheme, bool uniform, class T>
class StepInCurrents {
  using V = pack<T, lanes<T>>;
  static constexpr int width = lanes<T>;

 public:
  StepInCurrents(const PlaneMap<T>& map, const Metrics<T>& metrics, const CurrentPlanes<T>& current,
                 CurrentBuffers<T>& buffers, int frequency, T travel_x, T travel_y,
                 const StepTimes<T>& times, T behind_coast, const AveragingVectors<T>& averaging)
      : map_(map),
        metrics_(metrics),
        current_(current),
        buffers_(buffers),
        frequency_(frequency),
        travel_x_(travel_x),
        travel_y_(travel_y),
        times_(times),
        behind_coast_(behind_coast),
        averaging_(map, metrics, buffers.rows, frequency, times.averaging, averaging) {}

  /// Advance the owned points of `spectrum`, one component.
  void advance(T* spectrum, bool x_first) {
    const int first = map_.box.j0, end = map_.box.j1;
    average(first - 2, end + 2, spectrum);
    if (x_first) sweep_x(first - 2, end + 2);
    sweep_y(first, end);
    if (!x_first) sweep_x(first, end);
    for (int j = first; j < end; ++j) map_.gather_row(j, buffers_.content(j), spectrum);
  }

 private:
  void average(int first, int end, const T* spectrum) {
    for (int j = first - 1; j <= first; ++j) take_row(j, spectrum);
    for (int j = first; j < end; ++j) {
      take_row(j + 1, spectrum);
      averaging_.row(j, j == first, true, buffers_.content(j));
      map_.restore_fixed(j, buffers_.rows.density(j), buffers_.content(j));
    }
  }

  void take_row(int j, const T* spectrum) {
    map_.scatter_row(j, spectrum, buffers_.rows.density(j));
  }

  template <class Body>
  void for_packs(int j, Body body) const {
    for (const auto& stretch : map_.stretches(j))
      for (std::ptrdiff_t i = stretch.first; i < stretch.last; i += width) body(i);
  }

  static Three<V> three_of(const T* before, const T* here, const T* after) {
    return {load<V>(before), load<V>(here), load<V>(after)};
  }

  void sweep_x(int first, int end) {
    if (times_.x == T(0)) return;
    const T travel = travel_x_ * times_.x, carried = current_.along_x * times_.x;
    T *courant = buffers_.row_courant(), *outflow = buffers_.row_outflow();
    for (int j = first; j < end; ++j) {
      T* content = buffers_.content(j);
      const T* rate = metrics_.crossing_rate.row(frequency_, j);
      const T *u = current_.u.row(j), *inverse = current_.inverse_width.row(j);
      const T* faces = metrics_.transparency_x.row(j);
      const HeldRow<T> held = map_.held(j);
      for_packs(j, [=](std::ptrdiff_t i) {
        store<V>(courant + i, multiply_add(load<V>(rate + i), travel,
                                           load<V>(u + i) * (load<V>(inverse + i) * carried)));
      });
      for_packs(j, [=, this](std::ptrdiff_t i) {
        const auto q = three_of(content + i - 1, content + i, content + i + 1);
        const auto c = three_of(courant + i - 1, courant + i, courant + i + 1);
        store<V>(outflow + i, signed_outflow<scheme>(q, c, load<V>(faces + i),
                                                     load<V>(faces + i + 1), behind_coast_));
      });
      for_packs(j, [=](std::ptrdiff_t i) {
        const V before = load<V>(content + i);
        const auto out = three_of(outflow + i - 1, outflow + i, outflow + i + 1);
        const V after = after_sweep(before, out, load<V>(faces + i), load<V>(faces + i + 1));
        store<V>(content + i, held.keep(i, before, after));
      });
    }
  }

  void sweep_y(int first, int end) {
    if (times_.y == T(0)) return;
    for (int j = first - 2; j < end + 2; ++j) courants_in_y(j);
    for (int j = first - 1; j < end + 1; ++j) {
      const T *south = buffers_.content(j - 1), *here = buffers_.content(j),
              *north = buffers_.content(j + 1);
      const T *c_south = buffers_.courant(j - 1), *c = buffers_.courant(j),
              *c_north = buffers_.courant(j + 1);
      const T* faces = metrics_.transparency_y.row(j);
      const T* faces_north = metrics_.transparency_y.row(j + 1);
      T* outflow = buffers_.outflow(j);
      for_packs(j, [=, this](std::ptrdiff_t i) {
        store<V>(outflow + i, signed_outflow<scheme>(three_of(south + i, here + i, north + i),
                                                     three_of(c_south + i, c + i, c_north + i),
                                                     load<V>(faces + i), load<V>(faces_north + i),
                                                     behind_coast_));
      });
    }
    for (int j = first; j < end; ++j) {
      const T *south = buffers_.outflow(j - 1), *here = buffers_.outflow(j),
              *north = buffers_.outflow(j + 1);
      const T* faces = metrics_.transparency_y.row(j);
      const T* faces_north = metrics_.transparency_y.row(j + 1);
      T* content = buffers_.content(j);
      const HeldRow<T> held = map_.held(j);
      for_packs(j, [=](std::ptrdiff_t i) {
        const V before = load<V>(content + i);
        const V after = after_sweep(before, three_of(south + i, here + i, north + i),
                                    load<V>(faces + i), load<V>(faces_north + i));
        store<V>(content + i, held.keep(i, before, after));
      });
    }
  }

  void courants_in_y(int j) {
    const T travel = travel_y_ * times_.y, carried = current_.along_y * times_.y;
    const T* rate = metrics_.crossing_rate.row(frequency_, j);
    const T *v = current_.v.row(j), *inverse = current_.inverse_width.row(j);
    const auto aspect = map_.template aspect<uniform>(j);
    T* courant = buffers_.courant(j);
    for_packs(j, [=](std::ptrdiff_t i) {
      const V moved = multiply_add(load<V>(rate + i), travel,
                                   load<V>(v + i) * (load<V>(inverse + i) * carried));
      store<V>(courant + i, moved * aspect[i]);
    });
  }

  const PlaneMap<T>& map_;
  const Metrics<T>& metrics_;
  const CurrentPlanes<T>& current_;
  CurrentBuffers<T>& buffers_;
  int frequency_;
  T travel_x_, travel_y_;
  StepTimes<T> times_;
  T behind_coast_;
  SprinklerAveraging<uniform, T> averaging_;
};

/// Move the first `components` spectral components by one sub-step of their `spatial_step`, with
/// their own group speed and the current.
///
/// Arguments are those of `propagate_space`, and
///
/// @param[in] inverse_width  1 / dx of cells [m-1]
/// @param[in] current_u      current along x [m s-1], finite on land too
/// @param[in] current_v      current along y
/// @param[in] along_x        1 if waves travel along x, else 0
/// @param[in] along_y        1 if waves travel along y, else 0
template <class T>
void propagate_in_currents(Box box, View<T, 2> spectrum, View<const std::int32_t, 1> cell_of_point,
                           View<const std::int32_t, 1> fixed_point,
                           View<const std::int32_t, 1> frequency_of,
                           View<const std::int32_t, 1> direction_of, View<const T, 3> crossing_rate,
                           View<const T, 2> transparency_x, View<const T, 2> transparency_y,
                           View<const T, 2> cell_area, View<const T, 2> cell_aspect,
                           View<const T, 2> inverse_width, View<const T, 2> current_u,
                           View<const T, 2> current_v, View<const T, 2> travel,
                           View<const T, 2> spatial_step, int components, bool x_first, int scheme,
                           double behind_coast, double width_along, double width_across,
                           double along_x, double along_y) {
  const WholePacks<T, 3> rate(crossing_rate);
  const WholePacks<T, 2> open_x(transparency_x), open_y(transparency_y), area(cell_area),
      aspect(cell_aspect), inverse(inverse_width), u(current_u), v(current_v);
  const Metrics<T> metrics{rate, open_x, open_y, area, aspect};
  const CurrentPlanes<T> current{u, v, inverse, static_cast<T>(along_x), static_cast<T>(along_y)};
  const PlaneMap<T> map(box, cell_of_point, fixed_point, metrics);
  const auto move = [&](int component, CurrentBuffers<T>& buffers) {
    const int frequency = frequency_of(component);
    const int direction = direction_of(component);
    const T travel_x = travel(direction, 0), travel_y = travel(direction, 1);
    const AveragingVectors<T> averaging(travel_x, travel_y, static_cast<T>(width_along),
                                        static_cast<T>(width_across));
    const StepTimes<T> times{spatial_step(0, frequency), spatial_step(1, frequency),
                             spatial_step(2, frequency)};
    const auto advance = [&]<Advection choice, bool uniform>() {
      buffers.rows.clear();
      StepInCurrents<choice, uniform, T>(map, metrics, current, buffers, frequency, travel_x,
                                         travel_y, times, static_cast<T>(behind_coast), averaging)
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
  for_each_in_with(
      0, components, 1, [&] { return CurrentBuffers<T>(map.rows, map.columns); }, move);
}

}  // namespace halocline::waves
