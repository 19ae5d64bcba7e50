#pragma once
#include <cmath>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Stokes drift of waves in the ocean: its profile, the force of Coriolis on it, and the water that
/// it carries.
namespace halocline {

/// The drift above a depth z, as a share of the surface drift times z, for s = 2 k z: the integral
/// from 0 to s of  exp(-s) - sqrt(pi s) erfc(sqrt(s)),  the profile under a spectrum of Phillips
/// (Breivik, Bidlot and Janssen 2016, Ocean Modelling 100, 49, equations 16 and 18 with beta = 1).
/// Over all depths it is 1/3, so that the drift v at the surface and its transport T tell
/// k = v / (6 T).
HD inline double drift_above(double s) {
  const double root = std::sqrt(s), rest = std::exp(-s);
  const double tail = 1.7724538509055160273 * s * root * std::erfc(root);
  return (1.0 - rest) - (2.0 / 3.0) * (1.0 + tail - (1.0 + s) * rest);
}

inline constexpr Contract<10> ocean_stokes_profile_contract{
    "ocean_stokes_profile",
    {{{"drift_u", Access::read, Place::corner, "m s-1"},
      {"drift_v", Access::read, Place::corner, "m s-1"},
      {"drift_wavenumber", Access::read, Place::corner, "rad m-1"},
      {"corner_floor", Access::read, Place::corner, "1"},
      if_wanted({"corner_bottom_share", Access::read, Place::corner, "1"}),
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"given_stokes_u", Access::write, Place::corner, "m s-1", "depth", {}, Column::whole},
      {"given_stokes_v", Access::write, Place::corner, "m s-1", "depth", {}, Column::whole},
      {"given_mean_stokes_u", Access::write, Place::corner, "m s-1"},
      {"given_mean_stokes_v", Access::write, Place::corner, "m s-1"}}}};

/// Means of the drift over the thickness of velocity cells, and over columns; 0 on land.
///
/// @param[in]  drift_u, drift_v     at the surface, along the axes of the grid [m s-1]
/// @param[in]  drift_wavenumber     k of the profile [rad m-1]; 0: no drift
/// @param[in]  corner_floor         the lowest wet level; as many as levels on land
/// @param[in]  corner_bottom_share  of its level that the velocity cell there has [1]
/// @param[in]  thickness            of levels [m]
/// @param[out] given_stokes_u, given_stokes_v            [m s-1]
/// @param[out] given_mean_stokes_u, given_mean_stokes_v  means over columns [m s-1]
template <class T>
void ocean_stokes_profile(Box box, View2<const T> drift_u, View2<const T> drift_v,
                          View2<const T> drift_wavenumber, View2<const T> corner_floor,
                          View2<const T> corner_bottom_share, View1<const T> thickness,
                          View3<T> given_stokes_u, View3<T> given_stokes_v,
                          View2<T> given_mean_stokes_u, View2<T> given_mean_stokes_v) {
  const BottomCells<T> bottom{corner_floor, corner_bottom_share};
  const int levels = static_cast<int>(thickness.extent[0]);
  for_rows(box, [&](int j) {
    for (int i = box.i0; i < box.i1; ++i) {
      const double twice = 2.0 * static_cast<double>(drift_wavenumber(j, i));
      const int lowest = static_cast<int>(corner_floor(j, i));
      double top = 0.0, above = 0.0;
      for (int k = levels - 1; k >= 0; --k) {
        double share = 0.0;
        if (k >= lowest && twice > 0.0) {
          const double dz = thickness(k) * static_cast<double>(bottom.row(k, j).template at<T>(i));
          const double here = drift_above(twice * (top + dz));
          share = (here - above) / (twice * dz);
          above = here;
          top += dz;
        }
        given_stokes_u(k, j, i) = static_cast<T>(share * drift_u(j, i));
        given_stokes_v(k, j, i) = static_cast<T>(share * drift_v(j, i));
      }
      const double mean = top > 0.0 ? above / (twice * top) : 0.0;
      given_mean_stokes_u(j, i) = static_cast<T>(mean * drift_u(j, i));
      given_mean_stokes_v(j, i) = static_cast<T>(mean * drift_v(j, i));
    }
  });
}

inline constexpr Contract<5> ocean_stokes_force_contract{
    "ocean_stokes_force",
    {{{"stokes_u", Access::read, Place::corner, "m s-1", "depth"},
      {"stokes_v", Access::read, Place::corner, "m s-1", "depth"},
      {"coriolis", Access::read, Place::corner, "s-1"},
      {"friction_x", Access::update, Place::corner, "m s-2", "depth"},
      {"friction_y", Access::update, Place::corner, "m s-2", "depth"}}}};

/// Add the force of Coriolis on the drift, -f k x u_s (Hasselmann 1970, Geophys. Fluid Dyn. 1,
/// 463).
///
/// @param[in]     stokes_u, stokes_v      drift [m s-1]
/// @param[in]     coriolis                f [s-1]
/// @param[in,out] friction_x, friction_y  forces computed apart [m s-2]
template <class T>
void ocean_stokes_force(Box box, View3<const T> stokes_u, View3<const T> stokes_v,
                        View2<const T> coriolis, View3<T> friction_x, View3<T> friction_y) {
  for_pairs(static_cast<int>(stokes_u.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V f = load<V>(coriolis.row(j) + i);
      T *x = friction_x.row(k, j) + i, *y = friction_y.row(k, j) + i;
      store<V>(x, load<V>(x) + f * load<V>(stokes_v.row(k, j) + i));
      store<V>(y, load<V>(y) - f * load<V>(stokes_u.row(k, j) + i));
    });
  });
}

inline constexpr Contract<6> ocean_carrying_velocity_contract{
    "ocean_carrying_velocity",
    {{{"u", Access::read, Place::corner, "m s-1", "depth"},
      {"v", Access::read, Place::corner, "m s-1", "depth"},
      {"stokes_u", Access::read, Place::corner, "m s-1", "depth"},
      {"stokes_v", Access::read, Place::corner, "m s-1", "depth"},
      {"carrying_u", Access::write, Place::corner, "m s-1", "depth"},
      {"carrying_v", Access::write, Place::corner, "m s-1", "depth"}}}};

/// Velocity with which particles move: that of the flow and the drift.
template <class T>
void ocean_carrying_velocity(Box box, View3<const T> u, View3<const T> v, View3<const T> stokes_u,
                             View3<const T> stokes_v, View3<T> carrying_u, View3<T> carrying_v) {
  for_pairs(static_cast<int>(u.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto sum = [&](const View3<const T>& flow, const View3<const T>& drift) {
        return V(load<V>(flow.row(k, j) + i) + load<V>(drift.row(k, j) + i));
      };
      store<V>(carrying_u.row(k, j) + i, sum(u, stokes_u));
      store<V>(carrying_v.row(k, j) + i, sum(v, stokes_v));
    });
  });
}

inline constexpr Contract<6> ocean_stokes_divergence_contract{
    "ocean_stokes_divergence",
    {{{"new_mean_stokes_u", Access::read, Place::corner, "m s-1", {0, 1, 0, 1}},
      {"new_mean_stokes_v", Access::read, Place::corner, "m s-1", {0, 1, 0, 1}},
      {"corner_dx", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"corner_dy", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"corner_depth", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"right_side", Access::update, Place::center, "m3 s-2"}}}};

/// Let the drift take part in what converges under the surface: the right side of the elliptic
/// equation (barotropic.hpp) gets  div(H u_s) / (alpha tau)  as it has that of the mean velocity.
///
/// @param[in]     new_mean_stokes_u, new_mean_stokes_v  means over columns, of the new level [m
/// s-1]
/// @param[in,out] right_side                            [m3 s-2]
template <class T>
void ocean_stokes_divergence(Box box, View2<const T> new_mean_stokes_u,
                             View2<const T> new_mean_stokes_v, View2<const T> corner_dx,
                             View2<const T> corner_dy, View2<const T> corner_depth,
                             View2<T> right_side, double tau, double alpha) {
  const T half = static_cast<T>(0.5 / (alpha * tau));
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto at = [&](const View2<const T>& f, int dj, int di) {
        return load<V>(f.row(j + dj) + i + di);
      };
      const auto east = [&](int dj, int di) {
        return V(at(corner_depth, dj, di) * at(corner_dy, dj, di) * at(new_mean_stokes_u, dj, di));
      };
      const auto north = [&](int dj, int di) {
        return V(at(corner_depth, dj, di) * at(corner_dx, dj, di) * at(new_mean_stokes_v, dj, di));
      };
      const V x = (east(0, 0) + east(1, 0)) - (east(0, 1) + east(1, 1));
      const V y = (north(0, 0) + north(0, 1)) - (north(1, 0) + north(1, 1));
      T* to = right_side.row(j) + i;
      store<V>(to, load<V>(to) + half * (x + y));
    });
  });
}

}  // namespace halocline
