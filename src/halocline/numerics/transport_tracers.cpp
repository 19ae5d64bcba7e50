#include "numerics/transport_tracers.hpp"

#include "bind.hpp"
#include "numerics/sinking.hpp"
#include "numerics/tracer_advection.hpp"
#include "numerics/vertical_diffusion.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, sweep_x_contract, &sweep_x<T>, "dt", "limited");
  define(module, sweep_y_contract, &sweep_y<T>, "dt", "limited");
  define(module, sweep_z_contract, &sweep_z<T>, "dt", "limited");
  define(module, sinking_contract, &sinking<T>, "dt");
  define(module, vertical_diffusion_contract, &vertical_diffusion<T>, "dt");
  define(module, transport_tracers_x_first_contract, &transport_tracers<First::x, T>, "dt",
         "limited", "diffusive", "width", "group");
  define(module, transport_tracers_y_first_contract, &transport_tracers<First::y, T>, "dt",
         "limited", "diffusive", "width", "group");
}

}  // namespace

HALOCLINE_BIND(tracers) {
  bind<float>(module);
  bind<double>(module);
}
