#pragma once
#include "atmosphere/microphysics/thompson_flows.hpp"

/// Water that freezes by itself.
namespace halocline::thompson {

/// Bigg's (1953) rate at which water freezes [m-3 s-1].
template <class V>
INLINE V freezing_rate(V supercooling) {
  return 100.0 * (exp(V(0.66 * minimum(supercooling, splat<V>(50.0)))) - 1.0);
}

/// Number [m-3] and mass [kg m-3].
template <class V>
struct Frozen {
  V number{}, mass{};
};
/// Drops of sizes `from` to `to` that freeze, in 12 parts.
///
/// @param[in] rate   of freezing in the step [m-3]
/// @param[in] at_once  where all do
template <class V, class M>
INLINE Frozen<V> frozen_drops(const Exponential<V>& drops, V from, V to, V rate, M at_once) {
  constexpr int parts = 12;
  Frozen<V> sum;
  for (int m = 0; m < parts; ++m) {
    const V size = from + (to - from) * ((m + 0.5) / parts);
    const V volume = pi / 6.0 * power<3>(size);
    const V many = drops.intercept * exp(V(-drops.slope * size)) * ((to - from) / parts);
    const V gone = many * (at_once ? splat<V>(1.0) : V(1.0 - exp(V(-rate * volume))));
    sum.number += gone;
    sum.mass += gone * volume * air::water_density;
  }
  return sum;
}

/// Droplets and drops that freeze in `dt` [s], all of them below -38 C: droplets and small drops
/// to crystals, drops larger than `new_flake` to graupel.
template <class V>
INLINE void freeze(Flows<V>& f, const Cell<V>& c, const Population<V>& p, const Numbers& n,
                   double dt) {
  const V supercooling = c.supercooling();
  const auto cold = supercooling > V{};
  const auto cloudy = both(cold, c.has(cloud)), rainy = both(cold, c.has(rain));
  if (!any(either(cloudy, rainy))) return;
  const auto at_once = supercooling > splat<V>(38.0);
  const V rate = freezing_rate(supercooling) * dt;
  if (any(cloudy)) {
    const double mu = n.shape();
    const V volume = c.content(cloud) / (air::water_density * n.droplets);
    const double wide =
        (mu + 6.0) * (mu + 5.0) * (mu + 4.0) / ((mu + 3.0) * (mu + 2.0) * (mu + 1.0));
    const V mass = at_once ? splat<V>(1.0) : V(1.0 - exp(V(-rate * volume * wide)));
    const V number = at_once ? splat<V>(1.0) : V(1.0 - exp(V(-rate * volume)));
    f.cloud_ice = where(cloudy, V(mass * c.water[cloud] / dt));
    f.crystals_born += where(cloudy, V(number * n.droplets / c.density / dt));
  }
  if (!any(rainy)) return;
  const V border = splat<V>(new_flake), widest = maximum(V(24.0 / p.rain.slope), border);
  const Frozen<V> small = frozen_drops(p.rain, V{}, border, rate, at_once);
  const Frozen<V> found = frozen_drops(p.rain, border, widest, rate, at_once);
  const V grains = at_once ? V(p.rain.number() - small.number) : found.number;
  const V large = at_once ? V(c.content(rain) - small.mass) : found.mass;
  const V per = 1.0 / (c.density * dt), to_ice = where(rainy, V(small.number * per));
  f.rain_ice += where(rainy, V(small.mass * per));
  f.rain_graupel += where(rainy, V(large * per));
  f.crystals_born += to_ice;
  f.drops_lost += to_ice + where(rainy, V(grains * per));
}

}  // namespace halocline::thompson
