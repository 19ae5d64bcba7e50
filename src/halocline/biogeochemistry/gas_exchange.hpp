#pragma once
#include "biogeochemistry/sea_water.hpp"
#include "elementary.hpp"
#include "numerics/dual.hpp"
#include "pack.hpp"

/// Exchange of CO2 and O2 between air and sea as in OMIP-2: Orr et al. 2017, Geosci. Model Dev. 10,
/// 2169. Temperature in degree C, salinity [1], pressure of the air [atm].
namespace halocline::biogeochemistry {

/// GasExchangeOptions of gas_exchange.py.
struct GasExchangeNumbers {
  double transfer = 0;  ///< of k = transfer x (wind speed)^2 at Schmidt number 660 [s m-1]
  double pressure = 0;  ///< of the air at the sea [atm]
};

/// Schmidt numbers: Wanninkhof 2014, Limnol. Oceanogr. Methods 12, 351, table 1.
template <class V>
HD inline V carbon_dioxide_schmidt(V temperature) {
  using T = scalar_of<V>;
  return horner(temperature, T(2116.8), T(-136.25), T(4.7353), T(-0.092307), T(0.0007555));
}
template <class V>
HD inline V oxygen_schmidt(V temperature) {
  using T = scalar_of<V>;
  return horner(temperature, T(1920.4), T(-135.6), T(5.2122), T(-0.10939), T(0.00093777));
}

/// Transfer velocity [m s-1] of a gas over open water, at a wind speed [m s-1] 10 m above it.
template <class V>
HD inline V transfer_velocity(const GasExchangeNumbers& numbers, V wind_speed, V schmidt) {
  using T = scalar_of<V>;
  return T(numbers.transfer) * (wind_speed * wind_speed) * square_root(T(660) / schmidt);
}

/// Solubility of CO2 [mol kg-1 atm-1]: Weiss 1974, Mar. Chem. 2, 203.
template <class V>
HD inline V carbon_dioxide_solubility(V temperature, V salinity) {
  using T = scalar_of<V>;
  const V hundreds = T(0.01) * (temperature + T(273.15));
  return exp(T(-60.2409) + T(93.4517) / hundreds + T(23.3585) * log(hundreds) +
             salinity * horner(hundreds, T(0.023517), T(-0.023656), T(0.0047036)));
}

/// Fugacity of CO2 over its partial pressure in air with a share of it [1]: Weiss 1974.
template <class V>
HD inline V fugacity_coefficient(V temperature, V share, scalar_of<V> pressure) {
  using T = scalar_of<V>;
  const V kelvin = temperature + T(273.15), rest = T(1) - share;
  const V pure = horner(kelvin, T(-1636.75), T(12.0408), T(-3.27957e-2), T(3.16528e-5));
  const V mixed = T(57.7) - T(0.118) * kelvin;
  return exp((pure + T(2) * (rest * rest) * mixed) * pressure / (T(82.05736) * kelvin));
}

/// Pressure of water vapour over sea water [atm]: Weiss and Price 1980, Mar. Chem. 8, 347.
template <class V>
HD inline V vapour_pressure(V temperature, V salinity) {
  using T = scalar_of<V>;
  const V hundreds = T(0.01) * (temperature + T(273.15));
  return exp(T(24.4543) - T(67.4509) / hundreds - T(4.8489) * log(hundreds) -
             T(0.000544) * salinity);
}

/// Fugacity of CO2 [atm] in moist air of which dry it has the share `air` [1].
template <class V>
HD inline V air_fugacity(const GasExchangeNumbers& numbers, V temperature, V salinity, V air) {
  using T = scalar_of<V>;
  const T pressure = T(numbers.pressure);
  return air * (pressure - vapour_pressure(temperature, salinity)) *
         fugacity_coefficient(temperature, air, pressure);
}

/// CO2 that enters the sea [mol kg-1 m s-1], of water with `dissolved` CO2 [mol kg-1].
template <class V>
HD inline V carbon_dioxide_flux(const GasExchangeNumbers& numbers, V temperature, V salinity,
                                V wind_speed, V air, V dissolved) {
  const V saturated = carbon_dioxide_solubility(temperature, salinity) *
                      air_fugacity(numbers, temperature, salinity, air);
  return transfer_velocity(numbers, wind_speed, carbon_dioxide_schmidt(temperature)) *
         (saturated - dissolved);
}

/// Oxygen [mmol m-3] of water under moist air at 1 atm: Garcia and Gordon 1992, Limnol. Oceanogr.
/// 37, 1307, fitted to Benson and Krause's data (their table 1).
template <class V>
HD inline V oxygen_saturation(V temperature, V salinity) {
  using T = scalar_of<V>;
  const V scaled = log((T(298.15) - temperature) / (T(273.15) + temperature));
  const V fresh =
      horner(scaled, T(2.00907), T(3.22014), T(4.05010), T(4.94457), T(-2.56847e-1), T(3.88767));
  const V salty = horner(scaled, T(-6.24523e-3), T(-7.37614e-3), T(-1.03410e-2), T(-8.17083e-3));
  const V litres = exp(fresh + salinity * (salty - T(4.88682e-7) * salinity));
  return T(44.6596) * litres;
}

/// O2 that enters the sea [mmol m-2 s-1], of water with `dissolved` O2 [mmol m-3].
template <class V>
HD inline V oxygen_flux(const GasExchangeNumbers& numbers, V temperature, V salinity, V wind_speed,
                        V dissolved) {
  using T = scalar_of<V>;
  const V saturated = T(numbers.pressure) * oxygen_saturation(temperature, salinity);
  return transfer_velocity(numbers, wind_speed, oxygen_schmidt(temperature)) *
         (saturated - dissolved);
}

}  // namespace halocline::biogeochemistry
