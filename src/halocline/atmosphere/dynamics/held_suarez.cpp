#include "atmosphere/dynamics/held_suarez.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_friction_u_contract, &atmosphere_friction_u<T>, "top", "lower", "rate",
         "fresh");
  define(module, atmosphere_friction_v_contract, &atmosphere_friction_v<T>, "top", "lower", "rate",
         "fresh");
  define(module, atmosphere_relax_theta_contract, &atmosphere_relax_theta<T>, "top", "lower",
         "warmest", "contrast", "stability", "coldest", "slow", "fast", "fresh");
}

}  // namespace

HALOCLINE_BIND(atmosphere_held_suarez) {
  bind<float>(module);
  bind<double>(module);
}
