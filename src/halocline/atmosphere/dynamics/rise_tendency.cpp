#include "atmosphere/dynamics/rise_tendency.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_w_tendency_contract, &atmosphere_w_tendency<T>, "order",
         "vertical_order", "weno");
}

}  // namespace

HALOCLINE_BIND(atmosphere_rise_tendency) {
  bind<float>(module);
  bind<double>(module);
}
