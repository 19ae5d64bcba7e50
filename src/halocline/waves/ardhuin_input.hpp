#pragma once
#include "elementary.hpp"
#include "pack.hpp"
#include "waves/tile.hpp"

/// Wind input and swell dissipation of Ardhuin et al. (2010), after Janssen (1991), for one pack of
/// points. Spectra are variance densities F [m2 Hz-1 rad-1]; stresses are divided by the density of
/// air [m2 s-2]. V is a scalar or a pack, T its element.
namespace halocline::waves {

/// Options of ArdhuinInput (ardhuin.py) and constants.
struct ArdhuinInputOptions {
  double gravity = 9.806;
  double von_karman = 0.4;
  double density_ratio = 1.225e-3;
  double air_viscosity = 1.4e-5;
  double wind_height = 10.0;
  double growth_factor = 1.43;
  double charnock = 0.0095;
  double maximum_roughness = 0.0;
  double maximum_drag = 2.5e-3;
  double maximum_wave_stress = 0.0;
  double wave_age_shift = 0.006;
  double direction_power = 2.0;
  double sheltering = 0.3;
  double turbulent_swell = 0.66;
  double swell_wind_direction = -0.018;
  double swell_wind_speed = 0.022;
  double critical_reynolds = 1.5e5;
  double viscous_swell = 1.2;
  double reynolds_height_power = 0.0;
  double reynolds_width = 3.6e5;
  double roughness_ratio = 0.04;
};

/// Friction velocity [m s-1] and roughness length [m] of the air.
template <class V>
struct Drag {
  V friction_velocity, roughness;
};

inline constexpr int drag_iterations = 10;
inline constexpr int tail_steps = 8;

/// Newton's method for u* = kappa U / log(z / z1), z1 = charnock u*^2 / g / sqrt(1 - x)
/// (Janssen 1991, eqs. 10 and 21), with x the share of the stress u*^2 that waves take up.
/// `free_share` gives 1 - x from u*^2, `steepness` d log z1 / d log u*^2 from 1 - x. A drag above
/// the limit becomes the limit.
template <class V, class Free, class Steepness>
HD inline Drag<V> solve_drag(const ArdhuinInputOptions& p, V wind_speed, V least, Free free_share,
                             Steepness steepness) {
  using T = scalar_of<V>;
  const V wind = maximum(wind_speed, splat<V>(T(0.01)));
  V stress = maximum(wind * wind * T(0.0012875), least);
  for (int iteration = 0; iteration < drag_iterations; ++iteration) {
    V velocity = square_root(stress);
    const V free = free_share(stress);
    V roughness = stress * (T(p.charnock) / T(p.gravity));
    if (p.maximum_roughness > 0) roughness = minimum(roughness, splat<V>(T(p.maximum_roughness)));
    const V height = log(T(p.wind_height) * square_root(free) / roughness);
    const V target = T(p.von_karman) * wind / height;
    const V slope = T(1) - target / height * (T(2) / velocity) * steepness(free);
    velocity = velocity - (velocity - target) / slope;
    stress = maximum(velocity * velocity, least);
  }
  V velocity = square_root(stress);
  if (p.maximum_drag > 0) velocity = minimum(velocity, wind * std::sqrt(T(p.maximum_drag)));
  const V ratio = minimum(wind / velocity, splat<V>(T(100)));
  return {velocity, T(p.wind_height) * exp(-T(p.von_karman) * ratio)};
}

/// The stress of waves [m2 s-2] that acts on the air.
template <class V>
HD inline V acting_stress(const ArdhuinInputOptions& p, V wave_stress) {
  using T = scalar_of<V>;
  if (!(p.maximum_wave_stress > 0)) return wave_stress;
  return minimum(wave_stress, splat<V>(T(p.maximum_wave_stress)));
}

/// d log z1 / d log u*^2 over waves of a given stress.
template <class V>
HD inline V steepness_of_roughness(V free) {
  using T = scalar_of<V>;
  return (T(1.5) * free - T(0.5)) / free;
}

/// Friction velocity over waves that take up `wave_stress` [m2 s-2]; wind in [m s-1].
template <class V>
HD inline Drag<V> friction_velocity(const ArdhuinInputOptions& p, V wind_speed, V wave_stress) {
  using T = scalar_of<V>;
  const V acting = acting_stress(p, wave_stress);
  return solve_drag(
      p, wind_speed, acting * T(1.0001) + T(1e-12),
      [&](V stress) { return (stress - acting) / stress; },
      [](V free) { return steepness_of_roughness(free); });
}

/// Friction velocity over waves that take up this share of the stress.
template <class V>
HD inline Drag<V> coupled_friction_velocity(const ArdhuinInputOptions& p, V wind_speed, V share) {
  using T = scalar_of<V>;
  const V free = maximum(T(1) - share, splat<V>(T(1e-4)));
  return solve_drag(
      p, wind_speed, splat<V>(T(1e-12)),
      [&](V stress) { return maximum(free, T(1) - acting_stress(p, stress) / stress); },
      [&](V found) { return found > free ? steepness_of_roughness(found) : splat<V>(T(1)); });
}

/// Stress [m2 s-2] that a tail F ~ f^-5 beyond `highest_sigma` takes from the stress u*^2 of
/// `air`, each wave sheltered by all longer ones: d log u* / d log y = -level beta / 2 with
/// y = sigma sqrt(z0 / g), from the end of the spectrum (or 0.05 g / u*, if higher) to y = 1.
/// Fourth-order Runge-Kutta in `tail_steps` steps; `level` is sum F cos^3 sigma^5 / (2 pi g^2) over
/// directions (Janssen 1991; Ardhuin et al. 2010, eq. 21).
template <class V>
HD inline V tail_stress(const ArdhuinInputOptions& p, Drag<V> air, V level,
                        scalar_of<V> highest_sigma) {
  using T = scalar_of<V>;
  const V scale = square_root(air.roughness / T(p.gravity));
  const V first = maximum(splat<V>(highest_sigma), T(0.05) * T(p.gravity) / air.friction_velocity);
  const V start = minimum(log(first * scale), V{});
  const V half = start * T(-0.5 / tail_steps);
  const V growing = exp(half), slowness = T(1) / (T(p.gravity) * scale);
  const V weight = level * (T(-0.5) * T(p.growth_factor) / (T(p.von_karman) * T(p.von_karman)));
  const auto slope = [&](V log_y, V inverse_speed, V velocity) {
    const V age = velocity * inverse_speed + T(p.wave_age_shift);
    const V height = minimum(T(p.von_karman) / age, splat<V>(T(20)));
    const V log_mu = minimum(log_y + log_y + height, V{});
    const V square = log_mu * log_mu;
    return (weight * velocity) * (square * square) * exp_moderate(log_mu);
  };
  V velocity = air.friction_velocity, log_y = start, here = exp(start) * slowness;
  for (int step = 0; step < tail_steps; ++step) {
    const V middle = here * growing, end = middle * growing;
    const V slope_1 = slope(log_y, here, velocity);
    const V slope_2 = slope(log_y + half, middle, velocity + half * slope_1);
    const V slope_3 = slope(log_y + half, middle, velocity + half * slope_2);
    const V slope_4 = slope(log_y + (half + half), end, velocity + (half + half) * slope_3);
    velocity += half * (T(1) / T(3)) * (slope_1 + T(2) * (slope_2 + slope_3) + slope_4);
    log_y += half + half;
    here = end;
  }
  return air.friction_velocity * air.friction_velocity - velocity * velocity;
}

/// Friction factors of the oscillating air over waves at `count` places from -1 to 8 in
/// log10(amplitude / roughness) (ardhuin_tables.hpp).
template <class T>
struct FrictionFactors {
  const T* table = nullptr;
  int count = 0;
};

/// The friction factor, by linear interpolation; ratios below 3 count as 3.
template <class V>
HD inline V friction_factor(const FrictionFactors<scalar_of<V>>& factors,
                            V amplitude_over_roughness) {
  using T = scalar_of<V>;
  const T* table = factors.table;
  const int size = factors.count;
  const V ratio = maximum(amplitude_over_roughness, splat<V>(T(3)));
  const V place = (log(ratio) * T(0.43429448190325182765) + T(1)) * (T(size - 1) / T(9));
  V lower{}, upper{}, weight{};
  if constexpr (std::is_arithmetic_v<V>) {
    const int index = static_cast<int>(minimum(place, T(size - 2)));
    lower = table[index], upper = table[index + 1], weight = place - T(index);
  } else {
    for (int lane = 0; lane < width_of<V>; ++lane) {
      const int index = static_cast<int>(minimum(place[lane], T(size - 2)));
      lower[lane] = table[index], upper[lane] = table[index + 1];
      weight[lane] = place[lane] - T(index);
    }
  }
  return lower + minimum(weight, splat<V>(T(1))) * (upper - lower);
}

/// What wind input knows of a pack of points before it looks at single components.
template <class V>
struct Air {
  V east, north;  // unit vector of the wind stress
  Drag<V> drag;
};

/// Rates of swell dissipation that are common to all frequencies: by turbulence with the friction
/// factor and the orbital velocity, and by viscosity, each times its share at this Reynolds number
/// (Ardhuin et al. 2010, eqs. 8 to 11, smoothed over a Rayleigh distribution of heights).
template <class V>
struct SwellRates {
  V turbulent_share, viscous_share, orbital;  // orbital = friction factor * orbital velocity
};

template <class V>
HD inline SwellRates<V> swell_rates(const ArdhuinInputOptions& p,
                                    const SpectralTables<scalar_of<V>>& spectral,
                                    const V* row_energy, Drag<V> air,
                                    const FrictionFactors<scalar_of<V>>& factors) {
  using T = scalar_of<V>;
  V variance{}, velocity_variance{};
  for (int i = 0; i < spectral.frequencies; ++i) {
    const V energy = spectral.output_band_width[i] * row_energy[i];
    variance += energy;
    velocity_variance += (spectral.sigma[i] * spectral.sigma[i]) * energy;
  }
  const V velocity = T(2) * square_root(velocity_variance);
  const V amplitude = T(2) * square_root(variance);
  const V roughness =
      maximum(T(0.1) * T(p.air_viscosity) / maximum(air.friction_velocity, splat<V>(T(1e-4))),
              T(p.roughness_ratio) * air.roughness);
  const T power = T(1) - T(0.5) * T(p.reynolds_height_power);
  const V height = power == T(1) ? variance : pow(variance, power);
  const V reynolds = T(8) * velocity * height / T(p.air_viscosity);
  V turbulent;
  if (T(p.reynolds_width) > 0) {
    turbulent = T(0.5) + T(0.5) * tanh((reynolds - T(p.critical_reynolds)) / T(p.reynolds_width));
  } else {
    turbulent = reynolds > T(p.critical_reynolds) ? splat<V>(T(1)) : V{};
  }
  return {turbulent, T(1) - turbulent, friction_factor(factors, amplitude / roughness) * velocity};
}

/// What longer waves left of the stress: its friction velocity and its direction.
template <class V>
struct ShelteredStress {
  V velocity, east, north;
};

template <class V>
HD inline ShelteredStress<V> shelter(const ArdhuinInputOptions& p, const Air<V>& air, V taken_east,
                                     V taken_north) {
  using T = scalar_of<V>;
  const V total = air.drag.friction_velocity * air.drag.friction_velocity;
  const V x = total * air.east - T(p.sheltering) * taken_east;
  const V y = total * air.north - T(p.sheltering) * taken_north;
  const V size = square_root(x * x + y * y);
  const auto some = size > V{};
  return {square_root(size), some ? x / size : splat<V>(T(1)), some ? y / size : V{}};
}

/// What all directions of one frequency share: inverse wave age, factor of growth, logarithm of the
/// height of the waves' speed, damping of swell [s-1] and its part along the wind, and whether any
/// lane may grow.
template <class V>
struct InputRow {
  V age, growth, log_height, steady, directed;
  bool reached;
};

template <class V>
HD inline InputRow<V> input_row(const ArdhuinInputOptions& p, scalar_of<V> sigma, V wavenumber,
                                V velocity, V roughness, const SwellRates<V>& swell) {
  using T = scalar_of<V>;
  const V age = velocity * (wavenumber / sigma) + T(p.wave_age_shift);
  const V growth =
      (T(p.growth_factor) / (T(p.von_karman) * T(p.von_karman)) * T(p.density_ratio) * sigma) *
      (age * age);
  const V log_height = log(wavenumber * roughness);
  const T turbulent =
      -T(16) * T(p.density_ratio) * T(p.turbulent_swell) * sigma * sigma / T(p.gravity);
  const T viscous = -T(2) * T(p.density_ratio) * T(p.viscous_swell) *
                    square_root(T(2) * T(p.air_viscosity) * sigma);
  const V steady = swell.viscous_share * (wavenumber * viscous) +
                   swell.turbulent_share * turbulent *
                       (swell.orbital + absolute(T(p.swell_wind_speed)) * velocity);
  const V directed = swell.turbulent_share * turbulent * T(p.swell_wind_direction) * velocity;
  // no lane grows where even the fastest component, by a margin, is above the critical height
  const bool reached = any(log_height + T(p.von_karman) / (age * T(1.001)) < V{});
  return {age, growth, log_height, steady, directed, reached};
}

/// Growth of one component by wind [s-1] (Janssen 1991, eqs. 14 to 19); `along` is the cosine
/// between stress and waves.
template <class V>
HD inline V wind_growth(const ArdhuinInputOptions& p, V along, const InputRow<V>& row) {
  using T = scalar_of<V>;
  const auto with_wind = along > T(0.01);
  const V safe = with_wind ? along : splat<V>(T(1));
  const V log_mu = row.log_height + T(p.von_karman) / (safe * row.age);
  const auto grows = with_wind & (log_mu < V{});
  const V power =
      T(p.direction_power) == T(2) ? safe * safe : pow(safe, splat<V>(T(p.direction_power)));
  const V below = grows ? log_mu : V{};
  const V square = below * below;
  return row.growth * exp_moderate(below) * (square * square) * power;
}

/// Level of the tail for `tail_stress`, from the last frequency.
template <class V>
HD inline V tail_level(const ArdhuinInputOptions& p, const SpectralTables<scalar_of<V>>& spectral,
                       const V* row, V east, V north) {
  using T = scalar_of<V>;
  V level{};
  for (int j = 0; j < spectral.directions; ++j) {
    const V along = maximum(spectral.cosine[j] * east + spectral.sine[j] * north, V{});
    level += row[j] * (along * along * along);
  }
  const T sigma = spectral.sigma[spectral.frequencies - 1];
  const T square = sigma * sigma / T(p.gravity);
  return level * (spectral.direction_width * square * square * sigma / T(6.28318530717958647692));
}

/// Set `rates` [s-1] to wind input and swell dissipation; return the stress that waves take up
/// [m2 s-2], with that of the tail. Higher frequencies feel the stress less what lower ones took,
/// times `sheltering` (Ardhuin et al. 2010, eqs. 19 to 21).
///
/// Packs over (frequency, direction): spectrum, rates; over frequency: wavenumber [rad m-1].
template <class V>
HD inline V wind_input(const ArdhuinInputOptions& p, const SpectralTables<scalar_of<V>>& spectral,
                       const Air<V>& air, const SwellRates<V>& swell, const V* wavenumber,
                       const V* spectrum, V* rates) {
  using T = scalar_of<V>;
  const int last = spectral.frequencies - 1;
  const V most = maximum(air.drag.friction_velocity, splat<V>(T(0.3)));
  V taken_east{}, taken_north{};
  ShelteredStress<V> stress{};
  for (int i = 0; i <= last; ++i) {
    stress = shelter(p, air, taken_east, taken_north);
    const InputRow<V> row = input_row(p, spectral.sigma[i], wavenumber[i],
                                      minimum(stress.velocity, most), air.drag.roughness, swell);
    V stress_east{}, stress_north{};
    for (int j = 0; j < spectral.directions; ++j) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * spectral.directions + j;
      const V along = spectral.cosine[j] * stress.east + spectral.sine[j] * stress.north;
      V rate = row.steady + row.directed * along;
      if (row.reached && any(along > T(0.01))) rate = rate + wind_growth(p, along, row);
      rates[at] = rate;
      const V gained = maximum(rate * spectrum[at], V{});
      stress_east += gained * spectral.cosine[j];
      stress_north += gained * spectral.sine[j];
    }
    const V factor = wavenumber[i] / spectral.sigma[i] *
                     (T(p.gravity) / T(p.density_ratio) * spectral.output_band_width[i] *
                      spectral.direction_width);
    taken_east += factor * stress_east;
    taken_north += factor * stress_north;
  }
  const V level =
      tail_level(p, spectral, spectrum + static_cast<std::ptrdiff_t>(last) * spectral.directions,
                 stress.east, stress.north);
  stress = shelter(p, air, taken_east, taken_north);
  const V tail =
      tail_stress(p, Drag<V>{stress.velocity, air.drag.roughness}, level, spectral.sigma[last]);
  taken_east += tail * stress.east;
  taken_north += tail * stress.north;
  const V total = air.drag.friction_velocity * air.drag.friction_velocity;
  const V size = square_root(taken_east * taken_east + taken_north * taken_north);
  return minimum(size, maximum(total - T(1e-5), splat<V>(T(1e-12))));
}

}  // namespace halocline::waves
