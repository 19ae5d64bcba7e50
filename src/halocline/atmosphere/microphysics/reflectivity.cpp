#include "atmosphere/microphysics/reflectivity.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_reflectivity_contract, &atmosphere_reflectivity<T>, "rain_intercept",
         "snow_intercept", "graupel_intercept", "graupel_density", "wet");
}

}  // namespace

HALOCLINE_BIND(atmosphere_reflectivity) {
  bind<float>(module);
  bind<double>(module);
}
