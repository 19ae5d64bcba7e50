#include "atmosphere/physics_forcing.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_force_u_contract, &atmosphere_force_u<T>, "fresh");
  define(module, atmosphere_force_v_contract, &atmosphere_force_v<T>, "fresh");
  define(module, atmosphere_force_theta_contract, &atmosphere_force_theta<T>, "fresh");
  define(module, atmosphere_force_water_contract, &atmosphere_force_water<T>);
}

}  // namespace

HALOCLINE_BIND(atmosphere_physics_forcing) {
  bind<float>(module);
  bind<double>(module);
}
