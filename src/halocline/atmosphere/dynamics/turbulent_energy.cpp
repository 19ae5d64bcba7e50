#include "atmosphere/dynamics/turbulent_energy.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_energy_mixing_contract, &atmosphere_energy_mixing<T>, "coefficient");
  define(module, atmosphere_mix_energy_contract, &atmosphere_mix_energy<T>, "sloping");
  define(module, atmosphere_energy_transport_contract, &atmosphere_energy_transport<T>, "dt",
         "order", "vertical_order");
  define(module, atmosphere_energy_sources_contract, &atmosphere_energy_sources<T>, "coefficient",
         "given", "least", "dt");
}

}  // namespace

HALOCLINE_BIND(atmosphere_turbulent_energy) {
  bind<float>(module);
  bind<double>(module);
}
