#include "parameters.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void define(nb::module_& module) {
  module.def("mean_parameters", &mean_parameters<T>, "box"_a, "spectrum"_a, "wavenumber"_a,
             "weights"_a, "frequency"_a, "unit_vector"_a, "significant_height"_a,
             "mean_period_energy"_a, "mean_period"_a, "mean_period_zero_crossing"_a,
             "peak_frequency"_a, "peak_period"_a, "mean_direction"_a, "peak_direction"_a,
             "directional_spread"_a, "directional_moment_a1"_a, "directional_moment_b1"_a,
             "directional_moment_a2"_a, "directional_moment_b2"_a, "stokes_drift_u"_a,
             "stokes_drift_v"_a, "mean_square_slope"_a, "factor"_a, "gravity"_a, "missing"_a);
}

}  // namespace

HALOCLINE_BIND(parameters) {
  publish(module, mean_parameters_contract);
  define<float>(module);
  define<double>(module);
}
