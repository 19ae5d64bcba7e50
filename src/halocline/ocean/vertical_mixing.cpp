#include "ocean/vertical_mixing.hpp"

#include "bind.hpp"
#include "ocean/buoyancy.hpp"
#include "ocean/double_diffusion.hpp"
#include "ocean/evened_mixing.hpp"
#include "ocean/kpp.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_richardson_contract, &ocean_richardson<T>, "background_viscosity",
         "background_diffusivity", "strength", "steepness", "convective");
  define(module, ocean_richardson_viscosity_contract, &ocean_richardson_viscosity<T>,
         "background_viscosity", "strength", "steepness", "convective");
  define(module, ocean_corner_viscosity_contract, &ocean_corner_viscosity<T>);
  define(module, ocean_even_diffusivity_contract, &ocean_even_diffusivity<T>);
  define(module, ocean_surface_forcing_contract, &ocean_surface_forcing<T>, "gravity",
         "per_capacity", "numbers");
  define(module, ocean_kpp_contract, &ocean_kpp<T>, "critical", "shear_viscosity", "shear_limit",
         "background", "prandtl", "nonlocal_strength", "convective_viscosity",
         "convective_diffusivity", "smoothing", "limited", "red", "short_length", "long_length",
         "gravity", "numbers", "width");
  define(module, ocean_double_diffusion_contract, &ocean_double_diffusion<T>, "fingers", "limit",
         "share", "numbers");
}

}  // namespace

HALOCLINE_BIND(ocean_vertical_mixing) {
  bind<float>(module);
  bind<double>(module);
}
