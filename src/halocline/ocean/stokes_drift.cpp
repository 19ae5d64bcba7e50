#include "ocean/stokes_drift.hpp"

#include "bind.hpp"

using namespace halocline;

template <class T>
static void bind(nb::module_& module) {
  define(module, ocean_stokes_profile_contract, &ocean_stokes_profile<T>);
  define(module, ocean_stokes_force_contract, &ocean_stokes_force<T>);
  define(module, ocean_carrying_velocity_contract, &ocean_carrying_velocity<T>);
  define(module, ocean_stokes_divergence_contract, &ocean_stokes_divergence<T>, "tau", "alpha");
}

HALOCLINE_BIND(ocean_stokes_drift) {
  bind<float>(module);
  bind<double>(module);
}
