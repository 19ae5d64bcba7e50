#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Net long wave from the sea by a formula for the Mediterranean: Bignami et al. 1995, J. Geophys.
/// Res. 100, 2501.
namespace halocline {

inline constexpr Contract<5> ocean_long_wave_contract{
    "ocean_long_wave",
    {{{"old_tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"air_temperature", Access::read, Place::center, "degree C"},
      {"air_humidity", Access::read, Place::center, "g kg-1"},
      {"cloud", Access::read, Place::center, "1"},
      {"long_wave", Access::write, Place::center, "W m-2"}}}};

/// With the Stefan-Boltzmann constant s, vapour pressure e [hPa] and cloud C:
///
///   0.98 s Ts^4 - s Ta^4 (0.653 + 0.00535 e) (1 + 0.1762 C^2)
///
/// @param[in]  old_tracer       0 temperature [degree C], of the surface Ts
/// @param[in]  air_temperature  Ta [degree C]
/// @param[in]  air_humidity     specific humidity, for e at 1013.25 hPa [g kg-1]
/// @param[in]  cloud            share of the sky [1]
/// @param[out] long_wave        net, upward [W m-2]
template <class T>
void ocean_long_wave(Box box, View4<const T> old_tracer, View2<const T> air_temperature,
                     View2<const T> air_humidity, View2<const T> cloud, View2<T> long_wave) {
  const T stefan = T(5.670374e-8), zero = T(273.15), pressure = T(1013.25);
  const std::ptrdiff_t top = old_tracer.extent[1] - 1;
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V sea = load<V>(old_tracer.row(0, top, j) + i) + zero;
      const V air = load<V>(air_temperature.row(j) + i) + zero;
      const V moist = T(1e-3) * load<V>(air_humidity.row(j) + i);
      const V covered = load<V>(cloud.row(j) + i);
      const V vapour = pressure * moist / (T(0.622) + T(0.378) * moist);
      const V up = (T(0.98) * stefan) * ((sea * sea) * (sea * sea));
      const V down = stefan * ((air * air) * (air * air)) * (T(0.653) + T(0.00535) * vapour);
      store<V>(long_wave.row(j) + i, up - down * (T(1) + T(0.1762) * (covered * covered)));
    });
  });
}

}  // namespace halocline
