#include "atmosphere/sides/open_sides.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_radiate_u_contract, &atmosphere_radiate_u<T>, "dt", "wave_speed");
  define(module, atmosphere_radiate_v_contract, &atmosphere_radiate_v<T>, "dt", "wave_speed");
  define(module, atmosphere_rest_u_contract, &atmosphere_rest_u<T>);
  define(module, atmosphere_rest_v_contract, &atmosphere_rest_v<T>);
  define(module, atmosphere_rest_cells_contract, &atmosphere_rest_cells<T>);
  define(module, atmosphere_rest_water_contract, &atmosphere_rest_water<T>);
  define(module, atmosphere_continue_cells_contract, &atmosphere_continue_cells<T>);
  define(module, atmosphere_continue_u_contract, &atmosphere_continue_u<T>);
  define(module, atmosphere_continue_v_contract, &atmosphere_continue_v<T>);
  define(module, atmosphere_continue_water_contract, &atmosphere_continue_water<T>);
  define(module, atmosphere_continue_energy_contract, &atmosphere_continue_energy<T>);
}

}  // namespace

HALOCLINE_BIND(atmosphere_open_sides) {
  bind<float>(module);
  bind<double>(module);
}
