#include "partition.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void define(nb::module_& module) {
  module.def("partition_spectra", &partition_spectra<T>, "box"_a, "spectrum"_a, "wavenumber"_a,
             "wind_u"_a, "wind_v"_a, "weights"_a, "frequency"_a, "unit_vector"_a,
             "partition_height"_a, "partition_peak_period"_a, "partition_direction"_a,
             "partition_spread"_a, "partition_wind_fraction"_a, "wind_sea_fraction"_a,
             "partitions"_a, "factor"_a, "minimum_height"_a, "wind_factor"_a,
             "least_wind_fraction"_a, "levels"_a, "missing"_a);
}

}  // namespace

HALOCLINE_BIND(partition) {
  publish(module, partition_spectra_contract);
  define<float>(module);
  define<double>(module);
}
