#include "ocean/radiation.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_long_wave_contract, &ocean_long_wave<T>);
}

}  // namespace

HALOCLINE_BIND(ocean_radiation) {
  bind<float>(module);
  bind<double>(module);
}
