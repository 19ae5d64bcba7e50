#pragma once
#include <algorithm>

#include "contract.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What comes into a sea and leaves it at its surface and sides, beside the flow that is resolved.
///
/// `brought` adds up, column by column, what has come [tracer times m3], in double precision.
namespace halocline {

inline constexpr Contract<3> count_surface_water_contract{
    "count_surface_water",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"surface_water", Access::read, Place::center, "m3"},
      {"brought", Access::update, Place::center, "m3", "tracer"}}}};

/// Water through the surface carries what the uppermost cell holds:  brought += c w.
///
/// @param[in]     box            cells to compute
/// @param[in]     tracer         per volume, shape (tracer, k, j, i)
/// @param[in]     surface_water  that comes in [m3], shape (j, i)
/// @param[in,out] brought        shape (tracer, j, i)
template <class T>
void count_surface_water(Box box, View4<const T> tracer, View2<const T> surface_water,
                         View3<double> brought) {
  const auto top = tracer.extent[1] - 1;
  for_cells(box, tracer.extent[0], [=](int t, int j, int i) {
    brought(t, j, i) +=
        static_cast<double>(tracer(t, top, j, i)) * static_cast<double>(surface_water(j, i));
  });
}

inline constexpr Contract<4> dilute_contract{
    "dilute",
    {{{"tracer", Access::update, Place::center, "any", "tracer depth", {}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth", {}, Column::whole},
      {"fresh_water", Access::read, Place::center, "m3"},
      {"brought", Access::update, Place::center, "m3", "tracer"}}}};

/// Take back what water without tracers was counted to carry:  c' = c (V - w) / V.
///
/// @param[in]     box          cells to compute
/// @param[in,out] tracer       per volume, shape (tracer, k, j, i)
/// @param[in]     volume       of the cells [m3], shape (k, j, i), the fresh water in it
/// @param[in]     fresh_water  that came into the uppermost cell [m3], negative: evaporated
/// @param[in,out] brought      shape (tracer, j, i)
template <class T>
void dilute(Box box, View4<T> tracer, View3<const T> volume, View2<const T> fresh_water,
            View3<double> brought) {
  const auto top = tracer.extent[1] - 1;
  for_cells(box, tracer.extent[0], [=](int t, int j, int i) {
    const T held = volume(top, j, i), before = tracer(t, top, j, i);
    if (!(held > T(0)) || fresh_water(j, i) == T(0)) return;
    const T after = before * (std::max(held - fresh_water(j, i), T(0)) / held);
    tracer(t, top, j, i) = after;
    brought(t, j, i) +=
        static_cast<double>(held) * (static_cast<double>(after) - static_cast<double>(before));
  });
}

inline constexpr Contract<5> surface_sources_contract{
    "surface_sources",
    {{{"tracer", Access::update, Place::center, "any", "tracer depth", {}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth", {}, Column::whole},
      {"source", Access::read, Place::center, "m3 s-1", "tracer"},
      {"source_water", Access::read, Place::center, "m3 s-1", "tracer"},
      {"brought", Access::update, Place::center, "m3", "tracer"}}}};

/// Rivers and deposition enter the uppermost cell, implicit in time.
///
/// Water of the concentration source / source_water takes the place of as much of the cell:
/// c' = (V c + dt source) / (V + dt source_water).  Without water the source is added as it is.
///
/// @param[in]     box           cells to compute
/// @param[in,out] tracer        per volume, shape (tracer, k, j, i)
/// @param[in]     volume        of the cells [m3], shape (k, j, i); 0 on land
/// @param[in]     source        of tracer [tracer m3 s-1], shape (tracer, j, i)
/// @param[in]     source_water  that brings it [m3 s-1], shape (tracer, j, i)
/// @param[in,out] brought       shape (tracer, j, i)
/// @param[in]     dt            step [s]
template <class T>
void surface_sources(Box box, View4<T> tracer, View3<const T> volume, View3<const T> source,
                     View3<const T> source_water, View3<double> brought, double dt) {
  const auto top = tracer.extent[1] - 1;
  const T step = static_cast<T>(dt);
  for_cells(box, tracer.extent[0], [=](int t, int j, int i) {
    const T held = volume(top, j, i), before = tracer(t, top, j, i);
    if (!(held > T(0)) || (source(t, j, i) == T(0) && source_water(t, j, i) == T(0))) return;
    const T after =
        (held * before + step * source(t, j, i)) / (held + step * source_water(t, j, i));
    tracer(t, top, j, i) = after;
    brought(t, j, i) +=
        static_cast<double>(held) * (static_cast<double>(after) - static_cast<double>(before));
  });
}

inline constexpr Contract<5> draw_to_profiles_contract{
    "draw_to_profiles",
    {{{"tracer", Access::update, Place::center, "any", "tracer depth", {}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth", {}, Column::whole},
      {"profile", Access::read, Place::none, "any", "tracer depth"},
      {"boundary_share", Access::read, Place::center, "1"},
      {"brought", Access::update, Place::center, "m3", "tracer"}}}};

/// Take a share of the difference from profiles away, all of it where the share is 1.
///
/// @param[in]     box             cells to compute
/// @param[in,out] tracer          per volume, shape (tracer, k, j, i)
/// @param[in]     volume          of the cells [m3], shape (k, j, i); 0 on land
/// @param[in]     profile         that columns are drawn to, shape (tracer, k)
/// @param[in]     boundary_share  of the difference that a step takes away [1], shape (j, i)
/// @param[in,out] brought         shape (tracer, j, i)
template <class T>
void draw_to_profiles(Box box, View4<T> tracer, View3<const T> volume, View2<const T> profile,
                      View2<const T> boundary_share, View3<double> brought) {
  const int levels = static_cast<int>(tracer.extent[1]);
  for_cells(box, tracer.extent[0], [=](int t, int j, int i) {
    const T share = boundary_share(j, i);
    if (!(share > T(0))) return;
    double sum = 0;
    for (int k = 0; k < levels; ++k) {
      if (!(volume(k, j, i) > T(0))) continue;
      const T before = tracer(t, k, j, i);
      const T after = share < T(1) ? before + share * (profile(t, k) - before) : profile(t, k);
      tracer(t, k, j, i) = after;
      sum += static_cast<double>(volume(k, j, i)) *
             (static_cast<double>(after) - static_cast<double>(before));
    }
    brought(t, j, i) += sum;
  });
}

}  // namespace halocline
