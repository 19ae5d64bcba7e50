#include "spatial_propagation.hpp"

#include "bind.hpp"

namespace {

template <class T>
void define(nanobind::module_& module) {
  using namespace nanobind::literals;
  module.def("propagate_space", &halocline::waves::propagate_space<T>, "box"_a, "spectrum"_a,
             "cell_of_point"_a, "fixed_point"_a, "frequency_of"_a, "direction_of"_a,
             "crossing_rate"_a, "transparency_x"_a, "transparency_y"_a, "cell_area"_a,
             "cell_aspect"_a, "travel"_a, "spatial_step"_a, "components"_a, "x_first"_a, "scheme"_a,
             "behind_coast"_a, "width_along"_a, "width_across"_a);
}

}  // namespace

HALOCLINE_BIND(spatial_propagation) {
  halocline::publish(module, halocline::waves::propagate_space_contract);
  define<float>(module);
  define<double>(module);
}
