#pragma once
#include <algorithm>

#include "contract.hpp"
#include "numerics/transport_tile.hpp"
#include "schedules.hpp"
#include "view.hpp"

namespace halocline {

/// The contract of the pass that begins with x or y; they look differently far into corners.
constexpr Contract<13> transport_contract(std::string_view name, Reach x_faces, Reach y_faces) {
  return {
      name,
      {{{"tracer",
         Access::read,
         Place::center,
         "any",
         "tracer depth",
         {-2, 2, -2, 2},
         Column::whole},
        {"volume", Access::read, Place::center, "m3", "depth", {-2, 2, -2, 2}, Column::whole},
        {"x_volume_flux", Access::read, Place::x_face, "m3 s-1", "depth", x_faces, Column::whole},
        {"y_volume_flux", Access::read, Place::y_face, "m3 s-1", "depth", y_faces, Column::whole},
        {"z_volume_flux", Access::read, Place::interface, "m3 s-1", "depth", {}, Column::whole},
        {"x_conductance", Access::read, Place::x_face, "m2 s-1", x_faces},
        {"y_conductance", Access::read, Place::y_face, "m2 s-1", y_faces},
        {"vertical_diffusivity",
         Access::read,
         Place::interface,
         "m2 s-1",
         "depth",
         {},
         Column::whole},
        {"area", Access::read, Place::center, "m2"},
        {"thickness", Access::read, Place::none, "m", "depth"},
        {"spacing", Access::read, Place::none, "m", "depth"},
        {"sinking_speed", Access::read, Place::none, "m s-1", "tracer"},
        {"new_tracer", Access::write, Place::center, "any", "tracer depth", {}, Column::whole}}}};
}
inline constexpr auto transport_tracers_x_first_contract =
    transport_contract("transport_tracers_x_first", {-1, 2, -2, 2}, {0, 0, -1, 2});
inline constexpr auto transport_tracers_y_first_contract =
    transport_contract("transport_tracers_y_first", {-1, 2, 0, 0}, {-2, 2, -1, 2});

/// Advect, sink and diffuse tracers: `sweep_x` and `sweep_y` or the other way round, `sweep_z`,
/// `sinking` and `vertical_diffusion` in one pass over the rows, with the same bits.
///
/// Tiles of a row follow one another from west to east in one thread, so that each finds what the
/// one before has written over; groups of tracers and parts of the rows are shared among threads.
///
/// @param[in]  box         cells to compute
/// @param[in]  diffusive   whether the horizontal conductances are used
/// @param[in]  width       most columns per tile [1]; any value gives the same bits
/// @param[in]  group       tracers per pass [1]; any value gives the same bits
/// @param[out] new_tracer  after the step, shape (tracer, k, j, i), may be the tracer itself; other
///                         arguments as of the parts
template <First first_sweep, class T>
void transport_tracers(Box box, View4<const T> tracer, View3<const T> volume,
                       View3<const T> x_volume_flux, View3<const T> y_volume_flux,
                       View3<const T> z_volume_flux, View2<const T> x_conductance,
                       View2<const T> y_conductance, View3<const T> vertical_diffusivity,
                       View2<const T> area, View1<const T> thickness, View1<const T> spacing,
                       View1<const T> sinking_speed, View4<T> new_tracer, double dt, bool limited,
                       bool diffusive, int width, int group) {
  const TransportFields<T> fields{tracer,        volume,        x_volume_flux,
                                  y_volume_flux, z_volume_flux, vertical_diffusivity,
                                  x_conductance, y_conductance, area,
                                  thickness,     spacing,       sinking_speed,
                                  new_tracer};
  const int tracers = static_cast<int>(tracer.extent[0]);
  const int levels = static_cast<int>(volume.extent[0]);
  const int groups = (tracers + group - 1) / group;
  const int columns = box.i1 - box.i0, rows = box.j1 - box.j0;
  const int tiles = (columns + width - 1) / width;
  const int shares = most_threads() == 1 ? 1 : (4 * most_threads() + groups - 1) / groups;
  const int parts = std::clamp(rows / 16, 1, shares);
  const auto cut = [](int length, int pieces, int piece) {
    return static_cast<int>(static_cast<long long>(length) * piece / pieces);
  };
  const auto part_of = [&](int part) {
    return TileBox{box.i0, box.i1, box.j0 + cut(rows, parts, part),
                   box.j0 + cut(rows, parts, part + 1)};
  };
  thread_local Scratch<T> kept;
  const bool framed = new_tracer.data == tracer.data && parts > 1;
  const std::size_t frame_size = framed ? tracers * levels * RowFrame<T>::size(part_of(0)) : 0;
  if (framed) kept.reserve(parts * frame_size);
  T* const frames = framed ? kept.take(parts * frame_size) : nullptr;
  const auto frame_of = [&](int part) {
    return framed ? RowFrame<T>(frames + part * frame_size, part_of(part), levels) : RowFrame<T>();
  };
  if (framed)
    for_pairs(parts, 0, tracers, 1, [&](int part, int t) { frame_of(part).keep(tracer, t); });
  for_tiles(1, parts, groups, [&](int, int part, int set) {
    thread_local Scratch<T> scratch, beside;
    const int first = cut(tracers, groups, set);
    const int count = cut(tracers, groups, set + 1) - first;
    const TileBox whole = part_of(part);
    T* const western = western_cells(tracer, whole, first, count, levels, beside);
    const auto sweep = [&]<bool Limited, bool Diffuse>() {
      for (int tile = 0; tile < tiles; ++tile) {
        const TileBox own{box.i0 + cut(columns, tiles, tile),
                          box.i0 + cut(columns, tiles, tile + 1), whole.j0, whole.j1};
        TransportTile<T, first_sweep, Limited, Diffuse>(fields, own, frame_of(part), western, first,
                                                        count, dt, scratch)
            .pass();
      }
    };
    if (limited && diffusive) sweep.template operator()<true, true>();
    if (limited && !diffusive) sweep.template operator()<true, false>();
    if (!limited && diffusive) sweep.template operator()<false, true>();
    if (!limited && !diffusive) sweep.template operator()<false, false>();
  });
}

}  // namespace halocline
