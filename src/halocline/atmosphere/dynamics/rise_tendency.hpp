#pragma once
#include "atmosphere/dynamics/advection.hpp"
#include "atmosphere/dynamics/layers.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "atmosphere/dynamics/weno.hpp"
#include "contract.hpp"

/// Tendencies of the upward wind and of the geopotential, at interfaces.
namespace halocline {

namespace air {

/// What carries w: fluxes of layers brought to interfaces, and of interfaces to layers.
template <class T>
struct InterfaceFluxes {
  View3<const T> x_flux, y_flux, rise;
  View1<const T> upper_share;

  INLINE void fetch(int k, int j, std::ptrdiff_t i) const {
    const int layer = std::min(k, static_cast<int>(x_flux.extent[0]) - 1);
    fetch_north(x_flux, layer, j, i);
    fetch_north(y_flux, layer, j + 1, i);
    fetch_north(rise, layer + 1, j, i);
  }
  template <class V>
  INLINE V x(int k, int j, std::ptrdiff_t i) const {
    return level<V>(x_flux, k, j, i);
  }
  template <class V>
  INLINE V y(int k, int j, std::ptrdiff_t i) const {
    return level<V>(y_flux, k, j, i);
  }
  template <class V>
  INLINE V z(int k, int j, std::ptrdiff_t i) const {
    return T(0.5) * (load<V>(rise.row(k - 1, j) + i) + load<V>(rise.row(k, j) + i));
  }

 private:
  /// At interface k > 0; at the top as in the uppermost layer.
  template <class V>
  INLINE V level(const View3<const T>& of, int k, int j, std::ptrdiff_t i) const {
    const V below = load<V>(of.row(k - 1, j) + i);
    if (k == of.extent[0]) return below;
    return at_interface<V>(upper_share(k), load<V>(of.row(k, j) + i), below);
  }
};

/// Differences over one cell of the values around it, of even order.
template <class T>
struct SlopeWeights {
  T near, far, farthest;

  static SlopeWeights of(int order) {
    if (order <= 2) return {T(1) / 2, 0, 0};
    if (order <= 4) return {T(8) / 12, T(-1) / 12, 0};
    return {T(45) / 60, T(-9) / 60, T(1) / 60};
  }
};

/// What the wind carries of the geopotential.
template <class T>
struct GeopotentialAdvection {
  InterfaceFluxes<T> fluxes;
  View3<const T> geopotential, base_geopotential;
  View2<const T> area;
  Columns<T> columns;
  View1<const T> c1_face, c2_face, thickness;
  SlopeWeights<T> slope;

  /// By so much that of interface k > 0 falls [m2 s-3].
  template <class V>
  INLINE V out(int k, int j, std::ptrdiff_t i) const {
    const V eastward = fluxes.template x<V>(k, j, i) + fluxes.template x<V>(k, j, i + 1);
    const V northward = fluxes.template y<V>(k, j, i) + fluxes.template y<V>(k, j + 1, i);
    const V along = eastward * differs<V>(k, j, i, 0, 1) + northward * differs<V>(k, j, i, 1, 0);
    const V carried = T(0.5) * along / load<V>(area.row(j) + i) + lifted<V>(k, j, i);
    return carried / layer_mass<V>(c1_face(k), c2_face(k), columns.template at<V>(j, i));
  }

 private:
  template <class V>
  INLINE V full(int k, int j, std::ptrdiff_t i) const {
    return load<V>(geopotential.row(k, j) + i) + load<V>(base_geopotential.row(k, j) + i);
  }
  /// Difference over one cell along rows or columns.
  template <class V>
  INLINE V differs(int k, int j, std::ptrdiff_t i, int dj, int di) const {
    const auto pair = [&](int n) INTO_LOOP {
      const auto of = [&](const View3<const T>& some) INTO_LOOP {
        return load<V>(some.row(k, j + n * dj) + i + n * di) -
               load<V>(some.row(k, j - n * dj) + i - n * di);
      };
      return of(geopotential) + of(base_geopotential);
    };
    return slope.near * pair(1) + (slope.far * pair(2) + slope.farthest * pair(3));
  }
  /// What rises through a layer takes its geopotential along [m2 s-3 Pa].
  template <class V>
  INLINE V lifts(int k, int j, std::ptrdiff_t i) const {
    const View3<const T>& rise = fluxes.rise;
    const V through = load<V>(rise.row(k, j) + i) + load<V>(rise.row(k + 1, j) + i);
    return (T(0.5) / thickness(k)) * through * (full<V>(k + 1, j, i) - full<V>(k, j, i));
  }
  template <class V>
  INLINE V lifted(int k, int j, std::ptrdiff_t i) const {
    if (k == static_cast<int>(thickness.extent[0])) return V{};
    return at_interface<V>(fluxes.upper_share(k), lifts<V>(k, j, i), lifts<V>(k - 1, j, i));
  }
};

}  // namespace air

inline constexpr Reach all_around{-3, 3, -3, 3};

inline constexpr Contract<19> atmosphere_w_tendency_contract{
    "atmosphere_w_tendency",
    {{{"w", Access::read, Place::center, "m s-1", "depth+1", all_around, Column::whole},
      {"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", to_east, Column::whole},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", to_north, Column::whole},
      {"rise", Access::read, Place::center, "Pa s-1", "depth+1", {}, Column::whole},
      {"pressure", Access::read, Place::center, "Pa", "depth", {}, Column::whole},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", all_around, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", all_around,
       Column::whole},
      if_wanted({"dilution", Access::read, Place::center, "1", "depth", {}, Column::whole}),
      {"mass", Access::read, Place::center, "Pa"},
      {"base_mass", Access::read, Place::center, "Pa"},
      {"area", Access::read, Place::center, "m2"},
      if_wanted({"w_forcing", Access::read, Place::center, "Pa m s-2", "depth+1"}),
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"spacing", Access::read, Place::none, "1", "depth+1"},
      {"upper_share", Access::read, Place::none, "1", "depth+1"},
      {"w_tendency", Access::write, Place::center, "Pa m s-2", "depth+1"},
      {"geopotential_tendency", Access::write, Place::center, "m2 s-3", "depth+1"}}}};

/// Tendencies of upward momentum, per unit of the coordinate, and of the geopotential of
/// interfaces; 0 at the ground.
///
/// @param[in]  w        upward wind [m s-1]
/// @param[in]  x_flux, y_flux, rise  of mass [Pa m2 s-1], upward [Pa s-1]
/// @param[in]  pressure, geopotential, mass  less those of the base state
/// @param[in]  dilution dry mass over all mass, where air is moist [1]
/// @param[in]  w_forcing  what else there is [Pa m s-2]
/// @param[out] w_tendency [Pa m s-2]
/// @param[out] geopotential_tendency [m2 s-3]
/// @param[in]  order, vertical_order  of values of w at faces and slopes of interfaces, 2 to 6
/// @param[in]  weno     not 0: w has weighted values of fifth order, whatever the order
template <class T>
void atmosphere_w_tendency(Box box, View3<const T> w, View3<const T> x_flux, View3<const T> y_flux,
                           View3<const T> rise, View3<const T> pressure,
                           View3<const T> geopotential, View3<const T> base_geopotential,
                           View3<const T> dilution, View2<const T> mass, View2<const T> base_mass,
                           View2<const T> area, View3<const T> w_forcing, View1<const T> c1_face,
                           View1<const T> c2_face, View1<const T> thickness, View1<const T> spacing,
                           View1<const T> upper_share, View3<T> w_tendency,
                           View3<T> geopotential_tendency, int order, int vertical_order,
                           int weno) {
  using namespace air;
  const Columns<T> columns{base_mass, mass};
  const InterfaceFluxes<T> fluxes{x_flux, y_flux, rise, upper_share};
  const GeopotentialAdvection<T> lifting{fluxes,  geopotential, base_geopotential,
                                         area,    columns,      c1_face,
                                         c2_face, thickness,    SlopeWeights<T>::of(order)};
  const int levels = static_cast<int>(pressure.extent[0]);
  const T g = static_cast<T>(gravity);
  for_rows(box, [&](int j) {
    std::fill(w_tendency.row(0, j) + box.i0, w_tendency.row(0, j) + box.i1, T(0));
    T* ground = geopotential_tendency.row(0, j);
    std::fill(ground + box.i0, ground + box.i1, T(0));
  });
  const auto finish = [&]<class V>(Lane<V>, int k, int j, std::ptrdiff_t i, V gain) INTO_LOOP {
    fetch_north(pressure, std::min(k, levels - 1), j, i);
    fetch_north(w_tendency, k, j, i);
    const V below = load<V>(pressure.row(k - 1, j) + i);
    V above{};
    if (k < levels) above = load<V>(pressure.row(k, j) + i);
    const T per_spacing = 1 / spacing(k);
    V push = (below - above) * per_spacing;
    if (dilution.data != nullptr) {
      const V lower = load<V>(dilution.row(k - 1, j) + i);
      const V upper = k < levels ? load<V>(dilution.row(k, j) + i) : lower;
      const V share = at_interface<V>(upper_share(k), upper, lower);
      const V base = layer_mass<V>(c1_face(k), c2_face(k), load<V>(base_mass.row(j) + i));
      push = share * push + (share - splat<V>(T(1))) * base;
    }
    V sum = gain + g * (push - c1_face(k) * load<V>(mass.row(j) + i));
    if (w_forcing.data != nullptr) sum += load<V>(w_forcing.row(k, j) + i);
    put<V>(w_tendency.row(k, j) + i, sum);
  };
  const auto lift = [&](int k, int j, int i0, int i1) {
    over_row_again<T>(i0, i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) INTO_LOOP {
      fetch_north(geopotential_tendency, k, j, i);
      for (const View3<const T>* of : {&geopotential, &base_geopotential})
        fetch_north(*of, std::min(k + 1, levels), j, i);
      put<V>(geopotential_tendency.row(k, j) + i,
             g * load<V>(w.row(k, j) + i) - lifting.template out<V>(k, j, i));
    });
  };
  with_faces<T>(weno, [&]<class Faces>(Faces) {
    advect<T, Faces>(box, 1, w, fluxes, area, spacing, order, vertical_order, finish, lift);
  });
}

}  // namespace halocline
