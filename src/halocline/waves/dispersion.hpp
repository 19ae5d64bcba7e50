#pragma once
#include <cmath>

#include "contract.hpp"
#include "elementary.hpp"

/// Linear theory of surface waves.
namespace halocline::waves {

/// Wavenumber and group speed of one frequency in one depth.
struct LinearWave {
  double wavenumber, group_speed;
};

/// Solve sigma^2 = g k tanh(k d) by Newton's method from the start of Eckart (1952), which is
/// within 5 %; four steps of quadratic convergence reach round-off.
inline LinearWave linear_wave(double sigma, double depth, double gravity) {
  const double deep = sigma * sigma * depth / gravity;
  double y = deep / std::sqrt(tanh(deep));
  for (int step = 0; step < 4; ++step) {
    const double t = tanh(y);
    y -= (y * t - deep) / (t + y * (1.0 - t * t));
  }
  const double wavenumber = y / depth;
  const double decay = exp(-2.0 * y);
  const double shallowness = 4.0 * y * decay / ((1.0 - decay) * (1.0 + decay));
  return {wavenumber, 0.5 * sigma / wavenumber * (1.0 + shallowness)};
}

inline constexpr Contract<4> linear_dispersion_contract{
    "linear_dispersion",
    {{{"depth", Access::read, Place::point, "m"},
      {"sigma", Access::read, Place::none, "s-1"},
      {"wavenumber", Access::write, Place::point, "m-1"},
      {"group_speed", Access::write, Place::point, "m s-1"}}}};

/// Wavenumber and group speed of linear theory, computed in double precision.
///
/// @param[in]  depth        positive [m], shape (point)
/// @param[in]  sigma        intrinsic angular frequencies, shape (frequency)
/// @param[out] wavenumber   shape (frequency, point)
/// @param[out] group_speed  shape (frequency, point)
/// @param[in]  gravity      acceleration of gravity [m s-2]
template <class T>
void linear_dispersion(Box box, View<const T, 1> depth, View<const double, 1> sigma,
                       View<T, 2> wavenumber, View<T, 2> group_speed, double gravity) {
  for (std::ptrdiff_t frequency = 0; frequency < sigma.extent[0]; ++frequency)
    for (std::ptrdiff_t point = 0; point < box.points; ++point) {
      const LinearWave wave = linear_wave(sigma(frequency), depth(point), gravity);
      wavenumber(frequency, point) = static_cast<T>(wave.wavenumber);
      group_speed(frequency, point) = static_cast<T>(wave.group_speed);
    }
}

}  // namespace halocline::waves
