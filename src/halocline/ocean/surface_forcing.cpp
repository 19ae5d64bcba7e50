#include "ocean/surface_forcing.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_wind_stress_contract, &ocean_wind_stress<T>, "density");
  define(module, ocean_surface_flux_contract, &ocean_surface_flux<T>, "per_capacity",
         "temperature_piston", "salinity_piston");
  define(module, ocean_short_wave_contract, &ocean_short_wave<T>, "heating");
  define(module, ocean_frazil_contract, &ocean_frazil<T>, "slope");
}

}  // namespace

HALOCLINE_BIND(ocean_surface_forcing) {
  bind<float>(module);
  bind<double>(module);
}
