#include "ocean/viscous.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_strain_viscosity_contract, &ocean_strain_viscosity<T>, "strength", "most");
  define(module, ocean_viscous_contract, &ocean_viscous<T>, "factor", "share", "twice", "width");
  define(module, ocean_viscous_again_contract, &ocean_viscous<T>, "factor", "share", "twice",
         "width");
}

}  // namespace

HALOCLINE_BIND(ocean_viscous) {
  bind<float>(module);
  bind<double>(module);
}
