#pragma once
#include <vector>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/level_diffusion.hpp"
#include "ocean/tracer_columns.hpp"
#include "ocean/upwind_curvature.hpp"
#include "ocean/volume_fluxes.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Tracers of the ocean: one leapfrog step of advection, diffusion and surface fluxes.
///
/// Cells change volume and content by the same volume fluxes, so that water and tracers are kept to
/// round-off and a constant stays constant (Smith et al. 2010, The Parallel Ocean Program reference
/// manual, LAUR-10-01853, sections 3 and 4).
namespace halocline {

/// What tracers are moved and mixed by, and the geometry of their cells.
template <class T>
struct TracerFields {
  View4<const T> tracer, old_tracer;
  View3<const T> u, v;
  View2<const T> corner_dx, corner_dy;
  BottomCells<T> corner_bottom;
  View2<const T> area;
  LevelDiffusion<T> diffusion;
  View2<const T> old_layer, water_flux;
  ColumnFields<T> column;
  View2<const T> x_floor, y_floor;  ///< of upwind advection only
};

/// One row of columns of all levels: volumes that pass, then tracer after tracer. Face values are
/// the means of both cells, or with `Upwind` of third order.
template <class T, bool Upwind, bool Whole>
class TracerRow {
 public:
  TracerRow(const TracerFields<T>& fields, std::ptrdiff_t width)
      : f_(fields),
        levels_(static_cast<int>(fields.u.extent[0])),
        pitch_(width + 32),
        columns_(fields.column, width),
        scratch_(static_cast<std::size_t>(pitch_) * (4 * levels_ + 3 + 2 * Upwind)) {
    T* next = scratch_.data() + 16;
    for (T** plane : {&west_, &south_, &north_, &rise_}) {
      *plane = next;
      next += pitch_ * levels_;
    }
    bent_x_ = next + pitch_;  // behind `rise_`, which has an interface more than there are levels
    bent_up_ = bent_x_ + pitch_;
  }

  /// Volumes that pass the faces of row j, columns [i0, i1), and the new uppermost thickness.
  void volumes(int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau, View2<T> new_layer) {
    columns_.begin(j, i0, i1);
    zero(at(rise_, columns_.lowest(), i0) + i0, i0, i1);
    const T* floor = f_.column.bottom.floor_level.row(j);
    for (int k = columns_.lowest(); k < levels_; ++k) {
      const T dz = f_.column.thickness(k);
      const BottomCells<T>& bottom = f_.corner_bottom;
      const CornerRow<T, Whole> u0(f_.u, f_.corner_dy, bottom, k, j);
      const CornerRow<T, Whole> u1(f_.u, f_.corner_dy, bottom, k, j + 1);
      const CornerRow<T, Whole> v0(f_.v, f_.corner_dx, bottom, k, j);
      const CornerRow<T, Whole> v1(f_.v, f_.corner_dx, bottom, k, j + 1);
      T *west = at(west_, k, i0), *south = at(south_, k, i0), *north = at(north_, k, i0);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const bool wet = k >= columns_.first(i, i0);
        store<V>(west + i, wet ? x_volume_flux<V>(u0, u1, dz, i) : V{});
      });
      west[i1] = x_volume_flux<T>(u0, u1, dz, i1);
      fetch(i0, i1, f_.u, k, j + 2);
      fetch(i0, i1, f_.v, k, j + 2);
      for (const auto& field :
           {f_.column.vertical_diffusivity, f_.column.nonlocal_share, f_.column.salinity_excess})
        fetch(i0, i1, field, k, j + 1);
      const T* below = at(rise_, k, i0);
      T* above = at(rise_, k + 1, i0);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        if (k < columns_.first(i, i0)) return store<V>(above + i, V{});
        const V into = y_volume_flux<V>(v0, dz, i), out = y_volume_flux<V>(v1, dz, i);
        store<V>(south + i, into);
        store<V>(north + i, out);
        const V converging = (load<V>(west + i) - load<V>(west + i + 1)) + (into - out);
        const auto wet = load<V>(floor + i) <= splat<V>(static_cast<T>(k));
        store<V>(above + i, load<V>(below + i) + (wet ? converging : V{}));
      });
    }
    const T* top = at(rise_, levels_, i0);
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V rate =
          load<V>(top + i) / load<V>(f_.area.row(j) + i) + load<V>(f_.water_flux.row(j) + i);
      store<V>(new_layer.row(j) + i, load<V>(f_.old_layer.row(j) + i) + tau * rate);
    });
  }

  /// Get the columns of row j ready for tracer t.
  void eliminate(int t, int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau,
                 View2<const T> new_layer) {
    columns_.eliminate(t, j, i0, i1, tau, new_layer);
  }

  /// The new values of tracer t in row j.
  void tracer(int t, int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau, View4<T> new_tracer) {
    if constexpr (Upwind) zero(bent_up_, i0, i1);
    for (int k = columns_.lowest(); k < levels_; ++k) contents(t, k, j, i0, i1, tau);
    columns_.solve(t, j, i0, i1, new_tracer);
  }

 private:
  /// Row k of a plane of scratch, so that index i0 is its first.
  T* at(T* plane, int k, std::ptrdiff_t i0) const {
    return plane + static_cast<std::ptrdiff_t>(k) * pitch_ - i0;
  }
  void zero(T* plane, std::ptrdiff_t i0, std::ptrdiff_t i1) const {
    for (std::ptrdiff_t i = 0; i < i1 - i0; ++i) plane[i] = 0;
  }

  /// Thickness times tracer of level k before vertical diffusion [m times its units].
  void contents(int t, int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau) {
    const bool lowest = k == 0, highest = k == levels_ - 1;
    const T *here = f_.tracer.row(t, k, j), *under = f_.tracer.row(t, lowest ? k : k - 1, j);
    const T* over = f_.tracer.row(t, highest ? k : k + 1, j);
    const T *before = f_.tracer.row(t, k, j - 1), *behind = f_.tracer.row(t, k, j + 1);
    const DiffusionRow<T, Whole> diffusion(f_.diffusion, f_.old_tracer, t, k, j);
    const bool diffuses = f_.diffusion.x_conductance.data != nullptr;
    const RowShares<T, Whole> cells = f_.column.bottom.template row<Whole>(k, j);
    const T *old = f_.old_tracer.row(t, k, j), *area = f_.area.row(j);
    const T *west = at(west_, k, i0), *south = at(south_, k, i0), *north = at(north_, k, i0);
    const T *below = at(rise_, k, i0), *above = at(rise_, k + 1, i0);
    const T dz = f_.column.thickness(k);
    const FaceWeights<T> upright = roof_weights(k);
    T *content = columns_.content(k, i0), *bent_x = bent_x_ - i0, *bent_up = bent_up_ - i0;
    if constexpr (Upwind) bends_along_x(t, k, j, i0, i1);
    fetch(i0, i1, f_.tracer, t, k, j + (Upwind ? 3 : 2));
    fetch(i0, i1, f_.old_tracer, t, k, j + (Upwind ? 3 : 2));
    fetch(i0, i1, f_.column.mixing_convergence, t, k, j + 1);
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      if (k < columns_.first(i, i0)) return;
      const auto get = [&](const T* row, int shift = 0) { return load<V>(row + i + shift); };
      const V middle = get(here), half = splat<V>(T(0.5));
      V rate =
          half * (get(west) * (get(here, -1) + middle) - get(west, 1) * (middle + get(here, 1)));
      rate += half * (get(south) * (get(before) + middle) - get(north) * (middle + get(behind)));
      const V risen = lowest ? V{} : V(half * get(below) * (get(under) + middle));
      const V rising = highest ? V{} : V(half * get(above) * (middle + get(over)));
      rate += risen - rising;
      if constexpr (Upwind) {
        rate += get(bent_x) - get(bent_x, 1);
        rate +=
            bend_along_y<V>(t, k, j, i, get(south)) - bend_along_y<V>(t, k, j + 1, i, get(north));
        const V from_below = get(bent_up);
        const V upward = highest ? V{} : bend_of_roof<V>(t, k, j, i, get(above), upright);
        store<V>(bent_up + i, upward);
        rate += from_below - upward;
      }
      if (diffuses) rate += diffusion.template converging<V>(i);
      const V thickness = highest ? get(f_.old_layer.row(j)) : V(dz * cells.template at<V>(i));
      const V result = thickness * get(old) + tau * (rate / get(area));
      store<V>(content + i, columns_.with_surface_flux(result, t, k, j, i, tau));
    });
  }

  /// What the bends of third order let pass the western faces of row j, that of column i1 too.
  void bends_along_x(int t, int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const T *now = f_.tracer.row(t, k, j), *old = f_.old_tracer.row(t, k, j);
    const T *floor = f_.x_floor.row(j), *west = at(west_, k, i0);
    T* bent = bent_x_ - i0;
    const auto bend_at = [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V level = splat<V>(static_cast<T>(k));
      const V four[4] = {load<V>(now + i - 2), load<V>(now + i - 1), load<V>(now + i),
                         load<V>(now + i + 1)};
      const V before[4] = {load<V>(old + i - 2), load<V>(old + i - 1), load<V>(old + i),
                           load<V>(old + i + 1)};
      store<V>(bent + i, passing_by_bends<V>(load<V>(west + i), even_weights, four, before,
                                             load<V>(floor + i - 1) <= level,
                                             load<V>(floor + i + 1) <= level));
    };
    over_row<T>(i0, i1, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) {
      if (k < columns_.first(i, i0)) return store<V>(bent + i, V{});
      bend_at(lane, i);
    });
    bend_at(Lane<T>{}, i1);
  }
  /// The southern faces of row j.
  template <class V>
  INLINE V bend_along_y(int t, int k, int j, std::ptrdiff_t i, V flux) const {
    const auto row = [&](const View4<const T>& tracer, int m) {
      return load<V>(tracer.row(t, k, j + m) + i);
    };
    const auto wet = [&](int m) {
      return load<V>(f_.y_floor.row(j + m) + i) <= splat<V>(static_cast<T>(k));
    };
    const V four[4] = {row(f_.tracer, -2), row(f_.tracer, -1), row(f_.tracer, 0),
                       row(f_.tracer, 1)};
    const V before[4] = {row(f_.old_tracer, -2), row(f_.old_tracer, -1), row(f_.old_tracer, 0),
                         row(f_.old_tracer, 1)};
    return passing_by_bends<V>(flux, even_weights, four, before, wet(-1), wet(1));
  }
  /// The upper faces of level k, which is not the highest.
  template <class V>
  INLINE V bend_of_roof(int t, int k, int j, std::ptrdiff_t i, V flux,
                        const FaceWeights<T>& weights) const {
    const auto row = [&](const View4<const T>& tracer, int m) {
      return load<V>(tracer.row(t, inside(k + m), j) + i);
    };
    const auto wet = [&](int m) {  // no floor is below level 0
      const int lower = k + m + 1 < levels_ ? k + m : -1;
      return load<V>(f_.column.bottom.floor_level.row(j) + i) <= splat<V>(static_cast<T>(lower));
    };
    const V four[4] = {row(f_.tracer, -1), row(f_.tracer, 0), row(f_.tracer, 1), row(f_.tracer, 2)};
    const V before[4] = {row(f_.old_tracer, -1), row(f_.old_tracer, 0), row(f_.old_tracer, 1),
                         row(f_.old_tracer, 2)};
    return passing_by_bends<V>(flux, weights, four, before, wet(-1), wet(1));
  }

  int inside(int k) const { return std::clamp(k, 0, levels_ - 1); }
  /// Weights of the upper face of a level, between two levels on either side.
  FaceWeights<T> roof_weights(int k) const {
    const View1<const T>& dz = f_.column.thickness;
    const T lengths[4] = {dz(inside(k - 1)), dz(k), dz(inside(k + 1)), dz(inside(k + 2))};
    return face_weights(lengths);
  }

  static constexpr BendWeights<T> even{T(-1.0 / 6.0), T(1.0 / 6.0)};
  static constexpr FaceWeights<T> even_weights{even, even};

  TracerFields<T> f_;
  int levels_;
  std::ptrdiff_t pitch_;
  TracerColumns<T, Whole> columns_;
  std::vector<T> scratch_;
  T *west_, *south_, *north_, *rise_;
  T *bent_x_, *bent_up_;  ///< what bends let pass western and lower faces of a level, upwind only
};

inline constexpr Reach north_east{0, 1, 0, 1};

/// What a step of all tracers touches whatever moves them; cells look `far` along rows and columns.
template <std::size_t N>
constexpr Contract<N> tracers_contract(std::string_view name, int far) {
  const Reach around{-far, far, -far, far};
  Contract<N> result{
      name,
      {{{"tracer", Access::read, Place::center, "any", "tracer depth", around, Column::whole},
        {"old_tracer", Access::read, Place::center, "any", "tracer depth", around, Column::whole},
        {"u", Access::read, Place::corner, "m s-1", "depth", north_east, Column::whole},
        {"v", Access::read, Place::corner, "m s-1", "depth", north_east, Column::whole},
        {"vertical_diffusivity",
         Access::read,
         Place::interface,
         "m2 s-1",
         "depth",
         {},
         Column::whole},
        {"corner_dx", Access::read, Place::corner, "m", north_east},
        {"corner_dy", Access::read, Place::corner, "m", north_east},
        {"corner_floor", Access::read, Place::corner, "1", north_east},
        if_wanted({"corner_bottom_share", Access::read, Place::corner, "1", north_east}),
        {"area", Access::read, Place::center, "m2"},
        {"floor_level", Access::read, Place::center, "1", {-1, 1, -1, 1}},
        if_wanted({"bottom_share", Access::read, Place::center, "1", {-1, 1, -1, 1}}),
        if_wanted({"x_conductance", Access::read, Place::x_face, "m2 s-1", {0, 1, 0, 0}}),
        if_wanted({"y_conductance", Access::read, Place::y_face, "m2 s-1", {0, 0, 0, 1}}),
        {"old_layer", Access::read, Place::center, "m"},
        {"water_flux", Access::read, Place::center, "m s-1"},
        {"surface_flux", Access::read, Place::center, "any", "tracer"},
        {"thickness", Access::read, Place::none, "m", "depth"},
        {"spacing", Access::read, Place::none, "m", "depth"},
        if_wanted(
            {"nonlocal_share", Access::read, Place::interface, "1", "depth", {}, Column::whole}),
        if_wanted({"mixing_convergence", Access::read, Place::center, "any", "tracer depth"}),
        if_wanted({"salinity_excess",
                   Access::read,
                   Place::interface,
                   "m2 s-1",
                   "depth",
                   {},
                   Column::whole}),
        {"new_layer", Access::write, Place::center, "m"},
        {"new_tracer", Access::write, Place::center, "any", "tracer depth", {}, Column::whole}}}};
  if constexpr (N > 24) {
    result.arguments[24] = {"x_floor", Access::read, Place::x_face, "1", {-1, 2, 0, 0}};
    result.arguments[25] = {"y_floor", Access::read, Place::y_face, "1", {0, 0, -1, 2}};
  }
  return result;
}
inline constexpr auto ocean_tracers_contract = tracers_contract<24>("ocean_tracers", 1);
inline constexpr auto ocean_tracers_upwind_contract =
    tracers_contract<26>("ocean_tracers_upwind", 2);

template <bool Upwind, bool Whole, class T>
void step_rows(Box box, const TracerFields<T>& fields, View2<T> new_layer, View4<T> new_tracer,
               double tau, int width) {
  using Row = TracerRow<T, Upwind, Whole>;
  const T step = static_cast<T>(tau);
  const View2<const T> layer{new_layer.data, new_layer.extent, new_layer.stride};
  for_tiles_of_rows(
      box, width, [&] { return Row(fields, width); },
      [&](int j, std::ptrdiff_t i0, std::ptrdiff_t i1, Row& row) {
        row.volumes(j, i0, i1, step, new_layer);
        for (int t = 0; t < new_tracer.extent[0]; ++t) {
          row.eliminate(t, j, i0, i1, step, layer);
          row.tracer(t, j, i0, i1, step, new_tracer);
        }
      });
}

template <bool Upwind, class T>
void step_tracers(Box box, const TracerFields<T>& fields, View2<T> new_layer, View4<T> new_tracer,
                  double tau, int width) {
  const bool thin = fields.column.bottom.share.data != nullptr;
  const auto step = thin ? step_rows<Upwind, false, T> : step_rows<Upwind, true, T>;
  step(box, fields, new_layer, new_tracer, tau, width);
}

/// Advance tracers from the old to the new level of a leapfrog step, with fluxes of the present.
///
/// Advection is centred, horizontal diffusion that of the old level, vertical diffusion implicit.
///
/// @param[in]  box                   cells to compute
/// @param[in]  tracer, old_tracer    present and old values, shape (tracer, k, j, i)
/// @param[in]  u, v                  present velocity at corners [m s-1], 0 where land is near
/// @param[in]  vertical_diffusivity  at lower interfaces [m2 s-1]
/// @param[in]  corner_dx, corner_dy  lengths of velocity cells [m], shape (j, i)
/// @param[in]  area                  of cells [m2]
/// @param[in]  corner_floor          the lowest wet level of velocity cells
/// @param[in]  corner_bottom_share   of its level that the velocity cell there has [1]
/// @param[in]  floor_level           the lowest wet level; as many as levels on land
/// @param[in]  bottom_share          of its level that the cell there has [1]
/// @param[in]  x_conductance         diffusivity times length of a face over distance [m2 s-1]
/// @param[in]  y_conductance         the same; neither where nothing diffuses along levels
/// @param[in]  old_layer             thickness of the uppermost cell at the old level [m]
/// @param[in]  water_flux            volume of rain and rivers per area [m s-1]
/// @param[in]  surface_flux          of tracers per area [m s-1 times their units]
/// @param[in]  thickness, spacing    of levels, and between their centres [m]
/// @param[in]  nonlocal_share        part of `surface_flux` that passes lower interfaces besides
/// [1]
/// @param[in]  mixing_convergence    what eddies bring into cells [m s-1 times their units]
/// @param[in]  salinity_excess       diffusivity of all tracers but the first less that of it
/// [m2 s-1]
/// @param[out] new_layer             thickness of the uppermost cell at the new level [m]
/// @param[out] new_tracer            values at the new level, 0 on land
/// @param[in]  tau                   from the old to the new level [s]
/// @param[in]  width                 most columns per tile [1]; any value gives the same bits
template <class T>
void ocean_tracers(Box box, View4<const T> tracer, View4<const T> old_tracer, View3<const T> u,
                   View3<const T> v, View3<const T> vertical_diffusivity, View2<const T> corner_dx,
                   View2<const T> corner_dy, View2<const T> corner_floor,
                   View2<const T> corner_bottom_share, View2<const T> area,
                   View2<const T> floor_level, View2<const T> bottom_share,
                   View2<const T> x_conductance, View2<const T> y_conductance,
                   View2<const T> old_layer, View2<const T> water_flux, View3<const T> surface_flux,
                   View1<const T> thickness, View1<const T> spacing, View3<const T> nonlocal_share,
                   View4<const T> mixing_convergence, View3<const T> salinity_excess,
                   View2<T> new_layer, View4<T> new_tracer, double tau, int width) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const BottomCells<T> corners{corner_floor, corner_bottom_share};
  const ColumnFields<T> column{
      vertical_diffusivity, bottom,         surface_flux, thickness, spacing, nonlocal_share,
      mixing_convergence,   salinity_excess};
  const LevelDiffusion<T> diffusion{bottom, x_conductance, y_conductance, thickness, spacing};
  const TracerFields<T> fields{tracer,     old_tracer, u,    v,         corner_dx,
                               corner_dy,  corners,    area, diffusion, old_layer,
                               water_flux, column,     {},   {}};
  step_tracers<false>(box, fields, new_layer, new_tracer, tau, width);
}

/// The same with third-order upwind advection, whose damping part takes the old level.
///
/// @param[in] x_floor, y_floor  the lowest level at which faces have water on both sides [1]
template <class T>
void ocean_tracers_upwind(Box box, View4<const T> tracer, View4<const T> old_tracer,
                          View3<const T> u, View3<const T> v, View3<const T> vertical_diffusivity,
                          View2<const T> corner_dx, View2<const T> corner_dy,
                          View2<const T> corner_floor, View2<const T> corner_bottom_share,
                          View2<const T> area, View2<const T> floor_level,
                          View2<const T> bottom_share, View2<const T> x_conductance,
                          View2<const T> y_conductance, View2<const T> old_layer,
                          View2<const T> water_flux, View3<const T> surface_flux,
                          View1<const T> thickness, View1<const T> spacing,
                          View3<const T> nonlocal_share, View4<const T> mixing_convergence,
                          View3<const T> salinity_excess, View2<T> new_layer, View4<T> new_tracer,
                          View2<const T> x_floor, View2<const T> y_floor, double tau, int width) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const BottomCells<T> corners{corner_floor, corner_bottom_share};
  const ColumnFields<T> column{
      vertical_diffusivity, bottom,         surface_flux, thickness, spacing, nonlocal_share,
      mixing_convergence,   salinity_excess};
  const LevelDiffusion<T> diffusion{bottom, x_conductance, y_conductance, thickness, spacing};
  const TracerFields<T> fields{tracer,     old_tracer, u,       v,         corner_dx,
                               corner_dy,  corners,    area,    diffusion, old_layer,
                               water_flux, column,     x_floor, y_floor};
  step_tracers<true>(box, fields, new_layer, new_tracer, tau, width);
}

}  // namespace halocline
