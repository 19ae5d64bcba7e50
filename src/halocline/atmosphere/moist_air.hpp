#pragma once
#include "atmosphere/constants.hpp"
#include "elementary.hpp"

/// Thermodynamics of moist air at a point.
namespace halocline::air {

/// Saturation vapour pressure over water [Pa] (Bolton 1980, Mon. Wea. Rev. 108, 1046, equation 10,
/// with the numbers of ARW's Kessler scheme).
///
/// @param[in] temperature  [K]
template <class V>
HD INLINE V saturation_pressure(V temperature) {
  using T = scalar_of<V>;
  const V celsius = temperature - T(melting_point);
  return T(611.2) * exp(V(T(17.67) * celsius / (temperature - T(29.65))));
}

/// Slope of the logarithm of `saturation_pressure` [K-1].
template <class V>
HD INLINE V saturation_slope(V temperature) {
  using T = scalar_of<V>;
  const V above = temperature - T(29.65);
  return T(17.67 * (melting_point - 29.65)) / (above * above);
}

/// Saturation vapour pressure over ice [Pa] (Dudhia 1989, J. Atmos. Sci. 46, 3077).
///
/// @param[in] temperature  [K]
template <class V>
HD INLINE V ice_saturation_pressure(V temperature) {
  using T = scalar_of<V>;
  return T(611.2) * exp(V(T(22.514) - T(6150) / temperature));
}

/// Mass of vapour per mass of dry air where its pressure is `vapor_pressure` [1].
///
/// @param[in] vapor_pressure, pressure  [Pa]
template <class V>
HD INLINE V mixing_ratio(V vapor_pressure, V pressure) {
  return scalar_of<V>(epsilon) * vapor_pressure / (pressure - vapor_pressure);
}

/// Temperature over potential temperature [1].
///
/// @param[in] pressure  [Pa]
template <class V>
HD INLINE V exner(V pressure) {
  using T = scalar_of<V>;
  return pow(V(pressure / T(reference_pressure)), T(kappa));
}

}  // namespace halocline::air
