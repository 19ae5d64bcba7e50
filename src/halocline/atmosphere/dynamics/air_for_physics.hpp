#pragma once
#include "atmosphere/constants.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// From the state of the dynamics to what physics reads, and back.
namespace halocline {

namespace air {

/// Moist potential temperature over that of dry air: 1 + (Rv / Rd) qv.
template <class V>
INLINE V moist_over_dry(V vapor) {
  using T = scalar_of<V>;
  return T(1) + T(1 / epsilon) * vapor;
}

}  // namespace air

inline constexpr Contract<13> atmosphere_air_for_physics_contract{
    "atmosphere_air_for_physics",
    {{{"theta", Access::read, Place::center, "K", "depth"},
      if_wanted({"water", Access::read, Place::center, "1", "species depth", {}, Column::whole}),
      {"pressure", Access::read, Place::center, "Pa", "depth"},
      {"base_pressure", Access::read, Place::center, "Pa", "depth"},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth"},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", {}, Column::whole},
      {"dry_theta", Access::write, Place::center, "K", "depth"},
      {"air_pressure", Access::write, Place::center, "Pa", "depth"},
      {"air_density", Access::write, Place::center, "kg m-3", "depth"},
      {"exner", Access::write, Place::center, "1", "depth"},
      {"layer_depth", Access::write, Place::center, "m", "depth"},
      if_wanted({"height", Access::write, Place::center, "m", "depth"})}}};

/// What physics reads of the air.
///
/// The law of gases with theta_m = theta (1 + Rv / Rd qv) and the volume alpha of dry air,
/// p alpha = Rd (T / theta) theta_m, gives T / theta without a power.
///
/// @param[in]  theta         moist potential temperature less 300 K
/// @param[in]  water         mixing ratios, that of vapour first, where air is moist [1]
/// @param[in]  pressure, geopotential  less those of the base state [Pa], [m2 s-2]
/// @param[in]  full_volume   of dry air [m3 kg-1]
/// @param[out] dry_theta     potential temperature less 300 K
/// @param[out] air_pressure  [Pa]
/// @param[out] air_density   of dry air [kg m-3]
/// @param[out] exner         T / theta [1]
/// @param[out] layer_depth   [m]
/// @param[out] height        of middles above the ground [m]
template <class T>
void atmosphere_air_for_physics(Box box, View3<const T> theta, View4<const T> water,
                                View3<const T> pressure, View3<const T> base_pressure,
                                View3<const T> full_volume, View3<const T> geopotential,
                                View3<const T> base_geopotential, View3<T> dry_theta,
                                View3<T> air_pressure, View3<T> air_density, View3<T> exner,
                                View3<T> layer_depth, View3<T> height) {
  const T reference = T(air::reference_temperature), per_g = T(1 / air::gravity);
  const int levels = static_cast<int>(theta.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V moist = load<V>(theta.row(k, j) + i), volume = load<V>(full_volume.row(k, j) + i);
      V dry = moist;
      if (water.data != nullptr) {
        const V vapor = load<V>(water.row(0, k, j) + i);
        dry = (moist - T(1 / air::epsilon) * reference * vapor) / air::moist_over_dry(vapor);
      }
      const V p = load<V>(base_pressure.row(k, j) + i) + load<V>(pressure.row(k, j) + i);
      store<V>(dry_theta.row(k, j) + i, dry);
      store<V>(air_pressure.row(k, j) + i, p);
      store<V>(air_density.row(k, j) + i, T(1) / volume);
      store<V>(exner.row(k, j) + i, p * volume / (T(air::dry_gas_constant) * (moist + reference)));
      const auto face = [&](int k) {
        return load<V>(base_geopotential.row(k, j) + i) + load<V>(geopotential.row(k, j) + i);
      };
      const V below = face(k), above = face(k + 1);
      store<V>(layer_depth.row(k, j) + i, per_g * (above - below));
      if (height.data == nullptr) return;
      store<V>(height.row(k, j) + i, per_g * (T(0.5) * (above + below) - face(0)));
    });
  });
}

inline constexpr Contract<5> atmosphere_surface_pressure_contract{
    "atmosphere_surface_pressure",
    {{{"air_pressure", Access::read, Place::center, "Pa", "depth", {}, Column::whole},
      {"air_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"layer_depth", Access::read, Place::center, "m", "depth", {}, Column::whole},
      if_wanted({"dilution", Access::read, Place::center, "1", "depth", {}, Column::whole}),
      {"surface_pressure", Access::write, Place::center, "Pa"}}}};

/// Pressure at the ground: that of the lowest layer and the weight of its lower half.
///
/// @param[in]  air_pressure, air_density, layer_depth  of layers [Pa], of dry air [kg m-3], [m]
/// @param[in]  dilution          dry mass over all mass, where air is moist [1]
/// @param[out] surface_pressure  [Pa]
template <class T>
void atmosphere_surface_pressure(Box box, View3<const T> air_pressure, View3<const T> air_density,
                                 View3<const T> layer_depth, View3<const T> dilution,
                                 View2<T> surface_pressure) {
  const T half_g = T(0.5 * air::gravity);
  for_rows(box, [&](int j) {
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      V weight = half_g * load<V>(air_density.row(0, j) + i) * load<V>(layer_depth.row(0, j) + i);
      if (dilution.data != nullptr) weight /= load<V>(dilution.row(0, j) + i);
      store<V>(surface_pressure.row(j) + i, load<V>(air_pressure.row(0, j) + i) + weight);
    });
  });
}

inline constexpr Contract<3> atmosphere_moist_theta_contract{
    "atmosphere_moist_theta",
    {{{"dry_theta", Access::read, Place::center, "K", "depth"},
      {"water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"theta", Access::write, Place::center, "K", "depth"}}}};

/// Moist potential temperature theta (1 + Rv / Rd qv) after phases have changed.
///
/// @param[in]  dry_theta  potential temperature less 300 K
/// @param[in]  water      mixing ratios, that of vapour first [1]
/// @param[out] theta      less 300 K
template <class T>
void atmosphere_moist_theta(Box box, View3<const T> dry_theta, View4<const T> water,
                            View3<T> theta) {
  const T reference = T(air::reference_temperature);
  const int levels = static_cast<int>(theta.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V dry = load<V>(dry_theta.row(k, j) + i), vapor = load<V>(water.row(0, k, j) + i);
      store<V>(theta.row(k, j) + i, dry + T(1 / air::epsilon) * vapor * (dry + reference));
    });
  });
}

inline constexpr Contract<2> atmosphere_dilution_contract{
    "atmosphere_dilution",
    {{{"water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"dilution", Access::write, Place::center, "1", "depth"}}}};

/// Dry mass over all mass, 1 / (1 + sum of q).
///
/// @param[in]  water     mixing ratios to dry air [1], after them numbers of particles
/// @param[out] dilution  [1]
/// @param[in]  kinds     entries of `water` that are masses
template <class T>
void atmosphere_dilution(Box box, View4<const T> water, View3<T> dilution, int kinds) {
  const int levels = static_cast<int>(water.extent[1]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      V sum = splat<V>(T(1));
      for (int n = kinds - 1; n >= 0; --n) sum += load<V>(water.row(n, k, j) + i);
      store<V>(dilution.row(k, j) + i, T(1) / sum);
    });
  });
}

}  // namespace halocline
