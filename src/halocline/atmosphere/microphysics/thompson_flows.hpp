#pragma once
#include "atmosphere/microphysics/thompson_cell.hpp"

/// What goes from one kind of water to another in a cell (Thompson et al. 2008, appendix A): rates
/// of mixing ratios [s-1] by giver and taker, and of numbers.
namespace halocline::thompson {

/// Rates [s-1], those from vapour negative where it is given; and numbers [kg-1 s-1].
template <class V>
struct Flows {
  V cloud_rain{}, cloud_ice{}, cloud_snow{}, cloud_graupel{};
  V rain_ice{}, rain_snow{}, rain_graupel{};
  V ice_snow{}, ice_graupel{}, ice_cloud{};
  V snow_ice{}, snow_graupel{}, snow_rain{};
  V graupel_ice{}, graupel_rain{};
  V vapor_rain{}, vapor_ice{}, vapor_snow{}, vapor_graupel{};
  V drops_born{}, drops_lost{}, crystals_born{}, crystals_lost{};
};

/// A value where a condition holds, elsewhere 0.
template <class M, class V>
INLINE V where(M condition, V value) {
  return condition ? value : V{};
}
/// Whether both hold.
template <class M>
INLINE M both(M one, M other) {
  return one & other;
}
template <class M>
INLINE M either(M one, M other) {
  return one | other;
}

/// How far droplets keep to the air's path around what falls (Stokes' number).
template <class V>
INLINE V stokes_number(V size, V speed, V droplet, V viscosity) {
  return droplet * droplet * speed * air::water_density / (9.0 * viscosity * size);
}
/// What part of the droplets in its way is caught: by a drop (Beard and Grover 1974, J. Atmos. Sci.
/// 31, 543), by grains (Cober and List 1993, J. Atmos. Sci. 50, 1591), by flakes (Langmuir and
/// Blodgett 1946).
template <class V>
INLINE V caught_by_drop(V stokes, V reynolds, V ratio) {
  const V f = log(maximum(reynolds, splat<V>(1e-6)));
  const V z = log(maximum(stokes, splat<V>(1e-30))) + 0.1007 + 0.358 * f - 0.0261 * f * f;
  const V h = 0.1465 + z * (1.302 + z * (-0.607 + z * 0.293));
  const V sum = (2.0 / pi * atan(h) + ratio) / (1.0 + ratio);
  const V share = minimum(V(sum * sum), splat<V>(0.95));
  return where(both(ratio<splat<V>(1.0), h> V{}), share);
}
template <class V>
INLINE V caught_by_grain(V stokes) {
  constexpr double per_ten = 0.4342944819032518;  // 1 / log 10
  const V some = 0.55 * per_ten * log(V(2.51 * maximum(stokes, splat<V>(0.4))));
  return stokes < splat<V>(0.4) ? V{} : stokes > splat<V>(10.0) ? splat<V>(0.77) : some;
}
template <class V>
INLINE V caught_by_flake(V stokes) {
  const V share = stokes / (stokes + 0.5);
  return share * share;
}

/// Droplets become drops (Berry and Reinhardt 1974 as Walko et al. 1995 have it).
template <class V>
INLINE void convert_droplets(Flows<V>& f, const Cell<V>& c, const Population<V>& p,
                             const Numbers& n) {
  const auto some = c.has(cloud);
  if (!any(some)) return;
  const V content = some ? c.content(cloud) : splat<V>(least);
  const double mu = n.shape();
  const V slope =
      cube_root(V(raindrops.c * n.droplets * (mu + 3.0) * (mu + 2.0) * (mu + 1.0) / content));
  const V wide = std::cbrt((mu + 6.0) * (mu + 5.0) * (mu + 4.0)) / slope;
  const V s3 = power<3>(p.droplet);
  const V spread = square_root(cube_root(maximum(V(s3 * power<3>(wide) - s3 * s3), V{})));
  const V length = 0.0625 * 1e20 * power<3>(spread) * p.droplet - 0.4;
  const V haste = 0.5e6 * spread - 7.5;
  const V made = 0.027 * content * length * content * haste / 3.72;
  const auto acts = both(some, minimum(length, haste) > V{});
  f.cloud_rain = where(acts, V(made / c.density));
  f.drops_born = f.cloud_rain / mass_of(raindrops, new_drop);
}

/// Droplets become drops, drops collect droplets, and each other until they break (Verlinde and
/// Cotton 1993).
template <class V>
INLINE void warm_rain(Flows<V>& f, const Cell<V>& c, const Population<V>& p,
                      const Diffusivities<V>& d, const Numbers& n) {
  convert_droplets(f, c, p, n);
  const auto some = c.has(rain);
  if (!any(some)) return;
  const V median = 3.672 / p.rain.slope;
  const auto collects = both(both(some, c.has(cloud)), median > splat<V>(new_drop));
  if (any(collects)) {
    const V speed = c.thinness() * speed_of(raindrops, median);
    const V stokes = stokes_number(median, speed, p.droplet, d.viscosity);
    const V reynolds = c.density * median * speed / d.viscosity;
    const V share = caught_by_drop(stokes, reynolds, V(p.droplet / median));
    f.cloud_rain +=
        where(collects, V(share * c.thinness() * swept(raindrops, p.rain) * c.water[cloud]));
  }
  const V over = minimum(V(2300.0 * (median - 1950e-6)), splat<V>(2.0));
  const V stick = 1.0 - exp(over);
  const V meet = where(some, V(2.0 * stick * p.rain.number() / c.density * c.content(rain)));
  f.drops_lost += maximum(meet, V{});
  f.drops_born += maximum(V(-meet), V{});
}

/// Cloud water that flakes and grains catch. Colder than 0 C it freezes on them, and from -3 to -8
/// C it splinters (Hallett and Mossop 1974); snow that grows five times faster so than by vapour
/// becomes graupel. Warmer all of it becomes rain.
///
/// @param[in] growth  of snow by vapour [s-1]
template <class V>
INLINE void rime(Flows<V>& f, const Cell<V>& c, const Population<V>& p, const Diffusivities<V>& d,
                 V growth) {
  const auto snowy = both(c.has(cloud), c.has(snow)), hail = both(c.has(cloud), c.has(graupel));
  if (!any(either(snowy, hail))) return;
  const V fast = c.thinness();
  V on_snow{}, on_graupel{};
  if (any(snowy)) {
    const V mass = p.snow.moment(flakes.mass), mean = p.snow.moment(third) / mass;
    const V speed = fast * mass_speed(flakes, p.snow);
    const V share = caught_by_flake(stokes_number(mean, speed, p.droplet, d.viscosity));
    on_snow = where(snowy, V(share * fast * swept(flakes, p.snow) * c.water[cloud]));
  }
  if (any(hail)) {
    const V speed = fast * mass_speed(grains, p.graupel), mean = 3.672 / p.graupel.slope;
    const V share = caught_by_grain(stokes_number(mean, speed, p.droplet, d.viscosity));
    on_graupel = where(hail, V(share * fast * swept(grains, p.graupel) * c.water[cloud]));
  }
  const V celsius = -c.supercooling();
  const auto cold = celsius < V{};
  f.cloud_rain += cold ? V{} : V(on_snow + on_graupel);
  const V ratio = growth > V{} ? V(on_snow / growth) : V{};
  const V heavy = 0.15 + 0.028 * (minimum(ratio, splat<V>(30.0)) - 5.0);
  const V turned = where(ratio > splat<V>(5.0), heavy);
  f.cloud_snow = where(cold, V((1.0 - turned) * on_snow));
  f.cloud_graupel = where(cold, V(on_graupel + turned * on_snow));
  const V splits = celsius > splat<V>(-5.0) ? V((-3.0 - celsius) / 2.0) : V((celsius + 8.0) / 3.0);
  const V per_rime = 3.5e8 * maximum(splits, V{});
  f.snow_ice = per_rime * new_crystal * f.cloud_snow;
  f.graupel_ice = per_rime * new_crystal * f.cloud_graupel;
  f.crystals_born += per_rime * (f.cloud_snow + f.cloud_graupel);
}

/// Colder than 0 C: crystals that flakes and drops catch; these freeze. Crystals that have grown
/// large become flakes within a minute.
template <class V>
INLINE void collect_crystals(Flows<V>& f, const Cell<V>& c, const Population<V>& p) {
  const auto icy = both(c.has(ice), c.supercooling() > V{});
  if (!any(icy)) return;
  const V fast = c.thinness(), per_mass = c.water[ice_number];
  const auto snowy = both(icy, c.has(snow)), rainy = both(icy, c.has(rain));
  if (any(snowy)) {
    const V rate = where(snowy, V(0.05 * fast * swept(flakes, p.snow)));
    f.ice_snow += rate * c.water[ice];
    f.crystals_lost += rate * per_mass;
  }
  if (any(rainy)) {
    const V rate = where(rainy, V(0.95 * fast * swept(raindrops, p.rain)));
    f.ice_graupel = rate * c.water[ice];
    f.crystals_lost += rate * per_mass;
    const V mass =
        0.25 * pi * raindrops.a * raindrops.c * p.rain.moment(raindrops.collected, raindrops.f);
    f.rain_graupel += where(rainy, V(0.95 * fast * per_mass * mass));
    f.drops_lost += rate * per_mass;
  }
  const V x = p.ice.slope * new_flake;
  const V few = where(icy, exp(V(-x))), share = few * (1.0 + x * (1.0 + x * (0.5 + x / 6.0)));
  f.ice_snow += share * c.water[ice] / 60.0;
  f.crystals_lost += few * per_mass / 60.0;
}

/// Drops that meet flakes and grains. Colder than 0 C they freeze: onto flakes that are heavier,
/// with lighter ones and with grains to graupel. Warmer, flakes and grains that meet drops melt as
/// far as the drops are warm.
template <class V>
INLINE void collide(Flows<V>& f, const Cell<V>& c, const Population<V>& p) {
  const auto snowy = both(c.has(rain), c.has(snow)), hail = both(c.has(rain), c.has(graupel));
  if (!any(either(snowy, hail))) return;
  const V celsius = -c.supercooling(), fast = c.thinness() / c.density;
  const auto cold = celsius < V{};
  const V melts = 4218.0 / air::fusion * maximum(celsius, V{});
  const V drops = -log(p.rain.slope);
  if (any(snowy)) {
    const V scale =
        where(snowy, V(0.95 * fast * p.rain.intercept * p.snow.second / power<3>(p.snow.length)));
    const Meeting<V> m = with_snow()(drops, V(log(p.snow.length)));
    const V light = scale * m.light_drops, heavy = scale * m.heavy_drops, met = scale * m.others;
    f.rain_snow += where(cold, light);
    f.rain_graupel += where(cold, heavy);
    f.snow_graupel += where(cold, met);
    f.drops_lost += where(cold, V(scale * m.drops));
    f.snow_rain += cold ? V{} : V(met + melts * (light + heavy));
  }
  if (!any(hail)) return;
  const V scale = where(hail, V(0.75 * fast * p.rain.intercept * p.graupel.intercept));
  const Meeting<V> m = with_graupel()(drops, V(-log(p.graupel.slope)));
  const V mass = scale * (m.light_drops + m.heavy_drops);
  f.rain_graupel += where(cold, mass);
  f.drops_lost += where(cold, V(scale * m.drops));
  f.graupel_rain += cold ? V{} : V(melts * mass);
}

/// Snow and graupel above 0 C melt as fast as air brings heat, less what drops that they catch and
/// vapour take; crystals at once, into cloud.
template <class V>
INLINE void melt(Flows<V>& f, const Cell<V>& c, const Population<V>& p, const Diffusivities<V>& d,
                 double dt) {
  constexpr double ten = 2.302585092994046;  // log 10
  const V celsius = -c.supercooling();
  const auto warm = celsius > V{};
  if (!any(warm)) return;
  const V brings = d.heat * celsius / (air::fusion * c.density);
  const auto icy = both(warm, c.water[ice] > V{});
  f.ice_cloud = where(icy, V(c.water[ice] / dt));
  f.crystals_lost += where(icy, V(c.water[ice_number] / dt));
  const auto snowy = both(warm, c.has(snow)), hail = both(warm, c.has(graupel));
  if (any(snowy)) {
    const V rate = 4.0 * pi * 0.3 * brings * ventilated(flakes, p.snow, 0.86, 0.28, d.flow);
    const V number = p.snow.moment(zeroth) / c.content(snow);
    f.snow_rain += where(snowy, rate);
    f.drops_born += where(snowy, V(rate * number * exp(V(-0.25 * ten * celsius))));
  }
  if (any(hail)) {
    const V rate = 2.0 * pi * brings * ventilated(grains, p.graupel, 0.86, 0.28, d.flow);
    const V number = p.graupel.number() / c.content(graupel);
    f.graupel_rain += where(hail, rate);
    f.drops_born += where(hail, V(rate * number * exp(V(-0.5 * ten * celsius))));
  }
}

}  // namespace halocline::thompson
