#pragma once
#include "elementary.hpp"

/// The wind that is as effective in neutral air as the given one in stable or unstable air.
namespace halocline::waves {

/// Options of the correction; see wind_stability.py.
struct StabilityOptions {
  bool enabled = false;
  double scale = 1.38;
  double offset = -0.01;
  double unstable_factor = -0.1;
  double stable_factor = 0.1;
  double steepness = 150.0;
  double wind_height = 10.0;
  double gravity = 9.806;
};

/// Effective wind speed [m s-1] for a difference of air and sea temperature [K] (Tolman 2002).
template <class V>
HD inline V effective_wind_speed(V wind_speed, V temperature_difference,
                                 const StabilityOptions& options) {
  using T = scalar_of<V>;
  const V speed = maximum(wind_speed, splat<V>(T(5)));
  const V raw =
      T(options.wind_height * options.gravity / 273.0) * temperature_difference / (speed * speed);
  const V stability = minimum(maximum(raw, splat<V>(T(-1))), splat<V>(T(1))) - T(options.offset);
  const V unstable = tanh(maximum(T(-options.steepness) * stability, V{}));
  const V stable = tanh(maximum(
      T(-options.steepness * options.unstable_factor / options.stable_factor) * stability, V{}));
  const V correction =
      T(1) + T(options.unstable_factor) * unstable + T(options.stable_factor) * stable;
  return wind_speed / square_root(correction / T(options.scale));
}

}  // namespace halocline::waves
