#include "waves/wind_interpolation.hpp"

#include "bind.hpp"

namespace halocline {

template <class T>
static void bind(nb::module_& module) {
  module.def("interpolate_wind", &interpolate_wind<T>, "box"_a, "wind_u_before"_a,
             "wind_v_before"_a, "wind_u_after"_a, "wind_v_after"_a, "wind_u"_a, "wind_v"_a,
             "weight"_a, "along_arc"_a);
}

HALOCLINE_BIND(wind_interpolation) {
  publish(module, interpolate_wind_contract);
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline
