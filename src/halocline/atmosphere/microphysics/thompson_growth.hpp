#pragma once
#include "atmosphere/microphysics/thompson_flows.hpp"

/// Growth and evaporation of particles, and new crystals (Thompson et al. 2008, appendix A).
namespace halocline::thompson {

/// (S - 1) / (rho L^2 / (Ka Rv T^2) + 1 / (saturated Dv)) with S = qv / saturated [m2 s-1].
template <class V>
INLINE V driving(const Cell<V>& c, V saturated, const Diffusivities<V>& d, double latent) {
  const V heat = d.heat * air::vapor_gas_constant * c.temperature * c.temperature;
  return (c.water[vapor] - saturated) /
         (saturated * c.density * (latent * latent) / heat + 1.0 / d.vapor);
}

/// What of a rate is allowed: at most half of the excess over saturation and what others left of it
/// [s-1].
template <class V>
INLINE V allowed(V rate, V excess, V left) {
  const V half = 0.5 * excess;
  const V most = maximum(minimum(half, left), V{}), fewest = minimum(maximum(half, left), V{});
  return minimum(maximum(rate, fewest), most);
}

/// Mixing ratios of vapour at saturation over water and, below 0 C, over ice [1].
template <class V>
struct Saturated {
  V over_water, over_ice;
};
template <class V>
INLINE Saturated<V> saturated_in(const Cell<V>& c) {
  const V over_water = saturation(c.temperature, c.pressure).ratio;
  const auto cold = c.supercooling() > V{};
  if (!any(cold)) return {over_water, over_water};
  return {over_water, cold ? ice_saturation(c.temperature, c.pressure) : over_water};
}

/// Growth of crystals, snow and graupel by vapour, as far as nothing limits it [s-1].
template <class V>
struct Growth {
  V ice{}, snow{}, graupel{};
};
template <class V>
INLINE Growth<V> growth_of(const Cell<V>& c, const Population<V>& p, const Diffusivities<V>& d,
                           const Saturated<V>& s) {
  Growth<V> made;
  const auto icy = c.has(ice), snowy = c.has(snow), hail = c.has(graupel);
  if (!any(either(icy, either(snowy, hail)))) return made;
  const auto cold = c.supercooling() > V{};
  const V warm = minimum(driving(c, s.over_water, d, air::vaporization), V{});
  const V share = cold ? driving(c, s.over_ice, d, air::sublimation) : warm;
  made.ice = where(both(icy, cold), V(2.0 * pi * share * p.ice.moment(first)));
  if (any(snowy))
    made.snow =
        where(snowy, V(4.0 * pi * 0.3 * share * ventilated(flakes, p.snow, 0.86, 0.28, d.flow)));
  if (any(hail))
    made.graupel =
        where(hail, V(2.0 * pi * share * ventilated(grains, p.graupel, 0.86, 0.28, d.flow)));
  return made;
}

/// Drops evaporate into air below saturation; below 0 C crystals, snow and graupel (which only
/// gives) grow by the excess over ice, and new crystals form below -12 C in cloud, or where it is
/// 25 % (Cooper 1986: 5 exp(0.304 (T0 - T)) m-3, at most 2.5e5).
template <class V>
INLINE void exchange_vapor(Flows<V>& f, const Cell<V>& c, const Population<V>& p,
                           const Diffusivities<V>& d, const Saturated<V>& s,
                           const Growth<V>& growth, double dt) {
  const V below = (c.water[vapor] - s.over_water) / dt;
  const auto dries = both(c.has(rain), below < V{});
  if (any(dries)) {
    const V rate = 2.0 * pi * driving(c, s.over_water, d, air::vaporization) *
                   ventilated(raindrops, p.rain, 0.78, 0.308, d.flow);
    f.vapor_rain = where(dries, allowed(rate, below, below));
    f.drops_lost -= where(dries, V(f.vapor_rain * c.water[rain_number] / c.water[rain]));
  }
  const V supercooling = c.supercooling(), above = (c.water[vapor] - s.over_ice) / dt;
  V left = above - f.vapor_rain;
  const auto taken = [&](V wanted) {
    const V given = allowed(wanted, above, left);
    left -= given;
    return given;
  };
  f.vapor_ice = taken(growth.ice);
  f.crystals_lost -= where(f.vapor_ice < V{}, V(f.vapor_ice * c.water[ice_number] / c.water[ice]));
  f.vapor_snow = taken(growth.snow);
  f.vapor_graupel = taken(minimum(growth.graupel, V{}));
  const auto in_cloud =
      both(supercooling > splat<V>(12.0), c.water[vapor] >= V(0.999 * s.over_water));
  const auto forms =
      both(supercooling > V{}, either(in_cloud, c.water[vapor] >= V(1.25 * s.over_ice)));
  if (!any(forms)) return;
  const V most = minimum(V(5.0 * exp(V(0.304 * supercooling))), splat<V>(250e3));
  const V born = maximum(V(most / c.density - c.water[ice_number]), V{}) / dt;
  const V mass = taken(where(forms, V(born * new_crystal)));
  f.vapor_ice += mass;
  f.crystals_born += mass / new_crystal;
}

}  // namespace halocline::thompson
