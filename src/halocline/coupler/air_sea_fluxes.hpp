#pragma once
#include "contract.hpp"
#include "coupler/coare.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

namespace halocline {

inline constexpr Contract<24> air_sea_fluxes_contract{
    "air_sea_fluxes",
    {{{"sea", Access::read, Place::center, "1"},
      {"wind_east", Access::read, Place::center, "m s-1"},
      {"wind_north", Access::read, Place::center, "m s-1"},
      {"current_east", Access::read, Place::center, "m s-1"},
      {"current_north", Access::read, Place::center, "m s-1"},
      {"air_temperature", Access::read, Place::center, "K"},
      {"air_humidity", Access::read, Place::center, "1"},
      {"air_pressure", Access::read, Place::center, "Pa"},
      {"sea_temperature", Access::read, Place::center, "degree_C"},
      {"short_wave", Access::read, Place::center, "W m-2"},
      {"long_wave", Access::read, Place::center, "W m-2"},
      {"rain", Access::read, Place::center, "kg m-2 s-1"},
      {"wave_height", Access::read, Place::center, "m"},
      {"wave_period", Access::read, Place::center, "s"},
      {"stress_east", Access::write, Place::center, "Pa"},
      {"stress_north", Access::write, Place::center, "Pa"},
      {"sensible_heat", Access::write, Place::center, "W m-2"},
      {"latent_heat", Access::write, Place::center, "W m-2"},
      {"net_long_wave", Access::write, Place::center, "W m-2"},
      {"evaporation", Access::write, Place::center, "kg m-2 s-1"},
      {"heat_into_sea", Access::write, Place::center, "W m-2"},
      {"water_into_sea", Access::write, Place::center, "kg m-2 s-1"},
      {"friction_velocity", Access::write, Place::center, "m s-1"},
      {"roughness_length", Access::write, Place::center, "m"}}}};

/// Stress, heat and water that pass the surface of the sea; 0 on land.
///
/// @param[in]  sea              1 where there is sea, 0 on land
/// @param[in]  wind_east, wind_north, current_east, current_north  [m s-1]
/// @param[in]  air_temperature, air_humidity, air_pressure  [K], specific [1], at the surface [Pa]
/// @param[in]  sea_temperature  below the skin [degree C]
/// @param[in]  short_wave       that enters the sea [W m-2]
/// @param[in]  long_wave        downward [W m-2]
/// @param[in]  rain             [kg m-2 s-1]
/// @param[in]  wave_height, wave_period  significant height [m] and period of the dominant waves
/// [s];
///                              where the height is 0, the roughness is that of the wind
/// @param[out] stress_east, stress_north  on the sea [Pa]
/// @param[out] sensible_heat, latent_heat, net_long_wave  that leave the sea [W m-2]
/// @param[out] evaporation      [kg m-2 s-1]
/// @param[out] heat_into_sea    short wave less all that leaves [W m-2]
/// @param[out] water_into_sea   rain less evaporation [kg m-2 s-1]
/// @param[out] friction_velocity, roughness_length  of the air [m s-1], [m]
/// @param[in]  wind_height, air_height  of the air's fields [m]
/// @param[in]  gravity          [m s-2]
/// @param[in]  cool_skin        1: the skin may be cooler than the sea below
/// @param[in]  turns            of the iteration
template <class T>
void air_sea_fluxes(Box box, View2<const T> sea, View2<const T> wind_east,
                    View2<const T> wind_north, View2<const T> current_east,
                    View2<const T> current_north, View2<const T> air_temperature,
                    View2<const T> air_humidity, View2<const T> air_pressure,
                    View2<const T> sea_temperature, View2<const T> short_wave,
                    View2<const T> long_wave, View2<const T> rain, View2<const T> wave_height,
                    View2<const T> wave_period, View2<T> stress_east, View2<T> stress_north,
                    View2<T> sensible_heat, View2<T> latent_heat, View2<T> net_long_wave,
                    View2<T> evaporation, View2<T> heat_into_sea, View2<T> water_into_sea,
                    View2<T> friction_velocity, View2<T> roughness_length, double wind_height,
                    double air_height, double gravity, int cool_skin, int turns) {
  const AirLevel<T> level{T(wind_height), T(air_height), T(gravity)};
  const T speed_of_period = T(gravity / 6.2831853071795865);
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto at = [&](const View2<const T>& f) { return load<V>(f.row(j) + i); };
      const auto wet = at(sea) > V{};
      const auto usual = [&](V value, double dry) { return wet ? value : splat<V>(T(dry)); };
      const V east = at(wind_east) - at(current_east), north = at(wind_north) - at(current_north);
      const V wind = square_root(V(east * east + north * north));
      const AirOverSea<V> air{usual(wind, 1.0),
                              usual(at(air_temperature) - T(273.15), 10.0),
                              usual(at(air_humidity), 0.005),
                              usual(T(0.01) * at(air_pressure), 1000.0),
                              usual(at(sea_temperature), 10.0),
                              usual(at(short_wave), 0.0),
                              usual(at(long_wave), 300.0),
                              usual(at(wave_height), 0.0),
                              usual(speed_of_period * at(wave_period), 1.0)};
      const auto found = air_sea_exchange<V>(level, air, cool_skin != 0, turns);
      const auto put = [&](const View2<T>& to, V value) {
        store<V>(to.row(j) + i, wet ? value : V{});
      };
      put(stress_east, found.drag * east);
      put(stress_north, found.drag * north);
      put(sensible_heat, found.sensible);
      put(latent_heat, found.latent);
      put(net_long_wave, found.long_wave);
      put(evaporation, found.evaporation);
      put(heat_into_sea, at(short_wave) - ((found.sensible + found.latent) + found.long_wave));
      put(water_into_sea, at(rain) - found.evaporation);
      put(friction_velocity, found.friction);
      put(roughness_length, found.roughness);
    });
  });
}

}  // namespace halocline
