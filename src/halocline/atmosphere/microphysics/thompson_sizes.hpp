#pragma once
#include <cmath>

#include "atmosphere/constants.hpp"
#include "elementary.hpp"
#include "pack.hpp"
#include "view.hpp"

/// Sizes of particles and what they sum up to (Thompson et al. 2008, Mon. Wea. Rev. 136, 5095), in
/// packs of cells.
namespace halocline::thompson {

inline constexpr double pi = 3.14159265358979323846;

/// The power n of a moment, and what of it is the same for all sizes.
struct Moment {
  double n;
  double gamma = std::tgamma(n + 1.0);
  double gamma_large = std::tgamma(n + 1.6357);  ///< of the second term of snow
  /// Integral of x^n phi(x) dx of snow.
  double of_flakes =
      490.6 * gamma / std::pow(20.78, n + 1.0) + 17.46 * gamma_large / std::pow(3.29, n + 1.6357);
};
inline const Moment zeroth{0.0}, first{1.0}, second_moment{2.0}, third{3.0};

/// Speed of fall a D^b exp(-f D) of particles of diameter D [m], in air of `speed_density`; mass c
/// D^d [kg].
struct Kind {
  double a, b, f, c, d;
  Moment mass{d}, falling{d + b}, sweeping{2.0 + b}, airing{1.0 + 0.5 * (1.0 + b)}, sinking{b};
  Moment echoing{2.0 * d}, collected{5.0 + b};
};
/// Density of air for which speeds are given [kg m-3]; densities of graupel and cloud ice [kg m-3].
inline constexpr double speed_density = 101325.0 / (287.05 * 298.0), grain = 400.0, crystal = 890.0;
inline const Kind raindrops{4854.0, 1.0, 195.0, pi / 6.0 * air::water_density, 3.0};
inline const Kind flakes{40.0, 0.55, 100.0, 0.069, 2.0};
inline const Kind grains{442.0, 0.89, 0.0, pi / 6.0 * grain, 3.0};
inline const Kind crystals{1847.5, 1.0, 0.0, pi / 6.0 * crystal, 3.0};

/// x to the power n, by products where n is a small whole number.
template <class V>
INLINE V to_power(V x, double n) {
  const double size = std::abs(n);
  if (size > 8.0 || size != std::floor(size)) return exp(V(n * log(x)));
  V product = splat<V>(1.0);
  for (int m = 0; m < static_cast<int>(size); ++m) product *= x;
  return n < 0.0 ? V(1.0 / product) : product;
}

template <class V>
INLINE V speed_of(const Kind& kind, V diameter) {
  return kind.a * to_power(diameter, kind.b) * exp(V(-kind.f * diameter));
}
template <class V>
INLINE V mass_of(const Kind& kind, V diameter) {
  return kind.c * to_power(diameter, kind.d);
}
template <class V>
INLINE V within(V value, double least, double most) {
  return minimum(maximum(value, splat<V>(least)), splat<V>(most));
}

/// N0 exp(-slope D) dD particles [m-3]; none where N0 is 0.
template <class V>
struct Exponential {
  V intercept{}, slope = splat<V>(1.0);  ///< [m-4], [m-1]

  /// Integral of D^n exp(-f D) N(D) dD [m^(n - 3)].
  INLINE V moment(const Moment& m, double f = 0.0) const {
    return intercept * m.gamma * to_power(V(slope + f), -(m.n + 1.0));
  }
  INLINE V number() const { return intercept / slope; }
};

/// Of `content` [kg m-3] and `number` [m-3], 1 / slope within bounds [m]; where it would not be the
/// number is changed.
template <class V>
INLINE Exponential<V> by_number(const Kind& kind, V content, V number, double shortest,
                                double longest) {
  const double mass = kind.c * kind.mass.gamma;
  const V each = content / (mass * maximum(number, splat<V>(1e-30)));
  const auto some = content > V{};
  const V length = within(cube_root(V(some ? each : splat<V>(1.0))), shortest, longest);
  const V intercept = content / (mass * power<4>(length));
  return {some ? intercept : V{}, some ? V(1.0 / length) : splat<V>(1.0)};
}

/// Of `content` [kg m-3] and N0 [m-4], of particles whose mass is as the cube of their diameter.
template <class V>
INLINE Exponential<V> by_intercept(const Kind& kind, V content, V intercept) {
  const V mass = kind.c * kind.mass.gamma * intercept;
  const auto some = content > V{};
  const V fourth = some ? V(mass / content) : splat<V>(1.0);
  return {some ? intercept : V{}, square_root(square_root(fourth))};
}

/// Snow of all clouds (Field et al. 2005, Quart. J. Roy. Meteor. Soc. 131, 1997): N(D) = M2 / L^3
/// phi(D / L), L = M3 / M2, phi(x) = 490.6 exp(-20.78 x) + 17.46 x^0.6357 exp(-3.29 x); none where
/// M2 is 0.
template <class V>
struct Snowflakes {
  V second{}, length = splat<V>(1.0);  ///< M2 [m-1], L [m]

  /// Integral of D^n exp(-f D) N(D) dD [m^(n - 3)].
  INLINE V moment(const Moment& m, double f = 0.0) const {
    const V scale = second * to_power(length, m.n - 2.0);
    if (f == 0.0) return scale * m.of_flakes;
    const V many = 490.6 * m.gamma * to_power(V(20.78 + f * length), -(m.n + 1.0));
    const V large = 17.46 * m.gamma_large * to_power(V(3.29 + f * length), -(m.n + 1.6357));
    return scale * (many + large);
  }
};

/// M3 of snow whose M2 is known, by its temperature (Field et al. 2005, table 2).
///
/// @param[in] celsius  no more than 0
template <class V>
INLINE V third_moment(V second, V celsius) {
  constexpr double n = 3.0, ten = 2.302585092994046;
  const V t = within(celsius, -55.0, -0.1);
  const V scale = (5.065339 - 3.032362 * n + 0.31255 * n * n - 0.015952 * n * n * n) +
                  (-0.062659 + 0.029469 * n + 0.003199 * n * n) * t +
                  (-0.000285 + 0.000204 * n) * t * t;
  const V power = (0.476221 + 0.165977 * n + 0.060366 * n * n - 0.003577 * n * n * n) +
                  (-0.015896 + 0.007468 * n + 0.000594 * n * n) * t +
                  (-0.000141 + 0.000079 * n) * t * t;
  return exp(V(ten * scale + power * log(second)));
}

/// @param[in] content  [kg m-3]
template <class V>
INLINE Snowflakes<V> snowflakes(V content, V celsius) {
  const auto some = content > V{};
  const V second = some ? V(content / flakes.c) : splat<V>(1.0);
  const V length = within(V(third_moment(second, celsius) / second), 50e-6, 5e-3);
  return {some ? second : V{}, some ? length : splat<V>(1.0)};
}

/// Mean speed of the mass of particles [m s-1], in air of `speed_density`; of some, not of none.
template <class Sizes>
INLINE auto mass_speed(const Kind& kind, const Sizes& sizes) {
  return kind.a * sizes.moment(kind.falling, kind.f) / sizes.moment(kind.mass);
}

/// Volume that particles sweep [s-1], in air of `speed_density`.
template <class Sizes>
INLINE auto swept(const Kind& kind, const Sizes& sizes) {
  return 0.25 * pi * kind.a * sizes.moment(kind.sweeping, kind.f);
}

/// Integral of D (still + moved Sc^(1/3) Re^(1/2)) N(D) dD [m-2]: what exchanges vapour and heat.
///
/// @param[in] flow  Sc^(1/3) (thinness / viscosity)^(1/2) [s^(1/2) m-1]
template <class Sizes, class V>
INLINE V ventilated(const Kind& kind, const Sizes& sizes, double still, double moved, V flow) {
  return still * sizes.moment(first) +
         moved * flow * std::sqrt(kind.a) * sizes.moment(kind.airing, 0.5 * kind.f);
}

}  // namespace halocline::thompson
