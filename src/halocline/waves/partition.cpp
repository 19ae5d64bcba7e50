#include "partition.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, partition_spectra_contract, &partition_spectra<T>, "factor", "minimum_height",
         "wind_factor", "least_wind_fraction", "levels", "missing");
}

}  // namespace

HALOCLINE_BIND(partition) {
  bind<float>(module);
  bind<double>(module);
}
