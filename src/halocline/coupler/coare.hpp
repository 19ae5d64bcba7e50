#pragma once
#include "coupler/stability.hpp"

/// What air and sea exchange at a point, by the COARE algorithm 3.6: Fairall, Bradley, Hare,
/// Grachev and Edson 2003, J. Climate 16, 571, with the drag of Edson et al. 2013, J. Phys.
/// Oceanogr. 43, 1589, the cool skin of Fairall et al. 1996, J. Geophys. Res. 101, 1295, and its
/// roughness of waves.
namespace halocline {

/// Constants of the algorithm, which differ a little from ours; SI units but degrees Celsius.
struct CoareConstants {
  double karman = 0.4, gas = 287.1, heat_capacity = 1004.67, zero = 273.16, emissivity = 0.97;
  double stefan = 5.67e-8, gustiness = 1.2, mixed_layer = 600.0, least_gust = 0.2;
  double sea_heat_capacity = 4000.0, sea_density = 1022.0, sea_viscosity = 1e-6;
  double sea_conductivity = 0.6, haline = 0.026;
  // Charnock's coefficient of the wind, and of waves
  double slope = 0.0017, offset = -0.005, strongest = 19.0, steepness = 0.2, age_power = 2.2;
};
inline constexpr CoareConstants coare;

/// Heights of the wind, and of temperature and humidity, over the sea [m]; gravity [m s-2].
template <class T>
struct AirLevel {
  T wind, heat, gravity;
};

/// The air and the surface at a point.
template <class V>
struct AirOverSea {
  V wind;         // relative to the current [m s-1]
  V temperature;  // of the air [degree C]
  V humidity;     // specific, of the air [1]
  V pressure;     // [hPa]
  V sea;          // temperature of the sea below its skin [degree C]
  V short_wave;   // that enters the sea [W m-2]
  V long_wave;    // downward [W m-2]
  V wave_height;  // significant; where it is 0, or there is no speed, the roughness is that of the
                  // wind [m]
  V wave_speed;   // phase speed of the dominant waves [m s-1]
};

/// What they exchange.
template <class V>
struct SurfaceExchange {
  V friction;     // friction velocity [m s-1]
  V drag;         // stress over the relative wind [kg m-2 s-1]
  V sensible;     // heat that leaves the sea [W m-2]
  V evaporation;  // [kg m-2 s-1]
  V latent;       // heat that leaves the sea with it [W m-2]
  V long_wave;    // net, that leaves the sea [W m-2]
  V skin;         // how much cooler the skin is than the sea below [K]
  V roughness;    // length of the wind's profile [m]
};

/// Pressure of saturated vapour over fresh water [hPa], at a temperature [degree C] and pressure
/// [hPa] (Buck 1981, J. Appl. Meteor. 20, 1527).
template <class V>
HD INLINE V saturation_pressure(V temperature, V pressure) {
  using T = scalar_of<V>;
  return T(6.1121) * exp(T(17.502) * temperature / (T(240.97) + temperature)) *
         (T(1.0007) + T(3.46e-6) * pressure);
}

/// Specific humidity of air that is saturated over sea water of salinity 35 [1].
template <class V>
HD INLINE V sea_saturation(V temperature, V pressure) {
  using T = scalar_of<V>;
  const V vapour = T(0.98) * saturation_pressure(temperature, pressure);
  return T(0.622) * vapour / (pressure - T(0.378) * vapour);
}

/// The iteration at a point.
template <class V>
struct Coare {
  using T = scalar_of<V>;

  AirLevel<T> level;
  AirOverSea<V> air;
  bool cool_skin;
  V kelvin, saturated, evaporation_heat, density, viscosity, expansion, skin_number, wetness;
  V temperature_drop, humidity_drop;  // from the sea to the air
  V friction, heat_scale, moisture_scale, skin, skin_depth, speed, roughness;

  HD INLINE Coare(const AirLevel<T>& at, const AirOverSea<V>& over, bool cool)
      : level(at), air(over), cool_skin(cool) {
    const V t = air.temperature;
    kelvin = t + T(coare.zero);
    saturated = sea_saturation(air.sea, air.pressure);
    evaporation_heat = T(1e6) * (T(2.501) - T(0.00237) * air.sea);
    density = T(100) * air.pressure / (T(coare.gas) * kelvin * (T(1) + T(0.61) * air.humidity));
    viscosity =
        T(1.326e-5) * (T(1) + T(6.542e-3) * t + T(8.301e-6) * (t * t) - T(4.84e-9) * (t * t * t));
    expansion = T(2.1e-5) * pow(maximum(V(air.sea + T(3.2)), splat<V>(T(1e-3))), T(0.79));
    const V mass = splat<V>(T(coare.sea_density * coare.sea_viscosity));
    const V conductivity = T(coare.sea_conductivity) * density;
    skin_number = T(16.0 * coare.sea_heat_capacity) * level.gravity * (mass * mass * mass) /
                  (conductivity * conductivity);
    const V sea = air.sea + T(coare.zero);
    wetness = T(0.622) * evaporation_heat * saturated / (T(coare.gas) * (sea * sea));
    temperature_drop = air.sea - t - T(level.gravity / T(coare.heat_capacity) * level.heat);
    humidity_drop = saturated - air.humidity;
  }

  /// How much cooler than the sea below the skin is, where that is asked for.
  HD INLINE V cooling() const { return cool_skin ? skin : V{}; }

  /// Wind at 10 m in neutral air, as the iteration has it now.
  HD INLINE V neutral_wind() const {
    return friction / T(coare.karman) * (air.wind / speed) * log(T(10) / roughness);
  }

  /// Roughness from Charnock's coefficient, or from waves, and of smooth flow.
  HD INLINE void set_roughness(V neutral) {
    const V top = minimum(neutral, splat<V>(T(coare.strongest)));
    const V of_wind =
        (T(coare.slope) * top + T(coare.offset)) * (friction * friction) / level.gravity;
    const V age = friction / maximum(air.wave_speed, splat<V>(T(0.1)));
    const V of_waves = air.wave_height * T(coare.steepness) * pow(age, T(coare.age_power));
    const auto wavy = (air.wave_height > V{}) & (air.wave_speed > V{});
    roughness = (wavy ? of_waves : of_wind) + T(0.11) * viscosity / friction;
  }

  /// Scales of wind, temperature and humidity for roughnesses and a stability [1] at the wind's
  /// height.
  HD INLINE void set_scales(V thermal, V stability, const WindProfile& profile) {
    const V higher = (level.heat / level.wind) * stability;
    const V of_wind = log(level.wind / roughness) - wind_departure(stability, profile);
    const V of_heat = log(level.heat / thermal) - heat_departure(higher);
    friction = speed * T(coare.karman) / of_wind;
    heat_scale = -(temperature_drop - cooling()) * T(coare.karman) / of_heat;
    moisture_scale = -(humidity_drop - wetness * cooling()) * T(coare.karman) / of_heat;
  }

  /// A first guess, from the bulk Richardson number; the stability that it has.
  HD INLINE V guess() {
    const T k = T(coare.karman);
    speed = square_root(V(air.wind * air.wind + T(0.25)));
    skin = splat<V>(T(0.3));
    const V at_10 = speed * T(11.512925464970229) / log(V{} + level.wind / T(1e-4));
    friction = T(0.035) * at_10;
    roughness = T(0.011) * (friction * friction) / level.gravity + T(0.11) * viscosity / friction;
    const V drag_at_10 = k / log(T(10) / roughness);
    const V thermal = T(10) / exp(drag_at_10 * (k / T(0.00115)));
    const V of_wind = log(level.wind / roughness), of_heat = log(level.heat / thermal);
    const V ratio = k * (k / of_heat) * (of_wind * of_wind) / (k * k);
    const V buoyancy = (temperature_drop - cooling()) + T(0.61) * kelvin * humidity_drop;
    const V richardson = -level.gravity * level.wind / kelvin * buoyancy / (speed * speed);
    const T g = T(coare.gustiness);
    const T critical = -level.wind / T(coare.mixed_layer) / T(0.004) / (g * g * g);
    const V stable = ratio * richardson * (T(1) + T(3) * richardson / ratio);
    const V unstable = ratio * richardson / (T(1) + minimum(richardson, V{}) / critical);
    const V stability = richardson < V{} ? unstable : stable;
    set_scales(thermal, stability, first_profile);
    skin_depth = splat<V>(T(0.001));
    set_roughness(at_10);
    return stability;
  }

  /// The cool skin, of the heat that leaves it and the share of sunlight that it takes.
  HD INLINE void set_skin() {
    const V leaving = -density * friction;
    const V sensible = leaving * T(coare.heat_capacity) * heat_scale;
    const V latent = leaving * evaporation_heat * moisture_scale;
    const V depth = skin_depth;
    const V share =
        T(0.065) + T(11) * depth - T(6.6e-5) / depth * (T(1) - exp(depth * T(-1.0 / 8.0e-4)));
    const V cooled = (long_wave() + sensible + latent) - air.short_wave * share;
    const V heavy =
        expansion * cooled + T(coare.haline * coare.sea_heat_capacity) * latent / evaporation_heat;
    const V wind = friction * friction;
    const V ratio = skin_number * maximum(heavy, V{}) / (wind * wind);
    const V grown = square_root(V(ratio * square_root(ratio)));
    const V saunders = T(6) / pow(V(T(1) + grown), T(0.333));
    const V thickness =
        T(coare.sea_viscosity) / (square_root(V(density / T(coare.sea_density))) * friction);
    skin_depth =
        heavy > V{} ? saunders * thickness : minimum(splat<V>(T(0.01)), V(T(6) * thickness));
    skin = cooled * skin_depth / T(coare.sea_conductivity);
  }

  /// Long waves that leave the sea, less what comes down [W m-2].
  HD INLINE V long_wave() const {
    const V sea = air.sea - cooling() + T(coare.zero);
    const V square = sea * sea;
    return T(coare.emissivity) * (T(coare.stefan) * (square * square) - air.long_wave);
  }

  /// One turn of the iteration.
  HD INLINE void improve() {
    const V buoyancy = heat_scale + T(0.61) * kelvin * moisture_scale;
    const V stability =
        T(coare.karman) * level.gravity * level.wind / kelvin * buoyancy / (friction * friction);
    const V reynolds = roughness * friction / viscosity;
    const V thermal = minimum(splat<V>(T(1.6e-4)), V(T(5.8e-5) / pow(reynolds, T(0.72))));
    set_scales(thermal, stability, usual_profile);
    const V warm = heat_scale * (T(1) + T(0.61) * air.humidity) + T(0.61) * kelvin * moisture_scale;
    const V lift = -level.gravity / kelvin * friction * warm;
    const V gust = T(coare.gustiness) * cube_root(V(maximum(lift, V{}) * T(coare.mixed_layer)));
    const V blown = lift > V{} ? gust : splat<V>(T(coare.least_gust));
    speed = square_root(V(air.wind * air.wind + blown * blown));
    set_skin();
  }
};

/// What air and sea exchange after `turns` of the iteration; very stable air has only one.
template <class V>
HD INLINE SurfaceExchange<V> air_sea_exchange(const AirLevel<scalar_of<V>>& level,
                                              const AirOverSea<V>& air, bool cool_skin, int turns) {
  using T = scalar_of<V>;
  Coare<V> point(level, air, cool_skin);
  const auto settled = point.guess() > splat<V>(T(50));
  for (int turn = 0; turn < turns; ++turn) {
    const Coare<V> before = point;
    point.improve();
    if (turn > 0) {
      point.friction = settled ? before.friction : point.friction;
      point.heat_scale = settled ? before.heat_scale : point.heat_scale;
      point.moisture_scale = settled ? before.moisture_scale : point.moisture_scale;
      point.skin = settled ? before.skin : point.skin;
      point.skin_depth = settled ? before.skin_depth : point.skin_depth;
      point.speed = settled ? before.speed : point.speed;
    }
    if (turn + 1 < turns) point.set_roughness(point.neutral_wind());
  }
  const V leaving = -point.density * point.friction;
  SurfaceExchange<V> found;
  found.friction = point.friction;
  found.drag = point.density * (point.friction * point.friction) / point.speed;
  found.sensible = leaving * T(coare.heat_capacity) * point.heat_scale;
  found.evaporation = leaving * point.moisture_scale;
  found.latent = point.evaporation_heat * found.evaporation;
  found.long_wave = point.long_wave();
  found.skin = point.cooling();
  found.roughness = point.roughness;
  return found;
}

}  // namespace halocline
