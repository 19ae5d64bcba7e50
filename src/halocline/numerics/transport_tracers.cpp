#include "numerics/transport_tracers.hpp"

#include "bind.hpp"
#include "numerics/sinking.hpp"
#include "numerics/tracer_advection.hpp"
#include "numerics/vertical_diffusion.hpp"

using namespace halocline;

namespace {

template <First first_sweep, class T>
void define_pass(nb::module_& module, const char* name) {
  module.def(name, &transport_tracers<first_sweep, T>, "box"_a, "tracer"_a, "volume"_a,
             "x_volume_flux"_a, "y_volume_flux"_a, "z_volume_flux"_a, "x_conductance"_a,
             "y_conductance"_a, "vertical_diffusivity"_a, "area"_a, "thickness"_a, "spacing"_a,
             "sinking_speed"_a, "new_tracer"_a, "dt"_a, "limited"_a, "diffusive"_a, "width"_a,
             "group"_a);
}

template <class T>
void define(nb::module_& module) {
  module.def("sweep_x", &sweep_x<T>, "box"_a, "tracer"_a, "volume"_a, "x_volume_flux"_a,
             "x_conductance"_a, "thickness"_a, "swept_tracer"_a, "swept_volume"_a, "dt"_a,
             "limited"_a);
  module.def("sweep_y", &sweep_y<T>, "box"_a, "tracer"_a, "volume"_a, "y_volume_flux"_a,
             "y_conductance"_a, "thickness"_a, "swept_tracer"_a, "swept_volume"_a, "dt"_a,
             "limited"_a);
  module.def("sweep_z", &sweep_z<T>, "box"_a, "tracer"_a, "volume"_a, "z_volume_flux"_a,
             "swept_tracer"_a, "swept_volume"_a, "dt"_a, "limited"_a);
  module.def("sinking", &sinking<T>, "box"_a, "tracer"_a, "volume"_a, "area"_a, "sinking_speed"_a,
             "dt"_a);
  module.def("vertical_diffusion", &vertical_diffusion<T>, "box"_a, "tracer"_a, "volume"_a,
             "vertical_diffusivity"_a, "area"_a, "spacing"_a, "dt"_a);
  define_pass<First::x, T>(module, "transport_tracers_x_first");
  define_pass<First::y, T>(module, "transport_tracers_y_first");
}

}  // namespace

HALOCLINE_BIND(tracers) {
  publish(module, sweep_x_contract);
  publish(module, sweep_y_contract);
  publish(module, sweep_z_contract);
  publish(module, sinking_contract);
  publish(module, vertical_diffusion_contract);
  publish(module, transport_tracers_x_first_contract);
  publish(module, transport_tracers_y_first_contract);
  define<float>(module);
  define<double>(module);
}
