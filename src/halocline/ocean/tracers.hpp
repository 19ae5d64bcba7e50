#pragma once
#include <vector>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Tracers of the ocean: one leapfrog step of advection, diffusion and surface fluxes.
///
/// Velocities lie at corners (B-grid). The volume that passes a western face is the mean of what
/// its two corners carry, Fx = 1/2 dz (u dy + u_north dy_north); no water passes a corner that
/// touches land, so coasts need no mask. What converges in a cell leaves upward, and at the surface
/// thickens the uppermost cell: water and tracers are kept to round-off (Smith et al. 2010, The
/// Parallel Ocean Program reference manual, LAUR-10-01853, sections 3 and 4).
namespace halocline {

/// Volume that passes western faces of one row [m3 s-1] from the velocities of both corners.
template <class V>
INLINE V x_volume_flux(const scalar_of<V>* south, const scalar_of<V>* north,
                       const scalar_of<V>* width_south, const scalar_of<V>* width_north,
                       scalar_of<V> thickness, std::ptrdiff_t i) {
  const V sum =
      load<V>(south + i) * load<V>(width_south + i) + load<V>(north + i) * load<V>(width_north + i);
  return scalar_of<V>(0.5) * thickness * sum;
}

/// The same of southern faces; the corners are those at i and i + 1 of one row.
template <class V>
INLINE V y_volume_flux(const scalar_of<V>* velocity, const scalar_of<V>* width,
                       scalar_of<V> thickness, std::ptrdiff_t i) {
  const V sum = load<V>(velocity + i) * load<V>(width + i) +
                load<V>(velocity + i + 1) * load<V>(width + i + 1);
  return scalar_of<V>(0.5) * thickness * sum;
}

/// What tracers are moved and mixed by, and the geometry of their cells.
template <class T>
struct TracerFields {
  View4<const T> tracer, old_tracer;
  View3<const T> u, v, vertical_diffusivity;
  View2<const T> corner_dx, corner_dy, area, floor_level, x_conductance, y_conductance;
  View2<const T> old_layer, water_flux;
  View3<const T> surface_flux;
  View1<const T> thickness, spacing;
  View3<const T> nonlocal_share;
};

/// One row of columns of all levels: volumes that pass, then tracer after tracer.
template <class T>
class TracerRow {
 public:
  TracerRow(const TracerFields<T>& fields, std::ptrdiff_t width)
      : f_(fields),
        levels_(static_cast<int>(fields.u.extent[0])),
        pitch_(width + 32),
        scratch_(static_cast<std::size_t>(pitch_) * (8 * levels_ + 4)) {
    T* next = scratch_.data() + 16;
    for (T** plane : {&west_, &south_, &north_, &rise_, &content_, &exchange_, &factor_, &pivot_}) {
      *plane = next;
      next += static_cast<std::ptrdiff_t>(pitch_) * (levels_ + (plane == &rise_));
    }
  }

  /// Volumes that pass the faces of row j, columns [i0, i1), and the new uppermost thickness.
  void volumes(int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau, View2<T> new_layer) {
    zero(rise_, i0, i1);
    for (int k = 0; k < levels_; ++k) {
      const T dz = f_.thickness(k);
      const T *u0 = f_.u.row(k, j), *u1 = f_.u.row(k, j + 1);
      const T *v0 = f_.v.row(k, j), *v1 = f_.v.row(k, j + 1);
      const T *dy0 = f_.corner_dy.row(j), *dy1 = f_.corner_dy.row(j + 1);
      const T *dx0 = f_.corner_dx.row(j), *dx1 = f_.corner_dx.row(j + 1);
      T *west = at(west_, k, i0), *south = at(south_, k, i0), *north = at(north_, k, i0);
      over_row<T>(i0, i1 + 1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        store<V>(west + i, x_volume_flux<V>(u0, u1, dy0, dy1, dz, i));
      });
      const T* below = at(rise_, k, i0);
      T* above = at(rise_, k + 1, i0);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V into = y_volume_flux<V>(v0, dx0, dz, i), out = y_volume_flux<V>(v1, dx1, dz, i);
        store<V>(south + i, into);
        store<V>(north + i, out);
        const V converging = (load<V>(west + i) - load<V>(west + i + 1)) + (into - out);
        store<V>(above + i, load<V>(below + i) + converging);
      });
    }
    const T* top = at(rise_, levels_, i0);
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V rate =
          load<V>(top + i) / load<V>(f_.area.row(j) + i) + load<V>(f_.water_flux.row(j) + i);
      store<V>(new_layer.row(j) + i, load<V>(f_.old_layer.row(j) + i) + tau * rate);
    });
  }

  /// What implicit vertical diffusion exchanges, eliminated downward from the surface.
  void eliminate(int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau, View2<const T> new_layer) {
    for (int k = levels_ - 1; k >= 0; --k) {
      const bool lowest = k == 0, highest = k == levels_ - 1;
      const T share = lowest ? T(0) : tau / f_.spacing(k);
      const T* diffusivity = f_.vertical_diffusivity.row(k, j);
      const T* layer = new_layer.row(j);
      const T* above = at(exchange_, highest ? k : k + 1, i0);
      const T* above_factor = at(factor_, highest ? k : k + 1, i0);
      T *here = at(exchange_, k, i0), *factor = at(factor_, k, i0), *pivot = at(pivot_, k, i0);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V thickness = highest ? load<V>(layer + i) : splat<V>(f_.thickness(k));
        const V open = load<V>(f_.floor_level.row(j) + i) < splat<V>(static_cast<T>(k))
                           ? splat<V>(share)
                           : V{};
        const V a = open * load<V>(diffusivity + i);
        const V b = highest ? V{} : load<V>(above + i);
        const V kept = highest ? V{} : V(T(1) - load<V>(above_factor + i));
        const V reciprocal = T(1) / (thickness + a + b * kept);
        store<V>(here + i, a);
        store<V>(pivot + i, reciprocal);
        store<V>(factor + i, a * reciprocal);
      });
    }
  }

  /// The new values of tracer t in row j.
  void tracer(int t, int j, std::ptrdiff_t i0, std::ptrdiff_t i1, T tau, View4<T> new_tracer) {
    for (int k = 0; k < levels_; ++k) contents(t, k, j, i0, i1, tau);
    for (int k = levels_ - 1; k >= 0; --k) {
      const bool highest = k == levels_ - 1;
      T *content = at(content_, k, i0), *above = at(content_, highest ? k : k + 1, i0);
      const T *exchange = at(exchange_, highest ? k : k + 1, i0), *pivot = at(pivot_, k, i0);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V from_above = highest ? V{} : V(load<V>(exchange + i) * load<V>(above + i));
        store<V>(content + i, (load<V>(content + i) + from_above) * load<V>(pivot + i));
      });
    }
    for (int k = 0; k < levels_; ++k) {
      const T *content = at(content_, k, i0), *factor = at(factor_, k, i0);
      const T* below = k > 0 ? new_tracer.row(t, k - 1, j) : content;
      T* to = new_tracer.row(t, k, j);
      over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
        const V from_below = k > 0 ? V(load<V>(factor + i) * load<V>(below + i)) : V{};
        store<V>(to + i, load<V>(content + i) + from_below);
      });
    }
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
    const T *old = f_.old_tracer.row(t, k, j), *old_before = f_.old_tracer.row(t, k, j - 1);
    const T* old_behind = f_.old_tracer.row(t, k, j + 1);
    const T *west = at(west_, k, i0), *south = at(south_, k, i0), *north = at(north_, k, i0);
    const T *below = at(rise_, k, i0), *above = at(rise_, k + 1, i0);
    const T *floor = f_.floor_level.row(j), *floor_before = f_.floor_level.row(j - 1);
    const T *floor_behind = f_.floor_level.row(j + 1), *area = f_.area.row(j);
    const T *x = f_.x_conductance.row(j), *y0 = f_.y_conductance.row(j);
    const T* y1 = f_.y_conductance.row(j + 1);
    const T dz = f_.thickness(k), level = static_cast<T>(k);
    T* content = at(content_, k, i0);
    over_row<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto get = [&](const T* row, int shift = 0) { return load<V>(row + i + shift); };
      const V middle = get(here), half = splat<V>(T(0.5));
      V rate =
          half * (get(west) * (get(here, -1) + middle) - get(west, 1) * (middle + get(here, 1)));
      rate += half * (get(south) * (get(before) + middle) - get(north) * (middle + get(behind)));
      const V risen = lowest ? V{} : V(half * get(below) * (get(under) + middle));
      const V rising = highest ? V{} : V(half * get(above) * (middle + get(over)));
      rate += risen - rising;
      const V now = get(old), zero{};
      const auto open = [&](const T* other, int shift = 0) {
        return get(other, shift) <= splat<V>(level);
      };
      V mixed = (open(floor, -1) ? get(x) * (get(old, -1) - now) : zero) +
                (open(floor, 1) ? get(x, 1) * (get(old, 1) - now) : zero);
      mixed += (open(floor_before) ? get(y0) * (get(old_before) - now) : zero) +
               (open(floor_behind) ? get(y1) * (get(old_behind) - now) : zero);
      rate += dz * (open(floor) ? mixed : zero);
      const V thickness = highest ? get(f_.old_layer.row(j)) : splat<V>(dz);
      V result = thickness * now + tau * (rate / get(area));
      if (highest) result += tau * get(f_.surface_flux.row(t, j));
      if (f_.nonlocal_share.data) {
        const V from_above = highest ? zero : get(f_.nonlocal_share.row(k + 1, j));
        const V passed = from_above - get(f_.nonlocal_share.row(k, j));
        result += tau * (passed * get(f_.surface_flux.row(t, j)));
      }
      store<V>(content + i, result);
    });
  }

  TracerFields<T> f_;
  int levels_;
  std::ptrdiff_t pitch_;
  std::vector<T> scratch_;
  T *west_, *south_, *north_, *rise_, *content_, *exchange_, *factor_, *pivot_;
};

inline constexpr Reach north_east{0, 1, 0, 1};

inline constexpr Contract<19> ocean_tracers_contract{
    "ocean_tracers",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {-1, 1, -1, 1}, Column::whole},
      {"old_tracer",
       Access::read,
       Place::center,
       "any",
       "tracer depth",
       {-1, 1, -1, 1},
       Column::whole},
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
      {"area", Access::read, Place::center, "m2"},
      {"floor_level", Access::read, Place::center, "1", {-1, 1, -1, 1}},
      {"x_conductance", Access::read, Place::x_face, "m2 s-1", {0, 1, 0, 0}},
      {"y_conductance", Access::read, Place::y_face, "m2 s-1", {0, 0, 0, 1}},
      {"old_layer", Access::read, Place::center, "m"},
      {"water_flux", Access::read, Place::center, "m s-1"},
      {"surface_flux", Access::read, Place::center, "any", "tracer"},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      if_wanted(
          {"nonlocal_share", Access::read, Place::interface, "1", "depth", {}, Column::whole}),
      {"new_layer", Access::write, Place::center, "m"},
      {"new_tracer", Access::write, Place::center, "any", "tracer depth", {}, Column::whole}}}};

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
/// @param[in]  floor_level           the lowest wet level; as many as levels on land
/// @param[in]  x_conductance         diffusivity times length of a face over distance [m2 s-1]
/// @param[in]  old_layer             thickness of the uppermost cell at the old level [m]
/// @param[in]  water_flux            volume of rain and rivers per area [m s-1]
/// @param[in]  surface_flux          of tracers per area [m s-1 times their units]
/// @param[in]  thickness, spacing    of levels, and between their centres [m]
/// @param[in]  nonlocal_share        part of `surface_flux` that passes lower interfaces besides
/// [1]
/// @param[out] new_layer             thickness of the uppermost cell at the new level [m]
/// @param[out] new_tracer            values at the new level
/// @param[in]  tau                   from the old to the new level [s]
/// @param[in]  width                 most columns per tile [1]; any value gives the same bits
template <class T>
void ocean_tracers(Box box, View4<const T> tracer, View4<const T> old_tracer, View3<const T> u,
                   View3<const T> v, View3<const T> vertical_diffusivity, View2<const T> corner_dx,
                   View2<const T> corner_dy, View2<const T> area, View2<const T> floor_level,
                   View2<const T> x_conductance, View2<const T> y_conductance,
                   View2<const T> old_layer, View2<const T> water_flux, View3<const T> surface_flux,
                   View1<const T> thickness, View1<const T> spacing, View3<const T> nonlocal_share,
                   View2<T> new_layer, View4<T> new_tracer, double tau, int width) {
  const TracerFields<T> fields{tracer,
                               old_tracer,
                               u,
                               v,
                               vertical_diffusivity,
                               corner_dx,
                               corner_dy,
                               area,
                               floor_level,
                               x_conductance,
                               y_conductance,
                               old_layer,
                               water_flux,
                               surface_flux,
                               thickness,
                               spacing,
                               nonlocal_share};
  const T step = static_cast<T>(tau);
  const View2<const T> layer{new_layer.data, new_layer.extent, new_layer.stride};
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return TracerRow<T>(fields, width); },
      [&](int j, TracerRow<T>& row) {
        for (std::ptrdiff_t i0 = box.i0; i0 < box.i1; i0 += width) {
          const std::ptrdiff_t i1 = std::min<std::ptrdiff_t>(i0 + width, box.i1);
          row.volumes(j, i0, i1, step, new_layer);
          row.eliminate(j, i0, i1, step, layer);
          for (int t = 0; t < tracer.extent[0]; ++t) row.tracer(t, j, i0, i1, step, new_tracer);
        }
      });
}

}  // namespace halocline
