#pragma once
#include <algorithm>
#include <cmath>

#include "atmosphere/convection/phases.hpp"

/// What of the air that mixes at the edge of a cloud stays in it (Kain and Fritsch 1990, J. Atmos.
/// Sci. 47, 2784): mixtures are spread about equal parts; those that are lighter than the air
/// around rise with the cloud, the others leave it.
namespace halocline::convection {

/// Kain (2004): air of the surroundings that mixes with a cloud, of its mass, per pressure [m Pa-1]
/// over the radius [m]; the least part of it that stays.
inline constexpr double mixing_rate = 0.03, least_entrained = 0.5;

/// 2 int_0^share x f(x) dx with f = A (exp(-(x - 1/2)^2 / 2 s^2) - exp(-4.5)), s = 1/6, whose
/// integral is 1: air of the surroundings in mixtures with no more of it than `share` [1].
inline double surroundings_within(double share) {
  constexpr double s = 1.0 / 6.0, root = 0.70710678118654752;  // 0.5^0.5
  constexpr double half_of_pi = 1.5707963267948966;
  static const double flat = std::exp(-4.5);
  static const double all = 2.0 * s * std::sqrt(half_of_pi) * std::erf(3.0 * root) - flat;
  const auto bell = [&](double x) { return std::exp(-(x - 0.5) * (x - 0.5) / (2.0 * s * s)); };
  const auto area = [&](double x) {
    return s * std::sqrt(half_of_pi) * std::erf((x - 0.5) / s * root);
  };
  const double weighted = s * s * (bell(0.0) - bell(share)) + 0.5 * (area(share) - area(0.0)) -
                          0.5 * flat * share * share;
  return 2.0 * weighted / all;
}

/// Mass that enters and leaves, of what mixes [1].
struct Exchange {
  double entrained, detrained;
};

/// By the largest share of surroundings with which a mixture is not heavier than they are.
inline Exchange exchange_of(double critical) {
  return {std::max(surroundings_within(critical), least_entrained),
          surroundings_within(1.0 - critical)};
}

/// Energy [J kg-1] and water [1] of air.
struct Contents {
  double energy, water;

  /// With `share` of other air.
  Contents mixed(const Contents& other, double share) const {
    return {energy + share * (other.energy - energy), water + share * (other.water - water)};
  }
};

/// That share, found to 0.002; 0 where the cloud itself is heavier [1].
///
/// @param[in] cloud, around     contents
/// @param[in] height, pressure  [m], [Pa]
/// @param[in] heavy             virtual temperature around [K]
inline double critical_share(const Contents& cloud, const Contents& around, double height,
                             double pressure, double heavy, bool icy) {
  const auto rises = [&](double share) {
    const Contents mixture = cloud.mixed(around, share);
    return phases_of(mixture.energy, mixture.water, height, pressure, icy).loaded_temperature() >
           heavy;
  };
  if (!rises(0.0)) return 0.0;
  if (rises(0.95)) return 1.0;
  double low = 0.0, high = 0.95;
  for (int step = 0; step < 9; ++step) {
    const double middle = 0.5 * (low + high);
    (rises(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace halocline::convection
