#include "ocean/eddy_flow.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_eddy_x_flow_contract, &ocean_eddy_x_flow<T>, "flattening", "largest",
         "width", "smooth", "tile", "numbers");
  define(module, ocean_eddy_y_flow_contract, &ocean_eddy_y_flow<T>, "flattening", "largest",
         "width", "smooth", "tile", "numbers");
}

}  // namespace

HALOCLINE_BIND(ocean_eddy_flow) {
  bind<float>(module);
  bind<double>(module);
}
