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
        scratch_(static_cast<std::size_t>(pitch_) * (4 * levels_ + 4 + 2 * Upwind)) {
    T* next = scratch_.data() + 16;
    for (T** plane : {&west_, &south_, &north_, &rise_}) {
      *plane = next;
      next += pitch_ * levels_;
    }
    per_area_ = next + pitch_;  // behind `rise_`, which has an interface more than there are levels
    bent_x_ = per_area_ + pitch_;
    bent_up_ = bent_x_ + pitch_;
    for (int k = 0; k < levels_; ++k) roof_weights_.push_back(roof_weights(k));
  }

  /// Volumes that pass the faces of row j, columns [i0, i1), and the new uppermost thickness.
  FLAT void volumes(int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau, View2<T> new_layer) {
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
      const Ahead ahead({next_row(f_.u, k, j + 2), next_row(f_.v, k, j + 2),
                         next_row(f_.column.vertical_diffusivity, k, j + 1),
                         next_row(f_.column.nonlocal_share, k, j + 1),
                         next_row(f_.column.salinity_excess, k, j + 1)});
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        ahead.fetch(i);
        const bool wet = k >= columns_.first(i, i0);
        store<V>(west + i, wet ? x_volume_flux<V>(u0, u1, dz, i) : V{});
      });
      west[i1] = x_volume_flux<T>(u0, u1, dz, i1);
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
    const T *top = at(rise_, levels_, i0), *area = f_.area.row(j);
    const T *rain = f_.water_flux.row(j), *old_layer = f_.old_layer.row(j);
    T *per_area = per_area_ - i0, *layer = new_layer.row(j);
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V per = T(1) / load<V>(area + i);
      store<V>(per_area + i, per);
      const V rate = load<V>(top + i) * per + load<V>(rain + i);
      store<V>(layer + i, load<V>(old_layer + i) + tau * rate);
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

  /// Rows of a tracer, present and old: level k from two south of row j to two north of it, and
  /// row j from the level below to two above it.
  struct Around {
    const T *now[5], *old[5], *column[4], *old_column[4];
  };
  Around around(int t, int k, int j) const {
    Around found;
    for (int m = 0; m < 5; ++m) {
      found.now[m] = f_.tracer.row(t, k, j + m - 2);
      found.old[m] = f_.old_tracer.row(t, k, j + m - 2);
    }
    for (int m = 0; m < 4; ++m) {
      found.column[m] = f_.tracer.row(t, inside(k + m - 1), j);
      found.old_column[m] = f_.old_tracer.row(t, inside(k + m - 1), j);
    }
    return found;
  }

  /// Thickness times tracer of level k before vertical diffusion [m times its units].
  FLAT void contents(int t, int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau) {
    const bool lowest = k == 0, highest = k == levels_ - 1;
    const Around c = around(t, k, j);
    const T *here = c.now[2], *old = c.old[2];
    const DiffusionRow<T, Whole> diffusion(f_.diffusion, f_.old_tracer, t, k, j);
    const bool diffuses = f_.diffusion.x_conductance.data != nullptr;
    const RowShares<T, Whole> cells = f_.column.bottom.template row<Whole>(k, j);
    const auto entering = columns_.entering(t, k, j);
    const T *west = at(west_, k, i0), *south = at(south_, k, i0), *north = at(north_, k, i0);
    const T *below = at(rise_, k, i0), *above = at(rise_, k + 1, i0), *per_area = per_area_ - i0;
    const T *layer = f_.old_layer.row(j), dz = f_.column.thickness(k);
    const BendsAlongY bends_along_y(*this, c, k, j);
    const BendsOfRoof bends_of_roof(*this, c, k, j);
    T *content = columns_.content(k, i0), *bent_x = bent_x_ - i0, *bent_up = bent_up_ - i0;
    if constexpr (Upwind) bends_along_x(c, k, j, i0, i1);
    constexpr int far = Upwind ? 3 : 2;
    const Ahead ahead({next_row(f_.tracer, t, k, j + far), next_row(f_.old_tracer, t, k, j + far),
                       next_row(f_.column.mixing_convergence, t, k, j + 1)});
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      ahead.fetch(i);
      if (k < columns_.first(i, i0)) return;
      const auto get = [&](const T* row, int shift = 0) { return load<V>(row + i + shift); };
      const V middle = get(here), from_south = get(south), to_north = get(north);
      V rate = get(west) * (get(here, -1) + middle) - get(west, 1) * (middle + get(here, 1));
      rate += from_south * (get(c.now[1]) + middle) - to_north * (middle + get(c.now[3]));
      const V risen = lowest ? V{} : V(get(below) * (get(c.column[0]) + middle));
      const V rising = highest ? V{} : V(get(above) * (middle + get(c.column[2])));
      rate = T(0.5) * (rate + (risen - rising));
      if constexpr (Upwind) {
        rate += get(bent_x) - get(bent_x, 1);
        rate += bends_along_y.template converging<V>(i, from_south, to_north);
        const V from_below = get(bent_up);
        const V upward = highest ? V{} : bends_of_roof.template passing<V>(i, get(above));
        store<V>(bent_up + i, upward);
        rate += from_below - upward;
      }
      if (diffuses) rate += diffusion.template converging<V>(i);
      const V thickness = highest ? get(layer) : V(dz * cells.template at<V>(i));
      const V result = thickness * get(old) + tau * (rate * get(per_area));
      store<V>(content + i, entering.template into<V>(result, i, tau));
    });
  }

  /// What the bends of third order let pass the western faces of row j, that of column i1 too.
  FLAT void bends_along_x(const Around& c, int k, int j, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    const T *now = c.now[2], *old = c.old[2], *floor = f_.x_floor.row(j), *west = at(west_, k, i0);
    T* bent = bent_x_ - i0;
    const auto bend_at = [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V level = splat<V>(static_cast<T>(k));
      const auto of = [&](const T* f, int m) {
        return curvature(load<V>(f + i + m - 1), load<V>(f + i + m), load<V>(f + i + m + 1));
      };
      const Bends<V> before = where<V>(load<V>(floor + i - 1) <= level, {of(now, -1), of(old, -1)});
      const Bends<V> after = where<V>(load<V>(floor + i + 1) <= level, {of(now, 0), of(old, 0)});
      store<V>(bent + i, passing_by_bends<V>(load<V>(west + i), before, after, of_curvature));
    };
    over_row<T>(i0, i1, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) {
      if (k < columns_.first(i, i0)) return store<V>(bent + i, V{});
      bend_at(lane, i);
    });
    bend_at(Lane<T>{}, i1);
  }

  /// The same of the southern and northern faces of row j; no volume passes a dry face.
  struct BendsAlongY {
    const Around& c;
    const T* floor[4];
    T level;

    BendsAlongY(const TracerRow& row, const Around& around, int k, int j)
        : c(around), level(static_cast<T>(k)) {
      for (int m = 0; Upwind && m < 4; ++m) floor[m] = row.f_.y_floor.row(j + m - 1);
    }
    /// What enters through the southern face less what leaves through the northern one.
    template <class V>
    INLINE V converging(std::ptrdiff_t i, V from_south, V to_north) const {
      const auto wet = [&](int m) { return load<V>(floor[m] + i) <= splat<V>(level); };
      const auto of = [&](int m) {
        const auto bend = [&](const T* const(&f)[5]) {
          return curvature(load<V>(f[m - 1] + i), load<V>(f[m] + i), load<V>(f[m + 1] + i));
        };
        return Bends<V>{bend(c.now), bend(c.old)};
      };
      const Bends<V> southern = where<V>(wet(0), of(1)), here = where<V>(wet(1) & wet(2), of(2)),
                     northern = where<V>(wet(3), of(3));
      return passing_by_bends<V>(from_south, southern, here, of_curvature) -
             passing_by_bends<V>(to_north, here, northern, of_curvature);
    }
  };

  /// The same of the upper faces of level k, which is not the highest.
  struct BendsOfRoof {
    const Around& c;
    const T* floor;
    T level;
    FaceWeights<T> weights;

    BendsOfRoof(const TracerRow& row, const Around& around, int k, int j)
        : c(around),
          floor(row.f_.column.bottom.floor_level.row(j)),
          level(static_cast<T>(k)),
          weights(row.roof_weights_[k]) {}

    template <class V>
    INLINE V passing(std::ptrdiff_t i, V flux) const {
      const auto get = [&](const T* row) { return load<V>(row + i); };
      const auto forward = [&](const T* const(&f)[4]) {
        return bend<V>(weights.forward, get(f[0]), get(f[1]), get(f[2]));
      };
      const auto backward = [&](const T* const(&f)[4]) {
        return bend<V>(weights.backward, get(f[3]), get(f[2]), get(f[1]));
      };
      const auto wet = get(floor) < splat<V>(level);
      const Bends<V> before = where<V>(wet, {forward(c.column), forward(c.old_column)});
      return passing_by_bends<V>(flux, before, {backward(c.column), backward(c.old_column)},
                                 T(0.5));
    }
  };

  int inside(int k) const { return std::clamp(k, 0, levels_ - 1); }
  /// Weights of the upper face of a level, between two levels on either side; with no second one
  /// above it nothing bends there.
  FaceWeights<T> roof_weights(int k) const {
    const View1<const T>& dz = f_.column.thickness;
    const T lengths[4] = {dz(inside(k - 1)), dz(k), dz(inside(k + 1)), dz(inside(k + 2))};
    FaceWeights<T> found = face_weights(lengths);
    if (k + 2 >= levels_) found.backward = {T(0), T(0)};
    return found;
  }

  static constexpr T of_curvature = T(1.0 / 12.0);

  TracerFields<T> f_;
  int levels_;
  std::ptrdiff_t pitch_;
  TracerColumns<T, Whole> columns_;
  std::vector<T> scratch_;
  std::vector<FaceWeights<T>> roof_weights_;
  T *west_, *south_, *north_, *rise_, *per_area_;
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
