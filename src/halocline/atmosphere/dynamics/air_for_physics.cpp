#include "atmosphere/dynamics/air_for_physics.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_air_for_physics_contract, &atmosphere_air_for_physics<T>);
  define(module, atmosphere_surface_pressure_contract, &atmosphere_surface_pressure<T>);
  define(module, atmosphere_moist_theta_contract, &atmosphere_moist_theta<T>);
  define(module, atmosphere_dilution_contract, &atmosphere_dilution<T>, "kinds");
}

}  // namespace

HALOCLINE_BIND(atmosphere_air_for_physics) {
  bind<float>(module);
  bind<double>(module);
}
