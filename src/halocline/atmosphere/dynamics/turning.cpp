#include "atmosphere/dynamics/turning.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_turn_u_contract, &atmosphere_turn_u<T>, "curvature");
  define(module, atmosphere_turn_v_contract, &atmosphere_turn_v<T>, "curvature");
  define(module, atmosphere_turn_w_contract, &atmosphere_turn_w<T>, "curvature");
}

}  // namespace

HALOCLINE_BIND(atmosphere_turning) {
  bind<float>(module);
  bind<double>(module);
}
