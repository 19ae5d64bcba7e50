#include <nanobind/stl/string.h>

#include <string>

#include "bind.hpp"
#include "biogeochemistry/carbonate_kernels.hpp"

namespace halocline::biogeochemistry {
namespace {

/// Rows of `results` of one state: pH, CO2, HCO3-, CO3--, both saturation states.
template <class T>
void carbonate_states(const CarbonateNumbers& numbers, View2<const T> water, View2<const T> totals,
                      View1<const T> known_ph, View2<T> results) {
  over_row<T>(0, results.extent[1], [&]<class V>(Lane<V>, std::ptrdiff_t i) {
    const auto at = [&](const View2<const T>& rows, int row) { return load<V>(rows.row(row) + i); };
    const auto c = carbonate_constants<V>(numbers.boron, at(water, 0), at(water, 1), at(water, 2));
    const CarbonateTotals<V> given{at(totals, 0), at(totals, 1), at(totals, 2), at(totals, 3)};
    const auto state = carbonate_state(numbers, c, given, load<V>(&known_ph(i)));
    const V found[] = {state.ph,        state.carbon_dioxide,     state.bicarbonate,
                       state.carbonate, state.calcite_saturation, state.aragonite_saturation};
    for (int row = 0; row < 6; ++row) store<V>(results.row(row) + i, found[row]);
  });
}

/// Rows of `results`: constants of one place, in the order of CarbonateConstants.
void constants_of(double boron, View2<const double> water, View2<double> results) {
  for (std::ptrdiff_t i = 0; i < results.extent[1]; ++i) {
    const auto c = carbonate_constants<double>(boron, water(0, i), water(1, i), water(2, i));
    const double all[] = {c.carbonic_1,   c.carbonic_2,     c.boric,          c.water,
                          c.phosphoric_1, c.phosphoric_2,   c.phosphoric_3,   c.silicic,
                          c.bisulphate,   c.fluoride,       c.calcite,        c.aragonite,
                          c.total_boron,  c.total_sulphate, c.total_fluoride, c.calcium,
                          c.bound};
    for (int row = 0; row < 17; ++row) results(row, i) = all[row];
  }
}

/// Functions of (temperature, salinity, third), by name, of points of one row.
void of_water(const std::string& name, const GasExchangeNumbers& gas, View2<const double> given,
              View1<double> result) {
  for (std::ptrdiff_t i = 0; i < result.extent[0]; ++i) {
    const double t = given(0, i), s = given(1, i), x = given(2, i), y = given(3, i);
    result(i) = name == "density"                     ? water_density(t, s, x)
                : name == "carbon_dioxide_schmidt"    ? carbon_dioxide_schmidt(t)
                : name == "oxygen_schmidt"            ? oxygen_schmidt(t)
                : name == "carbon_dioxide_solubility" ? carbon_dioxide_solubility(t, s)
                : name == "fugacity_coefficient"      ? fugacity_coefficient(t, x, gas.pressure)
                : name == "vapour_pressure"           ? vapour_pressure(t, s)
                : name == "air_fugacity"              ? air_fugacity(gas, t, s, x)
                : name == "oxygen_saturation"         ? oxygen_saturation(t, s)
                : name == "carbon_dioxide_flux"       ? carbon_dioxide_flux(gas, t, s, x, 4e-4, y)
                                                      : oxygen_flux(gas, t, s, x, y);
  }
}

template <class T>
void bind_in(nb::module_& module) {
  define(module, carbonate_contract, &carbonate<T>, "numbers", "of");
  define(module, air_sea_exchange_contract, &air_sea_exchange<T>, "numbers", "gas", "of", "dt");
  module.def("carbonate_states", &carbonate_states<T>, "numbers"_a, "water"_a, "totals"_a,
             "known_ph"_a, "results"_a);
}

HALOCLINE_BIND(carbonate) {
  nb::class_<CarbonateNumbers>(module, "CarbonateNumbers")
      .def(nb::init<>())
      .def_rw("boron", &CarbonateNumbers::boron)
      .def_rw("tolerance", &CarbonateNumbers::tolerance)
      .def_rw("first_ph", &CarbonateNumbers::first_ph)
      .def_rw("most_steps", &CarbonateNumbers::most_steps);
  nb::class_<GasExchangeNumbers>(module, "GasExchangeNumbers")
      .def(nb::init<>())
      .def_rw("transfer", &GasExchangeNumbers::transfer)
      .def_rw("pressure", &GasExchangeNumbers::pressure);
  nb::class_<CarbonateTracers>(module, "CarbonateTracers")
      .def(nb::init<>())
      .def_rw("carbon", &CarbonateTracers::carbon)
      .def_rw("alkalinity", &CarbonateTracers::alkalinity)
      .def_rw("phosphate", &CarbonateTracers::phosphate)
      .def_rw("silicate", &CarbonateTracers::silicate)
      .def_rw("oxygen", &CarbonateTracers::oxygen)
      .def_rw("carbon_per_mmol", &CarbonateTracers::carbon_per_mmol);
  bind_in<float>(module);
  bind_in<double>(module);
  module.def("carbonate_constants", &constants_of, "boron"_a, "water"_a, "results"_a);
  module.def("of_water", &of_water, "name"_a, "gas"_a, "given"_a, "result"_a);
}

}  // namespace
}  // namespace halocline::biogeochemistry
