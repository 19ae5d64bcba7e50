#pragma once
#include <algorithm>
#include <cstring>

#include "contract.hpp"
#include "negligible.hpp"
#include "pack.hpp"
#include "schedules.hpp"
#include "spectral_flux.hpp"

/// Turning of waves by the depth below them and by the sphere: a shift in direction.
namespace halocline::waves {

/// Where the spectra turn: d(theta)/dt = turning_x sin(theta) - turning_y cos(theta).
template <class T>
struct TurningRates {
  View<const T, 2> turning_x, turning_y;  ///< [rad s-1], shape (frequency, point)
  View<const T, 2> face;  ///< cosine and sine of the angle after each direction, (direction, 2)
  T step;                 ///< time step over the width of a direction [s rad-1]
};

/// Sixteen (eight) points from `point` on; lanes beyond the end get 0.
template <class V>
inline V load_points(const scalar_of<V>* values, std::ptrdiff_t point, std::ptrdiff_t points) {
  if (point + width_of<V> <= points) return load<V>(values + point);
  V value{};
  std::memcpy(&value, values + point, (points - point) * sizeof(scalar_of<V>));
  return value;
}

/// Shift one ring of directions by one time step, in flux form: the sum over directions is kept.
///
/// @param courant  courant(d) is that of the face after direction d
/// @param get      get(d) is the spectrum in direction d
/// @param set      set(d, value) replaces it
template <Advection scheme, class V, class Courant, class Get, class Set>
inline void turn_ring(int directions, Courant courant, Get get, Set set) {
  const V first = get(0), second = get(1);
  V before = get(directions - 2), left = get(directions - 1), right = first, after = second;
  V c_before = courant(directions - 2), c = courant(directions - 1), c_after = courant(0);
  V entering = spectral_flux<scheme>(before, left, right, after, c_before, c, c_after);
  for (int d = 0; d < directions; ++d) {
    before = left;
    left = right;
    right = after;
    after = d + 2 < directions ? get(d + 2) : d + 2 == directions ? first : second;
    c_before = c;
    c = c_after;
    c_after = courant(d + 1 < directions ? d + 1 : 0);
    const V leaving = spectral_flux<scheme>(before, left, right, after, c_before, c, c_after);
    set(d, unless_negligible(left - leaving + entering));
    entering = leaving;
  }
}

inline constexpr Contract<4> turn_directions_contract{
    "turn_directions",
    {{{"spectrum",
       Access::update,
       Place::point,
       "m2 Hz-1 rad-1",
       "frequency*direction",
       {},
       Column::whole},
      {"turning_x", Access::read, Place::point, "rad s-1", "frequency"},
      {"turning_y", Access::read, Place::point, "rad s-1", "frequency"},
      {"direction_face", Access::read, Place::none, "1", "direction 2"}}}};

/// Shift all spectra in direction by `steps` steps of `step`.
///
/// @param[in,out] spectrum        variance density, shape (component, point)
/// @param[in]     turning_x       factor of sin(theta) in d(theta)/dt, shape (frequency, point)
/// @param[in]     turning_y       factor of -cos(theta), shape (frequency, point)
/// @param[in]     direction_face  cosine and sine half a bin after each direction, (direction, 2)
/// @param[in]     step            time step over the width of a direction [s rad-1]
/// @param[in]     steps           number of steps
/// @param[in]     scheme          0 upwind, 1 QUICKEST, 2 ULTIMATE QUICKEST
template <class T>
void turn_directions(Box box, View<T, 2> spectrum, View<const T, 2> turning_x,
                     View<const T, 2> turning_y, View<const T, 2> direction_face, double step,
                     int steps, int scheme) {
  using V = pack<T, lanes<T>>;
  const TurningRates<T> rates{turning_x, turning_y, direction_face, static_cast<T>(step)};
  const int directions = static_cast<int>(direction_face.extent[0]);
  constexpr std::ptrdiff_t width = lanes<T>, chunk = 64 * width;
  const auto turn = [&]<Advection choice>(std::ptrdiff_t f, std::ptrdiff_t first) {
    const std::ptrdiff_t last = std::min(first + chunk, box.points);
    T* rows = spectrum.row(f * directions);
    const std::ptrdiff_t next = spectrum.stride[0];
    for (std::ptrdiff_t point = first; point < last; point += width) {
      const std::ptrdiff_t some = std::min(width, last - point);
      const V x = load_points<V>(turning_x.row(f), point, box.points);
      const V y = load_points<V>(turning_y.row(f), point, box.points);
      T* values = rows + point;
      const V rate_x = x * rates.step, rate_y = y * rates.step;
      const auto courant = [=, &rates](int d) {
        return rate_x * rates.face(d, 1) - rate_y * rates.face(d, 0);
      };
      if (some == width) {
        const auto get = [=](int d) { return load<V>(values + d * next); };
        const auto set = [=](int d, V value) { store<V>(values + d * next, value); };
        for (int n = 0; n < steps; ++n) turn_ring<choice, V>(directions, courant, get, set);
      } else {
        const auto get = [=](int d) { return load_points<V>(values + d * next, 0, some); };
        const auto set = [=](int d, V value) {
          std::memcpy(values + d * next, &value, some * sizeof(T));
        };
        for (int n = 0; n < steps; ++n) turn_ring<choice, V>(directions, courant, get, set);
      }
    }
  };
  const auto turn_chunk = [&](std::ptrdiff_t f, std::ptrdiff_t first) {
    if (scheme == 0) turn.template operator()<Advection::upwind>(f, first);
    if (scheme == 1) turn.template operator()<Advection::quickest>(f, first);
    if (scheme == 2) turn.template operator()<Advection::ultimate_quickest>(f, first);
  };
  for_pairs<std::ptrdiff_t>(turning_x.extent[0], 0, box.points, chunk, turn_chunk);
}

}  // namespace halocline::waves
