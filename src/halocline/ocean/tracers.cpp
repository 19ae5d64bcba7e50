#include "ocean/tracers.hpp"

#include "bind.hpp"
#include "ocean/tracer_columns.hpp"
#include "ocean/volume_fluxes.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_tracers_contract, &ocean_tracers<T>, "tau", "width");
  define(module, ocean_tracers_upwind_contract, &ocean_tracers_upwind<T>, "tau", "width");
  define(module, ocean_mix_tracers_contract, &ocean_mix_tracers<T>, "tau", "width");
  define(module, ocean_age_contract, &ocean_age<T>, "amount");
  define(module, ocean_x_volume_flux_contract, &ocean_x_volume_flux<T>);
  define(module, ocean_y_volume_flux_contract, &ocean_y_volume_flux<T>);
  define(module, ocean_volumes_contract, &ocean_volumes<T>, "tau");
}

}  // namespace

HALOCLINE_BIND(ocean_tracers) {
  bind<float>(module);
  bind<double>(module);
}
