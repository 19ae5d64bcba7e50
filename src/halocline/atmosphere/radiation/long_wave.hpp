#pragma once
#include <vector>

#include "atmosphere/radiation/gas_optics.hpp"
#include "atmosphere/radiation/radiative_column.hpp"
#include "contract.hpp"
#include "schedules.hpp"

/// Long wave by correlated k, emission and absorption without scattering: RRTMGP's tables, and the
/// transfer of RTE (Pincus et al. 2019) with one angle.
namespace halocline {

namespace air {

/// Secant of the angle that stands for the hemisphere (Elsasser 1942).
inline constexpr double diffusivity_secant = 1.66;

template <class T>
struct LongWaveFields {
  ColumnFields<T> air;
  View2<const T> skin_temperature, emissivity;
  GasTables<T> gases;
  View4<const T> planck_share;  ///< of a band's emission: temperature, pressure + 1, eta, term
  View2<const T> planck;        ///< emission of bands [W m-2 sr-1]: band, temperature
  View1<const T> liquid, ice;   ///< absorption by cloud [m2 kg-1]: band
  T first_kelvin;               ///< of `planck`, by 1 K
  RadiativeResults<T> results;
};

/// Columns one by one; lanes are the terms of a band.
template <class T>
class LongWaveColumns {
 public:
  LongWaveColumns(const LongWaveFields<T>& fields, int extra)
      : f_(fields), column_(fields.air, fields.gases, extra), layers_(column_.layers()) {
    const auto rows = static_cast<std::size_t>(layers_ + 1) * most_terms;
    for (auto* plane : {&depth_, &share_, &up_, &down_, &from_below_}) plane->resize(rows);
    planck_.resize(layers_);
    planck_face_.resize(layers_ + 1);
  }

  void column(int j, int i) {
    column_.take(j, i);
    skin_ = f_.skin_temperature(j, i);
    shining_ = f_.emissivity(j, i);
    std::fill(up_.begin(), up_.end(), T(0));
    std::fill(down_.begin(), down_.end(), T(0));
    const auto bands = static_cast<int>(f_.gases.band_ends.extent[0]) - 1;
    for (int band = 0; band < bands; ++band) this->band(band);
    column_.give(f_.results, up_, down_, j, i);
  }

 private:
  T emitted(int band, T temperature) const {
    const auto last = static_cast<int>(f_.planck.extent[1]) - 2;
    const T at = temperature - f_.first_kelvin;
    const int below = std::clamp(static_cast<int>(at), 0, last);
    const T part = at - static_cast<T>(below);
    return (T(1) - part) * f_.planck(band, below) + part * f_.planck(band, below + 1);
  }

  void band(int band) {
    const auto begin = static_cast<std::ptrdiff_t>(f_.gases.band_ends(band));
    const auto terms = static_cast<std::ptrdiff_t>(f_.gases.band_ends(band + 1)) - begin;
    for (int k = 0; k < layers_; ++k) {
      const GasLayer<T>& layer = column_.layer(k);
      const Mixture<T> mixed = mixture(f_.gases, layer, band);
      T* depth = depth_.data() + k * most_terms;
      absorb(f_.gases, layer, mixed, band, depth);
      const T cloud = column_.liquid(k) * f_.liquid(band) + column_.frozen(k) * f_.ice(band);
      planck_[k] = emitted(band, layer.temperature);
      planck_face_[k] = emitted(band, column_.face_temperature(k));
      over_row<T>(0, terms, [&]<class V>(Lane<V>, std::ptrdiff_t g) {
        store<V>(depth + g, load<V>(depth + g) + cloud);
        store<V>(share_.data() + k * most_terms + g,
                 maximum(between_three<V>(f_.planck_share, layer, mixed, begin + g, false), V{}));
      });
    }
    planck_face_[layers_] = emitted(band, column_.face_temperature(layers_));
    const T ground = emitted(band, skin_);
    over_row<T>(0, terms, [&]<class V>(Lane<V>, std::ptrdiff_t g) { transfer<V>(g, ground); });
  }

  /// What a layer emits through the face whose Planck function is `face`, of one that is linear in
  /// optical depth (Clough, Iacono and Moncet 1992, J. Geophys. Res. 97, 15761).
  template <class V>
  static V source(V depth, V passing, V middle, V face) {
    const V thin = depth * (T(0.5) - depth * T(1.0 / 3.0));
    const auto thick = depth > splat<V>(T(is_single ? 1e-2 : 1e-4));
    const V thick_factor = (T(1) - passing) / (thick ? depth : splat<V>(T(1))) - passing;
    const V factor = thick ? thick_factor : thin;
    return (T(1) - passing) * face + T(2) * factor * (middle - face);
  }

  /// Radiation at terms g of the band down and up again, added to the fluxes.
  template <class V>
  void transfer(std::ptrdiff_t g, T ground) {
    const auto row = [&](std::vector<T>& plane, int k) {
      return plane.data() + k * most_terms + g;
    };
    constexpr T pi = T(3.14159265358979324);
    const auto add = [&](std::vector<T>& flux, int k, V radiance) {
      T* to = row(flux, k);
      store<V>(to, load<V>(to) + pi * radiance);
    };
    V radiance{};
    for (int k = layers_ - 1; k >= 0; --k) {
      const V depth = T(diffusivity_secant) * load<V>(row(depth_, k));
      const V passing = exp(-depth), share = load<V>(row(share_, k));
      const V middle = share * planck_[k];
      const V lower = face_share<V>(k, share, row) * planck_face_[k];
      const V upper = face_share<V>(k + 1, share, row) * planck_face_[k + 1];
      radiance = passing * radiance + source(depth, passing, middle, lower);
      add(down_, k, radiance);
      store<V>(row(depth_, k), passing);
      store<V>(row(from_below_, k), source(depth, passing, middle, upper));
    }
    radiance = shining_ * (ground * load<V>(row(share_, 0))) + (T(1) - shining_) * radiance;
    add(up_, 0, radiance);
    for (int k = 0; k < layers_; ++k) {
      radiance = load<V>(row(depth_, k)) * radiance + load<V>(row(from_below_, k));
      add(up_, k + 1, radiance);
    }
  }

  /// Share of a band's emission at a face: the geometric mean of the layers around.
  template <class V, class Row>
  V face_share(int face, V share, const Row& row) {
    if (face == 0 || face == layers_) return share;
    return square_root(V(load<V>(row(share_, face)) * load<V>(row(share_, face - 1))));
  }

  static constexpr bool is_single = sizeof(T) == 4;
  LongWaveFields<T> f_;
  RadiativeColumn<T> column_;
  int layers_;
  T skin_ = 0, shining_ = 0;
  std::vector<T> depth_, share_, up_, down_, from_below_, planck_, planck_face_;
};

}  // namespace air

inline constexpr Contract<31> atmosphere_long_wave_contract{
    "atmosphere_long_wave",
    {{{"air_pressure", Access::read, Place::center, "Pa", "depth", {}, Column::whole},
      {"dry_theta", Access::read, Place::center, "K", "depth", {}, Column::whole},
      {"exner", Access::read, Place::center, "1", "depth", {}, Column::whole},
      {"water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"air_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"layer_depth", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"skin_temperature", Access::read, Place::center, "K"},
      {"emissivity", Access::read, Place::center, "1"},
      {"absorption", Access::read, Place::none, "cm2", "warmth pressure+1 eta term"},
      {"lower", Access::read, Place::none, "any", "warmth eta lower"},
      {"upper", Access::read, Place::none, "any", "warmth eta upper"},
      {"minors_lower", Access::read, Place::none, "1", "lower_gas 6"},
      {"minors_upper", Access::read, Place::none, "1", "upper_gas 6"},
      {"keys", Access::read, Place::none, "1", "2 band 2"},
      {"ratios", Access::read, Place::none, "1", "2 band warmth"},
      {"band_ends", Access::read, Place::none, "1", "band+1"},
      {"temperatures", Access::read, Place::none, "K", "warmth"},
      {"pressures", Access::read, Place::none, "Pa", "pressure"},
      {"ozone_pressure", Access::read, Place::none, "Pa", "ozone"},
      {"ozone_share", Access::read, Place::none, "1", "ozone"},
      {"standard_temperature", Access::read, Place::none, "K", "ozone"},
      {"shares", Access::read, Place::none, "1", "20"},
      {"planck_share", Access::read, Place::none, "1", "warmth pressure+1 eta term"},
      {"planck", Access::read, Place::none, "W m-2", "band kelvin"},
      {"liquid", Access::read, Place::none, "m2 kg-1", "band"},
      {"ice", Access::read, Place::none, "m2 kg-1", "band"},
      {"theta_tendency", Access::write, Place::center, "K s-1", "depth", {}, Column::whole},
      {"upward_flux", Access::write, Place::interface, "W m-2", "depth+1", {}, Column::whole},
      {"downward_flux", Access::write, Place::interface, "W m-2", "depth+1", {}, Column::whole},
      {"flux_down", Access::write, Place::center, "W m-2"},
      {"flux_out", Access::write, Place::center, "W m-2"}}}};

/// Long wave fluxes and the heating that they make.
///
/// @param[in]  air_pressure      [Pa], shape (k, j, i)
/// @param[in]  dry_theta         dry potential temperature less 300 K [K]
/// @param[in]  exner             temperature over potential temperature [1]
/// @param[in]  water             mixing ratios, vapour first [1], shape (species, k, j, i)
/// @param[in]  air_density       of dry air [kg m-3]
/// @param[in]  layer_depth       [m]
/// @param[in]  skin_temperature  [K]
/// @param[in]  emissivity        of the ground [1]
/// @param[in]  absorption, lower, upper, minors_lower, minors_upper, keys, ratios, band_ends,
/// temperatures, pressures, ozone_pressure, ozone_share,
/// standard_temperature, shares  see `GasTables`
/// @param[in]  planck_share      of a term in its band's emission [1]
/// @param[in]  planck            emission of bands, over pi, by 1 K [W m-2]
/// @param[in]  liquid, ice       absorption by drops and crystals [m2 kg-1]
/// @param[out] theta_tendency    [K s-1]
/// @param[out] upward_flux, downward_flux  at interfaces [W m-2]
/// @param[out] flux_down         at the ground [W m-2]
/// @param[out] flux_out          that leaves the air above the model [W m-2]
/// @param[in]  tropopause        pressure between both parts of the tables [Pa]
/// @param[in]  first_kelvin      first temperature of `planck` [K]
/// @param[in]  cloud, ice_entry  entries of `water` that are drops and crystals; -1: none
/// @param[in]  extra             layers above the model's top
template <class T>
void atmosphere_long_wave(Box box, View3<const T> air_pressure, View3<const T> dry_theta,
                          View3<const T> exner, View4<const T> water, View3<const T> air_density,
                          View3<const T> layer_depth, View2<const T> skin_temperature,
                          View2<const T> emissivity, View4<const T> absorption,
                          View3<const T> lower, View3<const T> upper, View2<const T> minors_lower,
                          View2<const T> minors_upper, View3<const T> keys, View3<const T> ratios,
                          View1<const T> band_ends, View1<const T> temperatures,
                          View1<const T> pressures, View1<const T> ozone_pressure,
                          View1<const T> ozone_share, View1<const T> standard_temperature,
                          View1<const T> shares, View4<const T> planck_share, View2<const T> planck,
                          View1<const T> liquid, View1<const T> ice, View3<T> theta_tendency,
                          View3<T> upward_flux, View3<T> downward_flux, View2<T> flux_down,
                          View2<T> flux_out, double tropopause, double first_kelvin, int cloud,
                          int ice_entry, int extra) {
  const air::LongWaveFields<T> fields{
      {air_pressure, dry_theta, exner, water, air_density, layer_depth, cloud, ice_entry},
      skin_temperature,
      emissivity,
      {absorption, lower, upper, minors_lower, minors_upper, keys, ratios, band_ends, temperatures,
       pressures, ozone_pressure, ozone_share, standard_temperature, shares,
       static_cast<T>(tropopause)},
      planck_share,
      planck,
      liquid,
      ice,
      static_cast<T>(first_kelvin),
      {theta_tendency, upward_flux, downward_flux, flux_down, flux_out}};
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return air::LongWaveColumns<T>(fields, extra); },
      [&](int j, air::LongWaveColumns<T>& columns) {
        for (int i = box.i0; i < box.i1; ++i) columns.column(j, i);
      });
}

}  // namespace halocline
