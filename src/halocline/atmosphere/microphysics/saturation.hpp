#pragma once
#include "atmosphere/moist_air.hpp"

/// Saturation of a cell, and the step towards it.
namespace halocline {

/// Mixing ratio of vapour at saturation over water [1], and its slope with temperature at constant
/// pressure [K-1].
template <class V>
struct Saturation {
  V ratio, slope;
};
template <class V>
HD INLINE Saturation<V> saturation(V temperature, V pressure) {
  using T = scalar_of<V>;
  const V vapor = minimum(air::saturation_pressure(temperature), V(T(0.99) * pressure));
  const V ratio = air::mixing_ratio(vapor, pressure);
  return {ratio, ratio * (pressure / (pressure - vapor)) * air::saturation_slope(temperature)};
}

/// Mixing ratio of vapour at saturation over ice [1].
template <class V>
HD INLINE V ice_saturation(V temperature, V pressure) {
  using T = scalar_of<V>;
  const V vapor = minimum(air::ice_saturation_pressure(temperature), V(T(0.99) * pressure));
  return air::mixing_ratio(vapor, pressure);
}

/// Vapour that condenses until the air is saturated, one step of Newton's; negative: what would
/// evaporate [1].
template <class V>
HD INLINE V condensation(V vapor, const Saturation<V>& s) {
  using T = scalar_of<V>;
  constexpr T warming = T(air::vaporization / air::heat_capacity);
  return (vapor - s.ratio) / (T(1) + warming * s.slope);
}

}  // namespace halocline
