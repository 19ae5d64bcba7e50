#include "atmosphere/dynamics/mixing.hpp"

#include "atmosphere/dynamics/strain.hpp"
#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_strain_contract, &atmosphere_strain<T>, "upward", "sloping");
  define(module, atmosphere_smagorinsky_contract, &atmosphere_smagorinsky<T>, "coefficient",
         "prandtl", "upward");
  define(module, atmosphere_mix_u_contract, &atmosphere_mix_u<T>, "upward", "sloping");
  define(module, atmosphere_mix_v_contract, &atmosphere_mix_v<T>, "upward", "sloping");
  define(module, atmosphere_mix_w_contract, &atmosphere_mix_w<T>, "upward", "sloping");
  define(module, atmosphere_mix_theta_contract, &atmosphere_mix_theta<T>, "factor", "given",
         "upward", "sloping");
}

}  // namespace

HALOCLINE_BIND(atmosphere_mixing) {
  bind<float>(module);
  bind<double>(module);
}
