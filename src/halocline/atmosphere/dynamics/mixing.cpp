#include "atmosphere/dynamics/mixing.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_mix_u_contract, &atmosphere_mix_u<T>, "coefficient");
  define(module, atmosphere_mix_v_contract, &atmosphere_mix_v<T>, "coefficient");
  define(module, atmosphere_mix_w_contract, &atmosphere_mix_w<T>, "coefficient");
  define(module, atmosphere_mix_theta_contract, &atmosphere_mix_theta<T>, "coefficient");
}

}  // namespace

HALOCLINE_BIND(atmosphere_mixing) {
  bind<float>(module);
  bind<double>(module);
}
