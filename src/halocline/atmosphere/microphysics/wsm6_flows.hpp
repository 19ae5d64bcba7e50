#pragma once
#include "atmosphere/microphysics/saturation.hpp"
#include "atmosphere/microphysics/wsm6_melting.hpp"

/// What goes from one kind of water to another in a cell: rates [s-1] by giver and taker.
namespace halocline {

/// Rates [s-1]; those from vapour are negative where it is given.
template <class V>
struct Wsm6Flows {
  V cloud_rain{}, cloud_snow{}, cloud_graupel{};
  V rain_snow{}, rain_graupel{}, ice_snow{}, ice_graupel{};
  V snow_graupel{}, snow_rain{}, graupel_rain{};
  V vapor_rain{}, vapor_ice{}, vapor_snow{}, vapor_graupel{};
};

/// The particles in a cell.
template <class V>
struct Wsm6Population {
  Particles<V> rain, snow, graupel;
  Crystals<V> ice;
};
template <class V>
HD INLINE Wsm6Population<V> population(const Wsm6Cell<V>& cell, const Wsm6Air<V>& air,
                                       const Wsm6Numbers<scalar_of<V>>& n) {
  const V rho = air.density, thinness = air.thinness;
  Wsm6Population<V> p{rain_of(V(rho * cell.rain), thinness, n),
                      snow_of(V(rho * cell.snow), cell.supercooling(), thinness, n),
                      graupel_of(V(rho * cell.graupel), thinness, n), crystals(V(rho * cell.ice))};
  if (n.one_speed) fall_together(p.snow, p.graupel, cell.snow, cell.graupel);
  return p;
}

/// `value` where there is enough of both to collide.
template <class V>
HD INLINE V where_both(V one, V other, V value) {
  return minimum(one, other) > scalar_of<V>(wsm6::least) ? value : V{};
}

/// Efficiency of what collects, less where there is less of it than of what it collects: the square
/// of their ratio (B. Wilt; WRF's pull request 805 of 2019), else rain freezes of a few crystals.
template <class V>
HD INLINE V efficiency(V collector, V collected, const Wsm6Numbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  const V one = splat<V>(T(1));
  if (!n.weak_if_scarce) return one;
  return power<2>(minimum(V(collector / maximum(collected, splat<V>(T(wsm6::least)))), one));
}

/// Autoconversion of cloud (Tripoli and Cotton 1980; HDC 16) where its drops are larger than 8 um:
/// 0.104 g 0.55 / (mu (Nc rho_w)^(1/3)) qc (rho qc)^(4/3).
template <class V>
HD INLINE V autoconversion(V cloud, V air_density, const Wsm6Numbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  constexpr double mass = 4.0 / 3.0 * particle::pi * air::water_density * 8e-6 * 8e-6 * 8e-6;
  const V content = air_density * cloud;
  const auto large = content > T(mass) * n.droplets;
  if (!any(large)) return V{};
  return large ? V(n.conversion * cloud * content * cube_root(content)) : V{};
}

/// Cloud that snow and graupel collect [s-1].
template <class V>
struct Riming {
  V snow, graupel;
};

/// Cloud that rain, snow and graupel collect (LFO 51, 24, 40); warmer than 0 C all becomes rain.
template <class V>
HD INLINE Riming<V> collect_cloud(Wsm6Flows<V>& f, const Wsm6Cell<V>& c, const Wsm6Air<V>& air,
                                  const Wsm6Population<V>& p, const Wsm6Numbers<scalar_of<V>>& n) {
  if (!any(c.cloud > V{})) return {V{}, V{}};
  const auto by = [&](const ParticleKind& kind, const Particles<V>& some, V mass) {
    return where_both(mass, c.cloud, V(c.cloud * collecting_still(kind, some, air.thinness)));
  };
  const V snow = by(snowflakes, p.snow, c.snow) * efficiency(c.snow, c.cloud, n);
  const V graupel = by(graupel_grains, p.graupel, c.graupel) * efficiency(c.graupel, c.cloud, n);
  const V rain = by(raindrops, p.rain, c.rain);
  const auto cold = c.supercooling() > V{};
  f.cloud_rain = autoconversion(c.cloud, air.density, n) + rain + (cold ? V{} : V(snow + graupel));
  f.cloud_snow = cold ? snow : V{};
  f.cloud_graupel = cold ? graupel : V{};
  return {snow, graupel};
}

/// Colder than 0 C: what falls collects cloud ice (HDC 10; LFO 25, 41), which freezes rain (LFO
/// 26); crystals become snow and snow becomes graupel by themselves (HDC 12; LFO 37).
template <class V>
HD INLINE void collect_ice(Wsm6Flows<V>& f, const Wsm6Cell<V>& c, const Wsm6Air<V>& air,
                           const Wsm6Population<V>& p, const Wsm6Numbers<scalar_of<V>>& n,
                           scalar_of<V> dt) {
  using T = scalar_of<V>;
  const V supercooling = c.supercooling();
  const auto cold = supercooling > V{}, few = c.rain < T(1e-4);
  if (any(cold & (c.snow > T(6e-4)))) {
    const V over = maximum(V(c.snow - T(6e-4)), V{});
    f.snow_graupel = cold ? V(T(1e-3) * exp(V(T(-0.09) * supercooling)) * over) : V{};
  }
  if (!any(cold & (c.ice > V{}))) return;
  const V sticking = exp(V(T(-0.07) * supercooling));
  const auto by = [&](const Particles<V>& some, V mass) {
    const V rate = collecting_crystals(some, p.ice.diameter, p.ice.speed);
    return where_both(mass, c.ice, V(c.ice * rate));
  };
  const V by_rain = by(p.rain, c.rain) * efficiency(c.rain, c.ice, n);
  constexpr double gamma_6b = 496.6060775736907;
  constexpr T swept =
      T(particle::pi * particle::pi / 24.0 * gamma_6b * air::water_density * wsm6::rain_speed);
  const V volume = power<6>(p.rain.length) * p.rain.power * air.thinness;
  const V drops = swept * p.rain.intercept * p.ice.number * volume * air.volume;
  const V frozen = where_both(c.rain, c.ice, V(drops * efficiency(c.ice, c.rain, n)));
  constexpr double largest = wsm6::largest_crystal * wsm6::largest_crystal;
  constexpr T most = T(2.08e22 * largest * largest * largest * largest);
  const V grown = maximum(V(c.ice - most * air.volume), V{}) * (T(1) / dt);
  f.ice_snow = cold ? V(grown + sticking * by(p.snow, c.snow) + (few ? by_rain : V{})) : V{};
  f.ice_graupel = cold ? V(sticking * by(p.graupel, c.graupel) + (few ? V{} : by_rain)) : V{};
  f.rain_snow = cold & few ? frozen : V{};
  f.rain_graupel = few ? V{} : (cold ? frozen : V{});
}

/// Rain, snow and graupel that meet (LFO 27, 28, 29, 42). Colder than 0 C rain freezes, to snow
/// where there is little of both; warmer, what it and cloud bring melts them: 4190 (T - T0) / Lf of
/// it.
template <class V>
HD INLINE void collide(Wsm6Flows<V>& f, const Wsm6Cell<V>& c, const Wsm6Air<V>& air,
                       const Wsm6Population<V>& p, const Riming<V>& riming,
                       const Wsm6Numbers<scalar_of<V>>& n) {
  using T = scalar_of<V>;
  constexpr T water = T(air::water_density), flake = T(wsm6::snow_density);
  const V supercooling = c.supercooling();
  const V melts = T(4190.0 / air::fusion) * maximum(V(-supercooling), V{});
  f.snow_rain = melts * riming.snow;
  f.graupel_rain = melts * riming.graupel;
  const V second = maximum(maximum(minimum(c.rain, c.snow), minimum(c.rain, c.graupel)),
                           minimum(c.snow, c.graupel));
  if (!any(second > T(wsm6::least))) return;
  const auto cold = supercooling > V{};
  const auto few = (c.rain < T(1e-4)) & (c.snow < T(1e-4));
  const auto meeting = [&](V one, V other, V collected) {
    return where_both(one, other, V(collected * air.volume));
  };
  const V snow_by_rain =
      meeting(c.rain, c.snow, collecting(p.rain, p.snow, flake)) * efficiency(c.rain, c.snow, n);
  const V rain_by_snow =
      meeting(c.rain, c.snow, collecting(p.snow, p.rain, water)) * efficiency(c.snow, c.rain, n);
  const V rain_by_graupel = meeting(c.rain, c.graupel, collecting(p.graupel, p.rain, water)) *
                            efficiency(c.graupel, c.rain, n);
  const V meet = meeting(c.graupel, c.snow, collecting(p.graupel, p.snow, flake));
  const V sticking = any(meet > V{}) ? exp(V(T(-0.09) * maximum(supercooling, V{}))) : V{};
  f.rain_snow = f.rain_snow + (cold & few ? rain_by_snow : V{});
  const V frozen = rain_by_graupel + (few ? V{} : rain_by_snow);
  f.rain_graupel = f.rain_graupel + (cold ? frozen : V{});
  const V caught = few ? V{} : snow_by_rain;
  f.snow_graupel = f.snow_graupel + sticking * meet + (cold ? caught : V{});
  f.snow_rain = f.snow_rain + melts * rain_by_snow;
  f.graupel_rain = f.graupel_rain + melts * rain_by_graupel;
}

/// What of a rate of growth by vapour is allowed: at most half of the excess over saturation, at
/// most what others left of it, and no more evaporates than there is [s-1].
template <class V>
HD INLINE V allowed(V rate, V excess, V left, V stock) {
  const V half = scalar_of<V>(0.5) * excess;
  const V most = maximum(minimum(half, left), V{});
  const V least = maximum(minimum(maximum(half, left), V{}), V(-stock));
  return minimum(maximum(rate, least), most);
}

/// (S - 1) / (rho L^2 / (Ka Rv T^2) + 1 / (saturated Dv)) with S = qv / saturated [m2 s-1] (HDC,
/// appendix).
template <class V>
HD INLINE V driving(V vapor, V saturated, V temperature, V air_density, const Diffusion<V>& d,
                    double latent) {
  using T = scalar_of<V>;
  constexpr T gas = T(air::vapor_gas_constant);
  const V brought = d.conductivity * (gas * temperature * temperature);
  const V heat = T(latent * latent) * air_density;
  return (vapor - saturated) * d.vapor * brought / (heat * saturated * d.vapor + brought);
}

/// Rain grows or evaporates (HDC 14), then, colder than 0 C, crystals (HDC 9), snow and graupel
/// (LFO 31, 46), and new crystals form (HDC 7, 8); warmer, melting snow and graupel evaporate (LFO
/// 35).
template <class V>
HD INLINE void exchange_vapor(Wsm6Flows<V>& f, const Wsm6Cell<V>& c, const Wsm6Air<V>& air,
                              const Wsm6Population<V>& p, scalar_of<V> dt) {
  using T = scalar_of<V>;
  constexpr T sphere = T(2.0 * particle::pi), flake = T(4), plate = T(4);
  const V temperature = c.temperature, supercooling = c.supercooling();
  const auto cold = supercooling > V{};
  if (!any(cold | (c.particles() > V{}))) return;
  const Diffusion<V> d = diffusion(temperature, air);
  const V over_water = saturation(temperature, air.pressure).ratio;
  const V over_ice = ice_saturation(temperature, air.pressure);
  const auto drives = [&](V saturated, double latent) {
    return driving(c.vapor, saturated, temperature, air.density, d, latent);
  };
  const V to_water = drives(over_water, air::vaporization);
  const V to_ice = drives(over_ice, air::sublimation), to_grains = cold ? to_ice : to_water;
  const auto rate = [&](const ParticleKind& kind, const Particles<V>& some, V stock, T capacity) {
    return stock > V{} ? V(capacity * exchange(kind, some, d.flow)) : V{};
  };
  const T per_dt = T(1) / dt;
  const V excess = (c.vapor - over_water) * per_dt;
  const V rain = to_water * rate(raindrops, p.rain, c.rain, sphere);
  f.vapor_rain = allowed(rain, excess, excess, V(c.rain * per_dt));

  const V above = cold ? V((c.vapor - over_ice) * per_dt) : minimum(excess, V{});
  V left = above - f.vapor_rain;
  const auto taken = [&](V wanted, V stock) {
    const V given = allowed(wanted, above, left, V(stock * per_dt));
    left = left - given;
    return given;
  };
  const V ice = c.ice > V{} ? V(plate * p.ice.number * p.ice.diameter * to_ice) : V{};
  f.vapor_ice = taken(ice, c.ice);
  f.vapor_snow = taken(V(to_grains * rate(snowflakes, p.snow, c.snow, flake)), c.snow);
  f.vapor_graupel =
      taken(V(to_grains * rate(graupel_grains, p.graupel, c.graupel, sphere)), c.graupel);
  if (!any(cold & (minimum(above, left) > V{}))) return;
  const V number = T(1e3) * exp(V(T(0.1) * maximum(supercooling, V{})));
  const V born = T(4.92e-11) * pow(number, T(1.33)) * air.volume;
  const V wanted = minimum(V(maximum(V(born - c.ice), V{}) * per_dt), above);
  f.vapor_ice = f.vapor_ice + (cold ? maximum(minimum(wanted, left), V{}) : V{});
}

}  // namespace halocline
