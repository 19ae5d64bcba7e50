#pragma once
#include "atmosphere/microphysics/saturation.hpp"
#include "atmosphere/microphysics/thompson_collisions.hpp"

/// A cell of Thompson's scheme: its water, its air, its particles. In double precision.
namespace halocline::thompson {

/// Entries of `water`: mixing ratios [1], then numbers of drops and crystals [kg-1].
enum Entry { vapor, cloud, rain, ice, snow, graupel, rain_number, ice_number, entries };

/// Contents below which there is nothing [kg m-3].
inline constexpr double least = 1e-9;
/// Mass of a new crystal [kg]; diameters of the smallest drops and of flakes that begin [m].
inline constexpr double new_crystal = 1e-12, new_drop = 50e-6, new_flake = 200e-6;

struct Cell {
  double water[entries];
  double temperature, pressure, density;  ///< [K], [Pa], of dry air [kg m-3]
  double warming = 0.0;                   ///< since the start of the step [K]

  double content(Entry kind) const { return density * water[kind]; }
  bool has(Entry kind) const { return content(kind) > least; }
  double supercooling() const { return air::melting_point - temperature; }
  /// How much faster particles fall than at the ground.
  double thinness() const { return std::sqrt(speed_density / density); }

  /// Warm by what became liquid of vapour and solid of liquid [1].
  void release(double condensed, double frozen) {
    const double added =
        (air::vaporization * condensed + air::fusion * frozen) / air::heat_capacity;
    temperature += added;
    warming += added;
  }
};

/// Cell (k, j, i), but for its pressure.
template <class Air, class Theta, class Water>
Cell cell_of(const Air& exner, const Air& density, const Theta& dry_theta, const Water& water,
             int k, int j, std::ptrdiff_t i) {
  Cell c{};
  for (int kind = 0; kind < entries; ++kind) c.water[kind] = double(water.row(kind, k, j)[i]);
  c.temperature =
      (double(dry_theta.row(k, j)[i]) + air::reference_temperature) * double(exner.row(k, j)[i]);
  c.density = double(density.row(k, j)[i]);
  return c;
}

/// Numbers of the scheme: cloud droplets [m-3].
struct Numbers {
  double droplets;

  /// Exponent of the gamma distribution of droplets (Thompson et al. 2008, equation 2).
  double shape() const { return std::min(15.0, 1e9 / droplets + 2.0); }
};

inline Exponential drops_of(const Cell& cell) {
  return by_number(raindrops, cell.content(rain), cell.density * cell.water[rain_number], 10e-6,
                   680e-6);
}
inline Exponential crystals_of(const Cell& cell) {
  return by_number(crystals, cell.content(ice), cell.density * cell.water[ice_number], 5e-6, 75e-6);
}
/// N0 = 200 m-4 / qg, from 1e4 to 5e6 m-4.
inline Exponential grains_of(const Cell& cell) {
  const double some = std::max(cell.water[graupel], 1e-12);
  return by_intercept(grains, cell.content(graupel), std::clamp(200.0 / some, 1e4, 5e6));
}
inline Snowflakes flakes_of(const Cell& cell) {
  return snowflakes(cell.content(snow), -std::max(cell.supercooling(), 0.0));
}

/// Particles of a cell; `droplet` is the diameter of mean volume of cloud [m].
struct Population {
  Exponential rain, ice, graupel;
  Snowflakes snow;
  double droplet;
};
inline Population population(const Cell& cell, const Numbers& n) {
  return {drops_of(cell), crystals_of(cell), grains_of(cell), flakes_of(cell),
          std::cbrt(cell.content(cloud) / (raindrops.c * n.droplets))};
}

/// Conductivity of air for heat [J m-1 s-1 K-1], diffusivity of vapour [m2 s-1], dynamic viscosity
/// [kg m-1 s-1], and the `flow` of `ventilated` (Pruppacher and Klett 1997; Sc = 0.632).
struct Diffusivities {
  double heat, vapor, viscosity, flow;
};
inline Diffusivities diffusivities(const Cell& cell) {
  const double celsius = -cell.supercooling();
  const double viscosity = celsius >= 0.0 ? (1.718 + 0.0049 * celsius) * 1e-5
                                          : (1.718 + (0.0049 - 1.2e-5 * celsius) * celsius) * 1e-5;
  const double vapor =
      2.11e-5 * std::pow(cell.temperature / air::melting_point, 1.94) * 101325.0 / cell.pressure;
  const double heat = (5.69 + 0.0168 * celsius) * 1e-5 * 418.936;
  const double flow = std::cbrt(0.632) * std::sqrt(cell.thinness() * cell.density / viscosity);
  return {heat, vapor, viscosity, flow};
}

}  // namespace halocline::thompson
