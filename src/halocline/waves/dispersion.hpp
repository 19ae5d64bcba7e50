#pragma once
#include <algorithm>
#include <cstddef>

#include "contract.hpp"
#include "elementary.hpp"
#include "schedules.hpp"

/// Linear theory of surface waves.
namespace halocline::waves {

/// Wavenumber and group speed of one frequency in one depth; V is a number or a pack.
template <class V>
struct LinearWave {
  V wavenumber, group_speed;
};

/// Solve sigma^2 = g k tanh(k d) by Newton's method from the start of Eckart (1952), which is
/// within 5 %; four steps of quadratic convergence reach round-off.
template <class V>
LinearWave<V> linear_wave(double sigma, V depth, double gravity) {
  const V deep = sigma * sigma * depth / gravity;
  V y = deep / square_root(tanh(deep));
  for (int step = 0; step < 4; ++step) {
    const V t = tanh(y);
    y -= (y * t - deep) / (t + y * (1.0 - t * t));
  }
  const V wavenumber = y / depth;
  const V decay = exp(-2.0 * y);
  const V shallowness = 4.0 * y * decay / ((1.0 - decay) * (1.0 + decay));
  return {wavenumber, 0.5 * sigma / wavenumber * (1.0 + shallowness)};
}

inline constexpr Contract<4> linear_dispersion_contract{
    "linear_dispersion",
    {{{"depth", Access::read, Place::point, "m"},
      {"sigma", Access::read, Place::none, "rad s-1", "frequency"},
      {"wavenumber", Access::write, Place::point, "rad m-1", "frequency"},
      {"group_velocity", Access::write, Place::point, "m s-1", "frequency"}}}};

/// Wavenumber and group speed of linear theory, computed in double precision.
///
/// @param[in]  depth        positive [m], shape (point)
/// @param[in]  sigma        intrinsic angular frequencies, shape (frequency)
/// @param[out] wavenumber   shape (frequency, point)
/// @param[out] group_velocity  shape (frequency, point)
/// @param[in]  gravity      acceleration of gravity [m s-2]
template <class T>
void linear_dispersion(Box box, View<const T, 1> depth, View<const double, 1> sigma,
                       View<T, 2> wavenumber, View<T, 2> group_velocity, double gravity) {
  using V = pack<double, lanes<double>>;
  constexpr std::ptrdiff_t width = lanes<double>;
  for_each_in<std::ptrdiff_t>(0, box.points, width, [=](std::ptrdiff_t first) {
    const std::ptrdiff_t count = std::min(width, box.points - first);
    V depths = splat<V>(1.0);
    for (std::ptrdiff_t n = 0; n < count; ++n) depths[n] = depth(first + n);
    for (std::ptrdiff_t frequency = 0; frequency < sigma.extent[0]; ++frequency) {
      const auto wave = linear_wave(sigma(frequency), depths, gravity);
      for (std::ptrdiff_t n = 0; n < count; ++n) {
        wavenumber(frequency, first + n) = static_cast<T>(wave.wavenumber[n]);
        group_velocity(frequency, first + n) = static_cast<T>(wave.group_speed[n]);
      }
    }
  });
}

}  // namespace halocline::waves
