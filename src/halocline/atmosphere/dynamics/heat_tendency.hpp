#pragma once
#include "atmosphere/dynamics/advection.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "atmosphere/dynamics/weno.hpp"
#include "contract.hpp"

/// Tendency of what lies at centres and is carried by the wind.
namespace halocline {

namespace air {

/// Mass fluxes as they are.
template <class T>
struct CellFluxes {
  View3<const T> x_flux, y_flux, rise;

  INLINE void fetch(int k, int j, std::ptrdiff_t i) const {
    fetch_north(x_flux, k, j, i);
    fetch_north(y_flux, k, j + 1, i);
    fetch_north(rise, k + 1, j, i);
  }
  template <class V>
  INLINE V x(int k, int j, std::ptrdiff_t i) const {
    return load<V>(x_flux.row(k, j) + i);
  }
  template <class V>
  INLINE V y(int k, int j, std::ptrdiff_t i) const {
    return load<V>(y_flux.row(k, j) + i);
  }
  template <class V>
  INLINE V z(int k, int j, std::ptrdiff_t i) const {
    return load<V>(rise.row(k, j) + i);
  }
};

}  // namespace air

inline constexpr Contract<8> atmosphere_theta_tendency_contract{
    "atmosphere_theta_tendency",
    {{{"theta", Access::read, Place::center, "K", "depth", {-3, 3, -3, 3}, Column::whole},
      {"x_flux", Access::read, Place::x_face, "Pa m2 s-1", "depth", to_east},
      {"y_flux", Access::read, Place::y_face, "Pa m2 s-1", "depth", to_north},
      {"rise", Access::read, Place::center, "Pa s-1", "depth+1", {}, Column::whole},
      {"area", Access::read, Place::center, "m2"},
      if_wanted({"theta_forcing", Access::read, Place::center, "Pa K s-1", "depth"}),
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"theta_rate", Access::write, Place::center, "Pa K s-1", "depth"}}}};

/// Tendency of the potential temperature of layers times their mass, per unit of the coordinate.
///
/// @param[in]  theta   moist potential temperature less 300 K [K]
/// @param[in]  x_flux, y_flux, rise  of mass [Pa m2 s-1], upward [Pa s-1]
/// @param[in]  theta_forcing  what else there is [Pa K s-1]
/// @param[out] theta_rate  [Pa K s-1]
/// @param[in]  order, vertical_order  of values at faces, 2 to 6
/// @param[in]  weno  not 0: these are weighted, of fifth order, whatever the order
template <class T>
void atmosphere_theta_tendency(Box box, View3<const T> theta, View3<const T> x_flux,
                               View3<const T> y_flux, View3<const T> rise, View2<const T> area,
                               View3<const T> theta_forcing, View1<const T> thickness,
                               View3<T> theta_rate, int order, int vertical_order, int weno) {
  const air::CellFluxes<T> fluxes{x_flux, y_flux, rise};
  const auto finish = [&]<class V>(Lane<V>, int k, int j, std::ptrdiff_t i, V gain) INTO_LOOP {
    air::fetch_north(theta_rate, k, j, i);
    if (theta_forcing.data != nullptr) gain += load<V>(theta_forcing.row(k, j) + i);
    air::put<V>(theta_rate.row(k, j) + i, gain);
  };
  air::with_faces<T>(weno, [&]<class Faces>(Faces) {
    air::advect<T, Faces>(box, 0, theta, fluxes, area, thickness, order, vertical_order, finish);
  });
}

}  // namespace halocline
