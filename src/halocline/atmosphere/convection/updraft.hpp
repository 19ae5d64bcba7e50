#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "atmosphere/convection/entrainment.hpp"
#include "atmosphere/convection/surroundings.hpp"

/// Air that rises from a source of some layers through a column (Kain 2004, J. Appl. Meteor. 43,
/// 170; Kain and Fritsch 1990). All fluxes are shares of that through the cloud's base.
namespace halocline::convection {

/// What a cloud does in a layer; fluxes and contents are those through its upper face.
struct Rising {
  double flux = 0.0, energy = 0.0, water = 0.0;        ///< [1]; of the air that rises
  double entrained = 0.0, detrained = 0.0;             ///< mass [1]
  double detrained_liquid = 0.0, detrained_ice = 0.0;  ///< [1]
  double rain = 0.0, snow = 0.0;                       ///< that fall out of it [1]
};

/// Layers `base` to `last`, with the contents of their air.
struct Source {
  int base = 0, last = -1;
  double mass = 0.0, height = 0.0, pressure = 0.0;  ///< [kg m-2], [m], [Pa]
  Contents contents{};
};

/// Numbers of a cloud.
struct CloudNumbers {
  double spacing;    ///< of the grid [m]
  double rain_rate;  ///< at which condensed water falls out [s-1]
  bool icy;          ///< whether condensed water freezes
};

/// Air of at least 50 hPa from layer `base` on; `last` is -1 where the column ends before.
inline Source source_from(const Surroundings& air, int base) {
  Source made{.base = base};
  double weight = 0.0;
  for (int k = base; k < air.count(); ++k) {
    const Layer& layer = air[k];
    made.mass += layer.mass;
    made.height += layer.mass * layer.height;
    made.pressure += layer.mass * layer.pressure;
    made.contents.energy += layer.mass * layer.energy();
    made.contents.water += layer.mass * layer.vapor;
    weight += layer.weight();
    if (weight < 50e2) continue;
    made.last = k;
    break;
  }
  for (double* sum : {&made.height, &made.pressure, &made.contents.energy, &made.contents.water})
    *sum /= made.mass;
  return made;
}

/// Where air of a source is saturated: height [m] and temperature [K] (Bolton 1980, Mon. Wea. Rev.
/// 108, 1046, equation 21).
struct Condensation {
  double height, temperature;
};
inline Condensation condensation_of(const Source& source) {
  const auto [energy, water] = source.contents;
  const double dry = energy - air::vaporization * water;
  const double temperature = (dry - air::gravity * source.height) / air::heat_capacity;
  const double vapor_pressure =
      std::max(source.pressure * water / (air::epsilon + water), 1e-3) / 100.0;
  const double reached =
      2840.0 / (3.5 * std::log(temperature) - std::log(vapor_pressure) - 4.805) + 55.0;
  const double least = std::min(reached, temperature);
  return {(dry - air::heat_capacity * least) / air::gravity, least};
}

/// By how much the grid's upward wind at a condensation level is more than the least that sets air
/// off [m s-1]; the wind is that of grids of 25 km (Kain 2004, equations 1 and 2).
inline double lifting_of(double rise, double condensation_height, double spacing) {
  return rise * spacing / 25e3 - 0.02 * std::min(condensation_height / 2000.0, 1.0);
}
/// How much warmer that makes air at this level [K].
inline double warming_by(double lifting) { return std::cbrt(100.0 * lifting); }

/// A cloud, if `top` is not -1. Between `source.last` and `first` its air rises unmixed.
struct Updraft {
  Source source{};
  double base_height = 0.0, base_temperature = 0.0;  ///< [m], [K]
  int first = -1, neutral = -1, top = -1;  ///< layers: of its base, the last that lifts it, its top
  std::vector<Rising> layers;

  double depth(const Surroundings& air) const { return air[top].top() - base_height; }
};

/// Makes updrafts in a column.
class Ascent {
 public:
  Ascent(const Surroundings& air, const CloudNumbers& numbers) : air_(air), n_(numbers) {}

  /// What rises from a source whose air is saturated at `at`.
  ///
  /// @param[in] lifting  see `lifting_of` [m s-1]
  void rise(const Source& source, const Condensation& at, double lifting, Updraft& cloud) {
    cloud.source = source;
    cloud.base_temperature = at.temperature;
    cloud.first = std::max(air_.holding(at.height), source.last + 1);
    cloud.neutral = cloud.top = -1;
    cloud.layers.assign(air_.layers.size(), {});
    if (air_.holding(at.height) < 0 || cloud.first >= air_.count()) return;
    cloud.base_height = std::max(at.height, air_[cloud.first].bottom);
    gather(cloud);
    const double lifted = std::max(at.height - air_[source.base].bottom, 0.0);
    const double warmer = std::max(warming_by(lifting), 0.0);
    const double start = 1.0 + 1.1 * std::sqrt(lifted * warmer / at.temperature);
    radius_ = 1000.0 * (1.0 + std::clamp(lifting / 0.1, 0.0, 1.0));
    speeds_.assign(air_.layers.size(), 0.0);
    climb(cloud, std::min(start, 3.0));
    if (cloud.neutral >= 0 && cloud.neutral < cloud.top) spread(cloud);
  }

 private:
  struct State {
    double flux, speed_square;
    Contents contents;
  };

  /// Fluxes up to the base of the cloud: air of the source's layers in proportion to their mass.
  void gather(Updraft& cloud) const {
    const Source& source = cloud.source;
    Rising sum;
    for (int k = source.base; k < cloud.first; ++k) {
      if (k <= source.last) {
        const double part = air_[k].mass / source.mass;
        const Contents own{air_[k].energy(), air_[k].vapor};
        sum.flux += part;
        sum.energy += part / sum.flux * (own.energy - sum.energy);
        sum.water += part / sum.flux * (own.water - sum.water);
        sum.entrained = part;
      } else {
        sum.entrained = 0.0;
      }
      cloud.layers[static_cast<std::size_t>(k)] = sum;
    }
  }

  /// From its base to where the cloud comes to rest.
  void climb(Updraft& cloud, double speed) {
    State state{1.0, speed * speed, cloud.source.contents};
    double from = cloud.base_height;
    for (int k = cloud.first; k < air_.count(); ++k) {
      const bool last = k == air_.count() - 1;
      const double buoyancy = pass(cloud, k, from, state, true, last ? 0.0 : -1.0);
      if (buoyancy > 0.0 && state.flux > 0.0) cloud.neutral = k;
      cloud.top = k;
      if (state.flux <= 0.0) return;
      from = air_[k].top();
    }
  }

  /// Above the last layer that lifts it a cloud does not entrain, and all of it is left behind in
  /// proportion to the mass of the layers.
  void spread(Updraft& cloud) {
    const auto at = [&](int k) -> Rising& { return cloud.layers[static_cast<std::size_t>(k)]; };
    const Rising& leaves = at(cloud.neutral);
    State state{leaves.flux, 0.0, {leaves.energy, leaves.water}};
    double above = 0.0;
    for (int k = cloud.neutral + 1; k <= cloud.top; ++k) above += air_[k].mass;
    double rest = above;
    const double whole = leaves.flux;
    for (int k = cloud.neutral + 1; k <= cloud.top; ++k) {
      rest -= air_[k].mass;
      const double flux = k == cloud.top ? 0.0 : whole * rest / above;
      const double slow = k > 0 ? speeds_[static_cast<std::size_t>(k - 1)] : 0.0;
      state.speed_square = slow * slow;
      at(k) = {};
      pass(cloud, k, air_[k].bottom, state, false, flux);
    }
  }

  /// Through layer k, from a height in it on: mixes, lets water fall, slows down. Gives buoyancy as
  /// a part of gravity. What remains, if it is given (not negative), is detrained down to that.
  double pass(Updraft& cloud, int k, double from, State& state, bool entrains, double remains) {
    const Layer& layer = air_[k];
    const double path = layer.top() - from, middle = 0.5 * (from + layer.top());
    const Around around = air_.at(middle);
    const double heavy = around.virtual_temperature();
    const Contents outside{layer.energy(), layer.vapor};
    Rising& made = cloud.layers[static_cast<std::size_t>(k)];
    Exchange exchange{0.0, 0.0};
    if (entrains) {
      const double critical =
          critical_share(state.contents, outside, middle, around.pressure, heavy, n_.icy);
      const double mixing =
          state.flux * mixing_rate * layer.weight() * (path / layer.depth) / radius_;
      exchange = exchange_of(critical);
      exchange.entrained *= mixing;
      exchange.detrained *= mixing;
    }
    double mass = state.flux + exchange.entrained;
    Contents mixed = state.contents.mixed(outside, exchange.entrained / mass);
    Phases inside = phases_of(mixed.energy, mixed.water, middle, around.pressure, n_.icy);
    const double buoyancy = (inside.virtual_temperature() - heavy) / heavy;
    const double old_speed = std::sqrt(state.speed_square);
    const double drag = 2.0 * exchange.entrained / state.flux * state.speed_square;
    const double push = 2.0 * path * air::gravity * (buoyancy - inside.condensed()) / 1.5;
    double square = state.speed_square + push - drag;
    if (entrains && (square <= 1e-4 || remains >= 0.0)) {  // it comes to rest here, unmixed
      exchange = {0.0, 0.0};
      mass = state.flux;
      mixed = state.contents;
      inside = phases_of(mixed.energy, mixed.water, middle, around.pressure, n_.icy);
      remains = 0.0;
    }
    square = std::max(square, 0.0);
    const double speed = std::max(0.5 * (old_speed + std::sqrt(square)), 0.1);
    const double falls = 1.0 - std::exp(-n_.rain_rate * path / speed);
    const double rain = inside.liquid * falls, snow = inside.ice * falls;
    mixed = {mixed.energy + air::fusion * snow, mixed.water - rain - snow};
    made.entrained = exchange.entrained;
    made.detrained = remains >= 0.0 ? mass - remains : std::min(exchange.detrained, 0.95 * mass);
    made.detrained_liquid = made.detrained * (inside.liquid - rain);
    made.detrained_ice = made.detrained * (inside.ice - snow);
    made.rain = mass * rain;
    made.snow = mass * snow;
    made.flux = state.flux = mass - made.detrained;
    made.energy = mixed.energy;
    made.water = mixed.water;
    state.contents = mixed;
    state.speed_square = square;
    speeds_[static_cast<std::size_t>(k)] = std::sqrt(square);
    return buoyancy;
  }

  const Surroundings& air_;
  CloudNumbers n_;
  double radius_ = 1000.0;
  std::vector<double> speeds_;
};

/// What buoyancy does to air of a source that mixes with the air around as a cloud did, up to where
/// that was lifted last [J kg-1]; where it is heavier does not count.
inline double available_to(const Source& source, const Surroundings& air, const Updraft& cloud,
                           bool icy) {
  const Condensation at = condensation_of(source);
  const int first = air.holding(at.height);
  if (first < 0) return 0.0;
  Contents inside = source.contents;
  double sum = 0.0;
  for (int k = std::max(first, source.last + 1); k <= cloud.neutral; ++k) {
    const double from = std::max(air[k].bottom, at.height), path = air[k].top() - from;
    const double entrained =
        k < cloud.first ? 0.0 : cloud.layers[static_cast<std::size_t>(k)].entrained;
    const double flux = cloud.layers[static_cast<std::size_t>(k - 1)].flux;
    inside = inside.mixed({air[k].energy(), air[k].vapor}, entrained / (flux + entrained));
    const double middle = from + 0.5 * path;
    const Around around = air.at(middle);
    const Phases risen = phases_of(inside.energy, inside.water, middle, around.pressure, icy);
    const double heavy = around.virtual_temperature();
    sum += air::gravity * path * std::max(risen.virtual_temperature() / heavy - 1.0, 0.0);
  }
  return sum;
}

}  // namespace halocline::convection
