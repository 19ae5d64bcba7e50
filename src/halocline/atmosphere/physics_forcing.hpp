#pragma once
#include "atmosphere/constants.hpp"
#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// What the physics of columns does to wind, heat and water throughout a step, times the mass of
/// layers.
namespace halocline {

namespace air {

/// Adds `value`, or sets it where nothing is there yet.
template <class T, class V>
INLINE void force(View3<T> forcing, int k, int j, std::ptrdiff_t i, bool fresh, V value) {
  if (!fresh) value += load<V>(forcing.row(k, j) + i);
  store<V>(forcing.row(k, j) + i, value);
}

/// Half the sum of mass times acceleration of the two cells beside a face: what the cells lose, the
/// faces gain.
template <class T>
void force_wind(Box box, View3<const T> physics, Columns<T> columns, View1<const T> c1,
                View1<const T> c2, View3<T> forcing, int dj, int di, bool fresh) {
  const int levels = static_cast<int>(physics.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto force_of = [&](int j, std::ptrdiff_t i) {
        return V(layer_mass<V>(c1(k), c2(k), columns.template at<V>(j, i)) *
                 load<V>(physics.row(k, j) + i));
      };
      const V both = force_of(j - dj, i - di) + force_of(j, i);
      force<T, V>(forcing, k, j, i, fresh, T(0.5) * both);
    });
  });
}

}  // namespace air

inline constexpr Contract<6> atmosphere_force_u_contract{
    "atmosphere_force_u",
    {{{"u_physics", Access::read, Place::center, "m s-2", "depth", to_west},
      {"mass", Access::read, Place::center, "Pa", to_west},
      {"base_mass", Access::read, Place::center, "Pa", to_west},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"u_forcing", Access::update, Place::x_face, "Pa m s-2", "depth"}}}};

/// Force of the physics along x.
///
/// @param[in]     u_physics  acceleration at centres [m s-2]
/// @param[in]     mass       of columns, less `base_mass` [Pa]
/// @param[in,out] u_forcing  [Pa m s-2]
/// @param[in]     fresh      whether it is set, not added to
template <class T>
void atmosphere_force_u(Box box, View3<const T> u_physics, View2<const T> mass,
                        View2<const T> base_mass, View1<const T> c1, View1<const T> c2,
                        View3<T> u_forcing, int fresh) {
  air::force_wind<T>(box, u_physics, {base_mass, mass}, c1, c2, u_forcing, 0, 1, fresh != 0);
}

inline constexpr Contract<6> atmosphere_force_v_contract{
    "atmosphere_force_v",
    {{{"v_physics", Access::read, Place::center, "m s-2", "depth", to_south},
      {"mass", Access::read, Place::center, "Pa", to_south},
      {"base_mass", Access::read, Place::center, "Pa", to_south},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"v_forcing", Access::update, Place::y_face, "Pa m s-2", "depth"}}}};

/// Force of the physics along y; arguments as in `atmosphere_force_u`.
template <class T>
void atmosphere_force_v(Box box, View3<const T> v_physics, View2<const T> mass,
                        View2<const T> base_mass, View1<const T> c1, View1<const T> c2,
                        View3<T> v_forcing, int fresh) {
  air::force_wind<T>(box, v_physics, {base_mass, mass}, c1, c2, v_forcing, 1, 0, fresh != 0);
}

inline constexpr Contract<12> atmosphere_force_theta_contract{
    "atmosphere_force_theta",
    {{if_wanted({"turbulent_heating", Access::read, Place::center, "K s-1", "depth"}),
      if_wanted({"long_wave_heating", Access::read, Place::center, "K s-1", "depth"}),
      if_wanted({"short_wave_heating", Access::read, Place::center, "K s-1", "depth"}),
      if_wanted({"convective_heating", Access::read, Place::center, "K s-1", "depth"}),
      {"dry_theta", Access::read, Place::center, "K", "depth"},
      if_wanted({"water", Access::read, Place::center, "1", "species depth", {}, Column::whole}),
      if_wanted({"water_forcing",
                 Access::read,
                 Place::center,
                 "Pa s-1",
                 "species depth",
                 {},
                 Column::whole}),
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"theta_forcing", Access::update, Place::center, "Pa K s-1", "depth"}}}};

/// Heating of the moist potential temperature theta (1 + Rv / Rd qv) by that of theta and by
/// vapour.
///
/// @param[in]     turbulent_heating, long_wave_heating, short_wave_heating, convective_heating  of
///                               theta [K s-1]
/// @param[in]     dry_theta      potential temperature less 300 K
/// @param[in]     water          mixing ratios, that of vapour first, where air is moist [1]
/// @param[in]     water_forcing  what changes them [Pa s-1]
/// @param[in]     mass           of columns, less `base_mass` [Pa]
/// @param[in,out] theta_forcing  [Pa K s-1]
/// @param[in]     fresh          whether it is set, not added to
template <class T>
void atmosphere_force_theta(Box box, View3<const T> turbulent_heating,
                            View3<const T> long_wave_heating, View3<const T> short_wave_heating,
                            View3<const T> convective_heating, View3<const T> dry_theta,
                            View4<const T> water, View4<const T> water_forcing, View2<const T> mass,
                            View2<const T> base_mass, View1<const T> c1, View1<const T> c2,
                            View3<T> theta_forcing, int fresh) {
  const air::Columns<T> columns{base_mass, mass};
  const T reference = T(air::reference_temperature), ratio = T(1 / air::epsilon);
  const int levels = static_cast<int>(dry_theta.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      V rate{}, wetting{};
      for (const auto& heating :
           {turbulent_heating, long_wave_heating, short_wave_heating, convective_heating})
        if (heating.data != nullptr) rate += load<V>(heating.row(k, j) + i);
      if (water.data != nullptr) {
        rate *= splat<V>(T(1)) + ratio * load<V>(water.row(0, k, j) + i);
        if (water_forcing.data != nullptr)
          wetting = ratio * (load<V>(dry_theta.row(k, j) + i) + reference) *
                    load<V>(water_forcing.row(0, k, j) + i);
      }
      const V column = columns.template at<V>(j, i);
      air::force<T, V>(theta_forcing, k, j, i, fresh != 0,
                       V(air::layer_mass<V>(c1(k), c2(k), column) * rate + wetting));
    });
  });
}

inline constexpr Contract<8> atmosphere_force_water_contract{
    "atmosphere_force_water",
    {{if_wanted({"water_physics", Access::read, Place::center, "s-1", "species depth"}),
      if_wanted({"convective_wetting", Access::read, Place::center, "kg m-2 s-1", "species depth"}),
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"water_forcing", Access::write, Place::center, "Pa s-1", "species depth"}}}};

/// What the physics of columns does to the water, times dry mass.
///
/// @param[in]  water_physics       rates of change of mixing ratios [s-1]
/// @param[in]  convective_wetting  the same of layers [kg m-2 s-1]
/// @param[in]  mass           of columns, less `base_mass` [Pa]
/// @param[out] water_forcing  [Pa s-1]
template <class T>
void atmosphere_force_water(Box box, View4<const T> water_physics,
                            View4<const T> convective_wetting, View2<const T> mass,
                            View2<const T> base_mass, View1<const T> c1, View1<const T> c2,
                            View1<const T> thickness, View4<T> water_forcing) {
  const air::Columns<T> columns{base_mass, mass};
  const int species = static_cast<int>(water_forcing.extent[0]);
  const int levels = static_cast<int>(water_forcing.extent[1]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V layer = air::layer_mass<V>(c1(k), c2(k), columns.template at<V>(j, i));
      const T weight = T(air::gravity) / thickness(k);
      for (int s = 0; s < species; ++s) {
        V forcing{};
        if (water_physics.data != nullptr)
          forcing = layer * load<V>(water_physics.row(s, k, j) + i);
        if (convective_wetting.data != nullptr)
          forcing += weight * load<V>(convective_wetting.row(s, k, j) + i);
        store<V>(water_forcing.row(s, k, j) + i, forcing);
      }
    });
  });
}

}  // namespace halocline
