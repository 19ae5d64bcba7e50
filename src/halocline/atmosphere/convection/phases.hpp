#pragma once
#include <algorithm>
#include <cmath>

#include "atmosphere/moist_air.hpp"

/// Phases of water in air whose energy and water are known.
///
/// The energy h = cp T + g z + Lv qv - Lf qi [J kg-1] and the water q = qv + ql + qi [1] of a
/// parcel stay as it rises, and both mix in proportion to mass.
namespace halocline::convection {

/// All of the condensed water is ice below the first, liquid above the second [K] (Kain 2004).
inline constexpr double all_ice = 248.16, no_ice = 268.16;

/// Virtual temperature [K].
inline double virtual_temperature(double temperature, double vapor) {
  return temperature * (1.0 + (1.0 / air::epsilon - 1.0) * vapor);
}

/// Temperature [K] and mixing ratios [1].
struct Phases {
  double temperature, vapor, liquid = 0.0, ice = 0.0;

  double condensed() const { return liquid + ice; }
  double virtual_temperature() const { return convection::virtual_temperature(temperature, vapor); }
  /// That of a gas as dense as air with its drops and crystals.
  double loaded_temperature() const { return virtual_temperature() - temperature * condensed(); }
};

/// Share of ice in condensed water [1].
inline double ice_share(double temperature) {
  return std::clamp((no_ice - temperature) / (no_ice - all_ice), 0.0, 1.0);
}

/// Mixing ratio of saturated air over water, or over as much ice as there is [1].
inline double saturated_ratio(double temperature, double pressure, bool icy) {
  const auto ratio = [&](double vapor_pressure) {
    return air::mixing_ratio(std::min(vapor_pressure, 0.5 * pressure), pressure);
  };
  const double over_water = ratio(air::saturation_pressure(temperature));
  const double share = icy ? ice_share(temperature) : 0.0;
  if (share == 0.0) return over_water;
  return over_water + share * (ratio(air::ice_saturation_pressure(temperature)) - over_water);
}

/// What air of this energy and water is at a height and pressure [m], [Pa].
///
/// Saturated air: the root of h(T) - energy, which grows with T, by secants in a bracket.
inline Phases phases_of(double energy, double water, double height, double pressure, bool icy) {
  const double dry = (energy - air::gravity * height) / air::heat_capacity;
  const double latent = air::vaporization / air::heat_capacity;
  const double melting = air::fusion / air::heat_capacity;
  double low = dry - latent * water;
  if (saturated_ratio(low, pressure, icy) >= water) return {low, water};
  const auto excess = [&](double temperature) {
    const double vapor = saturated_ratio(temperature, pressure, icy);
    const double ice = icy ? ice_share(temperature) * (water - vapor) : 0.0;
    return temperature + latent * vapor - melting * ice - dry;
  };
  double high = dry + melting * water, at_low = excess(low), at_high = excess(high);
  double temperature = low;
  for (int step = 0, stays = 0; step < 60 && high - low > 1e-9; ++step) {
    temperature = low - at_low * (high - low) / (at_high - at_low);
    const double found = excess(temperature);
    if (std::abs(found) < 1e-10) break;
    // An end that stays twice counts half (the Illinois rule).
    if (found < 0.0) {
      low = temperature, at_low = found, stays = std::max(stays, 0) + 1;
      if (stays > 1) at_high *= 0.5;
    } else {
      high = temperature, at_high = found, stays = std::min(stays, 0) - 1;
      if (stays < -1) at_low *= 0.5;
    }
  }
  const double vapor = std::min(saturated_ratio(temperature, pressure, icy), water);
  const double ice = icy ? ice_share(temperature) * (water - vapor) : 0.0;
  return {temperature, vapor, water - vapor - ice, ice};
}

}  // namespace halocline::convection
