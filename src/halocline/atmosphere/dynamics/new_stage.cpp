#include "atmosphere/dynamics/new_stage.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_air_state_contract, &atmosphere_air_state<T>);
  define(module, atmosphere_new_wind_contract, &atmosphere_new_wind<T>, "last");
  define(module, atmosphere_new_stage_contract, &atmosphere_new_stage<T>, "last");
}

}  // namespace

HALOCLINE_BIND(atmosphere_new_stage) {
  bind<float>(module);
  bind<double>(module);
}
