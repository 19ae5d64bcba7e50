#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Levelling of checkerboards of the surface, which no force acts on.
///
/// Of the four cells around a corner the slopes there see all but the twist
/// q = (north-east + south-west) - (north-west + south-east), which a checkerboard has at all
/// corners (a mode of hourglasses: Flanagan and Belytschko 1981, Int. J. Numerical Methods in
/// Engineering 17, 679; on B-grids: Killworth et al. 1991, J. Phys. Oceanogr. 21, 1333). At corners
/// in the sea water goes from the two cells that are high to the two that are low, with what it
/// holds:
///
///   volume of each per time = rate a q / 16,   a: the least area of the four cells,
///
/// so that a checkerboard on even cells falls by `rate`, volume and contents are kept, and an even
/// tracer stays even. Slopes are left alone.
namespace halocline {

inline constexpr Reach one_around{-1, 1, -1, 1};

inline constexpr Contract<6> ocean_checkerboard_contract{
    "ocean_checkerboard",
    {{{"old_surface", Access::read, Place::center, "m2 s-2", one_around},
      {"old_tracer", Access::read, Place::center, "any", "tracer depth", one_around, Column::whole},
      {"corner_depth", Access::read, Place::corner, "m", {0, 1, 0, 1}},
      {"area", Access::read, Place::center, "m2", one_around},
      {"water_flux", Access::update, Place::center, "m s-1"},
      {"surface_flux", Access::update, Place::center, "any", "tracer"}}}};

/// @param[in]     old_surface   pressure of the surface over the reference density [m2 s-2]
/// @param[in]     old_tracer    of which the uppermost level goes with the water
/// @param[in]     corner_depth  0 where a cell around is land [m]
/// @param[in,out] water_flux    downward, volume per area [m s-1]
/// @param[in,out] surface_flux  downward, of tracers per area [m s-1 times their units]
/// @param[in]     rate          of checkerboards, over gravity [s m-1]
template <class T>
void ocean_checkerboard(Box box, View2<const T> old_surface, View4<const T> old_tracer,
                        View2<const T> corner_depth, View2<const T> area, View2<T> water_flux,
                        View3<T> surface_flux, double rate) {
  const T share = static_cast<T>(rate / 16.0);
  const std::ptrdiff_t top = old_tracer.extent[1] - 1;
  for_rows(box, [&](int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto at = [&](const View2<const T>& f, int dj, int di) {
        return load<V>(f.row(j + dj) + i + di);
      };
      // What this cell gives at the corner to its north (or south) and its east (or west).
      const auto given = [&](int north, int east) {
        const V rising = at(old_surface, north - 1, east - 1) + at(old_surface, north, east);
        const V falling = at(old_surface, north - 1, east) + at(old_surface, north, east - 1);
        const V least = minimum(minimum(at(area, north - 1, east - 1), at(area, north, east)),
                                minimum(at(area, north - 1, east), at(area, north, east - 1)));
        const V volume = share * least * (rising - falling);
        const V wet = at(corner_depth, north, east) > V{} ? volume : V{};
        return north == east ? wet : V(-wet);
      };
      const V per_area = T(1) / at(area, 0, 0);
      const V out[2][2] = {{given(0, 0), given(0, 1)}, {given(1, 0), given(1, 1)}};
      const V lost = (out[0][0] + out[1][1]) + (out[0][1] + out[1][0]);
      store<V>(water_flux.row(j) + i, load<V>(water_flux.row(j) + i) - per_area * lost);
      for (int t = 0; t < surface_flux.extent[0]; ++t) {
        const auto value = [&](int dj, int di) {
          return load<V>(old_tracer.row(t, top, j + dj) + i + di);
        };
        const V here = value(0, 0);
        const auto carried = [&](int north, int east) {
          const V beside = T(0.5) * (value(0, 2 * east - 1) + value(2 * north - 1, 0));
          const V volume = out[north][east];
          const V content = volume * (volume > V{} ? here : beside);
          return absolute(volume) > V{} ? content : V{};  // on land tracers may be anything
        };
        const V gone = (carried(0, 0) + carried(1, 1)) + (carried(0, 1) + carried(1, 0));
        T* to = surface_flux.row(t, j) + i;
        store<V>(to, load<V>(to) - per_area * gone);
      }
    });
  });
}

}  // namespace halocline
