#pragma once
#include "biogeochemistry/sea_water.hpp"

/// Constants of the acids of sea water [mol kg-1], of in-situ temperature [degree C], salinity [1]
/// and pressure [dbar], on the total scale of pH.
///
/// At the surface: carbonic acid Lueker, Dickson and Keeling 2000, Mar. Chem. 70, 105; boric acid
/// Dickson 1990, Deep-Sea Res. 37, 755; water, phosphoric and silicic acid Millero 1995, Geochim.
/// Cosmochim. Acta 59, 661, on the sea-water scale; bisulphate Dickson 1990, J. Chem. Thermodyn.
/// 22, 113, on the free scale; fluoride Perez and Fraga 1987, Mar. Chem. 21, 161, on the total
/// scale; solubility of calcite and aragonite Mucci 1983, Am. J. Sci. 283, 780. At depth by volumes
/// and compressibilities of Millero 1995 (with the misprints that Lewis and Wallace 1998,
/// ORNL/CDIAC-105, list put right), on the sea-water scale.
namespace halocline::biogeochemistry {

template <class V>
struct CarbonateConstants {
  V carbonic_1, carbonic_2, boric, water, phosphoric_1, phosphoric_2, phosphoric_3, silicic;
  V bisulphate, fluoride;  ///< on the total scale too: of what the free scale's are times `bound`
  V calcite, aragonite;    ///< solubility products [mol2 kg-2]
  V total_boron, total_sulphate, total_fluoride, calcium;
  V bound;  ///< [H+] on the total scale over that on the free scale
};

namespace acids {

/// Volume [cm3 mol-1] as a polynomial in temperature; compressibility [1e-3 cm3 mol-1 bar-1].
struct PressureEffect {
  double volume[3], compressibility[2];
};
inline constexpr PressureEffect carbonic_1{{-25.50, 0.1271, 0.0}, {-3.08, 0.0877}},
    carbonic_2{{-15.82, -0.0219, 0.0}, {1.13, -0.1475}},
    boric{{-29.48, 0.1622, -0.002608}, {-2.84, 0.0}},
    water{{-20.02, 0.1119, -0.001409}, {-5.13, 0.0794}},
    bisulphate{{-18.03, 0.0466, 0.000316}, {-4.53, 0.0900}},
    fluoride{{-9.78, -0.0090, -0.000942}, {-3.91, 0.0540}},
    phosphoric_1{{-14.51, 0.1211, -0.000321}, {-2.67, 0.0427}},
    phosphoric_2{{-23.12, 0.1758, -0.002647}, {-5.15, 0.0900}},
    phosphoric_3{{-26.57, 0.2020, -0.003042}, {-4.08, 0.0714}},
    calcite{{-48.76, 0.5304, 0.0}, {-11.76, 0.3692}},
    aragonite{{-45.96, 0.5304, 0.0}, {-11.76, 0.3692}};

/// What constants are made of.
template <class V>
struct Water {
  using T = scalar_of<V>;
  V celsius, kelvin, log_kelvin, salinity, root, ionic, ionic_root, bar;

  HD Water(V temperature, V s, V pressure)
      : celsius(temperature),
        kelvin(temperature + T(273.15)),
        log_kelvin(log(kelvin)),
        salinity(maximum(s, V{})),
        root(positive_root(s)),
        ionic(T(19.924) * salinity / (T(1000) - T(1.005) * salinity)),
        ionic_root(square_root(ionic)),
        bar(T(0.1) * pressure) {}

  /// Logarithm of a constant at depth over that at the surface.
  HD V rise(const PressureEffect& of) const {
    const T gas = T(83.14472);  // cm3 bar mol-1 K-1
    const V volume = horner(celsius, T(of.volume[0]), T(of.volume[1]), T(of.volume[2]));
    const V compressibility =
        T(1e-3) * horner(celsius, T(of.compressibility[0]), T(of.compressibility[1]));
    return (T(0.5) * compressibility * bar - volume) * bar / (gas * kelvin);
  }

  /// first + second / T + third ln T.
  HD V terms(double first, double second, double third) const {
    return T(first) + T(second) / kelvin + T(third) * log_kelvin;
  }

  // Logarithms of constants at the surface.
  HD V log_carbonic_1() const {
    return T(2.302585092994046) * (terms(61.2172, -3633.86, -9.67770) +
                                   salinity * (T(0.011555) - T(0.0001152) * salinity));
  }
  HD V log_carbonic_2() const {
    return T(2.302585092994046) *
           (terms(-25.9290, -471.78, 3.16967) + salinity * (T(0.01781) - T(0.0001122) * salinity));
  }
  HD V log_boric() const {
    const V over = horner(root, T(-8966.90), T(-2890.53), T(-77.942), T(1.728), T(-0.0996));
    const V alone = horner(root, T(148.0248), T(137.1942), T(1.62142));
    const V with_log = horner(root, T(-24.4344), T(-25.085), T(-0.2474));
    return over / kelvin + alone + with_log * log_kelvin + T(0.053105) * root * kelvin;
  }
  HD V log_water() const {
    return terms(148.9802, -13847.26, -23.6521) + root * terms(-5.977, 118.67, 1.0495) -
           T(0.01615) * salinity;
  }
  HD V log_phosphoric_1() const {
    return terms(115.54, -4576.752, -18.453) + root * terms(0.69171, -106.736, 0.0) +
           salinity * terms(-0.01844, -0.65643, 0.0);
  }
  HD V log_phosphoric_2() const {
    return terms(172.1033, -8814.715, -27.927) + root * terms(1.3566, -160.34, 0.0) +
           salinity * terms(-0.05778, 0.37335, 0.0);
  }
  HD V log_phosphoric_3() const {
    return terms(-18.126, -3070.75, 0.0) + root * terms(2.81197, 17.27039, 0.0) +
           salinity * terms(-0.09984, -44.99486, 0.0);
  }
  HD V log_silicic() const {
    return terms(117.4, -8904.2, -19.334) + ionic_root * terms(3.5913, -458.79, 0.0) +
           ionic * terms(-1.5998, 188.74, 0.0) + ionic * ionic * terms(0.07871, -12.1652, 0.0) +
           of_salt();
  }
  HD V log_bisulphate() const {
    return terms(141.328, -4276.1, -23.093) + ionic_root * terms(324.57, -13856.0, -47.986) +
           ionic * terms(-771.54, 35474.0, 114.723) +
           ionic * (T(1776) * ionic - T(2698) * ionic_root) / kelvin + of_salt();
  }
  HD V log_fluoride() const { return terms(-9.68, 874.0, 0.0) + T(0.111) * root; }
  HD V log_calcite() const {
    return solubility(-171.9065, 2839.319) +
           T(2.302585092994046) *
               (root * (T(-0.77712) + T(0.0028426) * kelvin + T(178.34) / kelvin) +
                salinity * (T(-0.07711) + T(0.0041249) * root));
  }
  HD V log_aragonite() const {
    return solubility(-171.945, 2903.293) +
           T(2.302585092994046) *
               (root * (T(-0.068393) + T(0.0017276) * kelvin + T(88.135) / kelvin) +
                salinity * (T(-0.10018) + T(0.0059415) * root));
  }

 private:
  /// From mol per kg of water to mol per kg of sea water.
  HD V of_salt() const { return log(T(1) - T(0.001005) * salinity); }
  HD V solubility(double first, double second) const {
    return T(2.302585092994046) * (T(first) - T(0.077993) * kelvin + T(second) / kelvin) +
           T(71.595) * log_kelvin;
  }
};

/// [H+] on the total scale over that on the sea-water scale.
template <class V>
HD V total_over_sea_water(V sulphate_share, V fluoride_share) {
  using T = scalar_of<V>;
  return (T(1) + sulphate_share) / (T(1) + sulphate_share + fluoride_share);
}

}  // namespace acids

/// All constants at a point.
///
/// @param boron        total boron at salinity 35 [mol kg-1]
/// @param temperature  in situ [degree C]
/// @param salinity     [1]
/// @param pressure     [dbar]
template <class V>
HD inline CarbonateConstants<V> carbonate_constants(double boron, V temperature, V salinity,
                                                    V pressure) {
  using T = scalar_of<V>;
  const acids::Water<V> water(temperature, salinity, pressure);
  CarbonateConstants<V> c;
  // Morris and Riley 1966; Riley 1965; Riley and Tongudai 1967.
  c.total_boron = T(boron / 35.0) * water.salinity;
  c.total_sulphate = T(0.14 / 96.062 / 1.80655) * water.salinity;
  c.total_fluoride = T(0.000067 / 18.998 / 1.80655) * water.salinity;
  c.calcium = T(0.02128 / 40.087 / 1.80655) * water.salinity;

  // Between scales at the surface and at depth.
  const V surface_bisulphate = exp(water.log_bisulphate());
  const V bisulphate = surface_bisulphate * exp(water.rise(acids::bisulphate));
  const V surface_bound = T(1) + c.total_sulphate / surface_bisulphate;
  const V surface_fluoride = exp(water.log_fluoride()) / surface_bound;
  const V fluoride = surface_fluoride * exp(water.rise(acids::fluoride));
  c.bound = T(1) + c.total_sulphate / bisulphate;
  const V at_surface = acids::total_over_sea_water<V>(c.total_sulphate / surface_bisulphate,
                                                      c.total_fluoride / surface_fluoride);
  const V at_depth =
      acids::total_over_sea_water<V>(c.total_sulphate / bisulphate, c.total_fluoride / fluoride);
  c.bisulphate = c.bound * bisulphate;
  c.fluoride = c.bound * fluoride;

  const V again = at_depth / at_surface;
  c.carbonic_1 = again * exp(water.log_carbonic_1() + water.rise(acids::carbonic_1));
  c.carbonic_2 = again * exp(water.log_carbonic_2() + water.rise(acids::carbonic_2));
  c.boric = again * exp(water.log_boric() + water.rise(acids::boric));
  c.water = at_depth * exp(water.log_water() + water.rise(acids::water));
  c.phosphoric_1 = at_depth * exp(water.log_phosphoric_1() + water.rise(acids::phosphoric_1));
  c.phosphoric_2 = at_depth * exp(water.log_phosphoric_2() + water.rise(acids::phosphoric_2));
  c.phosphoric_3 = at_depth * exp(water.log_phosphoric_3() + water.rise(acids::phosphoric_3));
  c.silicic = at_depth * exp(water.log_silicic() + water.rise(acids::boric));
  c.calcite = exp(water.log_calcite() + water.rise(acids::calcite));
  c.aragonite = exp(water.log_aragonite() + water.rise(acids::aragonite));
  return c;
}

}  // namespace halocline::biogeochemistry
