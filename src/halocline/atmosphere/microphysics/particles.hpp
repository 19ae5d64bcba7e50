#pragma once
#include "elementary.hpp"
#include "pack.hpp"
#include "view.hpp"

/// Precipitating particles of exponential sizes, N0 exp(-lambda D) dD of diameter D [m-3], that
/// fall at a D^b (1.28 kg m-3 / density of air)^(1/2).
///
/// HDC is Hong, Dudhia and Chen 2004 (Mon. Wea. Rev. 132, 103), LFO Lin, Farley and Orville 1983
/// (J. Climate Appl. Meteor. 22, 1065).
namespace halocline {

namespace particle {
inline constexpr double pi = 3.14159265358979323846;
/// Density of air for which speeds of fall are given [kg m-3].
inline constexpr double air_density = 1.28;
}  // namespace particle

/// What particles of a kind have in common: b, gamma functions of it, the share of diffusion and
/// of ventilation in what they exchange with air, and the least 1 / lambda [m].
struct ParticleKind {
  double b, gamma_3b, gamma_4b, gamma_half_5b, diffusion, ventilation, shortest;
};
inline constexpr ParticleKind raindrops{
    0.8, 4.694174205740421, 17.8378619818136, 1.8273550806240353, 0.78, 0.31, 1.0 / 8e4};
inline constexpr ParticleKind snowflakes{
    0.41, 3.013314982995661, 10.275404092015203, 1.5508606820316817, 0.65, 0.44, 1.0 / 1e5};
inline constexpr ParticleKind graupel_grains{
    0.8, 4.694174205740421, 17.8378619818136, 1.8273550806240353, 0.78, 0.31, 1.0 / 6e4};

/// Particles of a kind in a cell: a of their speed [m^(1-b) s-1], N0 [m-4], 1 / lambda [m], its
/// power b, and their speed by mass [m s-1].
template <class V>
struct Particles {
  scalar_of<V> a;
  V intercept, length, power, speed;
};

/// Nothing of size where a cell has none, whatever those have that are computed with it: of a mass
/// near the end of the normal range the content may be 0.
///
/// @param[in] content    of particles [kg m-3]
/// @param[in] per_mass   1 / (pi density of a particle N0) [m7 kg-1]
/// @param[in] intercept  N0 [m-4]
/// @param[in] thinness   (1.28 kg m-3 / density of air)^(1/2) [1]
template <class V>
HD INLINE Particles<V> particles(const ParticleKind& kind, V content, V per_mass, scalar_of<V> a,
                                 V intercept, V thinness) {
  using T = scalar_of<V>;
  const auto some = content > V{};
  if (!any(some)) return {a, V{}, V{}, V{}, V{}};
  const T least = power<4>(T(kind.shortest));
  const V logarithm = log(maximum(V(content * per_mass), splat<V>(least)));
  const V to_b = some ? exp(V(T(kind.b / 4.0) * logarithm)) : V{};
  const V length = some ? exp(V(T(0.25) * logarithm)) : V{};
  const T mean = a * T(kind.gamma_4b / 6.0);
  return {a, some ? intercept : V{}, length, to_b, mean * to_b * thinness};
}

/// Rate at which particles collect what is much smaller and does not fall, per its mass [s-1]:
/// pi/4 N0 a Gamma(3 + b) lambda^-(3 + b) (LFO 24, 40, 51).
template <class V>
HD INLINE V collecting_still(const ParticleKind& kind, const Particles<V>& p, V thinness) {
  using T = scalar_of<V>;
  const T factor = T(particle::pi / 4.0 * kind.gamma_3b) * p.a;
  return factor * p.intercept * power<3>(p.length) * p.power * thinness;
}

/// Rate at which particles collect crystals of one diameter that fall at `speed`, per their mass
/// [s-1] (HDC 10).
template <class V>
HD INLINE V collecting_crystals(const Particles<V>& p, V diameter, V speed) {
  using T = scalar_of<V>;
  const V area = p.length * (T(2) * p.length * (p.length + diameter) + diameter * diameter);
  return T(particle::pi / 4.0) * p.intercept * absolute(V(p.speed - speed)) * area;
}

/// Mass of `others`, of particles of `density`, that particles collect [kg m-3 s-1]: pi^2 N0 N0'
/// |V - V'| rho' (5 l'^6 l + 2 l'^5 l^2 + l'^4 l^3 / 2) with l = 1 / lambda (LFO 27, 28, 29, 42).
template <class V>
HD INLINE V collecting(const Particles<V>& p, const Particles<V>& others, scalar_of<V> density) {
  using T = scalar_of<V>;
  const V l = p.length, other = others.length;
  const V overlap = power<4>(other) * l * (other * (T(5) * other + T(2) * l) + T(0.5) * l * l);
  const T factor = T(particle::pi * particle::pi) * density;
  return factor * p.intercept * others.intercept * absolute(V(p.speed - others.speed)) * overlap;
}

/// N0 times the integral of D (diffusion + ventilation Sc^(1/3) Re^(1/2)) over sizes [m-2] (HDC 14,
/// LFO 47, 52): times a conductance, what the particles exchange with the air around them.
///
/// @param[in] flow  Sc^(1/3) (thinness / viscosity)^(1/2) [s^(1/2) m-1]
template <class V>
HD INLINE V exchange(const ParticleKind& kind, const Particles<V>& p, V flow) {
  using T = scalar_of<V>;
  const T aired = T(kind.ventilation * kind.gamma_half_5b) * square_root(p.a);
  const V moved = aired * flow * square_root(V(p.length * p.power));
  return p.intercept * (p.length * p.length) * (T(kind.diffusion) + moved);
}

}  // namespace halocline
