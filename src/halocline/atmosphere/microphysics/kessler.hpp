#pragma once
#include <utility>
#include <vector>

#include "atmosphere/microphysics/falling.hpp"
#include "atmosphere/microphysics/saturation.hpp"
#include "atmosphere/moist_air.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Warm rain: Kessler 1969 (Meteor. Monogr. 10, 32) with the numbers of Klemp and Wilhelmson 1978
/// (J. Atmos. Sci. 35, 1070, equations 2.13 to 2.15) and of ARW.
///
/// Powers of rain take its density in g cm-3, r qr with r = 1e-3 times the density of air.
namespace halocline {

/// Entries of `water`.
enum KesslerWater { kessler_vapor, kessler_cloud, kessler_rain };

/// Numbers of the scheme: rate of autoconversion [s-1], cloud water at which it begins [1], rate of
/// accretion [s-1].
template <class T>
struct KesslerNumbers {
  T autoconversion, threshold, accretion;
};

/// Fall speed of rain, 36.34 (r qr)^0.1364 (ground's density / density)^0.5 [m s-1].
///
/// @param[in] content   density of rain [kg m-3]
/// @param[in] thinness  (density of air in the lowest layer / density)^0.5 [1]
template <class V>
HD INLINE V kessler_fall_speed(V content, V thinness) {
  using T = scalar_of<V>;
  return T(36.34) * pow(V(T(1e-3) * content), T(0.1364)) * thinness;
}

/// Cloud water that becomes rain in dt [1]: by autoconversion, and by accretion, rate times
/// qc qr^0.875, implicit in qc (Soong and Ogura 1973, J. Atmos. Sci. 30, 879).
template <class V>
HD INLINE V kessler_collection(V cloud, V rain, const KesslerNumbers<scalar_of<V>>& n,
                               scalar_of<V> dt) {
  using T = scalar_of<V>;
  const V left = T(1) / (T(1) + n.accretion * dt * pow(maximum(rain, V{}), T(0.875)));
  const V converted = n.autoconversion * dt * maximum(V(cloud - n.threshold), V{});
  return minimum(V(cloud * (T(1) - left) + left * converted), cloud);
}

/// Rain that evaporates in dt where it meets no limit [1].
template <class V>
HD INLINE V kessler_evaporation(V vapor, V rain, V pressure, V air_density, V saturated,
                                scalar_of<V> dt) {
  using T = scalar_of<V>;
  const V r = T(1e-3) * air_density, logarithm = log(V(r * maximum(rain, V{})));
  const V ventilation = T(1.6) + T(124.9) * exp(V(T(0.2046) * logarithm));
  const V resistance = T(2.55e8) / (pressure * saturated) + T(5.4e5);
  const V rate = ventilation * exp(V(T(0.525) * logarithm)) / resistance;
  return dt * rate * (maximum(V(saturated - vapor), V{}) / (r * saturated));
}

/// Water of a cell [1] and how much warmer a step made it [K].
template <class V>
struct KesslerCell {
  V vapor, cloud, rain, warming;
};

/// What advection left below 0 is filled from vapour; 1. cloud becomes rain  2. vapour condenses or
/// cloud evaporates  3. rain evaporates, no more than saturates the air that has no cloud left.
template <class V>
HD INLINE KesslerCell<V> kessler_step(KesslerCell<V> cell, V temperature, V pressure, V air_density,
                                      const KesslerNumbers<scalar_of<V>>& n, scalar_of<V> dt) {
  using T = scalar_of<V>;
  V filled{};
  if (any(minimum(cell.cloud, cell.rain) < V{})) {
    filled = -(minimum(cell.cloud, V{}) + minimum(cell.rain, V{}));
    cell = {cell.vapor - filled, maximum(V{}, cell.cloud), maximum(V{}, cell.rain), V{}};
  }
  if (any(cell.cloud > V{})) {
    const V collected = kessler_collection(cell.cloud, cell.rain, n, dt);
    cell.cloud = cell.cloud - collected;
    cell.rain = cell.rain + collected;
  }
  const Saturation<V> saturated = saturation(temperature, pressure);
  const V excess = condensation(cell.vapor, saturated);
  const V condensed = maximum(excess, V(-cell.cloud));
  V evaporated{};
  if (any((cell.rain != V{}) & (excess < V{}))) {
    const V deficit = maximum(V(-excess - cell.cloud), V{});
    evaporated =
        kessler_evaporation(cell.vapor, cell.rain, pressure, air_density, saturated.ratio, dt);
    evaporated = minimum(minimum(evaporated, deficit), cell.rain);
  }
  const V made = condensed - evaporated;
  constexpr T warming = T(air::vaporization / air::heat_capacity);
  return {cell.vapor - made, cell.cloud + condensed, cell.rain - evaporated,
          warming * (made + filled)};
}

inline constexpr Contract<7> atmosphere_kessler_contract{
    "atmosphere_kessler",
    {{{"air_pressure", Access::read, Place::center, "Pa", "depth"},
      {"exner", Access::read, Place::center, "1", "depth"},
      {"air_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"layer_depth", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"dry_theta", Access::update, Place::center, "K", "depth", {}, Column::whole},
      {"water", Access::update, Place::center, "1", "species depth", {}, Column::whole},
      {"rain_fallen", Access::write, Place::center, "kg m-2"}}}};

/// A step of warm rain: rain falls, then phases change.
///
/// @param[in]     air_pressure  [Pa]
/// @param[in]     exner         T / theta [1]
/// @param[in]     air_density   of dry air [kg m-3]
/// @param[in]     layer_depth   [m]
/// @param[in,out] dry_theta     potential temperature less 300 K
/// @param[in,out] water         mixing ratios of vapour, cloud, rain [1]
/// @param[out]    rain_fallen   on the ground in this step [kg m-2]
/// @param[in]     dt            [s]
/// @param[in]     autoconversion, threshold, accretion  KesslerNumbers
/// @param[in]     courant       the largest of a sub-step of falling [1]
template <class T>
void atmosphere_kessler(Box box, View3<const T> air_pressure, View3<const T> exner,
                        View3<const T> air_density, View3<const T> layer_depth, View3<T> dry_theta,
                        View4<T> water, View2<T> rain_fallen, double dt, double autoconversion,
                        double threshold, double accretion, double courant) {
  const int levels = static_cast<int>(air_pressure.extent[0]);
  const KesslerNumbers<T> numbers{T(autoconversion), T(threshold), T(accretion)};
  const T step = T(dt), most = T(courant);

  const auto fall_in_row = [&](int j, const int* tops, FallingColumns<T>& columns) {
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const int top = tops[i - box.i0];
      const V ground = load<V>(air_density.row(0, j) + i);
      columns.template take<V>(air_density, layer_depth, j, i, top, [&](int, V air) {
        return std::pair(square_root(V(ground / air)), V{});
      });
      V fallen[1];
      columns.template fall<1, V>(
          {water.row(kessler_rain, 0, j) + i}, water.stride[1], top, step, most,
          [&](int k, const V(&content)[1], V(&speed)[1]) {
            speed[0] = kessler_fall_speed(content[0], columns.template first<V>(k));
          },
          fallen);
      store<V>(rain_fallen.row(j) + i, fallen[0]);
    });
  };
  const auto change_level = [&](int k, int j) {
    T *vapor = water.row(kessler_vapor, k, j), *cloud = water.row(kessler_cloud, k, j);
    T *rain = water.row(kessler_rain, k, j), *theta = dry_theta.row(k, j);
    over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      const V before = load<V>(theta + i), ratio = load<V>(exner.row(k, j) + i);
      const V temperature = (before + T(air::reference_temperature)) * ratio;
      const KesslerCell<V> cell{load<V>(vapor + i), load<V>(cloud + i), load<V>(rain + i), V{}};
      const auto after = kessler_step(cell, temperature, load<V>(air_pressure.row(k, j) + i),
                                      load<V>(air_density.row(k, j) + i), numbers, step);
      store<V>(vapor + i, after.vapor);
      store<V>(cloud + i, after.cloud);
      store<V>(rain + i, after.rain);
      store<V>(theta + i, before + after.warming / ratio);
    });
  };
  struct Scratch {
    std::vector<int> tops;
    FallingColumns<T> columns;
  };
  const auto width = static_cast<std::size_t>(box.i1 - box.i0);
  for_each_in_with(
      box.j0, box.j1, 1,
      [&] { return Scratch{std::vector<int>(width), FallingColumns<T>(levels, 1)}; },
      [&](int j, Scratch& own) {
        wet_levels(water, {kessler_rain}, box, j, own.tops.data());
        fall_in_row(j, own.tops.data(), own.columns);
        for (int k = 0; k < levels; ++k) change_level(k, j);
      });
}

}  // namespace halocline
