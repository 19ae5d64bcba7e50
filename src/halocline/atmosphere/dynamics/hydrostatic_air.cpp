#include "atmosphere/dynamics/hydrostatic_air.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_hydrostatic_columns_contract, &atmosphere_hydrostatic_columns<T>, "dt",
         "divergence_damping");
  define(module, atmosphere_hydrostatic_state_contract, &atmosphere_hydrostatic_state<T>);
  define(module, atmosphere_geopotential_tendency_contract, &atmosphere_geopotential_tendency<T>,
         "order");
  define(module, atmosphere_hydrostatic_rise_contract, &atmosphere_hydrostatic_rise<T>, "dt",
         "last");
}

}  // namespace

HALOCLINE_BIND(atmosphere_hydrostatic_air) {
  bind<float>(module);
  bind<double>(module);
}
