#include "atmosphere/dynamics/wind_tendency.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_wind_tendency_contract, &atmosphere_wind_tendency<T>, "order",
         "vertical_order", "weno");
}

}  // namespace

HALOCLINE_BIND(atmosphere_wind_tendency) {
  bind<float>(module);
  bind<double>(module);
}
