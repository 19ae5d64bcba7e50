#include "ocean/bulk_fluxes.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_bulk_heat_contract, &ocean_bulk_heat<T>, "height", "density", "gravity",
         "karman");
  define(module, ocean_bulk_stress_contract, &ocean_bulk_stress<T>, "density");
}

}  // namespace

HALOCLINE_BIND(ocean_bulk_fluxes) {
  bind<float>(module);
  bind<double>(module);
}
