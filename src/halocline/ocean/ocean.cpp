#include "bind.hpp"
#include "ocean/barotropic.hpp"
#include "ocean/density.hpp"
#include "ocean/momentum.hpp"
#include "ocean/time_levels.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_momentum_contract, &ocean_momentum<T>, "tau", "alpha", "gamma", "drag",
         "drag_speed", "width");
  define(module, ocean_pressure_contract, &ocean_pressure<T>, "weight", "outer");
  define(module, ocean_convection_contract, &ocean_convection<T>, "background", "convective");
  define(module, ocean_auxiliary_contract, &ocean_auxiliary<T>, "tau", "alpha", "gamma");
  define(module, ocean_right_side_contract, &ocean_right_side<T>, "tau", "alpha", "shift");
  define(module, ocean_mean_velocity_contract, &ocean_mean_velocity<T>, "tau", "alpha");
  define(module, ocean_velocity_contract, &ocean_velocity<T>);
  define(module, ocean_average_velocity_contract, &ocean_average_velocity<T>);
  define(module, ocean_average_tracers_contract, &ocean_average_tracers<T>);
  define(module, ocean_filter_velocity_contract, &ocean_filter_velocity<T>, "strength", "share");
  define(module, ocean_filter_tracers_contract, &ocean_filter_tracers<T>, "strength", "share");
  define(module, ocean_first_guess_contract, &ocean_first_guess<T>);
}

}  // namespace

HALOCLINE_BIND(ocean) {
  bind<float>(module);
  bind<double>(module);
}
