#include "dispersion.hpp"

#include "bind.hpp"

namespace {

template <class T>
void define(nanobind::module_& module) {
  using namespace nanobind::literals;
  module.def("linear_dispersion", &halocline::waves::linear_dispersion<T>, "box"_a, "depth"_a,
             "sigma"_a, "wavenumber"_a, "group_speed"_a, "gravity"_a);
}

}  // namespace

HALOCLINE_BIND(dispersion) {
  halocline::publish(module, halocline::waves::linear_dispersion_contract);
  define<float>(module);
  define<double>(module);
}
