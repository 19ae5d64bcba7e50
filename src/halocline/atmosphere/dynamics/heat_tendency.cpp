#include "atmosphere/dynamics/heat_tendency.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_theta_tendency_contract, &atmosphere_theta_tendency<T>, "order",
         "vertical_order", "weno");
}

}  // namespace

HALOCLINE_BIND(atmosphere_heat_tendency) {
  bind<float>(module);
  bind<double>(module);
}
