#pragma once
#include "atmosphere/dynamics/advection.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "atmosphere/dynamics/pressure_force.hpp"
#include "atmosphere/dynamics/weno.hpp"
#include "contract.hpp"

/// Tendencies of the horizontal wind: advection, pressure, rotation, and what is given.
namespace halocline {

namespace air {

/// What carries u, at x faces, or v, at y faces: means of the fluxes of the two cells beside them.
template <class T, bool eastward>
struct WindFluxes {
  View3<const T> x_flux, y_flux, rise;

  /// For both, by the one whose rows are found first.
  INLINE void fetch(int k, int j, std::ptrdiff_t i) const {
    if constexpr (eastward) {
      fetch_north(x_flux, k, j, i);
      fetch_north(y_flux, k, j + 1, i);
      fetch_north(rise, k + 1, j, i);
    }
  }
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

/// What one component of the wind has of its own, at its faces.
template <class T>
struct WindFaces {
  View3<const T> wind;
  View2<const T> area, distance, open;
  View3<const T> forcing;
  View3<T> tendency;
};

/// Both components in one pass, as they have most of what they read in common.
template <class T>
struct WindTendency {
  PressureForce<T> force;
  WindFaces<T> u, v;
  View3<const T> x_flux, y_flux, rise;
  View2<const T> coriolis, x_length, y_length;
  View1<const T> thickness;

  /// What a thread keeps of a patch; values at faces are of an order or weighted.
  template <class Faces>
  struct Own {
    ForceRows<T> cells;
    Advection<T, WindFluxes<T, true>, Faces> u;
    Advection<T, WindFluxes<T, false>, Faces> v;

    Own(const Patches& patches, const WindTendency& of, int order, int vertical)
        : cells(patches),
          u(patches, of.u.wind, {of.x_flux, of.y_flux, of.rise}, of.u.area, of.thickness, order,
            vertical),
          v(patches, of.v.wind, {of.x_flux, of.y_flux, of.rise}, of.v.area, of.thickness, order,
            vertical) {}
  };

  template <bool sloping, bool moist, class Faces>
  void find(Own<Faces>& own, Box patch) const {
    own.cells.begin(patch);
    own.u.begin(patch, 0);
    own.v.begin(patch, 0);
    for (int k = 0; k < own.u.levels(); ++k) {
      own.u.begin(k);
      own.v.begin(k);
      force.template share<sloping>(own.cells, k, patch.j0 - 1, patch.i0, patch.i1);
      for (int j = patch.j0; j < patch.j1; ++j) {
        force.template share_row<sloping>(own.cells, k, j, patch.i0, patch.i1);
        own.u.row(k, j, finish(force.template at<true, sloping, moist>(own.cells, k, j)));
        own.v.row(k, j, finish(force.template at<false, sloping, moist>(own.cells, k, j)));
      }
    }
  }

 private:
  /// What stores the tendency where advection brings `gain` and this force acts.
  template <bool eastward, bool sloping, bool moist>
  INLINE auto finish(const FaceForce<T, eastward, sloping, moist>& pushes) const {
    return [this, pushes]<class V>(Lane<V>, int k, int j, std::ptrdiff_t i, V gain) INTO_LOOP {
      const WindFaces<T>& own = eastward ? u : v;
      fetch_north(own.tendency, k, j, i);
      if (eastward) fetch_north(force.middle_geopotential, k, j, i);
      if (eastward && sloping) fetch_north(force.base_pressure, k, j, i);
      V sum = gain + T(-0.25) * pushes.template at<V>(i) / load<V>(own.distance.row(j) + i);
      if (coriolis.data != nullptr) sum += turned<eastward, V>(k, j, i);
      if (own.forcing.data != nullptr) sum += load<V>(own.forcing.row(k, j) + i);
      put<V>(own.tendency.row(k, j) + i, sum * load<V>(own.open.row(j) + i));
    };
  }

  /// Coriolis force of the momentum that crosses the four faces around.
  template <bool eastward, class V>
  INLINE V turned(int k, int j, std::ptrdiff_t i) const {
    constexpr int dj = eastward ? 0 : 1, di = eastward ? 1 : 0;
    const View3<const T>& flux = eastward ? y_flux : x_flux;
    const View2<const T>& length = eastward ? y_length : x_length;
    const auto crossing = [&](int j, std::ptrdiff_t i) INTO_LOOP {
      return load<V>(flux.row(k, j) + i) / load<V>(length.row(j) + i);
    };
    const V here = crossing(j, i) + crossing(j - dj, i - di);
    const V next = crossing(j + di, i + dj) + crossing(j + di - dj, i + dj - di);
    const V f = load<V>(coriolis.row(j) + i) + load<V>(coriolis.row(j - dj) + i - di);
    return T(eastward ? 0.125 : -0.125) * f * (here + next);
  }
};

}  // namespace air

inline constexpr Contract<32> atmosphere_wind_tendency_contract{
    "atmosphere_wind_tendency",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", {-3, 3, -3, 3}, Column::whole},
      {"v", Access::read, Place::y_face, "m s-1", "depth", {-3, 3, -3, 3}, Column::whole},
      {"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", {-1, 1, -1, 0}},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", {-1, 0, -1, 1}},
      {"rise", Access::read, Place::center, "Pa s-1", "depth+1", to_west_and_south, Column::whole},
      {"pressure", Access::read, Place::center, "Pa", "depth", to_west_and_south, Column::whole},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", to_west_and_south,
       Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", to_west_and_south},
      {"middle_geopotential", Access::read, Place::center, "m2 s-2", "depth", to_west_and_south},
      if_wanted({"base_pressure", Access::read, Place::center, "Pa", "depth", to_west_and_south}),
      if_wanted(
          {"base_volume", Access::read, Place::center, "m3 kg-1", "depth", to_west_and_south}),
      if_wanted({"dilution", Access::read, Place::center, "1", "depth", to_west_and_south}),
      {"mass", Access::read, Place::center, "Pa", to_west_and_south},
      {"base_mass", Access::read, Place::center, "Pa", to_west_and_south},
      if_wanted({"coriolis", Access::read, Place::center, "s-1", to_west_and_south}),
      {"x_area", Access::read, Place::x_face, "m2"},
      {"y_area", Access::read, Place::y_face, "m2"},
      {"x_distance", Access::read, Place::x_face, "m"},
      {"y_distance", Access::read, Place::y_face, "m"},
      {"x_length", Access::read, Place::x_face, "m", {0, 1, -1, 0}},
      {"y_length", Access::read, Place::y_face, "m", {-1, 0, 0, 1}},
      {"x_open", Access::read, Place::x_face, "1"},
      {"y_open", Access::read, Place::y_face, "1"},
      if_wanted({"u_forcing", Access::read, Place::x_face, "Pa m s-2", "depth"}),
      if_wanted({"v_forcing", Access::read, Place::y_face, "Pa m s-2", "depth"}),
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"upper_share", Access::read, Place::none, "1", "depth+1"},
      {"to_ground", Access::read, Place::none, "1", "3"},
      {"u_tendency", Access::write, Place::x_face, "Pa m s-2", "depth"},
      {"v_tendency", Access::write, Place::y_face, "Pa m s-2", "depth"}}}};

/// Tendencies of the eastward and northward momentum of layers, per unit of the coordinate.
///
/// @param[in]  u, v       wind [m s-1]
/// @param[in]  x_flux, y_flux, rise  of mass [Pa m2 s-1], upward [Pa s-1]
/// @param[in]  pressure, geopotential, mass  less those of the base state
/// @param[in]  full_volume  of dry air [m3 kg-1]
/// @param[in]  middle_geopotential  of the middle of layers [m2 s-2]
/// @param[in]  base_pressure, base_volume  of the base state, where layers slope
/// @param[in]  dilution   dry mass over all mass, where air is moist [1]
/// @param[in]  coriolis   Coriolis parameter [s-1], on a turning plane
/// @param[in]  x_area, y_area, x_distance, y_distance  of control volumes, between centres
/// @param[in]  x_length, y_length  of western and southern faces [m]
/// @param[in]  x_open, y_open  1, 0 at closed faces
/// @param[in]  u_forcing, v_forcing  what else there is [Pa m s-2]
/// @param[out] u_tendency, v_tendency  [Pa m s-2]
/// @param[in]  order, vertical_order  of advection, 2 to 6
/// @param[in]  weno       not 0: values at faces are weighted, of fifth order, whatever the order
template <class T>
void atmosphere_wind_tendency(
    Box box, View3<const T> u, View3<const T> v, View3<const T> x_flux, View3<const T> y_flux,
    View3<const T> rise, View3<const T> pressure, View3<const T> geopotential,
    View3<const T> full_volume, View3<const T> middle_geopotential, View3<const T> base_pressure,
    View3<const T> base_volume, View3<const T> dilution, View2<const T> mass,
    View2<const T> base_mass, View2<const T> coriolis, View2<const T> x_area, View2<const T> y_area,
    View2<const T> x_distance, View2<const T> y_distance, View2<const T> x_length,
    View2<const T> y_length, View2<const T> x_open, View2<const T> y_open, View3<const T> u_forcing,
    View3<const T> v_forcing, View1<const T> c1, View1<const T> c2, View1<const T> thickness,
    View1<const T> upper_share, View1<const T> to_ground, View3<T> u_tendency, View3<T> v_tendency,
    int order, int vertical_order, int weno) {
  using Tendency = air::WindTendency<T>;
  const Tendency tendency{{{c1, c2, {}, {}, thickness, {}, upper_share},
                           {base_mass, mass},
                           mass,
                           pressure,
                           geopotential,
                           full_volume,
                           middle_geopotential,
                           base_pressure,
                           base_volume,
                           dilution,
                           to_ground},
                          {u, x_area, x_distance, x_open, u_forcing, u_tendency},
                          {v, y_area, y_distance, y_open, v_forcing, v_tendency},
                          x_flux,
                          y_flux,
                          rise,
                          coriolis,
                          x_length,
                          y_length,
                          thickness};
  const air::Patches patches(box);
  air::with_faces<T>(weno, [&]<class Faces>(Faces) {
    using Own = typename Tendency::template Own<Faces>;
    tendency.force.choose([&](auto sloping, auto moist) {
      for_each_in_with(
          0, patches.count(), 1, [&] { return Own(patches, tendency, order, vertical_order); },
          [&](int number, Own& own) {
            tendency.template find<sloping.value, moist.value>(own, patches.at(number));
          });
    });
  });
}

}  // namespace halocline
