#pragma once
#include <algorithm>
#include <vector>

#include "atmosphere/convection/updraft.hpp"

/// Air that rain cools, sinking from some 150 hPa above the source of a cloud to the ground (Kain
/// 2004, section 2c). Fluxes are shares of the flux through the cloud's base.
namespace halocline::convection {

/// Pressure above the source over which downdrafts gather air [Pa]; fall of their relative humidity
/// below the cloud's base [m-1].
inline constexpr double gathering_depth = 150e2, drying = 0.2e-3;

/// What sinks in a layer; flux and contents are those through its lower face.
struct Sinking {
  double flux = 0.0, energy = 0.0, water = 0.0;
  double entrained = 0.0;
  double evaporated = 0.0;  ///< rain [1]
};

struct Downdraft {
  std::vector<Sinking> layers;
  double evaporated = 0.0;  ///< of all layers [1]
};

/// Air of this energy and relative humidity: the root of cp T + g z + Lv RH qs(T) = energy.
inline Phases humid_air(double energy, double humidity, double height, double pressure) {
  const double dry = (energy - air::gravity * height) / air::heat_capacity;
  const double latent = air::vaporization / air::heat_capacity;
  double temperature = dry;
  for (int step = 0; step < 12; ++step) {
    const double vapor = humidity * saturated_ratio(temperature, pressure, false);
    const double slope = 1.0 + latent * vapor * air::saturation_slope(temperature);
    temperature -= (temperature + latent * vapor - dry) / slope;
  }
  return {temperature, humidity * saturated_ratio(temperature, pressure, false)};
}

/// Makes the downdraft of a cloud; no more rain evaporates than nine tenths of what falls. None
/// where no layer is above freezing, or where it would be lighter than the air at its base.
inline void sink(const Surroundings& air, const Updraft& cloud, Downdraft& made) {
  made.layers.assign(air.layers.size(), {});
  made.evaporated = 0.0;
  const auto at = [&](int k) -> Sinking& { return made.layers[static_cast<std::size_t>(k)]; };
  const int base = cloud.source.last;
  int high = base;
  double gathered = 0.0, humidity = 0.0, falling = 0.0;
  while (high + 1 < cloud.top && gathered < gathering_depth) {
    const Layer& layer = air[++high];
    const double saturated = saturated_ratio(layer.temperature, layer.pressure, false);
    humidity += layer.weight() * std::min(layer.vapor / saturated, 1.0);
    gathered += layer.weight();
  }
  for (int k = 0; k <= cloud.top; ++k)
    falling += cloud.layers[static_cast<std::size_t>(k)].rain +
               cloud.layers[static_cast<std::size_t>(k)].snow;
  if (gathered == 0.0 || falling == 0.0 || air[0].temperature < air::melting_point) return;
  const double strength = 2.0 * (1.0 - humidity / gathered);
  double spreading = 0.0;
  for (int k = 0; k <= base; ++k) spreading += air[k].weight();

  Contents inside{};
  double flux = 0.0, water = 0.0;
  for (int k = high; k >= 0; --k) {
    const Layer& layer = air[k];
    Sinking& here = at(k);
    here.entrained = k > base ? strength * layer.weight() / gathered : 0.0;
    const double detrained = k > base ? 0.0 : strength * layer.weight() / spreading;
    const double mass = flux + here.entrained;
    if (mass <= 0.0) return;
    const double share = here.entrained / mass;
    inside = inside.mixed({layer.energy(), layer.vapor}, share);
    const double below = std::max(cloud.base_height - layer.height, 0.0);
    const double humid = std::max(1.0 - drying * below, 0.1);
    Phases state = humid_air(inside.energy, humid, layer.height, layer.pressure);
    state.vapor = std::max(state.vapor, inside.water);
    here.evaporated = mass * (state.vapor - inside.water);
    inside.water = water = state.vapor;
    if (k == base) {
      const double temperature =
          (inside.energy - air::gravity * layer.height - air::vaporization * water) /
          air::heat_capacity;
      if (virtual_temperature(temperature, water) >=
          virtual_temperature(layer.temperature, layer.vapor)) {
        made.layers.assign(air.layers.size(), {});
        made.evaporated = 0.0;
        return;
      }
    }
    flux = k == 0 ? 0.0 : mass - detrained;
    here.flux = flux;
    here.energy = inside.energy;
    here.water = water;
    made.evaporated += here.evaporated;
  }
  const double most = 0.9 * falling;
  if (made.evaporated <= most) return;
  for (Sinking& here : made.layers)
    for (double* value : {&here.flux, &here.entrained, &here.evaporated})
      *value *= most / made.evaporated;
  made.evaporated = most;
}

}  // namespace halocline::convection
