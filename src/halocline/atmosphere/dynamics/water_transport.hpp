#pragma once
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "atmosphere/dynamics/water_fluxes.hpp"
#include "atmosphere/dynamics/weno.hpp"
#include "contract.hpp"

/// Water is carried by the dry mass that the acoustic steps of a stage have moved.
namespace halocline {

namespace air {

/// What fluxes make of the water at the beginning of the step.
template <class T>
struct WaterChange {
  View4<const T> old_water, water_forcing;
  Columns<T> columns;
  View2<const T> mass, old_mass, area;
  View1<const T> c1, c2, thickness;
  T dt;

  /// What a cell gains per area and coordinate [Pa].
  template <class V>
  INLINE V gain(int k, int j, std::ptrdiff_t i, const SixFaces<V>& faces) const {
    const V around = (faces.west - faces.east) + (faces.south - faces.north);
    const V along = (faces.lower - faces.upper) / thickness(k);
    return dt * (around / load<V>(area.row(j) + i) + along);
  }
  /// The new mass of its dry air per area and coordinate [Pa].
  template <class V>
  INLINE V layer(int k, int j, std::ptrdiff_t i) const {
    return layer_mass<V>(c1(k), c2(k), columns.template at<V>(j, i));
  }
  /// The new mixing ratio, as the old one and what is added to it: so that a mixing ratio that is
  /// the same everywhere stays so to round-off. Never -0, which a result below the normal range may
  /// be and which schemes of clouds keep or not by what the cells beside have.
  template <class V>
  INLINE V after(int s, int k, int j, std::ptrdiff_t i, V gained) const {
    const V old = load<V>(old_water.row(s, k, j) + i);
    const V heavier = load<V>(mass.row(j) + i) - load<V>(old_mass.row(j) + i);
    if (water_forcing.data != nullptr) gained += dt * load<V>(water_forcing.row(s, k, j) + i);
    return (old + (gained - old * (c1(k) * heavier)) / layer<V>(k, j, i)) + V{};
  }
};

}  // namespace air

inline constexpr Contract<4> atmosphere_mean_fluxes_contract{
    "atmosphere_mean_fluxes",
    {{{"x_flux", Access::update, Place::x_face, "Pa m2 s-1", "depth"},
      {"y_flux", Access::update, Place::y_face, "Pa m2 s-1", "depth"},
      {"x_carried", Access::update, Place::x_face, "Pa m2 s-1", "depth"},
      {"y_carried", Access::update, Place::y_face, "Pa m2 s-1", "depth"}}}};

/// Mass fluxes of the stage's state become means over its acoustic steps.
///
/// @param[in,out] x_flux, y_flux        [Pa m2 s-1]
/// @param[in,out] x_carried, y_carried  sums over acoustic steps of what is more; then 0
/// @param[in]     share                 one over the number of acoustic steps [1]
template <class T>
void atmosphere_mean_fluxes(Box box, View3<T> x_flux, View3<T> y_flux, View3<T> x_carried,
                            View3<T> y_carried, double share) {
  const T part = static_cast<T>(share);
  const int levels = static_cast<int>(x_flux.extent[0]);
  for_pairs(levels, box.j0, box.j1, 1, [&](int k, int j) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const auto mean = [&](const View3<T>& flux, const View3<T>& carried) {
        const V more = load<V>(carried.row(k, j) + i);
        store<V>(flux.row(k, j) + i, load<V>(flux.row(k, j) + i) + part * more);
        store<V>(carried.row(k, j) + i, V{});
      };
      mean(x_flux, x_carried);
      mean(y_flux, y_carried);
    });
  });
}

inline constexpr Contract<14> atmosphere_move_water_contract{
    "atmosphere_move_water",
    {{{"water", Access::read, Place::center, "1", "species depth", {-3, 3, -3, 3}, Column::whole},
      {"old_water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      if_wanted({"water_forcing", Access::read, Place::center, "Pa s-1", "species depth"}),
      {"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", to_east},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", to_north},
      {"rise", Access::read, Place::center, "Pa s-1", "depth+1", {}, Column::whole},
      {"mass", Access::read, Place::center, "Pa"},
      {"old_mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"area", Access::read, Place::center, "m2"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"next_water", Access::write, Place::center, "1", "species depth"}}}};

/// Mixing ratios at the end of a stage: the old ones times the old mass and what the stage's ones
/// bring through the faces of cells, over the new mass (Skamarock et al. 2019, section 3.2).
///
/// @param[in]  water, old_water  of the stage, and at the beginning of the step [1]
/// @param[in]  water_forcing     what else there is, times dry mass [Pa s-1]
/// @param[in]  x_flux, y_flux, rise  means over the acoustic steps of the stage
/// @param[in]  mass, old_mass    of columns at its end, and at the beginning of the step [Pa]
/// @param[out] next_water        [1]
/// @param[in]  dt                length of the stage [s]
/// @param[in]  order, vertical_order  of values at faces, 2 to 6
/// @param[in]  weno              not 0: these are weighted, of fifth order, whatever the order
template <class T>
void atmosphere_move_water(Box box, View4<const T> water, View4<const T> old_water,
                           View4<const T> water_forcing, View3<const T> x_flux,
                           View3<const T> y_flux, View3<const T> rise, View2<const T> mass,
                           View2<const T> old_mass, View2<const T> base_mass, View2<const T> area,
                           View1<const T> c1, View1<const T> c2, View1<const T> thickness,
                           View4<T> next_water, double dt, int order, int vertical_order,
                           int weno) {
  using namespace air;
  const CellFluxes<T> carriers{x_flux, y_flux, rise};
  const WaterChange<T> change{old_water, water_forcing, {base_mass, mass}, mass, old_mass, area, c1,
                              c2,        thickness,     static_cast<T>(dt)};
  const auto finish = [&]<class V>(Lane<V>, int s, int k, int j, std::ptrdiff_t i,
                                   const SixFaces<V>& faces) {
    const V gain = change.template gain<V>(k, j, i, faces);
    store<V>(next_water.row(s, k, j) + i, change.template after<V>(s, k, j, i, gain));
  };
  with_faces<T>(weno, [&]<class Faces>(Faces) {
    const SharpFluxes<T, Faces> fluxes(water, carriers, order, vertical_order);
    through_faces<T>(box, static_cast<int>(water.extent[0]), static_cast<int>(water.extent[1]),
                     fluxes, finish);
  });
}

inline constexpr Contract<16> atmosphere_water_shares_contract{
    "atmosphere_water_shares",
    {{{"water", Access::read, Place::center, "1", "species depth", {-3, 3, -3, 3}, Column::whole},
      {"old_water", Access::read, Place::center, "1", "species depth", around, Column::whole},
      if_wanted({"water_forcing", Access::read, Place::center, "Pa s-1", "species depth"}),
      {"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", to_east},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", to_north},
      {"rise", Access::read, Place::center, "Pa s-1", "depth+1", {}, Column::whole},
      {"mass", Access::read, Place::center, "Pa"},
      {"old_mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"area", Access::read, Place::center, "m2"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      if_wanted({"x_limited", Access::read, Place::center, "1"}),
      {"loss_share", Access::write, Place::center, "1", "species depth"},
      if_wanted({"gain_share", Access::write, Place::center, "1", "species depth"})}}};

/// How much of what advection of high order carries more than that from upstream cells may lose,
/// and gain: fluxes from upstream make values between those before; what is sharper must not lead
/// below 0 (Skamarock 2006, Mon. Wea. Rev. 134, 2241), or, where `gain_share` is wanted, out of
/// the values of the cell and its neighbours (Zalesak 1979, J. Comput. Phys. 31, 335).
///
/// @param[in]  water ... thickness  as in `atmosphere_move_water`
/// @param[in]  x_limited   where wanted, 0 in rows along which nothing is limited: what passes
/// there
///                         along x may neither be lost by others nor make room for them
/// @param[out] loss_share, gain_share  0 to 1
template <class T>
void atmosphere_water_shares(Box box, View4<const T> water, View4<const T> old_water,
                             View4<const T> water_forcing, View3<const T> x_flux,
                             View3<const T> y_flux, View3<const T> rise, View2<const T> mass,
                             View2<const T> old_mass, View2<const T> base_mass, View2<const T> area,
                             View1<const T> c1, View1<const T> c2, View1<const T> thickness,
                             View2<const T> x_limited, View4<T> loss_share, View4<T> gain_share,
                             double dt, int order, int vertical_order, int weno) {
  using namespace air;
  const CellFluxes<T> carriers{x_flux, y_flux, rise};
  const UpstreamFluxes<T> upstream{old_water, carriers};
  const WaterChange<T> change{old_water, water_forcing, {base_mass, mass}, mass, old_mass, area, c1,
                              c2,        thickness,     static_cast<T>(dt)};
  const int levels = static_cast<int>(water.extent[1]);
  // the whole of nothing may be lost
  const auto share = []<class V>(V room, V wanted) {
    const V one = splat<V>(T(1));
    return wanted > V{} ? minimum(one, V(maximum(room, V{}) / wanted)) : one;
  };
  const auto finish = [&]<class V>(Lane<V>, int s, int k, int j, std::ptrdiff_t i,
                                   SixFaces<V> more) {
    V lower{}, upper{};
    if (k > 0) lower = upstream.template z<V>(s, k, j, i);
    if (k + 1 < levels) upper = upstream.template z<V>(s, k + 1, j, i);
    SixFaces<V> low{upstream.template x<V>(s, k, j, i),
                    upstream.template x<V>(s, k, j, i + 1),
                    upstream.template y<V>(s, k, j, i),
                    upstream.template y<V>(s, k, j + 1, i),
                    lower,
                    upper};
    if (x_limited.data != nullptr) {
      const V counts = load<V>(x_limited.row(j) + i);
      for (SixFaces<V>* faces : {&low, &more}) {
        faces->west *= counts;
        faces->east *= counts;
      }
    }
    const V moved = change.template after<V>(s, k, j, i, change.template gain<V>(k, j, i, low));
    const V layer = change.template layer<V>(k, j, i), none{};
    const auto up = [&](V a) { return maximum(a, none); };
    const auto down = [&](V a) { return minimum(a, none); };
    const SixFaces<V> leaves{down(more.west), up(more.east),    down(more.south),
                             up(more.north),  down(more.lower), up(more.upper)};
    const V loss = -change.template gain<V>(k, j, i, leaves);
    if (gain_share.data == nullptr) {
      store<V>(loss_share.row(s, k, j) + i, share(V(layer * moved), loss));
      return;
    }
    const SixFaces<V> comes{up(more.west),    down(more.east), up(more.south),
                            down(more.north), up(more.lower),  down(more.upper)};
    const V gain = change.template gain<V>(k, j, i, comes);
    V least = moved, most = moved;
    const auto see = [&](const T* at) {
      least = minimum(least, load<V>(at + i));
      most = maximum(most, load<V>(at + i));
    };
    const T* row = old_water.row(s, k, j);
    for (const T* at :
         {row, row - 1, row + 1, row - old_water.stride[2], row + old_water.stride[2]})
      see(at);
    if (k > 0) see(row - old_water.stride[1]);
    if (k + 1 < levels) see(row + old_water.stride[1]);
    store<V>(loss_share.row(s, k, j) + i, share(V(layer * (moved - least)), loss));
    store<V>(gain_share.row(s, k, j) + i, share(V(layer * (most - moved)), gain));
  };
  with_faces<T>(weno, [&]<class Faces>(Faces) {
    const SharperFluxes<T, Faces> sharper{{water, carriers, order, vertical_order}, upstream};
    through_faces<T>(box, static_cast<int>(water.extent[0]), levels, sharper, finish);
  });
}

inline constexpr Contract<17> atmosphere_move_water_within_contract{
    "atmosphere_move_water_within",
    {{{"water", Access::read, Place::center, "1", "species depth", {-3, 3, -3, 3}, Column::whole},
      {"old_water", Access::read, Place::center, "1", "species depth", around, Column::whole},
      {"loss_share", Access::read, Place::center, "1", "species depth", around, Column::whole},
      if_wanted(
          {"gain_share", Access::read, Place::center, "1", "species depth", around, Column::whole}),
      if_wanted({"water_forcing", Access::read, Place::center, "Pa s-1", "species depth"}),
      {"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", to_east},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", to_north},
      {"rise", Access::read, Place::center, "Pa s-1", "depth+1", {}, Column::whole},
      {"mass", Access::read, Place::center, "Pa"},
      {"old_mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"area", Access::read, Place::center, "m2"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      if_wanted({"x_limited", Access::read, Place::center, "1", "", to_east}),
      {"next_water", Access::write, Place::center, "1", "species depth"}}}};

/// As `atmosphere_move_water`, with no more than the shares of what is sharper than fluxes from
/// upstream.
///
/// @param[in]  loss_share, gain_share, x_limited  of `atmosphere_water_shares`
template <class T>
void atmosphere_move_water_within(Box box, View4<const T> water, View4<const T> old_water,
                                  View4<const T> loss_share, View4<const T> gain_share,
                                  View4<const T> water_forcing, View3<const T> x_flux,
                                  View3<const T> y_flux, View3<const T> rise, View2<const T> mass,
                                  View2<const T> old_mass, View2<const T> base_mass,
                                  View2<const T> area, View1<const T> c1, View1<const T> c2,
                                  View1<const T> thickness, View2<const T> x_limited,
                                  View4<T> next_water, double dt, int order, int vertical_order,
                                  int weno) {
  using namespace air;
  const CellFluxes<T> carriers{x_flux, y_flux, rise};
  const WaterChange<T> change{old_water, water_forcing, {base_mass, mass}, mass, old_mass, area, c1,
                              c2,        thickness,     static_cast<T>(dt)};
  const auto finish = [&]<class V>(Lane<V>, int s, int k, int j, std::ptrdiff_t i,
                                   const SixFaces<V>& faces) {
    const V gain = change.template gain<V>(k, j, i, faces);
    store<V>(next_water.row(s, k, j) + i, change.template after<V>(s, k, j, i, gain));
  };
  with_faces<T>(weno, [&]<class Faces>(Faces) {
    const SharperFluxes<T, Faces> sharper{{water, carriers, order, vertical_order},
                                          {old_water, carriers}};
    const LimitedFluxes<T, Faces> fluxes{sharper, loss_share, gain_share, x_limited};
    through_faces<T>(box, static_cast<int>(water.extent[0]), static_cast<int>(water.extent[1]),
                     fluxes, finish);
  });
}

}  // namespace halocline
