#pragma once

/// Constants of the atmosphere, SI units; those of ARW (Skamarock et al. 2019, NCAR/TN-556).
/// `constants.py` has the first ones too.
namespace halocline::air {

inline constexpr double gravity = 9.81;
/// Gas constants of dry air and water vapour [J kg-1 K-1].
inline constexpr double dry_gas_constant = 287.0, vapor_gas_constant = 461.6;
/// Heat capacity of dry air at constant pressure [J kg-1 K-1].
inline constexpr double heat_capacity = 3.5 * dry_gas_constant;
/// Pressure at which potential temperature is temperature [Pa].
inline constexpr double reference_pressure = 1e5;
/// What fields of potential temperature are less than it [K].
inline constexpr double reference_temperature = 300.0;
inline constexpr double kappa = dry_gas_constant / heat_capacity;
/// Ratio of the gas constants of dry air and vapour [1].
inline constexpr double epsilon = dry_gas_constant / vapor_gas_constant;
/// Latent heats of vaporization at 0 degrees C, of fusion, of sublimation [J kg-1].
inline constexpr double vaporization = 2.5e6, fusion = 3.5e5, sublimation = 2.85e6;
/// Melting point of ice [K].
inline constexpr double melting_point = 273.15;
/// Density of liquid water [kg m-3].
inline constexpr double water_density = 1000.0;

}  // namespace halocline::air
