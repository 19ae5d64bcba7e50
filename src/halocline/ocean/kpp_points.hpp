#pragma once
#include "elementary.hpp"
#include "pack.hpp"
#include "view.hpp"

/// What KPP (`kpp.hpp`) makes of single points: turbulent scales, mixing by shear, the profile of
/// the boundary layer and where it ends (Large, McWilliams and Doney 1994, Rev. Geophys. 32, 363:
/// LMD).
namespace halocline {

namespace kpp {
inline constexpr double karman = 0.4;
/// Part of the boundary layer that is its surface layer, to whose end the scales grow.
inline constexpr double surface_layer = 0.1;
/// Numbers of the turbulent scales where convection is strong (LMD, appendix B).
inline constexpr double zeta_m = -0.2, zeta_s = -1.0;
inline constexpr double a_m = 1.26, c_m = 8.38, a_s = -28.86, c_s = 98.96;
}  // namespace kpp

/// Scales of turbulent velocity of momentum and of tracers [m s-1].
template <class V>
struct TurbulentScales {
  V momentum, tracer;
};

/// Turbulent scales (LMD, equation 13 and appendix B).
///
/// @param[in] depth     [m]
/// @param[in] friction  velocity [m s-1]
/// @param[in] buoyancy  flux into the water [m2 s-3]
template <class V>
HD INLINE TurbulentScales<V> turbulent_scales(V depth, V friction, V buoyancy) {
  using T = scalar_of<V>;
  constexpr T karman = T(kpp::karman);
  const V cube = friction * friction * friction, production = depth * (karman * buoyancy);
  const V zeta = production / (cube + T(1e-16)), wall = karman * friction;
  const V stable = wall / (T(1) + T(5) * maximum(zeta, V{}));
  if (!any(zeta < V{})) return {stable, stable};
  const V root = square_root(T(1) - T(16) * minimum(zeta, V{}));
  const auto strong = [&](double a, double c) {
    return V(karman * cube_root(maximum(V(T(a) * cube - T(c) * production), V{})));
  };
  V momentum = wall * square_root(root), tracer = wall * root;
  momentum = zeta < T(kpp::zeta_m) ? strong(kpp::a_m, kpp::c_m) : momentum;
  tracer = zeta < T(kpp::zeta_s) ? strong(kpp::a_s, kpp::c_s) : tracer;
  return {zeta < V{} ? momentum : stable, zeta < V{} ? tracer : stable};
}

/// Viscosity that shear adds below the boundary layer, of `most` at Ri = 0 and none above `limit`
/// (LMD, equation 28).
template <class V>
HD INLINE V shear_mixing(V richardson, scalar_of<V> most, scalar_of<V> limit) {
  using T = scalar_of<V>;
  const V ratio = minimum(maximum(richardson, V{}) / limit, splat<V>(T(1)));
  return most * power<3>(V(T(1) - ratio * ratio));
}

/// Where a parabola that begins with value and slope at 0 and ends with `last` at `length` passes
/// `wanted`, if value <= wanted < last.
template <class V>
HD INLINE V parabola_passes(V value, V slope, V last, scalar_of<V> length, scalar_of<V> wanted) {
  using T = scalar_of<V>;
  const V bend = (last - value - slope * length) / (length * length), rest = wanted - value;
  const V root = square_root(maximum(V(slope * slope + T(4) * bend * rest), V{}));
  const V found = T(2) * rest / (slope + root);
  return minimum(found, splat<V>(length));
}

/// h w(s) G(s), where G and dG/ds at s = 1 are `value` and `slope` (LMD, equations 10, 11 and 17).
template <class V>
HD INLINE V boundary_mixing(V h, V scale, V s, V value, V slope) {
  using T = scalar_of<V>;
  const V shape = s * (T(1) + s * ((s - T(2)) + (T(3) - T(2) * s) * value + (s - T(1)) * slope));
  return h * scale * shape;
}

}  // namespace halocline
