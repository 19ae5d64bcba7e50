#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "atmosphere/constants.hpp"
#include "atmosphere/convection/closure.hpp"
#include "contract.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Clouds smaller than the grid: Kain 2004, J. Appl. Meteor. 43, 170 (after Kain and Fritsch 1990).
namespace halocline {

namespace convection {

/// Numbers of the scheme; see `KainFritschOptions`.
struct SchemeNumbers {
  double rain_rate, removed, shortest, longest, turbulent_energy;
  bool shallow, icy;
};

/// Sources begin in the lowest 300 hPa, 15 hPa apart [Pa]; the time of shallow clouds [s].
inline constexpr double sources_depth = 300e2, sources_distance = 15e2, shallow_time = 2400.0;

/// Least depth of a cloud that rains, by the temperature at its base (Kain's equation 7) [m].
inline double least_depth(double base_temperature) {
  return 2000.0 + 100.0 * std::clamp(base_temperature - air::melting_point, 0.0, 20.0);
}

/// Convection in one column at a time; it keeps its arrays.
class Column {
 public:
  Column(int layers, const SchemeNumbers& numbers) : n_(numbers) {
    air.layers.resize(static_cast<std::size_t>(layers));
    after_.layers.resize(static_cast<std::size_t>(layers));
  }

  Surroundings air;
  Outcome outcome;

  /// How long what is in `outcome` goes on [s]; 0 where there are no clouds.
  ///
  /// @param[in] spacing  of the grid [m]
  double convect(double spacing) {
    const CloudNumbers numbers{spacing, n_.rain_rate, n_.icy};
    if (find(numbers)) {
      sink(air, cloud_, down_);
      return stabilize(numbers, time_of(spacing));
    }
    if (!n_.shallow || shallow_.top < 0) return 0.0;
    std::swap(cloud_, shallow_);
    for (Rising& layer : cloud_.layers) {  // what would fall stays in the air
      layer.detrained_liquid += std::exchange(layer.rain, 0.0);
      layer.detrained_ice += std::exchange(layer.snow, 0.0);
    }
    down_.layers.assign(air.layers.size(), {});
    down_.evaporated = 0.0;
    Closure closure(air, cloud_, down_);
    const double taken = n_.turbulent_energy / 10.0 * cloud_.source.mass / shallow_time;
    const double strength = std::min(taken, closure.most(shallow_time));
    return closure.act(strength, shallow_time, after_, outcome) ? shallow_time : 0.0;
  }

 private:
  /// The lowest source whose cloud is deep, in `cloud_`; else the deepest one is in `shallow_`.
  bool find(const CloudNumbers& numbers) {
    shallow_.top = -1;
    double deepest = 0.0;
    Ascent ascent(air, numbers);
    const double ground = air[0].pressure;
    double next = ground;
    for (int base = 0; base < air.count() && air[base].pressure > ground - sources_depth; ++base) {
      if (air[base].pressure > next) continue;
      next = air[base].pressure - sources_distance;
      const Source source = source_from(air, base);
      if (source.last < 0) return false;
      const Condensation at = condensation_of(source);
      if (air.holding(at.height) < 0) continue;
      const Around around = air.at(at.height);
      const double lifting = lifting_of(around.rise, at.height, numbers.spacing);
      const double warm = at.temperature + warming_by(lifting);
      if (virtual_temperature(warm, source.contents.water) <= around.virtual_temperature())
        continue;
      ascent.rise(source, at, lifting, cloud_);
      if (cloud_.neutral < 0) continue;
      const double depth = cloud_.depth(air);
      if (depth >= least_depth(cloud_.base_temperature)) return true;
      if (depth <= deepest) continue;
      deepest = depth;
      std::swap(shallow_, cloud_);
    }
    return false;
  }

  /// That in which the wind of the cloud crosses a cell, within bounds [s].
  double time_of(double spacing) const {
    int middle = 0;
    while (middle + 1 < air.count() && air[middle].pressure > 500e2) ++middle;
    const double wind = 0.5 * (air[cloud_.first].wind + air[middle].wind);
    return std::clamp(spacing / std::max(wind, 1e-3), n_.shortest, n_.longest);
  }

  /// What is left to air of the same source after, of what was available [1].
  double left(const CloudNumbers& numbers) const {
    const Source source = source_from(after_, cloud_.source.base);
    return available_to(source, after_, cloud_, numbers.icy) /
           available_to(cloud_.source, air, cloud_, numbers.icy);
  }

  /// The strength that leaves between half and all of what may be left, within what there is of
  /// air.
  double stabilize(const CloudNumbers& numbers, double time) {
    Closure closure(air, cloud_, down_);
    const double most = closure.most(time), goal = 1.0 - n_.removed;
    double low = 0.0, high = most, strength = std::min(0.02, most);
    for (int step = 0; step < 12; ++step) {
      const bool positive = closure.act(strength, time, after_, outcome);
      const double rest = positive ? left(numbers) : 0.0;
      if (positive && rest <= goal && rest >= 0.5 * goal) return time;
      if (positive && rest > goal) {
        if (strength >= most) return time;
        low = strength;
        strength = std::min(strength * (1.0 - 0.75 * goal) / std::max(1.0 - rest, 0.1), high);
        if (strength >= high && high < most) strength = 0.5 * (low + high);
      } else {
        high = strength;
        strength = 0.5 * (low + high);
      }
    }
    return closure.act(low, time, after_, outcome) && low > 0.0 ? time : 0.0;
  }

  SchemeNumbers n_;
  Surroundings after_;
  Updraft cloud_, shallow_;
  Downdraft down_;
};

/// Fields of the kernel.
template <class T>
struct Fields {
  View3<const T> u, v, w, dry_theta;
  View4<const T> water;
  View3<const T> pressure, density, exner, depth;
  View2<const T> area;
  View3<T> mean_rise;
  View2<T> time;
  View3<T> heating;
  View4<T> wetting;
  View2<T> rain, snow;
};

/// Air of column (j, i), as the scheme reads it.
template <class T>
void take(const Fields<T>& f, int j, std::ptrdiff_t i, Surroundings& air) {
  double bottom = 0.0;
  for (int k = 0; k < air.count(); ++k) {
    const auto at = [&](const auto& field) { return double(field.row(k, j)[i]); };
    const double east = 0.5 * (at(f.u) + double(f.u.row(k, j)[i + 1]));
    const double north = 0.5 * (at(f.v) + double(f.v.row(k, j + 1)[i]));
    Layer& layer = air.layers[static_cast<std::size_t>(k)];
    layer.pressure = at(f.pressure);
    layer.height = bottom + 0.5 * at(f.depth);
    layer.bottom = bottom;
    layer.depth = at(f.depth);
    layer.mass = at(f.density) * at(f.depth);
    layer.temperature = (at(f.dry_theta) + air::reference_temperature) * at(f.exner);
    layer.vapor = std::max(double(f.water.row(0, k, j)[i]), 0.0);
    layer.rise = at(f.mean_rise);
    layer.wind = std::sqrt(east * east + north * north);
    bottom += layer.depth;
  }
}

/// Sets what goes on in column (j, i), nothing if `made` is empty.
template <class T>
void give(const Fields<T>& f, int j, std::ptrdiff_t i, const Surroundings& air, const Outcome* made,
          int cloud, int ice) {
  const int species = static_cast<int>(f.wetting.extent[0]);
  const int layers = static_cast<int>(f.wetting.extent[1]);
  for (int k = 0; k < layers; ++k) {
    const Change change = made ? made->layers[static_cast<std::size_t>(k)] : Change{};
    const double mass = made ? air[k].mass : 0.0;
    f.heating.row(k, j)[i] = T(change.temperature / double(f.exner.row(k, j)[i]));
    for (int one = 0; one < species; ++one)
      f.wetting.row(one, k, j)[i] = T(mass * (one == 0       ? change.vapor
                                              : one == cloud ? change.liquid
                                              : one == ice   ? change.ice
                                                             : 0.0));
  }
  f.rain.row(j)[i] = T(made ? made->rain : 0.0);
  f.snow.row(j)[i] = T(made ? made->snow : 0.0);
}

}  // namespace convection

inline constexpr Contract<16> atmosphere_kain_fritsch_contract{
    "atmosphere_kain_fritsch",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", {0, 1, 0, 0}, Column::whole},
      {"v", Access::read, Place::y_face, "m s-1", "depth", {0, 0, 0, 1}, Column::whole},
      {"w", Access::read, Place::center, "m s-1", "depth+1", {}, Column::whole},
      {"dry_theta", Access::read, Place::center, "K", "depth", {}, Column::whole},
      {"water", Access::read, Place::center, "1", "species depth", {}, Column::whole},
      {"air_pressure", Access::read, Place::center, "Pa", "depth", {}, Column::whole},
      {"air_density", Access::read, Place::center, "kg m-3", "depth", {}, Column::whole},
      {"exner", Access::read, Place::center, "1", "depth", {}, Column::whole},
      {"layer_depth", Access::read, Place::center, "m", "depth", {}, Column::whole},
      {"area", Access::read, Place::center, "m2"},
      {"mean_rise", Access::update, Place::center, "m s-1", "depth", {}, Column::whole},
      {"convective_time", Access::update, Place::center, "s"},
      {"convective_heating", Access::update, Place::center, "K s-1", "depth", {}, Column::whole},
      {"convective_wetting",
       Access::update,
       Place::center,
       "kg m-2 s-1",
       "species depth",
       {},
       Column::whole},
      {"convective_rain", Access::update, Place::center, "kg m-2 s-1"},
      {"convective_snow", Access::update, Place::center, "kg m-2 s-1"}}}};

/// Clouds of columns: those that are there go on; where there are none, or no longer, and `look` is
/// set, new ones are looked for. Computed in double precision.
///
/// @param[in]     u, v, w             wind at faces and interfaces [m s-1]
/// @param[in]     dry_theta           potential temperature less 300 K
/// @param[in]     water               mixing ratios, vapour first [1], shape (species, k, j, i)
/// @param[in]     air_pressure, air_density, exner, layer_depth  [Pa], dry [kg m-3], [1], [m]
/// @param[in]     area                of cells [m2]
/// @param[in,out] mean_rise           running mean of upward wind [m s-1]
/// @param[in,out] convective_time     for which clouds go on [s]
/// @param[in,out] convective_heating  of potential temperature [K s-1]
/// @param[in,out] convective_wetting  of layers [kg m-2 s-1], shape (species, k, j, i): what
///                                    they lose falls, whatever becomes of their mass
/// @param[in,out] convective_rain, convective_snow  that reach the ground [kg m-2 s-1]
/// @param[in]     dt                  step [s]
/// @param[in]     memory              of the running mean [s]
/// @param[in]     rain_rate, removed, shortest, longest, turbulent_energy, shallow  see
///                                    `KainFritschOptions`
/// @param[in]     cloud, ice_entry    entries of `water` that are drops and crystals; -1: none
/// @param[in]     look                whether new clouds are looked for
template <class T>
void atmosphere_kain_fritsch(Box box, View3<const T> u, View3<const T> v, View3<const T> w,
                             View3<const T> dry_theta, View4<const T> water,
                             View3<const T> air_pressure, View3<const T> air_density,
                             View3<const T> exner, View3<const T> layer_depth, View2<const T> area,
                             View3<T> mean_rise, View2<T> convective_time,
                             View3<T> convective_heating, View4<T> convective_wetting,
                             View2<T> convective_rain, View2<T> convective_snow, double dt,
                             double memory, double rain_rate, double removed, double shortest,
                             double longest, double turbulent_energy, bool shallow, int cloud,
                             int ice_entry, int look) {
  const convection::Fields<T> fields{u,
                                     v,
                                     w,
                                     dry_theta,
                                     water,
                                     air_pressure,
                                     air_density,
                                     exner,
                                     layer_depth,
                                     area,
                                     mean_rise,
                                     convective_time,
                                     convective_heating,
                                     convective_wetting,
                                     convective_rain,
                                     convective_snow};
  const convection::SchemeNumbers numbers{rain_rate,        removed, shortest,      longest,
                                          turbulent_energy, shallow, ice_entry >= 0};
  const int layers = static_cast<int>(dry_theta.extent[0]);
  const T weight = T(std::min(dt / memory, 1.0));
  const auto mean = [&](int j) {
    for (int k = 0; k < layers; ++k) {
      const T *low = w.row(k, j), *high = w.row(k + 1, j);
      T* rise = mean_rise.row(k, j);
      for (int i = box.i0; i < box.i1; ++i)
        rise[i] += weight * (T(0.5) * (low[i] + high[i]) - rise[i]);
    }
  };
  for_each_in_with(
      box.j0, box.j1, 1, [&] { return convection::Column(layers, numbers); },
      [&](int j, convection::Column& column) {
        mean(j);
        for (int i = box.i0; i < box.i1; ++i) {
          T& time = convective_time.row(j)[i];
          const bool begun = time > T(0);
          time = begun ? T(time - T(dt)) : T(0);
          if (time > T(0.5 * dt)) continue;
          time = T(0);
          if (look) {
            convection::take(fields, j, i, column.air);
            time = T(column.convect(std::sqrt(double(area.row(j)[i]))));
          }
          if (begun || time > T(0))
            convection::give(fields, j, i, column.air, time > T(0) ? &column.outcome : nullptr,
                             cloud, ice_entry);
        }
      });
}

}  // namespace halocline
