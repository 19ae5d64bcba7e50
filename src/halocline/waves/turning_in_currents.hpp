#pragma once
#include <algorithm>
#include <cstring>

#include "contract.hpp"
#include "elementary.hpp"
#include "pack.hpp"
#include "schedules.hpp"
#include "turning.hpp"

/// Turning of waves by the depth below them, the sphere, and currents that are not the same
/// everywhere.
namespace halocline::waves {

inline constexpr Contract<12> turn_in_currents_contract{
    "turn_in_currents",
    {{{"spectrum",
       Access::update,
       Place::point,
       "m2 Hz-1 rad-1",
       "frequency*direction",
       {},
       Column::whole},
      {"wavenumber", Access::read, Place::point, "rad m-1", "frequency"},
      {"group_velocity", Access::read, Place::point, "m s-1", "frequency"},
      {"depth", Access::read, Place::point, "m"},
      {"slope_x", Access::read, Place::point, "1"},
      {"slope_y", Access::read, Place::point, "1"},
      {"map_turning", Access::read, Place::point, "rad m-1"},
      {"stretching", Access::read, Place::point, "s-1"},
      {"shearing", Access::read, Place::point, "s-1"},
      {"rotation", Access::read, Place::point, "rad s-1"},
      {"sigma", Access::read, Place::none, "rad s-1", "frequency"},
      {"direction_face", Access::read, Place::none, "1", "direction 4"}}}};

/// Points that are turned together: d(theta)/dt = x sin(theta) - y cos(theta) + rotation
/// + stretching sin(2 theta) - shearing cos(2 theta).
template <class V>
struct TurningOfPoints {
  V x, y, rotation, stretching, shearing;
};

/// (1/k) dsigma/dd = (c_g k - sigma/2) / (k d), slowed with the gradients of depth so that waves
/// turn by at most `most` [rad s-1] with all that turns them; 0 in deep water.
template <class V>
INLINE V refraction_speed(V wavenumber, V group_velocity, V depth, V slope_x, V slope_y, V circle,
                          scalar_of<V> sigma, V most) {
  using T = scalar_of<V>;
  const V zero{}, deepness = wavenumber * depth;
  const V speed =
      deepness < T(10) ? (group_velocity * wavenumber - T(0.5) * sigma) / deepness : zero;
  const V x = speed * slope_x, y = speed * slope_y;
  const V square = x * x + y * y, along = y * circle;
  const V room = maximum(most * most - circle * circle, zero);
  const V share =
      (square_root(along * along + square * room) - along) / maximum(square, splat<V>(T(1e-30)));
  return speed * minimum(share, splat<V>(T(1)));
}

/// Shift all spectra in direction by `steps` steps of `step`.
///
/// Terms of currents: docs/waves.md, "Currents and water level".
///
/// @param[in,out] spectrum        variance density, shape (component, point)
/// @param[in]     wavenumber      shape (frequency, point)
/// @param[in]     group_velocity  relative to the water, shape (frequency, point)
/// @param[in]     depth           of the water, level included
/// @param[in]     slope_x         gradient of that along x
/// @param[in]     slope_y         and along y
/// @param[in]     map_turning     tan(latitude) / radius on a sphere, else 0
/// @param[in]     stretching      (du/dx - dv/dy) / 2
/// @param[in]     shearing        (dv/dx + du/dy) / 2
/// @param[in]     rotation        (dv/dx - du/dy) / 2, less u tan(latitude) / radius
/// @param[in]     sigma           intrinsic frequencies
/// @param[in]     direction_face  half a bin after each direction: cosine, sine, and both of the
///                                double angle
/// @param[in]     step            time step over the width of a direction [s rad-1]
/// @param[in]     steps           number of steps
/// @param[in]     scheme          0 upwind, 1 QUICKEST, 2 ULTIMATE QUICKEST
/// @param[in]     most            rate to which depth may bring the turning [rad s-1]
/// @param[in]     refraction      1, or 0 for waves that do not feel slopes
template <class T>
void turn_in_currents(Box box, View<T, 2> spectrum, View<const T, 2> wavenumber,
                      View<const T, 2> group_velocity, View<const T, 1> depth,
                      View<const T, 1> slope_x, View<const T, 1> slope_y,
                      View<const T, 1> map_turning, View<const T, 1> stretching,
                      View<const T, 1> shearing, View<const T, 1> rotation, View<const T, 1> sigma,
                      View<const T, 2> direction_face, double step, int steps, int scheme,
                      double most, double refraction) {
  using V = pack<T, lanes<T>>;
  const int directions = static_cast<int>(direction_face.extent[0]);
  constexpr std::ptrdiff_t width = lanes<T>, chunk = 64 * width;
  const T per_bin = static_cast<T>(step);
  const auto turning_at = [&](std::ptrdiff_t f, std::ptrdiff_t point) {
    const auto at = [&](View<const T, 1> view) {
      return load_points<V>(view.data, point, box.points);
    };
    const V speed = load_points<V>(group_velocity.row(f), point, box.points);
    const V stretch = at(stretching), shear = at(shearing), turn = at(rotation);
    const V circle = speed * at(map_turning);
    const V by_current = absolute(turn) + square_root(stretch * stretch + shear * shear);
    const V room = maximum(static_cast<T>(most) - by_current, V{});
    const V x = at(slope_x), y = at(slope_y);
    const V bend = refraction_speed(load_points<V>(wavenumber.row(f), point, box.points), speed,
                                    at(depth), x, y, circle, sigma(f), room) *
                   static_cast<T>(refraction);
    return TurningOfPoints<V>{bend * x * per_bin, (bend * y + circle) * per_bin, turn * per_bin,
                              stretch * per_bin, shear * per_bin};
  };
  const auto turn = [&]<Advection choice>(std::ptrdiff_t f, std::ptrdiff_t first) {
    const std::ptrdiff_t last = std::min(first + chunk, box.points);
    const std::ptrdiff_t next = spectrum.stride[0];
    for (std::ptrdiff_t point = first; point < last; point += width) {
      const std::ptrdiff_t some = std::min(width, last - point);
      const TurningOfPoints<V> by = turning_at(f, point);
      T* values = spectrum.row(f * directions) + point;
      const auto courant = [&](int d) {
        return (by.x * direction_face(d, 1) - by.y * direction_face(d, 0)) +
               (by.rotation +
                (by.stretching * direction_face(d, 3) - by.shearing * direction_face(d, 2)));
      };
      const auto get = [=](int d) { return load_points<V>(values + d * next, 0, some); };
      const auto set = [=](int d, V value) {
        std::memcpy(values + d * next, &value, some * sizeof(T));
      };
      for (int n = 0; n < steps; ++n) turn_ring<choice, V>(directions, courant, get, set);
    }
  };
  const auto turn_chunk = [&](std::ptrdiff_t f, std::ptrdiff_t first) {
    if (scheme == 0) turn.template operator()<Advection::upwind>(f, first);
    if (scheme == 1) turn.template operator()<Advection::quickest>(f, first);
    if (scheme == 2) turn.template operator()<Advection::ultimate_quickest>(f, first);
  };
  for_pairs<std::ptrdiff_t>(sigma.extent[0], 0, box.points, chunk, turn_chunk);
}

}  // namespace halocline::waves
