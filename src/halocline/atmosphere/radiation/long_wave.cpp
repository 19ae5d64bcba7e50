#include "atmosphere/radiation/long_wave.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_long_wave_contract, &atmosphere_long_wave<T>, "tropopause",
         "first_kelvin", "cloud", "ice_entry", "extra");
}

}  // namespace

HALOCLINE_BIND(atmosphere_long_wave) {
  bind<float>(module);
  bind<double>(module);
}
