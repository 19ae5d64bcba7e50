#pragma once
#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// A filter of sixth order along layers, as fluxes that never go up the gradient (Knievel, Bryan
/// and Hacker 2007, Mon. Wea. Rev. 135, 3808), and what holds the air below the top near its start.
namespace halocline {

namespace air {

/// A flux through the face between a[0] and b[0]; a[1], b[1] ... lie farther from it.
template <class V>
INLINE V sixth_order_flux(const V (&a)[3], const V (&b)[3]) {
  using T = scalar_of<V>;
  const V near = b[0] - a[0];
  const V flux = T(10) * near - T(5) * (b[1] - a[1]) + (b[2] - a[2]);
  return flux * near > V{} ? flux : V{};
}

/// What the filter brings to `q`, less `base` where that is given.
///
/// @tparam back_j, back_i  the cells that a value lies between are its own and this one before it
template <class T, int back_j, int back_i>
struct Filter {
  View3<const T> q, base;
  Columns<T> columns;
  View2<const T> area;
  View1<const T> c1, c2;
  T rate;

  template <class V>
  INLINE V gain(int k, int j, std::ptrdiff_t i) const {
    const V along = (flux<V, 0, 1>(k, j, i + 1) - flux<V, 0, 1>(k, j, i)) +
                    (flux<V, 1, 0>(k, j + 1, i) - flux<V, 1, 0>(k, j, i));
    return rate * along / load<V>(area.row(j) + i);
  }

 private:
  /// Between a value and the one before it, times mass and area.
  template <class V, int dj, int di>
  INLINE V flux(int k, int j, std::ptrdiff_t i) const {
    const auto at = [&](int n) {
      const V found = load<V>(q.row(k, j + n * dj) + i + n * di);
      return base.data == nullptr ? found
                                  : V(found - load<V>(base.row(k, j + n * dj) + i + n * di));
    };
    const V before[] = {at(-1), at(-2), at(-3)}, here[] = {at(0), at(1), at(2)};
    const V flux = sixth_order_flux<V>(before, here);
    const auto weight = [&](int j, std::ptrdiff_t i) {
      const V column = T(0.5) * columns.template two<V>(j, i, back_j, back_i);
      return layer_mass<V>(c1(k), c2(k), column) * load<V>(area.row(j) + i);
    };
    return T(0.5) * (weight(j, i) + weight(j - dj, i - di)) * flux;
  }
};

/// Add `gain` of all entries from `first` on, or set it where nothing is there yet.
template <class T, class Of>
void add_forcing(Box box, const Of& of, int first, int fresh, View3<T> forcing) {
  for_pairs(static_cast<int>(forcing.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      V sum{};
      if (fresh == 0) sum = load<V>(forcing.row(k, j) + i);
      if (k >= first) sum += of.template gain<V>(k, j, i);
      store<V>(forcing.row(k, j) + i, sum);
    });
  });
}

/// 1/64 is what a wave two cells long has as sixth differences; it fades half as fast as one that
/// is as short along both directions.
template <class T>
T filter_rate(double strength, double dt) {
  return static_cast<T>(strength / (128.0 * dt));
}

/// What brings `q` back to what it was at the start, layer by layer.
template <class T, int back_j, int back_i>
struct Return {
  View3<const T> q, start;
  Columns<T> columns;
  View1<const T> c1, c2, rate;

  template <class V>
  INLINE V gain(int k, int j, std::ptrdiff_t i) const {
    const V column = T(0.5) * columns.template two<V>(j, i, back_j, back_i);
    const V away = load<V>(q.row(k, j) + i) - load<V>(start.row(k, j) + i);
    return -rate(k) * layer_mass<V>(c1(k), c2(k), column) * away;
  }
};

}  // namespace air

inline constexpr Contract<7> atmosphere_filter_u_contract{
    "atmosphere_filter_u",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", {-3, 3, -3, 3}},
      {"mass", Access::read, Place::center, "Pa", {-2, 1, -1, 1}},
      {"base_mass", Access::read, Place::center, "Pa", {-2, 1, -1, 1}},
      {"x_area", Access::read, Place::x_face, "m2", around},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"u_forcing", Access::update, Place::x_face, "Pa m s-2", "depth"}}}};

/// What the filter does to the wind along x.
///
/// @param[in]  u            [m s-1]
/// @param[in]  mass         of columns, less `base_mass` [Pa]
/// @param[in]  x_area       of control volumes [m2]
/// @param[in,out] u_forcing [Pa m s-2]
/// @param[in]  strength     part of a wave two cells long along x and y that goes in a step [1]
/// @param[in]  dt           of the step [s]
/// @param[in]  fresh        not 0: nothing is in `u_forcing` yet
template <class T>
void atmosphere_filter_u(Box box, View3<const T> u, View2<const T> mass, View2<const T> base_mass,
                         View2<const T> x_area, View1<const T> c1, View1<const T> c2,
                         View3<T> u_forcing, double strength, double dt, int fresh) {
  const air::Filter<T, 0, 1> filter{
      u, {}, {base_mass, mass}, x_area, c1, c2, air::filter_rate<T>(strength, dt)};
  air::add_forcing(box, filter, 0, fresh, u_forcing);
}

inline constexpr Contract<7> atmosphere_filter_v_contract{
    "atmosphere_filter_v",
    {{{"v", Access::read, Place::y_face, "m s-1", "depth", {-3, 3, -3, 3}},
      {"mass", Access::read, Place::center, "Pa", {-1, 1, -2, 1}},
      {"base_mass", Access::read, Place::center, "Pa", {-1, 1, -2, 1}},
      {"y_area", Access::read, Place::y_face, "m2", around},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"v_forcing", Access::update, Place::y_face, "Pa m s-2", "depth"}}}};

/// What the filter does to the wind along y; arguments as in `atmosphere_filter_u`.
template <class T>
void atmosphere_filter_v(Box box, View3<const T> v, View2<const T> mass, View2<const T> base_mass,
                         View2<const T> y_area, View1<const T> c1, View1<const T> c2,
                         View3<T> v_forcing, double strength, double dt, int fresh) {
  const air::Filter<T, 1, 0> filter{
      v, {}, {base_mass, mass}, y_area, c1, c2, air::filter_rate<T>(strength, dt)};
  air::add_forcing(box, filter, 0, fresh, v_forcing);
}

inline constexpr Contract<7> atmosphere_filter_w_contract{
    "atmosphere_filter_w",
    {{{"w", Access::read, Place::center, "m s-1", "depth+1", {-3, 3, -3, 3}},
      {"mass", Access::read, Place::center, "Pa", around},
      {"base_mass", Access::read, Place::center, "Pa", around},
      {"area", Access::read, Place::center, "m2", around},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"w_forcing", Access::update, Place::center, "Pa m s-2", "depth+1"}}}};

/// What the filter does to the upward wind above the ground; arguments as in `atmosphere_filter_u`.
template <class T>
void atmosphere_filter_w(Box box, View3<const T> w, View2<const T> mass, View2<const T> base_mass,
                         View2<const T> area, View1<const T> c1_face, View1<const T> c2_face,
                         View3<T> w_forcing, double strength, double dt, int fresh) {
  const air::Filter<T, 0, 0> filter{
      w, {}, {base_mass, mass}, area, c1_face, c2_face, air::filter_rate<T>(strength, dt)};
  air::add_forcing(box, filter, 1, fresh, w_forcing);
}

inline constexpr Contract<8> atmosphere_filter_theta_contract{
    "atmosphere_filter_theta",
    {{{"theta", Access::read, Place::center, "K", "depth", {-3, 3, -3, 3}},
      if_wanted({"base_theta", Access::read, Place::center, "K", "depth", {-3, 3, -3, 3}}),
      {"mass", Access::read, Place::center, "Pa", around},
      {"base_mass", Access::read, Place::center, "Pa", around},
      {"area", Access::read, Place::center, "m2", around},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"theta_forcing", Access::update, Place::center, "Pa K s-1", "depth"}}}};

/// What the filter does to potential temperature, less that of the base state where layers slope;
/// arguments as in `atmosphere_filter_u`.
template <class T>
void atmosphere_filter_theta(Box box, View3<const T> theta, View3<const T> base_theta,
                             View2<const T> mass, View2<const T> base_mass, View2<const T> area,
                             View1<const T> c1, View1<const T> c2, View3<T> theta_forcing,
                             double strength, double dt, int fresh) {
  const air::Filter<T, 0, 0> filter{
      theta, base_theta, {base_mass, mass}, area, c1, c2, air::filter_rate<T>(strength, dt)};
  air::add_forcing(box, filter, 0, fresh, theta_forcing);
}

inline constexpr Contract<8> atmosphere_return_u_contract{
    "atmosphere_return_u",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth"},
      {"start_u", Access::read, Place::x_face, "m s-1", "depth"},
      {"mass", Access::read, Place::center, "Pa", to_west},
      {"base_mass", Access::read, Place::center, "Pa", to_west},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"return_rate", Access::read, Place::none, "s-1", "depth"},
      {"u_forcing", Access::update, Place::x_face, "Pa m s-2", "depth"}}}};

/// What brings the wind along x back to that of the start.
///
/// @param[in]  u, start_u   now, at the start [m s-1]
/// @param[in]  return_rate  of layers [s-1]
/// @param[in,out] u_forcing [Pa m s-2]
/// @param[in]  fresh        not 0: nothing is in `u_forcing` yet
template <class T>
void atmosphere_return_u(Box box, View3<const T> u, View3<const T> start_u, View2<const T> mass,
                         View2<const T> base_mass, View1<const T> c1, View1<const T> c2,
                         View1<const T> return_rate, View3<T> u_forcing, int fresh) {
  const air::Return<T, 0, 1> back{u, start_u, {base_mass, mass}, c1, c2, return_rate};
  air::add_forcing(box, back, 0, fresh, u_forcing);
}

inline constexpr Contract<8> atmosphere_return_v_contract{
    "atmosphere_return_v",
    {{{"v", Access::read, Place::y_face, "m s-1", "depth"},
      {"start_v", Access::read, Place::y_face, "m s-1", "depth"},
      {"mass", Access::read, Place::center, "Pa", to_south},
      {"base_mass", Access::read, Place::center, "Pa", to_south},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"return_rate", Access::read, Place::none, "s-1", "depth"},
      {"v_forcing", Access::update, Place::y_face, "Pa m s-2", "depth"}}}};

/// What brings the wind along y back to that of the start; arguments as in `atmosphere_return_u`.
template <class T>
void atmosphere_return_v(Box box, View3<const T> v, View3<const T> start_v, View2<const T> mass,
                         View2<const T> base_mass, View1<const T> c1, View1<const T> c2,
                         View1<const T> return_rate, View3<T> v_forcing, int fresh) {
  const air::Return<T, 1, 0> back{v, start_v, {base_mass, mass}, c1, c2, return_rate};
  air::add_forcing(box, back, 0, fresh, v_forcing);
}

inline constexpr Contract<8> atmosphere_return_theta_contract{
    "atmosphere_return_theta",
    {{{"theta", Access::read, Place::center, "K", "depth"},
      {"start_theta", Access::read, Place::center, "K", "depth"},
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"return_rate", Access::read, Place::none, "s-1", "depth"},
      {"theta_forcing", Access::update, Place::center, "Pa K s-1", "depth"}}}};

/// What brings potential temperature back to that of the start; arguments as in
/// `atmosphere_return_u`.
template <class T>
void atmosphere_return_theta(Box box, View3<const T> theta, View3<const T> start_theta,
                             View2<const T> mass, View2<const T> base_mass, View1<const T> c1,
                             View1<const T> c2, View1<const T> return_rate, View3<T> theta_forcing,
                             int fresh) {
  const air::Return<T, 0, 0> back{theta, start_theta, {base_mass, mass}, c1, c2, return_rate};
  air::add_forcing(box, back, 0, fresh, theta_forcing);
}

}  // namespace halocline
