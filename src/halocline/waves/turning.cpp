#include "turning.hpp"

#include "bind.hpp"

namespace {

template <class T>
void define(nanobind::module_& module) {
  using namespace nanobind::literals;
  module.def("turn_directions", &halocline::waves::turn_directions<T>, "box"_a, "spectrum"_a,
             "turning_x"_a, "turning_y"_a, "direction_face"_a, "step"_a, "steps"_a, "scheme"_a);
}

}  // namespace

HALOCLINE_BIND(turning) {
  halocline::publish(module, halocline::waves::turn_directions_contract);
  define<float>(module);
  define<double>(module);
}
