#include "atmosphere/radiation/short_wave.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_short_wave_contract, &atmosphere_short_wave<T>, "tropopause", "solar",
         "cloud", "ice_entry", "extra");
}

}  // namespace

HALOCLINE_BIND(atmosphere_short_wave) {
  bind<float>(module);
  bind<double>(module);
}
