#pragma once
#include <algorithm>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// The barotropic mode: means over the column and the surface, implicit in time.
///
/// With p the pressure of the surface over the reference density, tau the leapfrog interval and
/// F the mean of all other accelerations (Dukowicz and Smith 1994, J. Geophys. Res. 99, 7991):
///
///   (a - U_old) - tau alpha f x (a - U_old) = tau (F - gamma grad p - (1 - gamma) grad p_old)
///   div(H grad p_new) - s p_new = div(H (a / (alpha tau) + grad p_old)) - s p - w / (alpha tau)
///   U_new = a - alpha tau grad(p_new - p_old),   s = 1 / (g alpha tau dt)
namespace halocline {

/// Slope of a field at centres along x and y, at corners: means of the two differences.
template <class V>
struct Slope {
  V x, y;
};
template <class V>
INLINE Slope<V> slope(const scalar_of<V>* south, const scalar_of<V>* north, V dx, V dy,
                      std::ptrdiff_t i) {
  using T = scalar_of<V>;
  const V ne = load<V>(north + i), nw = load<V>(north + i - 1);
  const V se = load<V>(south + i), sw = load<V>(south + i - 1);
  const V half = splat<V>(T(0.5));
  return {half * ((ne - nw) + (se - sw)) / dx, half * ((ne - se) + (nw - sw)) / dy};
}

inline constexpr Reach south_west{-1, 0, -1, 0};

inline constexpr Contract<12> ocean_auxiliary_contract{
    "ocean_auxiliary",
    {{{"force_x", Access::read, Place::corner, "m s-2"},
      {"force_y", Access::read, Place::corner, "m s-2"},
      {"old_mean_u", Access::read, Place::corner, "m s-1"},
      {"old_mean_v", Access::read, Place::corner, "m s-1"},
      {"surface", Access::read, Place::center, "m2 s-2", south_west},
      {"old_surface", Access::read, Place::center, "m2 s-2", south_west},
      {"coriolis", Access::read, Place::corner, "s-1"},
      {"corner_dx", Access::read, Place::corner, "m"},
      {"corner_dy", Access::read, Place::corner, "m"},
      {"corner_depth", Access::read, Place::corner, "m"},
      {"auxiliary_u", Access::write, Place::corner, "m s-1"},
      {"auxiliary_v", Access::write, Place::corner, "m s-1"}}}};

/// The mean velocity without the new surface.
///
/// @param[in]  force_x, force_y  means of all accelerations but those by the surface [m s-2]
/// @param[in]  surface           pressure of the surface over the reference density [m2 s-2]
/// @param[out] auxiliary_u, auxiliary_v  [m s-1], 0 on land
template <class T>
void ocean_auxiliary(Box box, View2<const T> force_x, View2<const T> force_y,
                     View2<const T> old_mean_u, View2<const T> old_mean_v, View2<const T> surface,
                     View2<const T> old_surface, View2<const T> coriolis, View2<const T> corner_dx,
                     View2<const T> corner_dy, View2<const T> corner_depth, View2<T> auxiliary_u,
                     View2<T> auxiliary_v, double tau, double alpha, double gamma) {
  const T interval = static_cast<T>(tau), weight = static_cast<T>(gamma), rest = T(1) - weight;
  const T turning = static_cast<T>(tau * alpha);
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto at = [&](const View2<const T>& f) { return load<V>(f.row(j) + i); };
      const V dx = at(corner_dx), dy = at(corner_dy);
      const Slope<V> now = slope<V>(surface.row(j - 1), surface.row(j), dx, dy, i);
      const Slope<V> old = slope<V>(old_surface.row(j - 1), old_surface.row(j), dx, dy, i);
      const V x = at(force_x) - (weight * now.x + rest * old.x);
      const V y = at(force_y) - (weight * now.y + rest * old.y);
      const V turned = turning * at(coriolis), share = interval / (T(1) + turned * turned);
      const auto wet = at(corner_depth) > V{};
      const V u = at(old_mean_u) + share * (x + turned * y);
      const V v = at(old_mean_v) + share * (y - turned * x);
      store<V>(auxiliary_u.row(j) + i, wet ? u : V{});
      store<V>(auxiliary_v.row(j) + i, wet ? v : V{});
    });
  });
}

inline constexpr Contract<10> ocean_right_side_contract{
    "ocean_right_side",
    {{{"auxiliary_u", Access::read, Place::corner, "m s-1", {0, 1, 0, 1}},
      {"auxiliary_v", Access::read, Place::corner, "m s-1", {0, 1, 0, 1}},
      {"surface", Access::read, Place::center, "m2 s-2"},
      {"old_surface", Access::read, Place::center, "m2 s-2", {-1, 1, -1, 1}},
      {"water_flux", Access::read, Place::center, "m s-1"},
      {"area", Access::read, Place::center, "m2"},
      {"corner_dx", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"corner_dy", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"corner_depth", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"right_side", Access::write, Place::center, "m3 s-2"}}}};

/// The right side of the elliptic equation, times minus the area of cells.
///
/// @param[in]  water_flux  volume of rain and rivers per area [m s-1]
/// @param[out] right_side  [m3 s-2]
/// @param[in]  shift       1 / (g alpha tau dt) [m-1]
template <class T>
void ocean_right_side(Box box, View2<const T> auxiliary_u, View2<const T> auxiliary_v,
                      View2<const T> surface, View2<const T> old_surface, View2<const T> water_flux,
                      View2<const T> area, View2<const T> corner_dx, View2<const T> corner_dy,
                      View2<const T> corner_depth, View2<T> right_side, double tau, double alpha,
                      double shift) {
  const T per_time = static_cast<T>(1.0 / (alpha * tau)), s = static_cast<T>(shift);
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      // what a corner carries along x and y
      const auto carried = [&](int dj, int di) {
        const auto at = [&](const View2<const T>& f) { return load<V>(f.row(j + dj) + i + di); };
        const V dx = at(corner_dx), dy = at(corner_dy), depth = at(corner_depth);
        const Slope<V> old =
            slope<V>(old_surface.row(j + dj - 1), old_surface.row(j + dj), dx, dy, i + di);
        const V x = depth * dy * (per_time * at(auxiliary_u) + old.x);
        return Slope<V>{x, depth * dx * (per_time * at(auxiliary_v) + old.y)};
      };
      const Slope<V> sw = carried(0, 0), se = carried(0, 1), nw = carried(1, 0), ne = carried(1, 1);
      const V x = (sw.x + nw.x) - (se.x + ne.x), y = (sw.y + se.y) - (nw.y + ne.y);
      const auto at = [&](const View2<const T>& f) { return load<V>(f.row(j) + i); };
      const V kept = at(area) * (s * at(surface) + per_time * at(water_flux));
      store<V>(right_side.row(j) + i, splat<V>(T(0.5)) * (x + y) + kept);
    });
  });
}

inline constexpr Contract<3> ocean_first_guess_contract{
    "ocean_first_guess",
    {{{"old_surface", Access::read, Place::center, "m2 s-2"},
      {"surface", Access::read, Place::center, "m2 s-2"},
      {"new_surface", Access::write, Place::center, "m2 s-2"}}}};

/// The new surface as two former ones let expect it.
template <class T>
void ocean_first_guess(Box box, View2<const T> old_surface, View2<const T> surface,
                       View2<T> new_surface) {
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V now = load<V>(surface.row(j) + i);
      store<V>(new_surface.row(j) + i, T(2) * now - load<V>(old_surface.row(j) + i));
    });
  });
}

inline constexpr Contract<9> ocean_mean_velocity_contract{
    "ocean_mean_velocity",
    {{{"auxiliary_u", Access::read, Place::corner, "m s-1"},
      {"auxiliary_v", Access::read, Place::corner, "m s-1"},
      {"new_surface", Access::read, Place::center, "m2 s-2", south_west},
      {"old_surface", Access::read, Place::center, "m2 s-2", south_west},
      {"corner_dx", Access::read, Place::corner, "m"},
      {"corner_dy", Access::read, Place::corner, "m"},
      {"corner_depth", Access::read, Place::corner, "m"},
      {"new_mean_u", Access::write, Place::corner, "m s-1"},
      {"new_mean_v", Access::write, Place::corner, "m s-1"}}}};

/// The new mean velocity.
///
/// @param[in]  new_surface, old_surface  pressure over the reference density [m2 s-2]
/// @param[out] new_mean_u, new_mean_v    [m s-1], 0 on land
template <class T>
void ocean_mean_velocity(Box box, View2<const T> auxiliary_u, View2<const T> auxiliary_v,
                         View2<const T> new_surface, View2<const T> old_surface,
                         View2<const T> corner_dx, View2<const T> corner_dy,
                         View2<const T> corner_depth, View2<T> new_mean_u, View2<T> new_mean_v,
                         double tau, double alpha) {
  const T weight = static_cast<T>(alpha * tau);
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto at = [&](const View2<const T>& f) { return load<V>(f.row(j) + i); };
      const V dx = at(corner_dx), dy = at(corner_dy);
      const Slope<V> now = slope<V>(new_surface.row(j - 1), new_surface.row(j), dx, dy, i);
      const Slope<V> old = slope<V>(old_surface.row(j - 1), old_surface.row(j), dx, dy, i);
      const auto wet = at(corner_depth) > V{};
      const V u = at(auxiliary_u) - weight * (now.x - old.x);
      const V v = at(auxiliary_v) - weight * (now.y - old.y);
      store<V>(new_mean_u.row(j) + i, wet ? u : V{});
      store<V>(new_mean_v.row(j) + i, wet ? v : V{});
    });
  });
}

inline constexpr Contract<5> ocean_velocity_contract{
    "ocean_velocity",
    {{{"new_mean_u", Access::read, Place::corner, "m s-1"},
      {"new_mean_v", Access::read, Place::corner, "m s-1"},
      {"corner_floor", Access::read, Place::corner, "1"},
      {"new_u", Access::update, Place::corner, "m s-1", "depth"},
      {"new_v", Access::update, Place::corner, "m s-1", "depth"}}}};

/// The new mean velocity, added to the baroclinic one.
///
/// @param[in]     corner_floor  the lowest wet level; as many as levels on land [1]
/// @param[in,out] new_u, new_v  baroclinic, then whole velocity [m s-1]
template <class T>
void ocean_velocity(Box box, View2<const T> new_mean_u, View2<const T> new_mean_v,
                    View2<const T> corner_floor, View3<T> new_u, View3<T> new_v) {
  const int levels = static_cast<int>(new_u.extent[0]);
  for_rows(box, [&](int j) {
    const T *floor = corner_floor.row(j),
            lowest = *std::min_element(floor + box.i0, floor + box.i1);
    const T *mean_u = new_mean_u.row(j), *mean_v = new_mean_v.row(j);
    for (int k = static_cast<int>(lowest); k < levels; ++k) {
      T *to_u = new_u.row(k, j), *to_v = new_v.row(k, j);
      const Ahead ahead({next_row(new_u, k, j + 1), next_row(new_v, k, j + 1)});
      over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        ahead.fetch(i);
        const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
        if (!any(wet)) return;
        const V u = load<V>(mean_u + i), v = load<V>(mean_v + i);
        store<V>(to_u + i, load<V>(to_u + i) + (wet ? u : V{}));
        store<V>(to_v + i, load<V>(to_v + i) + (wet ? v : V{}));
      });
    }
  });
}

}  // namespace halocline
