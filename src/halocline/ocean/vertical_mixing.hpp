#pragma once
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "ocean/bottom_cells.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Vertical mixing by the Richardson number, and what all schemes of vertical mixing share.
///
/// With r = 1 / (1 + a Ri) the viscosity is b + n r^2 and the diffusivity c + (b + n r^2) r; where
/// the water above is heavier both are those of convection (Pacanowski and Philander 1981, J. Phys.
/// Oceanogr. 11, 1443, equations 1 and 2). Density lies at centres and velocity at corners: the
/// Richardson number of a centre takes the mean velocity of its four corners, that of a corner is
/// the mean of its four centres (Smith et al. 2010, The Parallel Ocean Program reference manual,
/// LAUR-10-01853, section 8.2).
namespace halocline {

/// Mean of four corners around centre i, rows south and north of it.
template <class V>
INLINE V mean_of_corners(const scalar_of<V>* south, const scalar_of<V>* north, std::ptrdiff_t i) {
  return scalar_of<V>(0.25) * ((load<V>(south + i) + load<V>(south + i + 1)) +
                               (load<V>(north + i) + load<V>(north + i + 1)));
}

/// Mean of four centres around corner i, rows south and north of it.
template <class V>
INLINE V mean_of_centers(const scalar_of<V>* south, const scalar_of<V>* north, std::ptrdiff_t i) {
  return mean_of_corners<V>(south, north, i - 1);
}

/// Square of a velocity [m2 s-2] that no shear falls below.
template <class T>
inline constexpr T least_shear = T(1e-14);

/// Mixing by the Richardson number: backgrounds, what Ri = 0 adds and what convection gives
/// [m2 s-1], and the factor of Ri [1].
template <class T>
struct RichardsonMixing {
  T background_viscosity, background_diffusivity, strength, steepness, convective;

  template <class V>
  HD INLINE V viscosity(V richardson) const {
    const V share = T(1) / (T(1) + steepness * maximum(richardson, V{}));
    const V found = background_viscosity + strength * (share * share);
    return richardson < V{} ? splat<V>(convective) : minimum(found, splat<V>(convective));
  }
  template <class V>
  HD INLINE V diffusivity(V richardson) const {
    const V share = T(1) / (T(1) + steepness * maximum(richardson, V{}));
    const V found =
        background_diffusivity + (background_viscosity + strength * (share * share)) * share;
    return richardson < V{} ? splat<V>(convective) : minimum(found, splat<V>(convective));
  }
};

inline constexpr Contract<9> ocean_richardson_contract{
    "ocean_richardson",
    {{{"stability", Access::read, Place::interface, "s-2", "depth"},
      {"old_u", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 1}, Column::whole},
      {"old_v", Access::read, Place::corner, "m s-1", "depth", {0, 1, 0, 1}, Column::whole},
      {"floor_level", Access::read, Place::center, "1"},
      if_wanted({"bottom_share", Access::read, Place::center, "1"}),
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      {"richardson", Access::write, Place::interface, "1", "depth"},
      {"vertical_diffusivity", Access::write, Place::interface, "m2 s-1", "depth"}}}};

/// Richardson number of the lower interfaces of cells, and the diffusivity that it gives.
///
/// @param[in]  box                   cells to compute
/// @param[in]  stability             square of the buoyancy frequency at lower interfaces [s-2]
/// @param[in]  old_u, old_v          velocity at corners [m s-1]
/// @param[in]  floor_level           the lowest wet level; as many as levels on land
/// @param[in]  bottom_share          of its level that the cell there has [1]
/// @param[in]  thickness, spacing    of levels, and between their centres [m]
/// @param[out] richardson            N^2 over the square of the shear [1]; 0 at the floor
/// @param[out] vertical_diffusivity  [m2 s-1]; 0 at the floor
template <class T>
void ocean_richardson(Box box, View3<const T> stability, View3<const T> old_u, View3<const T> old_v,
                      View2<const T> floor_level, View2<const T> bottom_share,
                      View1<const T> thickness, View1<const T> spacing, View3<T> richardson,
                      View3<T> vertical_diffusivity, double background_viscosity,
                      double background_diffusivity, double strength, double steepness,
                      double convective) {
  const BottomCells<T> bottom{floor_level, bottom_share};
  const RichardsonMixing<T> mixing{static_cast<T>(background_viscosity),
                                   static_cast<T>(background_diffusivity), static_cast<T>(strength),
                                   static_cast<T>(steepness), static_cast<T>(convective)};
  for_pairs(static_cast<int>(old_u.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const int low = k > 0 ? k - 1 : k;
    const T whole = spacing(k), under = thickness(low);
    const RowShares<T> lower = bottom.row(k - 1, j);
    const auto step = [&]<class V>(const View3<const T>& w, std::ptrdiff_t i, V) {
      return mean_of_corners<V>(w.row(k, j), w.row(k, j + 1), i) -
             mean_of_corners<V>(w.row(low, j), w.row(low, j + 1), i);
    };
    T *number = richardson.row(k, j), *diffusivity = vertical_diffusivity.row(k, j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto open = load<V>(floor_level.row(j) + i) < splat<V>(static_cast<T>(k));
      if (!any(open)) {
        store<V>(number + i, V{});
        return store<V>(diffusivity + i, V{});
      }
      const V u = step(old_u, i, V{}), v = step(old_v, i, V{});
      const V apart = whole - lower.template raised<V>(i, under), square = apart * apart;
      const V found = square * load<V>(stability.row(k, j) + i) / (u * u + v * v + least_shear<T>);
      store<V>(number + i, open ? found : V{});
      store<V>(diffusivity + i, open ? mixing.diffusivity(found) : V{});
    });
  });
}

inline constexpr Reach four_centers{-1, 0, -1, 0};

inline constexpr Contract<3> ocean_richardson_viscosity_contract{
    "ocean_richardson_viscosity",
    {{{"richardson", Access::read, Place::interface, "1", "depth", four_centers},
      {"corner_floor", Access::read, Place::corner, "1"},
      {"vertical_viscosity", Access::write, Place::corner, "m2 s-1", "depth"}}}};

/// Viscosity at the lower interfaces of corners [m2 s-1], 0 at the floor.
template <class T>
void ocean_richardson_viscosity(Box box, View3<const T> richardson, View2<const T> corner_floor,
                                View3<T> vertical_viscosity, double background_viscosity,
                                double strength, double steepness, double convective) {
  const RichardsonMixing<T> mixing{static_cast<T>(background_viscosity), T(0),
                                   static_cast<T>(strength), static_cast<T>(steepness),
                                   static_cast<T>(convective)};
  for_pairs(static_cast<int>(richardson.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const T *south = richardson.row(k, j - 1), *north = richardson.row(k, j);
    T* to = vertical_viscosity.row(k, j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto open = load<V>(corner_floor.row(j) + i) < splat<V>(static_cast<T>(k));
      if (!any(open)) return store<V>(to + i, V{});
      const V found = mixing.viscosity(mean_of_centers<V>(south, north, i));
      store<V>(to + i, open ? found : V{});
    });
  });
}

inline constexpr Contract<3> ocean_corner_viscosity_contract{
    "ocean_corner_viscosity",
    {{{"center_viscosity", Access::read, Place::interface, "m2 s-1", "depth", four_centers},
      {"corner_floor", Access::read, Place::corner, "1"},
      {"vertical_viscosity", Access::write, Place::corner, "m2 s-1", "depth"}}}};

/// Viscosity at the lower interfaces of corners from that of the centres, 0 at the floor.
template <class T>
void ocean_corner_viscosity(Box box, View3<const T> center_viscosity, View2<const T> corner_floor,
                            View3<T> vertical_viscosity) {
  for_pairs(static_cast<int>(center_viscosity.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    const T *south = center_viscosity.row(k, j - 1), *north = center_viscosity.row(k, j);
    T* to = vertical_viscosity.row(k, j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto open = load<V>(corner_floor.row(j) + i) < splat<V>(static_cast<T>(k));
      if (!any(open)) return store<V>(to + i, V{});
      store<V>(to + i, open ? mean_of_centers<V>(south, north, i) : V{});
    });
  });
}

}  // namespace halocline
