#pragma once
#include <algorithm>
#include <cmath>

#include "atmosphere/constants.hpp"

/// Sizes of particles and what they sum up to (Thompson et al. 2008, Mon. Wea. Rev. 136, 5095).
namespace halocline::thompson {

inline constexpr double pi = 3.14159265358979323846;

/// Speed of fall a D^b exp(-f D) of particles of diameter D [m], in air of `speed_density`; mass c
/// D^d [kg].
struct Kind {
  double a, b, f, c, d;
};
/// Density of air for which speeds are given [kg m-3]; densities of graupel and cloud ice [kg m-3].
inline constexpr double speed_density = 101325.0 / (287.05 * 298.0), grain = 400.0, crystal = 890.0;
inline constexpr Kind raindrops{4854.0, 1.0, 195.0, pi / 6.0 * air::water_density, 3.0};
inline constexpr Kind flakes{40.0, 0.55, 100.0, 0.069, 2.0};
inline constexpr Kind grains{442.0, 0.89, 0.0, pi / 6.0 * grain, 3.0};
inline constexpr Kind crystals{1847.5, 1.0, 0.0, pi / 6.0 * crystal, 3.0};

inline double speed_of(const Kind& kind, double diameter) {
  return kind.a * std::pow(diameter, kind.b) * std::exp(-kind.f * diameter);
}
inline double mass_of(const Kind& kind, double diameter) {
  return kind.c * std::pow(diameter, kind.d);
}

/// N0 exp(-slope D) dD particles [m-3]; none where N0 is 0.
struct Exponential {
  double intercept = 0.0, slope = 1.0;  ///< [m-4], [m-1]

  /// Integral of D^n exp(-f D) N(D) dD [m^(n - 3)].
  double moment(double n, double f = 0.0) const {
    return intercept * std::tgamma(n + 1.0) / std::pow(slope + f, n + 1.0);
  }
  double number() const { return intercept / slope; }
};

/// Of `content` [kg m-3] and `number` [m-3], 1 / slope within bounds [m]; where it would not be the
/// number is changed.
inline Exponential by_number(const Kind& kind, double content, double number, double shortest,
                             double longest) {
  if (content <= 0.0) return {};
  const double mass = kind.c * std::tgamma(kind.d + 1.0);
  const double length =
      std::clamp(std::cbrt(content / (mass * std::max(number, 1e-30))), shortest, longest);
  return {content / (mass * length * length * length * length), 1.0 / length};
}

/// Of `content` [kg m-3] and N0 [m-4].
inline Exponential by_intercept(const Kind& kind, double content, double intercept) {
  if (content <= 0.0) return {};
  const double mass = kind.c * std::tgamma(kind.d + 1.0) * intercept;
  return {intercept, std::pow(mass / content, 1.0 / (kind.d + 1.0))};
}

/// Snow of all clouds (Field et al. 2005, Quart. J. Roy. Meteor. Soc. 131, 1997): N(D) = M2 / L^3
/// phi(D / L), L = M3 / M2, phi(x) = 490.6 exp(-20.78 x) + 17.46 x^0.6357 exp(-3.29 x); none where
/// M2 is 0.
struct Snowflakes {
  double second = 0.0, length = 1.0;  ///< M2 [m-1], L [m]

  /// Integral of D^n exp(-f D) N(D) dD [m^(n - 3)].
  double moment(double n, double f = 0.0) const {
    const double many = 490.6 * std::tgamma(n + 1.0) / std::pow(20.78 + f * length, n + 1.0);
    const double large = 17.46 * std::tgamma(n + 1.6357) / std::pow(3.29 + f * length, n + 1.6357);
    return second * std::pow(length, n - 2.0) * (many + large);
  }
};

/// M3 of snow whose M2 is known, by its temperature (Field et al. 2005, table 2).
///
/// @param[in] celsius  no more than 0
inline double third_moment(double second, double celsius) {
  constexpr double n = 3.0;
  const double t = std::clamp(celsius, -55.0, -0.1);
  const double scale = 5.065339 - 0.062659 * t - 3.032362 * n + 0.029469 * t * n -
                       0.000285 * t * t + 0.31255 * n * n + 0.000204 * t * t * n +
                       0.003199 * t * n * n - 0.015952 * n * n * n;
  const double power = 0.476221 - 0.015896 * t + 0.165977 * n + 0.007468 * t * n -
                       0.000141 * t * t + 0.060366 * n * n + 0.000079 * t * t * n +
                       0.000594 * t * n * n - 0.003577 * n * n * n;
  return std::pow(10.0, scale) * std::pow(second, power);
}

/// @param[in] content  [kg m-3]
inline Snowflakes snowflakes(double content, double celsius) {
  if (content <= 0.0) return {};
  const double second = content / flakes.c;
  return {second, std::clamp(third_moment(second, celsius) / second, 50e-6, 5e-3)};
}

/// Mean speed of the mass of particles [m s-1], in air of `speed_density`.
template <class Sizes>
double mass_speed(const Kind& kind, const Sizes& sizes) {
  return kind.a * sizes.moment(kind.d + kind.b, kind.f) / sizes.moment(kind.d);
}

/// Volume that particles sweep [s-1], in air of `speed_density`.
template <class Sizes>
double swept(const Kind& kind, const Sizes& sizes) {
  return 0.25 * pi * kind.a * sizes.moment(2.0 + kind.b, kind.f);
}

/// Integral of D (still + moved Sc^(1/3) Re^(1/2)) N(D) dD [m-2]: what exchanges vapour and heat.
///
/// @param[in] flow  Sc^(1/3) (thinness / viscosity)^(1/2) [s^(1/2) m-1]
template <class Sizes>
double ventilated(const Kind& kind, const Sizes& sizes, double still, double moved, double flow) {
  const double power = 1.0 + 0.5 * (1.0 + kind.b);
  return still * sizes.moment(1.0) +
         moved * flow * std::sqrt(kind.a) * sizes.moment(power, 0.5 * kind.f);
}

}  // namespace halocline::thompson
