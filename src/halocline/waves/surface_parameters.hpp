#pragma once
#include <algorithm>
#include <cstring>

#include "contract.hpp"
#include "elementary.hpp"
#include "pack.hpp"
#include "view.hpp"

/// What the air feels of the sea: speed and direction of the wind, drag and Charnock's parameter.
namespace halocline::waves {

inline constexpr Contract<7> surface_parameters_contract{
    "surface_parameters",
    {{{"wind_u", Access::read, Place::point, "m s-1"},
      {"wind_v", Access::read, Place::point, "m s-1"},
      {"friction_velocity", Access::read, Place::point, "m s-1"},
      {"wind_speed", Access::write, Place::point, "m s-1"},
      {"wind_direction", Access::write, Place::point, "degree"},
      {"drag_coefficient", Access::write, Place::point, "1"},
      {"charnock", Access::write, Place::point, "1"}}}};

template <class V>
struct SurfaceParameters {
  V speed, direction, drag, charnock;
};

/// Logarithmic profile: z0 = z exp(-kappa U / u*), Charnock's parameter g z0 / u*^2 (Charnock
/// 1955).
template <class V>
HD inline SurfaceParameters<V> surface_parameters_of(V u, V v, V friction_velocity,
                                                     scalar_of<V> height, scalar_of<V> von_karman,
                                                     scalar_of<V> gravity, scalar_of<V> missing) {
  using T = scalar_of<V>;
  const V none = splat<V>(missing), zero = V{};
  const V speed = square_root(u * u + v * v);
  const auto calm = speed <= zero;
  const V degrees = T(57.29577951308232) * atan2(zero - u, zero - v);
  const V positive = degrees < zero ? degrees + T(360) : degrees;
  const auto still = friction_velocity <= zero;
  const V safe = still ? splat<V>(T(1)) : friction_velocity;
  const V roughness = height * exp(-von_karman * speed / safe);
  const V relative = friction_velocity / (calm ? splat<V>(T(1)) : speed);
  return {speed, calm ? none : positive, calm ? none : relative * relative,
          still ? none : gravity * roughness / (safe * safe)};
}

/// Wind speed, direction, drag coefficient and Charnock's parameter at the sea points.
///
/// @param[in]  box                owned points
/// @param[in]  wind_u             eastward and northward wind [m s-1]
/// @param[in]  friction_velocity  of the air [m s-1]
/// @param[out] wind_speed         [m s-1]
/// @param[out] wind_direction     where the wind comes from, clockwise from north [degree]
/// @param[out] drag_coefficient   (u* / U)^2 [1]
/// @param[out] charnock           [1]
/// @param[in]  height             height of the wind [m]
/// @param[in]  missing            value where there is no wind
template <class T>
void surface_parameters(Box box, View1<const T> wind_u, View1<const T> wind_v,
                        View1<const T> friction_velocity, View1<T> wind_speed,
                        View1<T> wind_direction, View1<T> drag_coefficient, View1<T> charnock,
                        double height, double von_karman, double gravity, double missing) {
  using V = pack<T, lanes<T>>;
  constexpr std::ptrdiff_t width = lanes<T>;
  for (std::ptrdiff_t start = 0; start < box.points; start += width) {
    const std::size_t bytes = std::min(width, box.points - start) * sizeof(T);
    V u{}, v{}, friction{};
    std::memcpy(&u, wind_u.data + start, bytes);
    std::memcpy(&v, wind_v.data + start, bytes);
    std::memcpy(&friction, friction_velocity.data + start, bytes);
    const SurfaceParameters<V> found =
        surface_parameters_of(u, v, friction, static_cast<T>(height), static_cast<T>(von_karman),
                              static_cast<T>(gravity), static_cast<T>(missing));
    std::memcpy(wind_speed.data + start, &found.speed, bytes);
    std::memcpy(wind_direction.data + start, &found.direction, bytes);
    std::memcpy(drag_coefficient.data + start, &found.drag, bytes);
    std::memcpy(charnock.data + start, &found.charnock, bytes);
  }
}

}  // namespace halocline::waves
