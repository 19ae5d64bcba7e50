#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "contract.hpp"
#include "negligible.hpp"
#include "pack.hpp"
#include "schedules.hpp"
#include "spectral_flux.hpp"
#include "turning.hpp"

/// Shift of waves in frequency by currents that are not the same everywhere, and by depths that
/// change.
///
/// In logarithmic frequencies, x = ln(sigma) / ln(X), bins of a geometric grid are equally wide,
/// and the action of one, N dsigma with N = F / sigma, is F but for a factor that all bins share:
/// so F moves with dx/dt = (dsigma/dt) / (sigma ln X), in flux form, and its sum is the action.
namespace halocline::waves {

inline constexpr Contract<11> shift_frequencies_contract{
    "shift_frequencies",
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
      {"depth_change", Access::read, Place::point, "m s-1"},
      {"convergence", Access::read, Place::point, "s-1"},
      {"stretching", Access::read, Place::point, "s-1"},
      {"shearing", Access::read, Place::point, "s-1"},
      {"sigma", Access::read, Place::none, "rad s-1", "frequency"},
      {"double_angle", Access::read, Place::none, "1", "direction 2"},
      {"through_ends", Access::write, Place::point, "m2 Hz-1 rad-1", "2"}}}};

/// What left one direction's frequencies below and came or went above them, in the units of F.
template <class V>
struct EndFluxes {
  V below{}, above{};
};

/// Shift one direction's row of frequencies by one time step, in flux form.
///
/// @param courant  courant(f) is that of the face below frequency f, 0 to `frequencies`
/// @param get      get(f) is the spectrum at frequency f
/// @param set      set(f, value) replaces it
/// @param tail     F of the frequency above over that of the last one; below the first there is
/// none
template <Advection scheme, class V, class Courant, class Get, class Set>
inline EndFluxes<V> shift_row(int frequencies, bool open, scalar_of<V> tail, Courant courant,
                              Get get, Set set) {
  const V last = get(frequencies - 1);
  const auto value = [&](int f) {
    return f < frequencies ? get(f) : f == frequencies ? last * tail : last * (tail * tail);
  };
  V before{}, left{}, right = get(0), after = value(1);
  V c_before{}, c = courant(0), c_after = courant(1);
  V entering{};
  if (open) entering = spectral_flux<scheme>(before, left, right, after, c, c, c_after);
  EndFluxes<V> ends{entering, {}};
  for (int f = 0; f < frequencies; ++f) {
    const bool top = f == frequencies - 1;
    before = left;
    left = right;
    right = after;
    after = value(f + 2);
    c_before = f == 0 && !open ? V{} : c;
    c = c_after;
    c_after = top ? c : f + 2 == frequencies && !open ? V{} : courant(f + 2);
    const V leaving = top && !open
                          ? V{}
                          : spectral_flux<scheme>(before, left, right, after, c_before, c, c_after);
    set(f, unless_negligible(left - leaving + entering));
    entering = leaving;
  }
  ends.above = entering;
  return ends;
}

/// Shift all spectra in frequency by `steps` steps.
///
/// Source: docs/waves.md, "Currents and water level". The lowest frequency gives what sinks below
/// it and gets nothing from there; above the last there is the tail of the spectrum, which takes
/// what rises and gives what sinks. With `open` 0 nothing passes either end.
///
/// @param[in,out] spectrum        variance density, shape (component, point)
/// @param[in]     wavenumber      shape (frequency, point)
/// @param[in]     group_velocity  relative to the water, shape (frequency, point)
/// @param[in]     depth           of the water, level included
/// @param[in]     depth_change    as the moving water sees it: dd/dt + U . grad d
/// @param[in]     convergence     -(du/dx + dv/dy) / 2
/// @param[in]     stretching      (du/dx - dv/dy) / 2
/// @param[in]     shearing        (dv/dx + du/dy) / 2
/// @param[in]     sigma           intrinsic frequencies
/// @param[in]     double_angle    cosine and sine of twice each direction
/// @param[out]    through_ends    what passed the lower and the upper end, upward, in units of F
/// @param[in]     step            time step over the logarithm of the ratio of frequencies [s]
/// @param[in]     steps           number of steps
/// @param[in]     scheme          0 upwind, 1 QUICKEST, 2 ULTIMATE QUICKEST
/// @param[in]     open            whether anything passes the ends
/// @param[in]     tail            F above the last frequency over that of it
template <class T>
void shift_frequencies(Box box, View<T, 2> spectrum, View<const T, 2> wavenumber,
                       View<const T, 2> group_velocity, View<const T, 1> depth,
                       View<const T, 1> depth_change, View<const T, 1> convergence,
                       View<const T, 1> stretching, View<const T, 1> shearing,
                       View<const T, 1> sigma, View<const T, 2> double_angle,
                       View<T, 2> through_ends, double step, int steps, int scheme, bool open,
                       double tail) {
  using V = pack<T, lanes<T>>;
  const int directions = static_cast<int>(double_angle.extent[0]);
  const int frequencies = static_cast<int>(sigma.extent[0]);
  constexpr std::ptrdiff_t width = lanes<T>;
  const std::ptrdiff_t next = spectrum.stride[0];
  const auto shift = [&]<Advection choice>(std::ptrdiff_t point, std::vector<V>& ratio) {
    const std::ptrdiff_t some = std::min(width, box.points - point);
    const auto at = [&](const T* values) { return load_points<V>(values, point, box.points); };
    const T scale = static_cast<T>(step);
    // c_g k / sigma at the faces between frequencies
    V lower{};
    for (int f = 0; f < frequencies; ++f) {
      const V here = at(wavenumber.row(f)) * at(group_velocity.row(f)) / sigma(f);
      ratio[f] = f == 0 ? here : T(0.5) * (lower + here);
      lower = here;
    }
    ratio[frequencies] = lower;
    const V deepening = at(depth_change.data) / at(depth.data) * scale;
    const V squeeze = at(convergence.data) * scale;
    const V stretch = at(stretching.data) * scale, shear = at(shearing.data) * scale;
    EndFluxes<V> through;
    for (int d = 0; d < directions; ++d) {
      const V along = squeeze - (stretch * double_angle(d, 0) + shear * double_angle(d, 1));
      T* values = spectrum.row(d) + point;
      const auto row = [=](int f) { return values + f * directions * next; };
      const auto courant = [&](int f) {
        return along * ratio[f] + deepening * (ratio[f] - T(0.5));
      };
      const auto get = [=](int f) { return load_points<V>(row(f), 0, some); };
      const auto set = [=](int f, V value) { std::memcpy(row(f), &value, some * sizeof(T)); };
      for (int n = 0; n < steps; ++n) {
        const EndFluxes<V> ends =
            shift_row<choice, V>(frequencies, open, static_cast<T>(tail), courant, get, set);
        through.below += ends.below;
        through.above += ends.above;
      }
    }
    std::memcpy(through_ends.row(0) + point, &through.below, some * sizeof(T));
    std::memcpy(through_ends.row(1) + point, &through.above, some * sizeof(T));
  };
  const auto of_points = [&](std::ptrdiff_t point, std::vector<V>& ratio) {
    if (scheme == 0) shift.template operator()<Advection::upwind>(point, ratio);
    if (scheme == 1) shift.template operator()<Advection::quickest>(point, ratio);
    if (scheme == 2) shift.template operator()<Advection::ultimate_quickest>(point, ratio);
  };
  for_each_in_with<std::ptrdiff_t>(
      0, box.points, width, [&] { return std::vector<V>(frequencies + 1); }, of_points);
}

}  // namespace halocline::waves
