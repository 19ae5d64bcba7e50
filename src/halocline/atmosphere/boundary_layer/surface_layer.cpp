#include "atmosphere/boundary_layer/surface_layer.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_surface_layer_contract, &atmosphere_surface_layer<T>, "zilitinkevich",
         "gustiness", "least_wind", "sea_saturation");
}

}  // namespace

HALOCLINE_BIND(atmosphere_surface_layer) {
  bind<float>(module);
  bind<double>(module);
}
