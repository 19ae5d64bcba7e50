#pragma once
#include <utility>

#include "atmosphere/microphysics/thompson_cell.hpp"

/// What goes from one kind of water to another in a cell (Thompson et al. 2008, appendix A): rates
/// of mixing ratios [s-1] by giver and taker, and of numbers.
namespace halocline::thompson {

/// Rates [s-1], those from vapour negative where it is given; and numbers [kg-1 s-1].
struct Flows {
  double cloud_rain = 0.0, cloud_ice = 0.0, cloud_snow = 0.0, cloud_graupel = 0.0;
  double rain_ice = 0.0, rain_snow = 0.0, rain_graupel = 0.0;
  double ice_snow = 0.0, ice_graupel = 0.0, ice_cloud = 0.0;
  double snow_ice = 0.0, snow_graupel = 0.0, snow_rain = 0.0;
  double graupel_ice = 0.0, graupel_rain = 0.0;
  double vapor_rain = 0.0, vapor_ice = 0.0, vapor_snow = 0.0, vapor_graupel = 0.0;
  double drops_born = 0.0, drops_lost = 0.0, crystals_born = 0.0, crystals_lost = 0.0;
};

/// How far droplets keep to the air's path around what falls (Stokes' number).
inline double stokes_number(double size, double speed, double droplet, double viscosity) {
  return droplet * droplet * speed * air::water_density / (9.0 * viscosity * size);
}
/// What part of the droplets in its way is caught: by a drop (Beard and Grover 1974, J. Atmos. Sci.
/// 31, 543), by grains (Cober and List 1993, J. Atmos. Sci. 50, 1591), by flakes (Langmuir and
/// Blodgett 1946).
inline double caught_by_drop(double stokes, double reynolds, double ratio) {
  if (ratio >= 1.0) return 0.0;
  const double f = std::log(std::max(reynolds, 1e-6));
  const double z = std::log(stokes) + 0.1007 + 0.358 * f - 0.0261 * f * f;
  const double h = 0.1465 + z * (1.302 + z * (-0.607 + z * 0.293));
  if (h <= 0.0) return 0.0;
  const double sum = (2.0 / pi * std::atan(h) + ratio) / (1.0 + ratio);
  return std::min(sum * sum, 0.95);
}
inline double caught_by_grain(double stokes) {
  return stokes < 0.4 ? 0.0 : stokes > 10.0 ? 0.77 : 0.55 * std::log10(2.51 * stokes);
}
inline double caught_by_flake(double stokes) {
  const double share = stokes / (stokes + 0.5);
  return share * share;
}

/// Droplets become drops (Berry and Reinhardt 1974 as Walko et al. 1995 have it), drops collect
/// droplets, and each other until they break (Verlinde and Cotton 1993).
inline void warm_rain(Flows& f, const Cell& c, const Population& p, const Diffusivities& d,
                      const Numbers& n) {
  if (c.has(cloud)) {
    const double content = c.content(cloud), mu = n.shape(), size = p.droplet;
    const double slope =
        std::cbrt(raindrops.c * n.droplets * (mu + 3.0) * (mu + 2.0) * (mu + 1.0) / content);
    const double wide = std::cbrt((mu + 6.0) * (mu + 5.0) * (mu + 4.0)) / slope;
    const double s3 = size * size * size;
    const double spread = std::pow(std::max(s3 * wide * wide * wide - s3 * s3, 0.0), 1.0 / 6.0);
    const double length = 0.0625 * 1e20 * spread * spread * spread * size - 0.4;
    const double haste = 0.5e6 * spread - 7.5;
    if (length > 0.0 && haste > 0.0) {
      const double made = 0.027 * content * length * content * haste / 3.72;
      f.cloud_rain = made / c.density;
      f.drops_born = f.cloud_rain / mass_of(raindrops, new_drop);
    }
  }
  if (!c.has(rain)) return;
  const double median = 3.672 / p.rain.slope;
  if (c.has(cloud) && median > new_drop) {
    const double speed = c.thinness() * speed_of(raindrops, median);
    const double stokes = stokes_number(median, speed, p.droplet, d.viscosity);
    const double reynolds = c.density * median * speed / d.viscosity;
    const double share = caught_by_drop(stokes, reynolds, p.droplet / median);
    f.cloud_rain += share * c.thinness() * swept(raindrops, p.rain) * c.water[cloud];
  }
  const double stick = 1.0 - std::exp(std::min(2300.0 * (median - 1950e-6), 2.0));
  const double meet = 2.0 * stick * p.rain.number() / c.density * c.content(rain);
  (meet > 0.0 ? f.drops_lost : f.drops_born) += std::abs(meet);
}

/// Cloud water that flakes and grains catch. Colder than 0 C it freezes on them, and from -3 to -8
/// C it splinters (Hallett and Mossop 1974); snow that grows five times faster so than by vapour
/// becomes graupel. Warmer all of it becomes rain.
///
/// @param[in] growth  of snow by vapour [s-1]
inline void rime(Flows& f, const Cell& c, const Population& p, const Diffusivities& d,
                 double growth) {
  if (!c.has(cloud)) return;
  const double fast = c.thinness();
  double on_snow = 0.0, on_graupel = 0.0;
  if (c.has(snow)) {
    const double speed = fast * mass_speed(flakes, p.snow);
    const double size = p.snow.moment(3.0) / p.snow.moment(2.0);
    const double share = caught_by_flake(stokes_number(size, speed, p.droplet, d.viscosity));
    on_snow = share * fast * swept(flakes, p.snow) * c.water[cloud];
  }
  if (c.has(graupel)) {
    const double speed = fast * mass_speed(grains, p.graupel), size = 3.672 / p.graupel.slope;
    const double share = caught_by_grain(stokes_number(size, speed, p.droplet, d.viscosity));
    on_graupel = share * fast * swept(grains, p.graupel) * c.water[cloud];
  }
  const double celsius = -c.supercooling();
  if (celsius >= 0.0) {
    f.cloud_rain += on_snow + on_graupel;
    return;
  }
  const double ratio = growth > 0.0 ? on_snow / growth : 0.0;
  const double turned = ratio > 5.0 ? 0.15 + 0.028 * (std::min(ratio, 30.0) - 5.0) : 0.0;
  f.cloud_snow = (1.0 - turned) * on_snow;
  f.cloud_graupel = on_graupel + turned * on_snow;
  const double splits = celsius > -5.0 ? (-3.0 - celsius) / 2.0 : (celsius + 8.0) / 3.0;
  if (splits <= 0.0) return;
  const double per_rime = 3.5e8 * splits;
  f.snow_ice = per_rime * new_crystal * f.cloud_snow;
  f.graupel_ice = per_rime * new_crystal * f.cloud_graupel;
  f.crystals_born += per_rime * (f.cloud_snow + f.cloud_graupel);
}

/// Colder than 0 C: crystals that flakes and drops catch; these freeze. Crystals that have grown
/// large become flakes within a minute.
inline void collect_crystals(Flows& f, const Cell& c, const Population& p) {
  if (!c.has(ice)) return;
  const double fast = c.thinness(), per_mass = c.water[ice_number];
  if (c.has(snow)) {
    const double rate = 0.05 * fast * swept(flakes, p.snow);
    f.ice_snow += rate * c.water[ice];
    f.crystals_lost += rate * per_mass;
  }
  if (c.has(rain)) {
    const double rate = 0.95 * fast * swept(raindrops, p.rain);
    f.ice_graupel = rate * c.water[ice];
    f.crystals_lost += rate * per_mass;
    const double mass =
        0.25 * pi * raindrops.a * raindrops.c * p.rain.moment(5.0 + raindrops.b, raindrops.f);
    f.rain_graupel += 0.95 * fast * per_mass * mass;
    f.drops_lost += rate * per_mass;
  }
  const double x = p.ice.slope * new_flake;
  const double few = std::exp(-x), share = few * (1.0 + x * (1.0 + x * (0.5 + x / 6.0)));
  f.ice_snow += share * c.water[ice] / 60.0;
  f.crystals_lost += few * per_mass / 60.0;
}

/// Drops that meet flakes and grains. Colder than 0 C they freeze: onto flakes that are heavier,
/// with lighter ones and with grains to graupel. Warmer, flakes and grains that meet drops melt as
/// far as the drops are warm.
inline void collide(Flows& f, const Cell& c, const Population& p) {
  if (!c.has(rain)) return;
  const double celsius = -c.supercooling(), fast = c.thinness() / c.density;
  const double melts = 4218.0 / air::fusion * std::max(celsius, 0.0);
  const double drops = -std::log(p.rain.slope);
  if (c.has(snow)) {
    const double cubed = p.snow.length * p.snow.length * p.snow.length;
    const double scale = 0.95 * fast * p.rain.intercept * p.snow.second / cubed;
    const Meeting m = with_snow()(drops, std::log(p.snow.length));
    const double light = scale * m.light_drops, heavy = scale * m.heavy_drops;
    if (celsius < 0.0) {
      f.rain_snow += light;
      f.rain_graupel += heavy;
      f.snow_graupel += scale * m.others;
      f.drops_lost += scale * m.drops;
    } else {
      f.snow_rain += scale * m.others + melts * (light + heavy);
    }
  }
  if (!c.has(graupel)) return;
  const double scale = 0.75 * fast * p.rain.intercept * p.graupel.intercept;
  const Meeting m = with_graupel()(drops, -std::log(p.graupel.slope));
  const double mass = scale * (m.light_drops + m.heavy_drops);
  if (celsius < 0.0) {
    f.rain_graupel += mass;
    f.drops_lost += scale * m.drops;
  } else {
    f.graupel_rain += melts * mass;
  }
}

/// Bigg's (1953) rate at which water freezes [m-3 s-1].
inline double freezing_rate(double supercooling) {
  return 100.0 * (std::exp(0.66 * std::min(supercooling, 50.0)) - 1.0);
}

/// Droplets and drops that freeze in `dt` [s], all of them below -38 C: droplets and small drops
/// to crystals, drops larger than `new_flake` to graupel.
inline void freeze(Flows& f, const Cell& c, const Population& p, const Numbers& n, double dt) {
  const double supercooling = c.supercooling();
  if (supercooling <= 0.0) return;
  const bool at_once = supercooling > 38.0;
  const double rate = freezing_rate(supercooling) * dt;
  if (c.has(cloud)) {
    const double mu = n.shape(), volume = c.content(cloud) / (air::water_density * n.droplets);
    const double wide =
        (mu + 6.0) * (mu + 5.0) * (mu + 4.0) / ((mu + 3.0) * (mu + 2.0) * (mu + 1.0));
    const double mass = at_once ? 1.0 : 1.0 - std::exp(-rate * volume * wide);
    const double number = at_once ? 1.0 : 1.0 - std::exp(-rate * volume);
    f.cloud_ice = mass * c.water[cloud] / dt;
    f.crystals_born += number * n.droplets / c.density / dt;
  }
  if (!c.has(rain)) return;
  const double widest = std::max(24.0 / p.rain.slope, new_flake);
  const auto frozen = [&](double from, double to) {  // number and mass of drops, 12 parts
    constexpr int parts = 12;
    double number = 0.0, mass = 0.0;
    for (int m = 0; m < parts; ++m) {
      const double size = from + (to - from) * (m + 0.5) / parts;
      const double volume = pi / 6.0 * size * size * size;
      const double many = p.rain.intercept * std::exp(-p.rain.slope * size) * (to - from) / parts;
      const double gone = many * (at_once ? 1.0 : 1.0 - std::exp(-rate * volume));
      number += gone;
      mass += gone * volume * air::water_density;
    }
    return std::pair(number, mass);
  };
  const auto [crystals, small] = frozen(0.0, new_flake);
  const auto [grains, large] = at_once
                                   ? std::pair(p.rain.number() - crystals, c.content(rain) - small)
                                   : frozen(new_flake, widest);
  const double per = 1.0 / (c.density * dt);
  f.rain_ice += small * per;
  f.rain_graupel += large * per;
  f.crystals_born += crystals * per;
  f.drops_lost += (crystals + grains) * per;
}

/// Snow and graupel above 0 C melt as fast as air brings heat, less what drops that they catch and
/// vapour take; crystals at once, into cloud.
inline void melt(Flows& f, const Cell& c, const Population& p, const Diffusivities& d, double dt) {
  const double celsius = -c.supercooling();
  if (celsius <= 0.0) return;
  const double brings = d.heat * celsius / (air::fusion * c.density);
  if (c.water[ice] > 0.0) {
    f.ice_cloud = c.water[ice] / dt;
    f.crystals_lost += c.water[ice_number] / dt;
  }
  if (c.has(snow)) {
    const double rate = 4.0 * pi * 0.3 * brings * ventilated(flakes, p.snow, 0.86, 0.28, d.flow);
    f.snow_rain += rate;
    const double number = p.snow.moment(0.0) / c.content(snow);
    f.drops_born += rate * number * std::pow(10.0, -0.25 * celsius);
  }
  if (c.has(graupel)) {
    const double rate = 2.0 * pi * brings * ventilated(grains, p.graupel, 0.86, 0.28, d.flow);
    f.graupel_rain += rate;
    const double number = p.graupel.number() / c.content(graupel);
    f.drops_born += rate * number * std::pow(10.0, -0.5 * celsius);
  }
}

}  // namespace halocline::thompson
