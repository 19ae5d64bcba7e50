#include "ocean/level_diffusion.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_level_diffusion_contract, &ocean_level_diffusion<T>);
}

}  // namespace

HALOCLINE_BIND(ocean_level_diffusion) {
  bind<float>(module);
  bind<double>(module);
}
