#pragma once
#include "atmosphere/microphysics/thompson_flows.hpp"

/// Growth and evaporation of particles, and new crystals (Thompson et al. 2008, appendix A).
namespace halocline::thompson {

/// (S - 1) / (rho L^2 / (Ka Rv T^2) + 1 / (saturated Dv)) with S = qv / saturated [m2 s-1].
inline double driving(const Cell& c, double saturated, const Diffusivities& d, double latent) {
  const double heat = d.heat * air::vapor_gas_constant * c.temperature * c.temperature;
  return (c.water[vapor] - saturated) /
         (saturated * c.density * latent * latent / heat + 1.0 / d.vapor);
}

/// What of a rate is allowed: at most half of the excess over saturation and what others left of it
/// [s-1].
inline double allowed(double rate, double excess, double left) {
  const double most = std::max(std::min(0.5 * excess, left), 0.0);
  const double least = std::min(std::max(0.5 * excess, left), 0.0);
  return std::clamp(rate, least, most);
}

/// Growth of crystals, snow and graupel by vapour, as far as nothing limits it [s-1].
struct Growth {
  double ice = 0.0, snow = 0.0, graupel = 0.0;
};
inline Growth growth_of(const Cell& c, const Population& p, const Diffusivities& d) {
  const bool cold = c.supercooling() > 0.0;
  const double over =
      cold ? driving(c, ice_saturation(c.temperature, c.pressure), d, air::sublimation)
           : driving(c, saturation(c.temperature, c.pressure).ratio, d, air::vaporization);
  const double share = cold ? over : std::min(over, 0.0);
  Growth made;
  if (c.has(ice) && cold) made.ice = 2.0 * pi * share * p.ice.moment(1.0);
  if (c.has(snow))
    made.snow = 4.0 * pi * 0.3 * share * ventilated(flakes, p.snow, 0.86, 0.28, d.flow);
  if (c.has(graupel))
    made.graupel = 2.0 * pi * share * ventilated(grains, p.graupel, 0.86, 0.28, d.flow);
  return made;
}

/// Drops evaporate into air below saturation; below 0 C crystals, snow and graupel (which only
/// gives) grow by the excess over ice, and new crystals form below -12 C in cloud, or where it is
/// 25 % (Cooper 1986: 5 exp(0.304 (T0 - T)) m-3, at most 2.5e5).
inline void exchange_vapor(Flows& f, const Cell& c, const Population& p, const Diffusivities& d,
                           const Growth& growth, double dt) {
  const double over_water = saturation(c.temperature, c.pressure).ratio;
  const double below = (c.water[vapor] - over_water) / dt;
  if (c.has(rain) && below < 0.0) {
    const double rate = 2.0 * pi * driving(c, over_water, d, air::vaporization) *
                        ventilated(raindrops, p.rain, 0.78, 0.308, d.flow);
    f.vapor_rain = allowed(rate, below, below);
    f.drops_lost -= f.vapor_rain * c.water[rain_number] / c.water[rain];
  }
  const double supercooling = c.supercooling();
  const double over_ice =
      supercooling > 0.0 ? ice_saturation(c.temperature, c.pressure) : over_water;
  const double above = (c.water[vapor] - over_ice) / dt;
  double left = above - f.vapor_rain;
  const auto taken = [&](double wanted) {
    const double given = allowed(wanted, above, left);
    left -= given;
    return given;
  };
  f.vapor_ice = taken(growth.ice);
  if (f.vapor_ice < 0.0) f.crystals_lost -= f.vapor_ice * c.water[ice_number] / c.water[ice];
  f.vapor_snow = taken(growth.snow);
  f.vapor_graupel = taken(std::min(growth.graupel, 0.0));
  const bool in_cloud = supercooling > 12.0 && c.water[vapor] >= 0.999 * over_water;
  if (supercooling <= 0.0 || !(in_cloud || c.water[vapor] >= 1.25 * over_ice)) return;
  const double number = std::min(5.0 * std::exp(0.304 * supercooling), 250e3) / c.density;
  const double born = std::max(number - c.water[ice_number], 0.0) / dt;
  const double mass = taken(born * new_crystal);
  f.vapor_ice += mass;
  f.crystals_born += mass / new_crystal;
}

}  // namespace halocline::thompson
