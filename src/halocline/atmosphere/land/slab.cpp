#include "atmosphere/land/slab.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_slab_contract, &atmosphere_slab<T>, "diffusivity", "dt");
}

}  // namespace

HALOCLINE_BIND(atmosphere_slab) {
  bind<float>(module);
  bind<double>(module);
}
