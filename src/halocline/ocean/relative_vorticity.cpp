#include "ocean/relative_vorticity.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_relative_vorticity_contract, &ocean_relative_vorticity<T>);
}

}  // namespace

HALOCLINE_BIND(ocean_relative_vorticity) {
  bind<float>(module);
  bind<double>(module);
}
