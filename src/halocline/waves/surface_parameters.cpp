#include "waves/surface_parameters.hpp"

#include "bind.hpp"

namespace halocline::waves {

template <class T>
static void bind(nb::module_& module) {
  module.def("surface_parameters", &surface_parameters<T>, "box"_a, "wind_u"_a, "wind_v"_a,
             "friction_velocity"_a, "wind_speed"_a, "wind_direction"_a, "drag_coefficient"_a,
             "charnock"_a, "height"_a, "von_karman"_a, "gravity"_a, "missing"_a);
}

HALOCLINE_BIND(surface_parameters) {
  publish(module, surface_parameters_contract);
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
