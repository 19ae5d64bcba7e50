#include "waves/surface_parameters.hpp"

#include "bind.hpp"

namespace halocline::waves {

template <class T>
static void bind(nb::module_& module) {
  define(module, surface_parameters_contract, &surface_parameters<T>, "height", "von_karman",
         "gravity", "missing");
}

HALOCLINE_BIND(surface_parameters) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
