#include "atmosphere/microphysics/thompson.hpp"

#include "atmosphere/microphysics/thompson_reflectivity.hpp"
#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_thompson_contract, &atmosphere_thompson<T>, "dt", "longest", "courant",
         "droplets");
  define(module, atmosphere_thompson_reflectivity_contract, &atmosphere_thompson_reflectivity<T>);
}

}  // namespace

HALOCLINE_BIND(atmosphere_thompson) {
  bind<float>(module);
  bind<double>(module);
}
