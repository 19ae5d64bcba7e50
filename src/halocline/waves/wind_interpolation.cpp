#include "waves/wind_interpolation.hpp"

#include "bind.hpp"

namespace halocline {

template <class T>
static void bind(nb::module_& module) {
  define(module, interpolate_wind_contract, &interpolate_wind<T>, "weight", "along_arc");
}

HALOCLINE_BIND(wind_interpolation) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline
