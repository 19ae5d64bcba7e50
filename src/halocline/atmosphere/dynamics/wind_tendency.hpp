#pragma once
#include "atmosphere/dynamics/advection.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "atmosphere/dynamics/pressure_force.hpp"
#include "contract.hpp"

/// Tendencies of the horizontal wind: advection, pressure, rotation, and what is given.
namespace halocline {

namespace air {

/// What carries u, at x faces, or v, at y faces: means of the fluxes of the two cells beside them.
template <class T, bool eastward>
struct WindFluxes {
  View3<const T> x_flux, y_flux, rise;

  template <class V>
  INLINE V x(int k, int j, std::ptrdiff_t i) const {
    return two<V>(x_flux, k, j, i);
  }
  template <class V>
  INLINE V y(int k, int j, std::ptrdiff_t i) const {
    return two<V>(y_flux, k, j, i);
  }
  template <class V>
  INLINE V z(int k, int j, std::ptrdiff_t i) const {
    return two<V>(rise, k, j, i);
  }

 private:
  template <class V>
  INLINE V two(const View3<const T>& of, int k, int j, std::ptrdiff_t i) const {
    const T* other = eastward ? of.row(k, j) - 1 : of.row(k, j - 1);
    return T(0.5) * (load<V>(of.row(k, j) + i) + load<V>(other + i));
  }
};

}  // namespace air

inline constexpr Contract<25> atmosphere_u_tendency_contract{
    "atmosphere_u_tendency",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", {-3, 3, -3, 3}, Column::whole},
      {"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", {-1, 1, 0, 0}},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", {-1, 0, 0, 1}},
      {"rise", Access::read, Place::center, "Pa s-1", "depth+1", to_west, Column::whole},
      {"pressure", Access::read, Place::center, "Pa", "depth", to_west, Column::whole},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", to_west, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", to_west},
      {"middle_geopotential", Access::read, Place::center, "m2 s-2", "depth", to_west},
      if_wanted({"base_pressure", Access::read, Place::center, "Pa", "depth", to_west}),
      if_wanted({"base_volume", Access::read, Place::center, "m3 kg-1", "depth", to_west}),
      if_wanted({"dilution", Access::read, Place::center, "1", "depth", to_west}),
      {"mass", Access::read, Place::center, "Pa", to_west},
      {"base_mass", Access::read, Place::center, "Pa", to_west},
      if_wanted({"coriolis", Access::read, Place::center, "s-1", to_west}),
      {"x_area", Access::read, Place::x_face, "m2"},
      {"x_distance", Access::read, Place::x_face, "m"},
      {"y_length", Access::read, Place::y_face, "m", {-1, 0, 0, 1}},
      {"x_open", Access::read, Place::x_face, "1"},
      if_wanted({"u_forcing", Access::read, Place::x_face, "Pa m s-2", "depth"}),
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"upper_share", Access::read, Place::none, "1", "depth+1"},
      {"to_ground", Access::read, Place::none, "1", "3"},
      {"u_tendency", Access::write, Place::x_face, "Pa m s-2", "depth"}}}};

/// Tendency of the eastward momentum of layers, per unit of the coordinate.
///
/// @param[in]  u          wind along x [m s-1]
/// @param[in]  x_flux, y_flux, rise  of mass [Pa m2 s-1], upward [Pa s-1]
/// @param[in]  pressure, geopotential, mass  less those of the base state
/// @param[in]  full_volume  of dry air [m3 kg-1]
/// @param[in]  middle_geopotential  of the middle of layers [m2 s-2]
/// @param[in]  base_pressure, base_volume  of the base state, where layers slope
/// @param[in]  dilution   dry mass over all mass, where air is moist [1]
/// @param[in]  coriolis   Coriolis parameter [s-1], on a turning plane
/// @param[in]  x_area, x_distance, y_length  of control volumes, between centres, of faces [m]
/// @param[in]  x_open     1, 0 at closed faces
/// @param[in]  u_forcing  what else there is [Pa m s-2]
/// @param[out] u_tendency [Pa m s-2]
template <class T>
void atmosphere_u_tendency(Box box, View3<const T> u, View3<const T> x_flux, View3<const T> y_flux,
                           View3<const T> rise, View3<const T> pressure,
                           View3<const T> geopotential, View3<const T> full_volume,
                           View3<const T> middle_geopotential, View3<const T> base_pressure,
                           View3<const T> base_volume, View3<const T> dilution, View2<const T> mass,
                           View2<const T> base_mass, View2<const T> coriolis, View2<const T> x_area,
                           View2<const T> x_distance, View2<const T> y_length,
                           View2<const T> x_open, View3<const T> u_forcing, View1<const T> c1,
                           View1<const T> c2, View1<const T> thickness, View1<const T> upper_share,
                           View1<const T> to_ground, View3<T> u_tendency, int order,
                           int vertical_order) {
  const air::Layers<T> layers{c1, c2, {}, {}, thickness, {}, upper_share};
  const air::PressureForce<T> force{
      layers,      {base_mass, mass},   mass,          pressure,    geopotential,
      full_volume, middle_geopotential, base_pressure, base_volume, dilution,
      to_ground};
  const air::WindFluxes<T, true> fluxes{x_flux, y_flux, rise};
  air::advect(box, 0, u, fluxes, x_area, thickness, order, vertical_order,
              [&]<class V>(Lane<V>, int k, int j, std::ptrdiff_t i, V gain) INTO_LOOP {
                V sum = gain + force.template at<V>(k, j, i, 0, 1) / load<V>(x_distance.row(j) + i);
                if (coriolis.data != nullptr) {
                  const auto northward = [&](std::ptrdiff_t i, int j) {
                    return load<V>(y_flux.row(k, j) + i) / load<V>(y_length.row(j) + i);
                  };
                  const V v = (northward(i, j) + northward(i - 1, j)) +
                              (northward(i, j + 1) + northward(i - 1, j + 1));
                  const V f = load<V>(coriolis.row(j) + i) + load<V>(coriolis.row(j) + i - 1);
                  sum += T(0.125) * f * v;
                }
                if (u_forcing.data != nullptr) sum += load<V>(u_forcing.row(k, j) + i);
                store<V>(u_tendency.row(k, j) + i, sum * load<V>(x_open.row(j) + i));
              });
}

inline constexpr Contract<25> atmosphere_v_tendency_contract{
    "atmosphere_v_tendency",
    {{{"v", Access::read, Place::y_face, "m s-1", "depth", {-3, 3, -3, 3}, Column::whole},
      {"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", {0, 1, -1, 0}},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", {0, 0, -1, 1}},
      {"rise", Access::read, Place::center, "Pa s-1", "depth+1", to_south, Column::whole},
      {"pressure", Access::read, Place::center, "Pa", "depth", to_south, Column::whole},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", to_south, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", to_south},
      {"middle_geopotential", Access::read, Place::center, "m2 s-2", "depth", to_south},
      if_wanted({"base_pressure", Access::read, Place::center, "Pa", "depth", to_south}),
      if_wanted({"base_volume", Access::read, Place::center, "m3 kg-1", "depth", to_south}),
      if_wanted({"dilution", Access::read, Place::center, "1", "depth", to_south}),
      {"mass", Access::read, Place::center, "Pa", to_south},
      {"base_mass", Access::read, Place::center, "Pa", to_south},
      if_wanted({"coriolis", Access::read, Place::center, "s-1", to_south}),
      {"y_area", Access::read, Place::y_face, "m2"},
      {"y_distance", Access::read, Place::y_face, "m"},
      {"x_length", Access::read, Place::x_face, "m", {0, 1, -1, 0}},
      {"y_open", Access::read, Place::y_face, "1"},
      if_wanted({"v_forcing", Access::read, Place::y_face, "Pa m s-2", "depth"}),
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"upper_share", Access::read, Place::none, "1", "depth+1"},
      {"to_ground", Access::read, Place::none, "1", "3"},
      {"v_tendency", Access::write, Place::y_face, "Pa m s-2", "depth"}}}};

/// Tendency of the northward momentum of layers; arguments as in `atmosphere_u_tendency`.
template <class T>
void atmosphere_v_tendency(Box box, View3<const T> v, View3<const T> x_flux, View3<const T> y_flux,
                           View3<const T> rise, View3<const T> pressure,
                           View3<const T> geopotential, View3<const T> full_volume,
                           View3<const T> middle_geopotential, View3<const T> base_pressure,
                           View3<const T> base_volume, View3<const T> dilution, View2<const T> mass,
                           View2<const T> base_mass, View2<const T> coriolis, View2<const T> y_area,
                           View2<const T> y_distance, View2<const T> x_length,
                           View2<const T> y_open, View3<const T> v_forcing, View1<const T> c1,
                           View1<const T> c2, View1<const T> thickness, View1<const T> upper_share,
                           View1<const T> to_ground, View3<T> v_tendency, int order,
                           int vertical_order) {
  const air::Layers<T> layers{c1, c2, {}, {}, thickness, {}, upper_share};
  const air::PressureForce<T> force{
      layers,      {base_mass, mass},   mass,          pressure,    geopotential,
      full_volume, middle_geopotential, base_pressure, base_volume, dilution,
      to_ground};
  const air::WindFluxes<T, false> fluxes{x_flux, y_flux, rise};
  air::advect(box, 0, v, fluxes, y_area, thickness, order, vertical_order,
              [&]<class V>(Lane<V>, int k, int j, std::ptrdiff_t i, V gain) INTO_LOOP {
                V sum = gain + force.template at<V>(k, j, i, 1, 0) / load<V>(y_distance.row(j) + i);
                if (coriolis.data != nullptr) {
                  const auto eastward = [&](std::ptrdiff_t i, int j) {
                    return load<V>(x_flux.row(k, j) + i) / load<V>(x_length.row(j) + i);
                  };
                  const V u = (eastward(i, j) + eastward(i + 1, j)) +
                              (eastward(i, j - 1) + eastward(i + 1, j - 1));
                  const V f = load<V>(coriolis.row(j) + i) + load<V>(coriolis.row(j - 1) + i);
                  sum -= T(0.125) * f * u;
                }
                if (v_forcing.data != nullptr) sum += load<V>(v_forcing.row(k, j) + i);
                store<V>(v_tendency.row(k, j) + i, sum * load<V>(y_open.row(j) + i));
              });
}

}  // namespace halocline
