#pragma once
#include <algorithm>
#include <cstring>

#include "contract.hpp"
#include "elementary.hpp"
#include "pack.hpp"
#include "schedules.hpp"
#include "view.hpp"

namespace halocline {

inline constexpr Contract<6> interpolate_wind_contract{
    "interpolate_wind",
    {{{"wind_u_before", Access::read, Place::point, "m s-1"},
      {"wind_v_before", Access::read, Place::point, "m s-1"},
      {"wind_u_after", Access::read, Place::point, "m s-1"},
      {"wind_v_after", Access::read, Place::point, "m s-1"},
      {"wind_u", Access::write, Place::point, "m s-1"},
      {"wind_v", Access::write, Place::point, "m s-1"}}}};

template <class V>
struct Wind {
  V u, v;
};

/// Wind between two times, each component by itself; `weight` is that of `after`.
template <class V>
HD inline Wind<V> between_components(Wind<V> before, Wind<V> after, scalar_of<V> weight) {
  using T = scalar_of<V>;
  return {(T(1) - weight) * before.u + weight * after.u,
          (T(1) - weight) * before.v + weight * after.v};
}

/// Wind between two times: speed linear, direction along the shorter arc. A calm has the direction
/// of the other time; opposite winds turn anticlockwise.
template <class V>
HD inline Wind<V> between_along_arc(Wind<V> before, Wind<V> after, scalar_of<V> weight) {
  using T = scalar_of<V>;
  const V none = V{};
  const V one = splat<V>(T(1));
  const V speed_before = square_root(before.u * before.u + before.v * before.v);
  const V speed_after = square_root(after.u * after.u + after.v * after.v);
  // Adding zero turns -0 into +0: opposite winds have one angle, +pi, and calms none.
  const V along = (before.u * after.u + before.v * after.v) + T(0);
  const V across = (before.u * after.v - before.v * after.u) + T(0);
  const SineCosine<V> turn = sine_cosine(weight * atan2(across, along));
  const auto calm = speed_before == none;
  const V length = calm ? speed_after : speed_before;
  const V safe = length == none ? one : length;
  const V east = (calm ? after.u : before.u) / safe;
  const V north = (calm ? after.v : before.v) / safe;
  const V speed = (T(1) - weight) * speed_before + weight * speed_after;
  return {speed * (turn.cosine * east - turn.sine * north),
          speed * (turn.sine * east + turn.cosine * north)};
}

/// Wind at the sea points between two times of the forcing.
///
/// @param[in]  box            owned points
/// @param[in]  wind_u_before  eastward and northward wind at the time before [m s-1]
/// @param[in]  wind_u_after   the same at the time after [m s-1]
/// @param[out] wind_u         wind now [m s-1]
/// @param[in]  weight         share of the time after, 0 to 1
/// @param[in]  along_arc      interpolate speed and direction rather than components
template <class T>
void interpolate_wind(Box box, View1<const T> wind_u_before, View1<const T> wind_v_before,
                      View1<const T> wind_u_after, View1<const T> wind_v_after, View1<T> wind_u,
                      View1<T> wind_v, double weight, bool along_arc) {
  using V = pack<T, lanes<T>>;
  constexpr std::ptrdiff_t width = lanes<T>;
  const T share = static_cast<T>(weight);
  const T* from[4] = {wind_u_before.data, wind_v_before.data, wind_u_after.data, wind_v_after.data};
  T* const to[2] = {wind_u.data, wind_v.data};
  for_each_in<std::ptrdiff_t>(0, box.points, width, [&](std::ptrdiff_t start) {
    const std::size_t bytes = std::min(width, box.points - start) * sizeof(T);
    V in[4] = {};
    for (int n = 0; n < 4; ++n) std::memcpy(&in[n], from[n] + start, bytes);
    const Wind<V> before{in[0], in[1]}, after{in[2], in[3]};
    const Wind<V> now = along_arc ? between_along_arc(before, after, share)
                                  : between_components(before, after, share);
    std::memcpy(to[0] + start, &now.u, bytes);
    std::memcpy(to[1] + start, &now.v, bytes);
  });
}

}  // namespace halocline
