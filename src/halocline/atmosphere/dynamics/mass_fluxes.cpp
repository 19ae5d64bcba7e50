#include "atmosphere/dynamics/mass_fluxes.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_mass_fluxes_contract, &atmosphere_mass_fluxes<T>);
  define(module, atmosphere_rise_contract, &atmosphere_rise<T>);
}

}  // namespace

HALOCLINE_BIND(atmosphere_mass_fluxes) {
  bind<float>(module);
  bind<double>(module);
}
