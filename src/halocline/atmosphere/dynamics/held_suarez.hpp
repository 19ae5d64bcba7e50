#pragma once
#include "atmosphere/constants.hpp"
#include "atmosphere/dynamics/filter.hpp"
#include "elementary.hpp"

/// The forcing of Held and Suarez (1994, Bull. Amer. Meteorol. Soc. 75, 1825): temperature returns
/// to one of radiation and convection, the wind near the ground slows down.
namespace halocline {

namespace air {

/// Pressure in the middle of layers [Pa], `share` of the column's mass and `rest`, and how near the
/// ground that is.
template <class T>
struct LayerPressure {
  Columns<T> columns;
  View1<const T> share, rest;
  T top, lower;  ///< pressure of the top [Pa]; pressure over that at the ground where friction ends

  template <class V>
  INLINE V at(int k, V column) const {
    return share(k) * column + splat<V>(rest(k));
  }
  /// (sigma - lower) / (1 - lower), 0 above.
  template <class V>
  INLINE V near_ground(int k, V column) const {
    const V sigma = at<V>(k, column) / (column + splat<V>(top));
    const V share = (sigma - splat<V>(lower)) / (T(1) - lower);
    return share > V{} ? share : V{};
  }
};

/// What slows the wind down, between a cell and the one dj rows, di columns before it.
template <class T, int dj, int di>
struct Friction {
  View3<const T> wind;
  LayerPressure<T> pressure;
  View1<const T> c1, c2;
  T rate;

  template <class V>
  INLINE V gain(int k, int j, std::ptrdiff_t i) const {
    const V column = T(0.5) * pressure.columns.template two<V>(j, i, dj, di);
    const V slows = rate * pressure.template near_ground<V>(k, column);
    return -slows * layer_mass<V>(c1(k), c2(k), column) * load<V>(wind.row(k, j) + i);
  }
};

/// What brings potential temperature back to that of equilibrium.
template <class T>
struct Relaxation {
  View3<const T> theta;
  LayerPressure<T> pressure;
  View2<const T> sine_squared;
  View1<const T> c1, c2;
  T warmest, contrast, stability, coldest, slow, fast;

  template <class V>
  INLINE V gain(int k, int j, std::ptrdiff_t i) const {
    const V column = pressure.columns.template at<V>(j, i);
    const V south = load<V>(sine_squared.row(j) + i), equator = splat<V>(T(1)) - south;
    const V logarithm = log(V(pressure.template at<V>(k, column) / T(reference_pressure)));
    const V cold = coldest * exp(V(T(-kappa) * logarithm));
    const V warm = splat<V>(warmest) - contrast * south - stability * logarithm * equator;
    const V wanted = (warm > cold ? warm : cold) - T(reference_temperature);
    const V rate = splat<V>(slow) +
                   (fast - slow) * pressure.template near_ground<V>(k, column) * equator * equator;
    return rate * layer_mass<V>(c1(k), c2(k), column) * (wanted - load<V>(theta.row(k, j) + i));
  }
};

}  // namespace air

inline constexpr Contract<8> atmosphere_friction_u_contract{
    "atmosphere_friction_u",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth"},
      {"mass", Access::read, Place::center, "Pa", to_west},
      {"base_mass", Access::read, Place::center, "Pa", to_west},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"pressure_share", Access::read, Place::none, "1", "depth"},
      {"pressure_rest", Access::read, Place::none, "Pa", "depth"},
      {"u_forcing", Access::update, Place::x_face, "Pa m s-2", "depth"}}}};

/// Friction of the wind along x: -rate max(0, (sigma - lower) / (1 - lower)) u.
///
/// @param[in]  u            [m s-1]
/// @param[in]  mass         of columns, less `base_mass` [Pa]
/// @param[in]  pressure_share, pressure_rest  the pressure in the middle of layers is that share
///                          of the mass of columns and that rest [1], [Pa]
/// @param[in,out] u_forcing [Pa m s-2]
/// @param[in]  top          pressure of the top [Pa]
/// @param[in]  lower        sigma above which there is friction [1]
/// @param[in]  rate         at the ground [s-1]
/// @param[in]  fresh        not 0: nothing is in `u_forcing` yet
template <class T>
void atmosphere_friction_u(Box box, View3<const T> u, View2<const T> mass, View2<const T> base_mass,
                           View1<const T> c1, View1<const T> c2, View1<const T> pressure_share,
                           View1<const T> pressure_rest, View3<T> u_forcing, double top,
                           double lower, double rate, int fresh) {
  const air::LayerPressure<T> pressure{
      {base_mass, mass}, pressure_share, pressure_rest, static_cast<T>(top), static_cast<T>(lower)};
  const air::Friction<T, 0, 1> friction{u, pressure, c1, c2, static_cast<T>(rate)};
  air::add_forcing(box, friction, 0, fresh, u_forcing);
}

inline constexpr Contract<8> atmosphere_friction_v_contract{
    "atmosphere_friction_v",
    {{{"v", Access::read, Place::y_face, "m s-1", "depth"},
      {"mass", Access::read, Place::center, "Pa", to_south},
      {"base_mass", Access::read, Place::center, "Pa", to_south},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"pressure_share", Access::read, Place::none, "1", "depth"},
      {"pressure_rest", Access::read, Place::none, "Pa", "depth"},
      {"v_forcing", Access::update, Place::y_face, "Pa m s-2", "depth"}}}};

/// The same along y.
template <class T>
void atmosphere_friction_v(Box box, View3<const T> v, View2<const T> mass, View2<const T> base_mass,
                           View1<const T> c1, View1<const T> c2, View1<const T> pressure_share,
                           View1<const T> pressure_rest, View3<T> v_forcing, double top,
                           double lower, double rate, int fresh) {
  const air::LayerPressure<T> pressure{
      {base_mass, mass}, pressure_share, pressure_rest, static_cast<T>(top), static_cast<T>(lower)};
  const air::Friction<T, 1, 0> friction{v, pressure, c1, c2, static_cast<T>(rate)};
  air::add_forcing(box, friction, 0, fresh, v_forcing);
}

inline constexpr Contract<9> atmosphere_relax_theta_contract{
    "atmosphere_relax_theta",
    {{{"theta", Access::read, Place::center, "K", "depth"},
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"sine_squared", Access::read, Place::center, "1"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"pressure_share", Access::read, Place::none, "1", "depth"},
      {"pressure_rest", Access::read, Place::none, "Pa", "depth"},
      {"theta_forcing", Access::update, Place::center, "Pa K s-1", "depth"}}}};

/// The return of temperature to max(coldest, (warmest - contrast sin^2 - stability ln(p / p0)
/// cos^2) (p / p0)^kappa) of the latitude, by the rate slow + (fast - slow) max(0, (sigma - lower)
/// / (1 - lower)) cos^4; other arguments as in `atmosphere_friction_u`.
///
/// @param[in]  theta         less 300 K [K]
/// @param[in]  sine_squared  of the latitude [1]
/// @param[in,out] theta_forcing [Pa K s-1]
/// @param[in]  warmest, contrast, stability, coldest  [K]
/// @param[in]  slow, fast    [s-1]
template <class T>
void atmosphere_relax_theta(Box box, View3<const T> theta, View2<const T> mass,
                            View2<const T> base_mass, View2<const T> sine_squared,
                            View1<const T> c1, View1<const T> c2, View1<const T> pressure_share,
                            View1<const T> pressure_rest, View3<T> theta_forcing, double top,
                            double lower, double warmest, double contrast, double stability,
                            double coldest, double slow, double fast, int fresh) {
  const auto number = [](double value) { return static_cast<T>(value); };
  const air::LayerPressure<T> pressure{
      {base_mass, mass}, pressure_share, pressure_rest, number(top), number(lower)};
  const air::Relaxation<T> relaxation{theta,
                                      pressure,
                                      sine_squared,
                                      c1,
                                      c2,
                                      number(warmest),
                                      number(contrast),
                                      number(stability),
                                      number(coldest),
                                      number(slow),
                                      number(fast)};
  air::add_forcing(box, relaxation, 0, fresh, theta_forcing);
}

}  // namespace halocline
