#pragma once
#include "elementary.hpp"

/// Bottom friction of the JONSWAP experiment (Hasselmann et al. 1973).
namespace halocline::waves {

/// Relative depth beyond which a wave does not feel the bottom [1].
inline constexpr double deep_water = 6.0;

/// Growth rate [s-1]: 2 gamma / g (n - 1/2) / depth, with n the ratio of group and phase speed; 0
/// in deep water.
template <class V>
HD inline V bottom_friction_rate(V sigma, V wavenumber, V group_velocity, V depth,
                                 scalar_of<V> coefficient, scalar_of<V> gravity) {
  using T = scalar_of<V>;
  const V ratio = group_velocity * wavenumber / sigma - T(0.5);
  const V rate = T(2) * coefficient / gravity * maximum(ratio, V{}) / depth;
  return wavenumber * depth > T(deep_water) ? V{} : rate;
}

}  // namespace halocline::waves
