#pragma once
#include "contract.hpp"
#include "elementary.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What air and sea exchange, by bulk formulas: Large and Yeager 2009, Climate Dynamics 33, 341,
/// with the iteration of Large and Yeager 2004, NCAR Technical Note 460, section 2.1.
namespace halocline {

/// Coefficients of the exchange of momentum, heat and moisture at the height of the air [1].
template <class V>
struct ExchangeCoefficients {
  V momentum, heat, moisture;
};

/// At 10 m in neutral air, for a wind [m s-1] of at least 0.5.
template <class V>
HD INLINE V neutral_drag(V wind) {
  using T = scalar_of<V>;
  const V cube = wind * wind * wind;
  const V usual = T(2.70) / wind + T(0.142) + wind / T(13.09) - T(3.14807e-10) * (cube * cube);
  return T(1e-3) * (wind < T(33) ? usual : splat<V>(T(2.34)));
}

/// The same of heat and moisture, from the drag; heat passes better where the air is unstable.
template <class V>
HD INLINE ExchangeCoefficients<V> neutral_exchange(V wind, V stability) {
  using T = scalar_of<V>;
  const V drag = neutral_drag(wind), root = T(1e-3) * square_root(drag);
  return {drag, (stability > V{} ? splat<V>(T(18.0)) : splat<V>(T(32.7))) * root, T(34.6) * root};
}

/// Departures of the profiles of wind and of heat from logarithms [1], of the height over Monin and
/// Obukhov's length.
template <class V>
struct ProfileDepartures {
  V momentum, heat;
};
template <class V>
HD INLINE ProfileDepartures<V> profile_departures(V stability) {
  using T = scalar_of<V>;
  const V one = splat<V>(T(1)), stable = T(-5) * stability;
  const V square = maximum(square_root(absolute(T(1) - T(16) * stability)), one);
  const V x = square_root(square), quarter_pi = splat<V>(T(0.78539816339744831));
  const V mean = T(0.5) * (one + square);
  const V momentum = log(T(0.25) * (one + x) * (one + x) * mean) - T(2) * (atan(x) - quarter_pi);
  return {stability > V{} ? stable : momentum, stability > V{} ? stable : V(T(2) * log(mean))};
}

/// Coefficients for air of some height [m].
template <class T>
struct BulkFormulas {
  T height, gravity, karman;

  /// @param wind      speed of the air [m s-1]
  /// @param air, sea  potential temperature of air and temperature of the sea's surface [K]
  /// @param humidity, saturated  specific humidity of the air, and at the sea's surface [kg kg-1]
  template <class V>
  HD INLINE ExchangeCoefficients<V> operator()(V wind, V air, V sea, V humidity,
                                               V saturated) const {
    const V speed = maximum(wind, splat<V>(T(0.5))), low = splat<V>(T(-10)), top = splat<V>(T(10));
    const V warm = air * (T(1) + T(0.608) * humidity), moist = humidity + T(1.0 / 0.608);
    const V rise = log(splat<V>(height / T(10)));
    ExchangeCoefficients<V> neutral = neutral_exchange(speed, V(air - sea)), found = neutral;
    for (int iteration = 0; iteration < 5; ++iteration) {
      const V root = square_root(found.momentum), friction = root * speed;
      const V heat = found.heat / root * (air - sea);
      const V moisture = found.moisture / root * (humidity - saturated);
      const V buoyancy = gravity * (heat / warm + moisture / moist);
      const V ratio = karman * height * buoyancy / (friction * friction);
      const V stability = minimum(maximum(ratio, low), top);
      const ProfileDepartures<V> from = profile_departures(stability);
      const V of_wind = (rise - from.momentum) / karman, of_heat = (rise - from.heat) / karman;
      const V wind_at_10 = speed / (T(1) + square_root(neutral.momentum) * of_wind);
      neutral = neutral_exchange(maximum(wind_at_10, splat<V>(T(0.5))), stability);
      const V drag = square_root(neutral.momentum), slowed = T(1) + drag * of_wind;
      found.momentum = neutral.momentum / (slowed * slowed);
      found.heat = neutral.heat / ((T(1) + neutral.heat * of_heat / drag) * slowed);
      found.moisture = neutral.moisture / ((T(1) + neutral.moisture * of_heat / drag) * slowed);
    }
    return found;
  }
};

inline constexpr Contract<9> ocean_bulk_heat_contract{
    "ocean_bulk_heat",
    {{{"old_tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"wind_speed", Access::read, Place::center, "m s-1"},
      {"air_temperature", Access::read, Place::center, "degree C"},
      {"air_humidity", Access::read, Place::center, "g kg-1"},
      {"short_wave", Access::read, Place::center, "W m-2"},
      {"long_wave", Access::read, Place::center, "W m-2"},
      {"heat_flux", Access::write, Place::center, "W m-2"},
      {"evaporation", Access::write, Place::center, "kg m-2 s-1"},
      {"air_drag", Access::write, Place::center, "kg m-2 s-1"}}}};

/// Heat that passes the surface, what evaporates, and what the wind's drag is in proportion to.
///
/// @param[in]  old_tracer       0 temperature [degree C]
/// @param[in]  wind_speed       mean of the speed of the air [m s-1]
/// @param[in]  air_temperature, air_humidity  of the air [degree C, g kg-1]
/// @param[in]  short_wave       net, downward [W m-2]
/// @param[in]  long_wave        net, upward [W m-2]
/// @param[out] heat_flux        downward, short wave included [W m-2]
/// @param[out] evaporation      upward [kg m-2 s-1]
/// @param[out] air_drag         density of air times drag coefficient times speed [kg m-2 s-1]
/// @param[in]  height           of wind, temperature and humidity [m]
/// @param[in]  density          of air [kg m-3]
/// @param[in]  gravity, karman  [m s-2], [1]
template <class T>
void ocean_bulk_heat(Box box, View4<const T> old_tracer, View2<const T> wind_speed,
                     View2<const T> air_temperature, View2<const T> air_humidity,
                     View2<const T> short_wave, View2<const T> long_wave, View2<T> heat_flux,
                     View2<T> evaporation, View2<T> air_drag, double height, double density,
                     double gravity, double karman) {
  const BulkFormulas<T> formulas{static_cast<T>(height), static_cast<T>(gravity),
                                 static_cast<T>(karman)};
  // freezing point [K], adiabatic lapse rate [K m-1], heat of evaporation [J kg-1], heat capacity
  // of air [J kg-1 K-1], and saturation over sea water [kg m-3], [K]
  const T zero = T(273.15), lapse = T(0.0098), latent = T(2.5e6), capacity = T(1000.5);
  const T saturation = T(0.98 * 640380.0), steepness = T(-5107.4), air = static_cast<T>(density);
  const std::ptrdiff_t top = old_tracer.extent[1] - 1;
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto at = [&](const View2<const T>& f) { return load<V>(f.row(j) + i); };
      const V sea = load<V>(old_tracer.row(0, top, j) + i) + zero, speed = at(wind_speed);
      const V above = at(air_temperature) + (zero + lapse * formulas.height);
      const V humidity = T(1e-3) * at(air_humidity);
      const V saturated = saturation / air * exp(steepness / sea);
      const auto exchange = formulas(speed, above, sea, humidity, saturated);
      const V passing = air * maximum(speed, splat<V>(T(0.5)));
      const V leaving = passing * exchange.moisture * (saturated - humidity);
      const V warming = passing * exchange.heat * capacity * (above - sea);
      store<V>(evaporation.row(j) + i, leaving);
      store<V>(air_drag.row(j) + i, passing * exchange.momentum);
      store<V>(heat_flux.row(j) + i,
               (at(short_wave) - at(long_wave)) + (warming - latent * leaving));
    });
  });
}

inline constexpr Contract<5> ocean_bulk_stress_contract{
    "ocean_bulk_stress",
    {{{"air_drag", Access::read, Place::center, "kg m-2 s-1", {-1, 0, -1, 0}},
      {"air_u", Access::read, Place::corner, "m s-1"},
      {"air_v", Access::read, Place::corner, "m s-1"},
      {"stress_x", Access::write, Place::corner, "m2 s-2"},
      {"stress_y", Access::write, Place::corner, "m2 s-2"}}}};

/// Stress of the wind over the reference density, with the mean drag of the four cells around.
///
/// @param[in]  air_u, air_v        mean wind along the axes of the grid [m s-1]
/// @param[out] stress_x, stress_y  [m2 s-2]
/// @param[in]  density             the reference [kg m-3]
template <class T>
void ocean_bulk_stress(Box box, View2<const T> air_drag, View2<const T> air_u, View2<const T> air_v,
                       View2<T> stress_x, View2<T> stress_y, double density) {
  const T share = static_cast<T>(0.25 / density);
  for_rows(box, [&](int j) {
    const T *south = air_drag.row(j - 1), *north = air_drag.row(j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V drag = share * ((load<V>(south + i - 1) + load<V>(south + i)) +
                              (load<V>(north + i - 1) + load<V>(north + i)));
      store<V>(stress_x.row(j) + i, drag * load<V>(air_u.row(j) + i));
      store<V>(stress_y.row(j) + i, drag * load<V>(air_v.row(j) + i));
    });
  });
}

}  // namespace halocline
