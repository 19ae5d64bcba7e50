#pragma once
#include <vector>

#include "atmosphere/radiation/gas_optics.hpp"
#include "atmosphere/radiation/radiative_column.hpp"
#include "contract.hpp"
#include "schedules.hpp"

/// Short wave by correlated k: RRTMGP's tables, and two streams in each layer that are added up
/// (Meador and Weaver 1980, J. Atmos. Sci. 37, 630; Shonk and Hogan 2008, J. Climate 21, 2422).
namespace halocline {

namespace air {

/// Reflected and passed parts of diffuse light and of the sun's beam, and what of that passes
/// unscattered [1].
template <class V>
struct TwoStreams {
  V reflected, passed, beam_reflected, beam_scattered, beam_passed;
};

/// A layer of optical depth, single scattering albedo and asymmetry, with the coefficients of
/// Zdunkowski et al. 1980 (PIFM), under a sun whose height has the sine `sun`.
template <class V>
HD INLINE TwoStreams<V> two_streams(V depth, V albedo, V asymmetry, scalar_of<V> sun) {
  using T = scalar_of<V>;
  constexpr bool is_single = sizeof(T) == 4;
  const V gain_1 = T(0.25) * (T(8) - albedo * (T(5) + T(3) * asymmetry));
  const V gain_2 = T(0.75) * albedo * (T(1) - asymmetry);
  const V gain_3 = T(0.25) * (T(2) - T(3) * sun * asymmetry), gain_4 = T(1) - gain_3;
  const V alpha_1 = gain_1 * gain_4 + gain_2 * gain_3, alpha_2 = gain_1 * gain_3 + gain_2 * gain_4;
  const V least = splat<V>(T(is_single ? 1e-4 : 1e-12));
  const V k = square_root(maximum(V((gain_1 - gain_2) * (gain_1 + gain_2)), least));
  const V once = exp(-k * depth), twice = once * once;
  const V beam = exp(V(-depth / sun));
  const V term = T(1) / (k * (T(1) + twice) + gain_1 * (T(1) - twice));
  const V steep = k * sun, near = T(1) - steep * steep;
  const V small = splat<V>(T(is_single ? 1e-3 : 1e-9));
  const V apart = absolute(near) < small ? small : near;
  const V share = albedo * term / apart;
  const V k_3 = k * gain_3, k_4 = k * gain_4;
  const V up =
      share * ((T(1) - steep) * (alpha_2 + k_3) - (T(1) + steep) * (alpha_2 - k_3) * twice -
               T(2) * (k_3 - alpha_2 * steep) * once * beam);
  const V down = -share * ((T(1) + steep) * (alpha_1 + k_4) * beam -
                           (T(1) - steep) * (alpha_1 - k_4) * twice * beam -
                           T(2) * (k_4 + alpha_1 * steep) * once);
  const V rest = T(1) - beam, back = minimum(maximum(up, V{}), rest);
  return {term * gain_2 * (T(1) - twice), term * T(2) * k * once, back,
          minimum(maximum(down, V{}), V(rest - back)), beam};
}

/// Clouds of one kind in the bands of the sun's light.
template <class T>
struct CloudLight {
  View1<const T> extinction, albedo, asymmetry;  ///< [m2 kg-1], [1], [1]
};

template <class T>
struct ShortWaveFields {
  ColumnFields<T> air;
  View2<const T> sun, reflecting;  ///< sine of the sun's height, albedo of the ground
  GasTables<T> gases;
  View3<const T> lower_scattering, upper_scattering;  ///< temperature, eta, term [cm2]
  View1<const T> sunlight;                            ///< of terms, of a sum of 1
  CloudLight<T> liquid, ice;
  T solar;  ///< the sun's light outside [W m-2]
  RadiativeResults<T> results;
};

/// Columns one by one; lanes are the terms of a band.
template <class T>
class ShortWaveColumns {
 public:
  ShortWaveColumns(const ShortWaveFields<T>& fields, int extra)
      : f_(fields), column_(fields.air, fields.gases, extra), layers_(column_.layers()) {
    const auto rows = static_cast<std::size_t>(layers_ + 1) * most_terms;
    for (auto* plane : {&depth_, &albedo_, &asymmetry_, &up_, &down_, &below_, &glow_, &beam_,
                        &passed_, &reflected_, &scattered_})
      plane->resize(rows);
  }

  void column(int j, int i) {
    std::fill(up_.begin(), up_.end(), T(0));
    std::fill(down_.begin(), down_.end(), T(0));
    column_.take(j, i);
    sun_ = f_.sun(j, i);
    ground_ = f_.reflecting(j, i);
    const auto bands = static_cast<int>(f_.gases.band_ends.extent[0]) - 1;
    for (int band = 0; band < bands && sun_ > T(least_sun); ++band) this->band(band);
    column_.give(f_.results, up_, down_, j, i);
  }

 private:
  /// Sine of the height at which the day begins.
  static constexpr double least_sun = 1e-3;

  void band(int band) {
    const auto begin = static_cast<std::ptrdiff_t>(f_.gases.band_ends(band));
    const auto terms = static_cast<std::ptrdiff_t>(f_.gases.band_ends(band + 1)) - begin;
    for (int k = 0; k < layers_; ++k) {
      const GasLayer<T>& layer = column_.layer(k);
      const Mixture<T> mixed = mixture(f_.gases, layer, band);
      T* depth = depth_.data() + k * most_terms;
      absorb(f_.gases, layer, mixed, band, depth);
      const Cloud drops = cloud(f_.liquid, column_.liquid(k), band);
      const Cloud crystals = cloud(f_.ice, column_.frozen(k), band);
      const auto& table = layer.part ? f_.upper_scattering : f_.lower_scattering;
      const T molecules = layer.amounts[0] + layer.amounts[1];
      over_row<T>(0, terms, [&]<class V>(Lane<V>, std::ptrdiff_t g) {
        const V air = molecules * between_two<V>(table, layer, mixed, begin + g);
        const V cloudy = splat<V>(drops.scattered + crystals.scattered);
        const V scattered = maximum(air, V{}) + cloudy;
        const V all = load<V>(depth + g) + scattered + (drops.absorbed + crystals.absorbed);
        const V least = splat<V>(T(1e-30));
        store<V>(depth + g, all);
        store<V>(albedo_.data() + k * most_terms + g, scattered / maximum(all, least));
        store<V>(asymmetry_.data() + k * most_terms + g,
                 splat<V>(drops.forward + crystals.forward) / maximum(scattered, least));
      });
    }
    over_row<T>(0, terms, [&]<class V>(Lane<V>, std::ptrdiff_t g) {
      transfer<V>(g, V(f_.solar * sun_ * load<V>(&f_.sunlight(begin + g))));
    });
  }

  /// Optical depths of cloud, its forward peak taken as unscattered (Joseph, Wiscombe and Weinman
  /// 1976, J. Atmos. Sci. 33, 2452).
  struct Cloud {
    T absorbed, scattered, forward;
  };
  static Cloud cloud(const CloudLight<T>& kind, T mass, int band) {
    const T depth = mass * kind.extinction(band), albedo = kind.albedo(band);
    const T asymmetry = kind.asymmetry(band), peak = asymmetry * asymmetry;
    const T scattered = depth * albedo * (T(1) - peak);
    return {depth * (T(1) - albedo), scattered, scattered * asymmetry / (T(1) + asymmetry)};
  }

  /// Light at terms g of the band, added to the fluxes; `light` comes in at the top.
  template <class V>
  void transfer(std::ptrdiff_t g, V light) {
    const auto at = [&](std::vector<T>& plane, int k) { return plane.data() + k * most_terms + g; };
    const auto get = [&](std::vector<T>& plane, int k) { return load<V>(at(plane, k)); };
    const auto set = [&](std::vector<T>& plane, int k, V value) { store<V>(at(plane, k), value); };
    const auto add = [&](std::vector<T>& flux, int k, V more) {
      set(flux, k, V(get(flux, k) + more));
    };
    set(beam_, layers_, light);
    for (int k = layers_ - 1; k >= 0; --k) {
      const auto found = two_streams(get(depth_, k), get(albedo_, k), get(asymmetry_, k), sun_);
      const V beam = get(beam_, k + 1);
      set(reflected_, k, found.reflected);
      set(passed_, k, found.passed);
      set(depth_, k, V(beam * found.beam_reflected));
      set(scattered_, k, V(beam * found.beam_scattered));
      set(beam_, k, V(beam * found.beam_passed));
    }
    set(below_, 0, splat<V>(ground_));
    set(glow_, 0, V(ground_ * get(beam_, 0)));
    for (int k = 0; k < layers_; ++k) {
      const V back = get(below_, k), passed = get(passed_, k), reflected = get(reflected_, k);
      const V often = T(1) / (T(1) - reflected * back);
      set(below_, k + 1, V(reflected + passed * passed * back * often));
      set(glow_, k + 1,
          V(get(depth_, k) + passed * often * (get(glow_, k) + back * get(scattered_, k))));
      set(albedo_, k, often);
    }
    V diffuse{};
    add(up_, layers_, get(glow_, layers_));
    add(down_, layers_, light);
    for (int k = layers_ - 1; k >= 0; --k) {
      diffuse =
          (get(passed_, k) * diffuse + get(reflected_, k) * get(glow_, k) + get(scattered_, k)) *
          get(albedo_, k);
      add(up_, k, V(diffuse * get(below_, k) + get(glow_, k)));
      add(down_, k, V(diffuse + get(beam_, k)));
    }
  }

  ShortWaveFields<T> f_;
  RadiativeColumn<T> column_;
  int layers_;
  T sun_ = 0, ground_ = 0;
  std::vector<T> depth_, albedo_, asymmetry_, up_, down_, below_, glow_, beam_, passed_, reflected_,
      scattered_;
};

}  // namespace air

inline constexpr Contract<36> atmosphere_short_wave_contract{
    "atmosphere_short_wave",
    {{{"air_pressure", Access::read, Place::center, "Pa", "depth", {}, Column::whole},
      {"dry_theta", Access::read, Place::center, "K", "depth", {}, Column::whole},
      {"exner", Access::read, Place::center, "1", "depth", {}, Column::whole},
      {"water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"air_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"layer_depth", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"sun", Access::read, Place::center, "1"},
      {"albedo", Access::read, Place::center, "1"},
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
      {"lower_scattering", Access::read, Place::none, "cm2", "warmth eta term"},
      {"upper_scattering", Access::read, Place::none, "cm2", "warmth eta term"},
      {"sunlight", Access::read, Place::none, "1", "term"},
      {"liquid_extinction", Access::read, Place::none, "m2 kg-1", "band"},
      {"liquid_albedo", Access::read, Place::none, "1", "band"},
      {"liquid_asymmetry", Access::read, Place::none, "1", "band"},
      {"ice_extinction", Access::read, Place::none, "m2 kg-1", "band"},
      {"ice_albedo", Access::read, Place::none, "1", "band"},
      {"ice_asymmetry", Access::read, Place::none, "1", "band"},
      {"theta_tendency", Access::write, Place::center, "K s-1", "depth", {}, Column::whole},
      {"upward_flux", Access::write, Place::interface, "W m-2", "depth+1", {}, Column::whole},
      {"downward_flux", Access::write, Place::interface, "W m-2", "depth+1", {}, Column::whole},
      {"flux_down", Access::write, Place::center, "W m-2"},
      {"flux_out", Access::write, Place::center, "W m-2"}}}};

/// Short wave fluxes and the heating that they make.
///
/// @param[in]  air_pressure      [Pa], shape (k, j, i)
/// @param[in]  dry_theta         dry potential temperature less 300 K [K]
/// @param[in]  exner             temperature over potential temperature [1]
/// @param[in]  water             mixing ratios, vapour first [1], shape (species, k, j, i)
/// @param[in]  air_density       of dry air [kg m-3]
/// @param[in]  layer_depth       [m]
/// @param[in]  sun               sine of the sun's height; the night is not above 0.001 [1]
/// @param[in]  albedo            of the ground [1]
/// @param[in]  absorption, lower, upper, minors_lower, minors_upper, keys, ratios, band_ends,
/// temperatures, pressures, ozone_pressure, ozone_share,
/// standard_temperature, shares  see `GasTables`
/// @param[in]  lower_scattering, upper_scattering  by molecules [cm2]
/// @param[in]  sunlight          of terms over that of all [1]
/// @param[in]  liquid_extinction, liquid_albedo, liquid_asymmetry  of drops [m2 kg-1], [1]
/// @param[in]  ice_extinction, ice_albedo, ice_asymmetry  of crystals [m2 kg-1], [1]
/// @param[out] theta_tendency    [K s-1]
/// @param[out] upward_flux, downward_flux  at interfaces [W m-2]
/// @param[out] flux_down         at the ground [W m-2]
/// @param[out] flux_out          that leaves the air above the model [W m-2]
/// @param[in]  tropopause        pressure between both parts of the tables [Pa]
/// @param[in]  solar             the sun's light outside on that day [W m-2]
/// @param[in]  cloud, ice_entry  entries of `water` that are drops and crystals; -1: none
/// @param[in]  extra             layers above the model's top
template <class T>
void atmosphere_short_wave(
    Box box, View3<const T> air_pressure, View3<const T> dry_theta, View3<const T> exner,
    View4<const T> water, View3<const T> air_density, View3<const T> layer_depth,
    View2<const T> sun, View2<const T> albedo, View4<const T> absorption, View3<const T> lower,
    View3<const T> upper, View2<const T> minors_lower, View2<const T> minors_upper,
    View3<const T> keys, View3<const T> ratios, View1<const T> band_ends,
    View1<const T> temperatures, View1<const T> pressures, View1<const T> ozone_pressure,
    View1<const T> ozone_share, View1<const T> standard_temperature, View1<const T> shares,
    View3<const T> lower_scattering, View3<const T> upper_scattering, View1<const T> sunlight,
    View1<const T> liquid_extinction, View1<const T> liquid_albedo, View1<const T> liquid_asymmetry,
    View1<const T> ice_extinction, View1<const T> ice_albedo, View1<const T> ice_asymmetry,
    View3<T> theta_tendency, View3<T> upward_flux, View3<T> downward_flux, View2<T> flux_down,
    View2<T> flux_out, double tropopause, double solar, int cloud, int ice_entry, int extra) {
  const air::ShortWaveFields<T> fields{
      {air_pressure, dry_theta, exner, water, air_density, layer_depth, cloud, ice_entry},
      sun,
      albedo,
      {absorption, lower, upper, minors_lower, minors_upper, keys, ratios, band_ends, temperatures,
       pressures, ozone_pressure, ozone_share, standard_temperature, shares,
       static_cast<T>(tropopause)},
      lower_scattering,
      upper_scattering,
      sunlight,
      {liquid_extinction, liquid_albedo, liquid_asymmetry},
      {ice_extinction, ice_albedo, ice_asymmetry},
      static_cast<T>(solar),
      {theta_tendency, upward_flux, downward_flux, flux_down, flux_out}};
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return air::ShortWaveColumns<T>(fields, extra); },
      [&](int j, air::ShortWaveColumns<T>& columns) {
        for (int i = box.i0; i < box.i1; ++i) columns.column(j, i);
      });
}

}  // namespace halocline
