#pragma once
#include "contract.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What comes through the surface, added up in float64.
namespace halocline {

inline constexpr Contract<5> ocean_entered_contract{
    "ocean_entered",
    {{{"old_entered", Access::read, Place::center, "any", "entered"},
      {"water_flux", Access::read, Place::center, "m s-1"},
      {"surface_flux", Access::read, Place::center, "any", "tracer", {}, Column::whole},
      {"short_wave", Access::read, Place::center, "W m-2"},
      {"new_entered", Access::write, Place::center, "any", "entered"}}}};

/// Entries are water, heat and salt, then others, which stay:
///
///   new = old + tau (W, F_0 + light per_light, F_1).
///
/// @param[in]   old_entered   what had come by the old level [m, K m, 1e-3 m]
/// @param[in]   water_flux    W, downward, volume per area [m s-1]
/// @param[in]   surface_flux  F, downward, of tracers per area [m s-1 times their units]
/// @param[in]   short_wave    light that enters [W m-2]
/// @param[out]  new_entered   what has come by the new level
/// @param[in]   tau           from the old to the new level [s]
/// @param[in]   per_light     warmth of light, 0 without [K m3 J-1]
template <class T>
void ocean_entered(Box box, View3<const double> old_entered, View2<const T> water_flux,
                   View3<const T> surface_flux, View2<const T> short_wave,
                   View3<double> new_entered, double tau, double per_light) {
  const auto entries = static_cast<int>(new_entered.extent[0]);
  for_rows(box, [&](int j) {
    const T *water = water_flux.row(j), *light = short_wave.row(j);
    const T *heat = surface_flux.row(0, j), *salt = surface_flux.row(1, j);
    for (int entry = 0; entry < entries; ++entry) {
      const double* old = old_entered.row(entry, j);
      double* now = new_entered.row(entry, j);
      const auto of_columns = [&](const auto& change) {
        for (std::ptrdiff_t i = box.i0; i < box.i1; ++i) now[i] = old[i] + change(i);
      };
      const auto wide = [](T value) { return static_cast<double>(value); };
      if (entry == 0) of_columns([&](std::ptrdiff_t i) { return tau * wide(water[i]); });
      if (entry == 1)
        of_columns(
            [&](std::ptrdiff_t i) { return tau * (wide(heat[i]) + per_light * wide(light[i])); });
      if (entry == 2) of_columns([&](std::ptrdiff_t i) { return tau * wide(salt[i]); });
      if (entry > 2) of_columns([](std::ptrdiff_t) { return 0.0; });
    }
  });
}

}  // namespace halocline
