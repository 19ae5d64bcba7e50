#pragma once
#include <vector>

#include "atmosphere/constants.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Soil of few layers over a substrate of constant temperature, as MM5's (Dudhia 1996, 6th MM5
/// workshop, 49). Layers are counted downward: 0 lies at the surface.
namespace halocline {

namespace air {

/// Stefan and Boltzmann's constant [W m-2 K-4].
inline constexpr double stefan_boltzmann = 5.670374e-8;

template <class T>
struct SlabFields {
  View3<T> soil_temperature;
  View2<T> skin_temperature, ground_flux;
  View2<const T> deep_temperature, land, albedo, emissivity, soil_heat_capacity, short_wave_down,
      long_wave_down, heat_flux, vapor_flux;
  View1<const T> soil_depth;
};

/// Columns of soil, a pack of them at a time. In a step T[k] changes by
/// r[k] (G[k] - G[k+1]), r = step / (C thickness), G[k] = C D (T[k-1] - T[k]) / distance with the
/// new temperatures and the heat capacity C; G[0] is what the surface takes.
template <class T>
class SlabColumns {
 public:
  SlabColumns(const SlabFields<T>& fields, T diffusivity, T step)
      : f_(fields),
        diffusivity_(diffusivity),
        step_(step),
        layers_(static_cast<int>(fields.soil_depth.extent[0])),
        scratch_(static_cast<std::size_t>(layers_) * lanes<T>),
        below_(layers_) {
    T last_below = 0;
    for (int k = 0; k < layers_; ++k) {
      const T rest = above(k) * (T(1) - last_below);
      const T pivot = T(1) / (T(1) + below(k) + rest);
      below_[k] = {pivot, last_below = below(k) * pivot};
    }
  }

  /// Columns from i on of row j, as many as V has lanes.
  template <class V>
  void columns(int j, std::ptrdiff_t i) {
    const auto at = [&](const auto& field) { return load<V>(field.row(j) + i); };
    const auto soil = [&](int k) { return load<V>(f_.soil_temperature.row(k, j) + i); };
    const V skin = at(f_.skin_temperature), square = skin * skin;
    const V taken =
        (splat<V>(T(1)) - at(f_.albedo)) * at(f_.short_wave_down) +
        at(f_.emissivity) * (at(f_.long_wave_down) - T(stefan_boltzmann) * (square * square)) -
        at(f_.heat_flux) - T(vaporization) * at(f_.vapor_flux);
    const V capacity = at(f_.soil_heat_capacity);
    const auto ground = at(f_.land) >= splat<V>(T(0.5));
    V entering = taken / capacity, solved{};
    for (int k = 0; k < layers_; ++k) {
      const V here = soil(k), next = k + 1 < layers_ ? soil(k + 1) : at(f_.deep_temperature);
      const V leaving = conductance(k + 1) * (here - next);
      const T rate = step_ / f_.soil_depth(k);
      solved = (rate * (entering - leaving) + above(k) * solved) * below_[k].pivot;
      store<V>(scratch_.data() + k * lanes<T>, solved);
      entering = leaving;
    }
    V change{};
    for (int k = layers_ - 1; k >= 0; --k) {
      change = load<V>(scratch_.data() + k * lanes<T>) + below_[k].share * change;
      const V old = soil(k), now = ground ? V(old + change) : old;
      store<V>(f_.soil_temperature.row(k, j) + i, now);
      if (k == 0) store<V>(f_.skin_temperature.row(j) + i, ground ? now : skin);
    }
    store<V>(f_.ground_flux.row(j) + i, ground ? taken : V{});
  }

 private:
  struct Step {
    T pivot, share;
  };

  /// Over heat capacity, of the interface above layer k; the substrate is as a layer twice as thick
  /// as the lowest [m s-1].
  T conductance(int k) const {
    if (k == 0) return T(0);
    const T upper = f_.soil_depth(k - 1);
    const T lower = k < layers_ ? f_.soil_depth(k) : T(2) * upper;
    return diffusivity_ / (T(0.5) * (upper + lower));
  }
  T above(int k) const { return step_ / f_.soil_depth(k) * conductance(k); }
  T below(int k) const { return step_ / f_.soil_depth(k) * conductance(k + 1); }

  SlabFields<T> f_;
  T diffusivity_, step_;
  int layers_;
  std::vector<T> scratch_;
  std::vector<Step> below_;
};

}  // namespace air

inline constexpr Contract<13> atmosphere_slab_contract{
    "atmosphere_slab",
    {{{"soil_temperature", Access::update, Place::center, "K", "soil", {}, Column::whole},
      {"skin_temperature", Access::update, Place::center, "K"},
      {"deep_temperature", Access::read, Place::center, "K"},
      {"land", Access::read, Place::center, "1"},
      {"albedo", Access::read, Place::center, "1"},
      {"emissivity", Access::read, Place::center, "1"},
      {"soil_heat_capacity", Access::read, Place::center, "J m-3 K-1"},
      {"short_wave_down", Access::read, Place::center, "W m-2"},
      {"long_wave_down", Access::read, Place::center, "W m-2"},
      {"heat_flux", Access::read, Place::center, "W m-2"},
      {"vapor_flux", Access::read, Place::center, "kg m-2 s-1"},
      {"soil_depth", Access::read, Place::none, "m", "soil"},
      {"ground_flux", Access::write, Place::center, "W m-2"}}}};

/// Balance of energy of the ground, and conduction below, implicit in time. The skin is the
/// uppermost layer.
///
/// @param[in,out] soil_temperature  of layers [K], shape (soil, j, i), the uppermost first
/// @param[in,out] skin_temperature  [K]; changed on land only
/// @param[in]     deep_temperature  of the substrate [K]
/// @param[in]     land              1 on land, 0 at sea
/// @param[in]     albedo, emissivity  [1]
/// @param[in]     soil_heat_capacity  of its volume [J m-3 K-1]
/// @param[in]     short_wave_down, long_wave_down  [W m-2]
/// @param[in]     heat_flux, vapor_flux  upward [W m-2], [kg m-2 s-1]
/// @param[in]     soil_depth        thickness of layers [m]
/// @param[out]    ground_flux       that the ground takes [W m-2], 0 at sea
/// @param[in]     diffusivity       of heat in soil [m2 s-1]
/// @param[in]     dt                step [s]
template <class T>
void atmosphere_slab(Box box, View3<T> soil_temperature, View2<T> skin_temperature,
                     View2<const T> deep_temperature, View2<const T> land, View2<const T> albedo,
                     View2<const T> emissivity, View2<const T> soil_heat_capacity,
                     View2<const T> short_wave_down, View2<const T> long_wave_down,
                     View2<const T> heat_flux, View2<const T> vapor_flux, View1<const T> soil_depth,
                     View2<T> ground_flux, double diffusivity, double dt) {
  const air::SlabFields<T> fields{
      soil_temperature, skin_temperature, ground_flux,        deep_temperature, land,
      albedo,           emissivity,       soil_heat_capacity, short_wave_down,  long_wave_down,
      heat_flux,        vapor_flux,       soil_depth};
  for_each_in_with(
      box.j0, box.j1, 1,
      [&] { return air::SlabColumns<T>(fields, static_cast<T>(diffusivity), static_cast<T>(dt)); },
      [&](int j, air::SlabColumns<T>& columns) {
        over_row<T>(box.i0, box.i1,
                    [&]<class V>(Lane<V>, std::ptrdiff_t i) { columns.template columns<V>(j, i); });
      });
}

}  // namespace halocline
