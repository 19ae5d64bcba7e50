#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "contract.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Water that moves and rises: what waves at the sea points feel of it.
namespace halocline::waves {

inline constexpr Contract<19> water_at_points_contract{
    "water_at_points",
    {{{"current_u", Access::read, Place::center, "m s-1", {-1, 1, -1, 1}},
      {"current_v", Access::read, Place::center, "m s-1", {-1, 1, -1, 1}},
      {"level_before", Access::read, Place::center, "m", {-1, 1, -1, 1}},
      {"level_after", Access::read, Place::center, "m", {-1, 1, -1, 1}},
      {"still_depth", Access::read, Place::center, "m", {-1, 1, -1, 1}},
      {"cell_width", Access::read, Place::center, "m"},
      {"cell_height", Access::read, Place::center, "m"},
      {"cell_of_point", Access::read, Place::point, "1"},
      {"map_turning", Access::read, Place::point, "rad m-1"},
      {"depth", Access::write, Place::point, "m"},
      {"depth_change", Access::write, Place::point, "m s-1"},
      {"slope_x", Access::write, Place::point, "1"},
      {"slope_y", Access::write, Place::point, "1"},
      {"convergence", Access::write, Place::point, "s-1"},
      {"stretching", Access::write, Place::point, "s-1"},
      {"shearing", Access::write, Place::point, "s-1"},
      {"rotation", Access::write, Place::point, "rad s-1"},
      {"point_current", Access::write, Place::point, "m s-1", "2"},
      {"point_level", Access::write, Place::point, "m"}}}};

/// Differences along one axis: means of those to both sides, or the one to a side with sea.
template <class T>
class Differences {
 public:
  Differences(bool sea_before, bool sea_after, T length)
      : before_(sea_before ? T(1) : T(0)),
        after_(sea_after ? T(1) : T(0)),
        share_(T(1) / (std::max(before_ + after_, T(1)) * length)) {}

  T operator()(T before, T here, T after) const {
    const T back = before_ > T(0) ? here - before : T(0);
    const T ahead = after_ > T(0) ? after - here : T(0);
    return (back + ahead) * share_;
  }

 private:
  T before_, after_, share_;
};

/// Depth of the water between two levels, how it changes, its slope, and the gradients of the
/// current in the form in which waves feel them (docs/waves.md, "Currents and water level").
///
/// Water is at least `least_depth` deep. On a sphere gradients are those of the vector: what east
/// and north turn along the way belongs to them.
///
/// @param[in]  current_u      current along x at the time of `weight` [m s-1]
/// @param[in]  current_v      current along y
/// @param[in]  level_before   height of the surface above that of `still_depth` at a time
/// @param[in]  level_after    and at a later one
/// @param[in]  still_depth    0 on land and outside the grid
/// @param[in]  cell_width     dx
/// @param[in]  cell_height    dy
/// @param[in]  cell_of_point  j * columns + i of each point in the padded plane
/// @param[in]  map_turning    tan(latitude) / radius on a sphere, else 0
/// @param[out] depth          at the time of `weight`
/// @param[out] depth_change   dd/dt + U . grad d
/// @param[out] slope_x        gradient of the depth along x
/// @param[out] slope_y        and along y
/// @param[out] convergence    -(du/dx + dv/dy) / 2
/// @param[out] stretching     (du/dx - dv/dy) / 2
/// @param[out] shearing       (dv/dx + du/dy) / 2
/// @param[out] rotation       (dv/dx - du/dy) / 2, less u tan(latitude) / radius
/// @param[out] point_current  current along x and y at the points
/// @param[out] point_level    level at the time of `weight`
/// @param[in]  weight         of `level_after`, 0 to 1
/// @param[in]  per_second     1 over the time between the levels, 0 where it does not pass
/// @param[in]  least_depth    [m]
template <class T>
void water_at_points(Box box, View<const T, 2> current_u, View<const T, 2> current_v,
                     View<const T, 2> level_before, View<const T, 2> level_after,
                     View<const T, 2> still_depth, View<const T, 2> cell_width,
                     View<const T, 2> cell_height, View<const std::int32_t, 1> cell_of_point,
                     View<const T, 1> map_turning, View<T, 1> depth, View<T, 1> depth_change,
                     View<T, 1> slope_x, View<T, 1> slope_y, View<T, 1> convergence,
                     View<T, 1> stretching, View<T, 1> shearing, View<T, 1> rotation,
                     View<T, 2> point_current, View<T, 1> point_level, double weight,
                     double per_second, double least_depth) {
  const int columns = static_cast<int>(still_depth.extent[1]);
  const T later = static_cast<T>(weight), least = static_cast<T>(least_depth);
  const auto depth_at = [=](View<const T, 2> level, int j, int i) {
    return std::max(still_depth(j, i) + level(j, i), least);
  };
  const auto between = [=](int j, int i) {
    return (T(1) - later) * depth_at(level_before, j, i) + later * depth_at(level_after, j, i);
  };
  for_each_in<std::ptrdiff_t>(0, box.points, 1, [=](std::ptrdiff_t point) {
    const int j = cell_of_point(point) / columns, i = cell_of_point(point) % columns;
    const auto sea = [=](int row, int column) { return still_depth(row, column) > T(0); };
    const Differences<T> along_x(sea(j, i - 1), sea(j, i + 1), cell_width(j, i));
    const Differences<T> along_y(sea(j - 1, i), sea(j + 1, i), cell_height(j, i));
    const auto gradient_x = [&](const auto& value) {
      return along_x(value(j, i - 1), value(j, i), value(j, i + 1));
    };
    const auto gradient_y = [&](const auto& value) {
      return along_y(value(j - 1, i), value(j, i), value(j + 1, i));
    };
    const T u = current_u(j, i), v = current_v(j, i), turning = map_turning(point);
    const T u_x = gradient_x(current_u) - v * turning, u_y = gradient_y(current_u);
    const T v_x = gradient_x(current_v) + u * turning, v_y = gradient_y(current_v);
    const T d_x = gradient_x(between), d_y = gradient_y(between);
    const T rise = depth_at(level_after, j, i) - depth_at(level_before, j, i);
    depth(point) = between(j, i);
    depth_change(point) = rise * static_cast<T>(per_second) + (u * d_x + v * d_y);
    slope_x(point) = d_x;
    slope_y(point) = d_y;
    convergence(point) = T(-0.5) * (u_x + v_y);
    stretching(point) = T(0.5) * (u_x - v_y);
    shearing(point) = T(0.5) * (v_x + u_y);
    rotation(point) = T(0.5) * (v_x - u_y) - u * turning;
    point_current(0, point) = u;
    point_current(1, point) = v;
    point_level(point) = (T(1) - later) * level_before(j, i) + later * level_after(j, i);
  });
}

inline constexpr Contract<12> fastest_changes_contract{
    "fastest_changes",
    {{{"wavenumber", Access::read, Place::point, "rad m-1", "frequency"},
      {"group_velocity", Access::read, Place::point, "m s-1", "frequency"},
      {"depth", Access::read, Place::point, "m"},
      {"depth_change", Access::read, Place::point, "m s-1"},
      {"map_turning", Access::read, Place::point, "rad m-1"},
      {"convergence", Access::read, Place::point, "s-1"},
      {"stretching", Access::read, Place::point, "s-1"},
      {"shearing", Access::read, Place::point, "s-1"},
      {"rotation", Access::read, Place::point, "rad s-1"},
      {"sigma", Access::read, Place::none, "rad s-1", "frequency"},
      {"fastest_turning", Access::write, Place::point, "rad s-1"},
      {"fastest_shift", Access::write, Place::point, "s-1"}}}};

/// The greatest rates over all directions and frequencies: of turning by the current and along
/// great circles, and of the shift of the logarithm of frequency. The longest waves are the
/// fastest, and have the greatest c_g k / sigma.
///
/// @param[out] fastest_turning  |d(theta)/dt| without what slopes of the bottom add
/// @param[out] fastest_shift    |d(ln sigma)/dt|
template <class T>
void fastest_changes(Box box, View<const T, 2> wavenumber, View<const T, 2> group_velocity,
                     View<const T, 1> depth, View<const T, 1> depth_change,
                     View<const T, 1> map_turning, View<const T, 1> convergence,
                     View<const T, 1> stretching, View<const T, 1> shearing,
                     View<const T, 1> rotation, View<const T, 1> sigma, View<T, 1> fastest_turning,
                     View<T, 1> fastest_shift) {
  const T longest = sigma(0);
  for_each_in<std::ptrdiff_t>(0, box.points, 1, [=](std::ptrdiff_t point) {
    const T stretch = stretching(point), shear = shearing(point);
    const T strain = std::sqrt(stretch * stretch + shear * shear);
    const T speed = group_velocity(0, point);
    const T ratio = speed * wavenumber(0, point) / longest;
    fastest_turning(point) =
        speed * std::abs(map_turning(point)) + (std::abs(rotation(point)) + strain);
    fastest_shift(point) = ratio * (std::abs(convergence(point)) + strain) +
                           (ratio - T(0.5)) * std::abs(depth_change(point)) / depth(point);
  });
}

inline constexpr Contract<5> relative_wind_contract{
    "relative_wind",
    {{{"wind_u", Access::read, Place::point, "m s-1"},
      {"wind_v", Access::read, Place::point, "m s-1"},
      {"point_current", Access::read, Place::point, "m s-1", "2"},
      {"relative_u", Access::write, Place::point, "m s-1"},
      {"relative_v", Access::write, Place::point, "m s-1"}}}};

/// The wind less a `share` of the current.
///
/// @param[in]  wind_u         along x
/// @param[in]  wind_v         along y
/// @param[in]  point_current  along x and y, shape (2, point)
/// @param[out] relative_u     along x
/// @param[out] relative_v     along y
template <class T>
void relative_wind(Box box, View<const T, 1> wind_u, View<const T, 1> wind_v,
                   View<const T, 2> point_current, View<T, 1> relative_u, View<T, 1> relative_v,
                   double share) {
  const T taken = static_cast<T>(share);
  for_each_in<std::ptrdiff_t>(0, box.points, 1, [=](std::ptrdiff_t point) {
    relative_u(point) = wind_u(point) - taken * point_current(0, point);
    relative_v(point) = wind_v(point) - taken * point_current(1, point);
  });
}

inline constexpr Contract<4> crossing_rates_contract{
    "crossing_rates",
    {{{"group_velocity", Access::read, Place::point, "m s-1", "frequency"},
      {"cell_of_point", Access::read, Place::point, "1"},
      {"inverse_width", Access::read, Place::center, "m-1"},
      {"crossing_rate", Access::write, Place::center, "s-1", "frequency"}}}};

/// Group speed over the width of cells, on planes; what it is on land stays.
///
/// @param[in]     group_velocity  shape (frequency, point)
/// @param[in]     cell_of_point   j * columns + i of each point in the padded plane
/// @param[in]     inverse_width   1 / dx of cells
/// @param[out]    crossing_rate   shape (frequency, j, i)
template <class T>
void crossing_rates(Box box, View<const T, 2> group_velocity,
                    View<const std::int32_t, 1> cell_of_point, View<const T, 2> inverse_width,
                    View<T, 3> crossing_rate) {
  const int columns = static_cast<int>(inverse_width.extent[1]);
  for_each_in<std::ptrdiff_t>(0, group_velocity.extent[0], 1, [=](std::ptrdiff_t f) {
    for (std::ptrdiff_t point = 0; point < box.points; ++point) {
      const int j = cell_of_point(point) / columns, i = cell_of_point(point) % columns;
      crossing_rate(f, j, i) = group_velocity(f, point) * inverse_width(j, i);
    }
  });
}

}  // namespace halocline::waves
