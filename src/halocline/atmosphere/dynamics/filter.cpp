#include "atmosphere/dynamics/filter.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_filter_u_contract, &atmosphere_filter_u<T>, "strength", "dt", "fresh");
  define(module, atmosphere_filter_v_contract, &atmosphere_filter_v<T>, "strength", "dt", "fresh");
  define(module, atmosphere_filter_w_contract, &atmosphere_filter_w<T>, "strength", "dt", "fresh");
  define(module, atmosphere_filter_theta_contract, &atmosphere_filter_theta<T>, "strength", "dt",
         "fresh");
  define(module, atmosphere_return_u_contract, &atmosphere_return_u<T>, "fresh");
  define(module, atmosphere_return_v_contract, &atmosphere_return_v<T>, "fresh");
  define(module, atmosphere_return_theta_contract, &atmosphere_return_theta<T>, "fresh");
}

}  // namespace

HALOCLINE_BIND(atmosphere_filter) {
  bind<float>(module);
  bind<double>(module);
}
