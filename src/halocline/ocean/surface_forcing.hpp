#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What passes the surface of the ocean, positive downward: stress, heat, water and salt; short
/// wave in the column; and a heat store that keeps water from falling below its freezing point.
namespace halocline {

inline constexpr Contract<4> ocean_wind_stress_contract{
    "ocean_wind_stress",
    {{{"wind_x", Access::read, Place::corner, "Pa"},
      {"wind_y", Access::read, Place::corner, "Pa"},
      {"stress_x", Access::write, Place::corner, "m2 s-2"},
      {"stress_y", Access::write, Place::corner, "m2 s-2"}}}};

/// Stress of the wind over the reference density.
///
/// @param[in]  wind_x, wind_y      stress along the axes of the grid [Pa]
/// @param[out] stress_x, stress_y  [m2 s-2]
/// @param[in]  density             the reference [kg m-3]
template <class T>
void ocean_wind_stress(Box box, View2<const T> wind_x, View2<const T> wind_y, View2<T> stress_x,
                       View2<T> stress_y, double density) {
  const T reference = static_cast<T>(density);
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(stress_x.row(j) + i, load<V>(wind_x.row(j) + i) / reference);
      store<V>(stress_y.row(j) + i, load<V>(wind_y.row(j) + i) / reference);
    });
  });
}

inline constexpr Contract<8> ocean_surface_flux_contract{
    "ocean_surface_flux",
    {{{"old_tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"heat_flux", Access::read, Place::center, "W m-2"},
      {"short_wave", Access::read, Place::center, "W m-2"},
      {"temperature_target", Access::read, Place::center, "degree C"},
      {"salinity_target", Access::read, Place::center, "1e-3"},
      {"water_flux", Access::read, Place::center, "m s-1"},
      {"floor_level", Access::read, Place::center, "1"},
      {"surface_flux", Access::write, Place::center, "any", "tracer"}}}};

/// Fluxes of tracers through the surface, downward:
///
///   temperature: (Q - Qs) / (rho c) + piston (T* - T) + W T,   salinity: piston (S* - S),
///
/// water W comes and goes at the temperature of the surface and without salt; other tracers: none.
///
/// @param[in]  old_tracer    of which the surface is restored; 0 temperature, 1 salinity
/// @param[in]  heat_flux     Q, all heat [W m-2]
/// @param[in]  short_wave    Qs, the part of it that is absorbed in the column [W m-2]
/// @param[in]  temperature_target, salinity_target  T*, S* [degree C, 1e-3]
/// @param[in]  water_flux    W, volume per area [m s-1]
/// @param[in]  floor_level   the lowest wet level; as many as levels on land
/// @param[out] surface_flux  [m s-1 times the units of the tracer], 0 on land
/// @param[in]  per_capacity  1 / (rho c) [K m3 J-1]
/// @param[in]  temperature_piston, salinity_piston  [m s-1]
template <class T>
void ocean_surface_flux(Box box, View4<const T> old_tracer, View2<const T> heat_flux,
                        View2<const T> short_wave, View2<const T> temperature_target,
                        View2<const T> salinity_target, View2<const T> water_flux,
                        View2<const T> floor_level, View3<T> surface_flux, double per_capacity,
                        double temperature_piston, double salinity_piston) {
  const T warming = static_cast<T>(per_capacity);
  const T pistons[2] = {static_cast<T>(temperature_piston), static_cast<T>(salinity_piston)};
  const std::ptrdiff_t top = old_tracer.extent[1] - 1;
  for_rows(box, [&](int j) {
    const T* targets[2] = {temperature_target.row(j), salinity_target.row(j)};
    for (int t = 0; t < surface_flux.extent[0]; ++t)
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V here = load<V>(old_tracer.row(t, top, j) + i);
        V flux = t < 2 ? V(pistons[t] * (load<V>(targets[t] + i) - here)) : V{};
        if (t == 0)
          flux += warming * (load<V>(heat_flux.row(j) + i) - load<V>(short_wave.row(j) + i)) +
                  load<V>(water_flux.row(j) + i) * here;
        const auto wet = load<V>(floor_level.row(j) + i) <= splat<V>(static_cast<T>(top));
        store<V>(surface_flux.row(t, j) + i, wet ? flux : V{});
      });
  });
}

inline constexpr Contract<7> ocean_short_wave_contract{
    "ocean_short_wave",
    {{{"new_tracer", Access::update, Place::center, "any", "tracer depth", {}, Column::whole},
      {"new_layer", Access::read, Place::center, "m"},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"short_wave", Access::read, Place::center, "W m-2"},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"transmitted", Access::read, Place::none, "1", "depth+1"}}}};

/// Warm the water by what it absorbs of the short wave; the lowest level takes what is left.
///
/// @param[in,out] new_tracer   0 temperature [degree C]
/// @param[in]     new_layer    thickness of the uppermost cell [m]
/// @param[in]     floor_level  the lowest wet level; as many as levels on land
/// @param[in]     bottom_share of its level that the cell there has [1]
/// @param[in]     short_wave   that enters at the surface, downward [W m-2]
/// @param[in]     thickness    of levels [m]
/// @param[in]     transmitted  share that passes the interfaces, 1 at the surface, 0 from some on
/// [1]
/// @param[in]     heating      tau / (rho c) [K m3 s J-1]
template <class T>
void ocean_short_wave(Box box, View4<T> new_tracer, View2<const T> new_layer,
                      View2<const T> floor_level, View2<const T> bottom_share,
                      View2<const T> short_wave, View1<const T> thickness,
                      View1<const T> transmitted, double heating) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const int levels = static_cast<int>(thickness.extent[0]);
  const T rate = static_cast<T>(heating);
  for_rows(box, [&](int j) {
    const T *layer = new_layer.row(j), *floor = floor_level.row(j), *light = short_wave.row(j);
    for (int k = levels - 1; k >= 0 && transmitted(k + 1) > T(0); --k) {
      T* to = new_tracer.row(0, k, j);
      const RowShares<T> cells = bottom.row(k, j);
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V level = splat<V>(static_cast<T>(k)), lowest = load<V>(floor + i);
        const V passing = lowest < level ? splat<V>(transmitted(k)) : V{};
        const V below = thickness(k) * cells.template at<V>(i);
        const V dz = k == levels - 1 ? load<V>(layer + i) : below;
        const V warmed = rate * load<V>(light + i) * (transmitted(k + 1) - passing) / dz;
        store<V>(to + i, load<V>(to + i) + (lowest <= level ? warmed : V{}));
      });
    }
  });
}

inline constexpr Contract<7> ocean_frazil_contract{
    "ocean_frazil",
    {{{"new_tracer", Access::update, Place::center, "any", "tracer depth", {}, Column::whole},
      {"new_layer", Access::read, Place::center, "m"},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"old_heat_store", Access::read, Place::center, "K m"},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"new_heat_store", Access::write, Place::center, "K m"}}}};

/// Lend heat to water below its freezing point, slope S, and take it back from a warmer surface.
///
/// The store is what the column owes, as ice would hold it: heat of the water less the store is
/// what the fluxes brought. Salt stays in the water.
///
/// @param[in,out] new_tracer      0 temperature [degree C], 1 salinity [1e-3]
/// @param[in]     new_layer       thickness of the uppermost cell [m]
/// @param[in]     floor_level     the lowest wet level; as many as levels on land
/// @param[in]     bottom_share    of its level that the cell there has [1]
/// @param[in]     old_heat_store  lent until the old level [K m]
/// @param[in]     thickness       of levels [m]
/// @param[out]    new_heat_store  lent until the new level [K m]
/// @param[in]     slope           freezing point per salinity [K]
template <class T>
void ocean_frazil(Box box, View4<T> new_tracer, View2<const T> new_layer,
                  View2<const T> floor_level, View2<const T> bottom_share,
                  View2<const T> old_heat_store, View1<const T> thickness, View2<T> new_heat_store,
                  double slope) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const int levels = static_cast<int>(thickness.extent[0]);
  const T per_salinity = static_cast<T>(slope);
  for_rows(box, [&](int j) {
    T* lent = new_heat_store.row(j);
    const T *floor = floor_level.row(j), *layer = new_layer.row(j);
    for (int k = 0; k < levels; ++k) {
      const bool lowest = k == 0, highest = k == levels - 1;
      T* to = new_tracer.row(0, k, j);
      const T *salinity = new_tracer.row(1, k, j), *before = lowest ? old_heat_store.row(j) : lent;
      const RowShares<T> cells = bottom.row(k, j);
      const Ahead ahead({next_row(new_tracer, 0, k, j + 1), next_row(new_tracer, 1, k, j + 1)});
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        ahead.fetch(i);
        const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
        if (!any(wet)) return store<V>(lent + i, load<V>(before + i));
        const V below = thickness(k) * cells.template at<V>(i);
        const V dz = highest ? load<V>(layer + i) : below;
        const V here = load<V>(to + i), point = per_salinity * load<V>(salinity + i);
        const V warm = here < point ? point : here;
        V owed = load<V>(before + i) + (wet ? V((warm - here) * dz) : V{});
        V kept = warm;
        if (highest) {
          const V spare = (warm - point) * dz;
          const V paid = wet ? V(spare < owed ? spare : owed) : V{};
          owed -= paid;
          kept = warm - paid / dz;
          kept = kept < point ? point : kept;
        }
        store<V>(to + i, wet ? kept : here);
        store<V>(lent + i, owed);
      });
    }
  });
}

}  // namespace halocline
