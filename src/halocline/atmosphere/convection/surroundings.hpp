#pragma once
#include <cmath>
#include <vector>

#include "atmosphere/convection/phases.hpp"

/// The air around clouds: one column.
namespace halocline::convection {

struct Layer {
  double pressure, height, bottom, depth;  ///< [Pa]; of its centre, of its lower face, [m]
  double mass;                             ///< of dry air [kg m-2]
  double temperature, vapor;               ///< [K], [1]
  double rise, wind;                       ///< upward wind, speed of the other one [m s-1]

  double top() const { return bottom + depth; }
  double weight() const { return air::gravity * mass; }  ///< [Pa]
  double energy() const {
    return air::heat_capacity * temperature + air::gravity * height + air::vaporization * vapor;
  }
};

/// Air at some height.
struct Around {
  double pressure, temperature, vapor, rise;

  double virtual_temperature() const { return convection::virtual_temperature(temperature, vapor); }
};

/// Layers of a column, the lowest first.
struct Surroundings {
  std::vector<Layer> layers;

  int count() const { return static_cast<int>(layers.size()); }
  const Layer& operator[](int k) const { return layers[static_cast<std::size_t>(k)]; }

  /// The layer that holds a height, -1 above all.
  int holding(double height) const {
    for (int k = 0; k < count(); ++k)
      if (height < (*this)[k].top()) return k;
    return -1;
  }

  /// Between the centres of layers, linear in height; pressure by its logarithm.
  Around at(double height) const {
    int k = 0;
    while (k < count() - 2 && (*this)[k + 1].height < height) ++k;
    const Layer &low = (*this)[k], &high = (*this)[k + 1];
    const double part = (height - low.height) / (high.height - low.height);
    const auto mean = [&](double a, double b) { return a + part * (b - a); };
    return {std::exp(mean(std::log(low.pressure), std::log(high.pressure))),
            mean(low.temperature, high.temperature), mean(low.vapor, high.vapor),
            mean(low.rise, high.rise)};
  }
};

}  // namespace halocline::convection
