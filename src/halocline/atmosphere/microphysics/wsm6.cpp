#include "atmosphere/microphysics/wsm6.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_wsm6_contract, &atmosphere_wsm6<T>, "dt", "longest", "courant",
         "droplets", "rain_intercept", "snow_intercept", "graupel_intercept", "graupel_density",
         "graupel_speed", "one_speed", "weak_if_scarce");
}

}  // namespace

HALOCLINE_BIND(atmosphere_wsm6) {
  bind<float>(module);
  bind<double>(module);
}
