#include "ocean/upward_velocity.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_upward_velocity_contract, &ocean_upward_velocity<T>);
}

}  // namespace

HALOCLINE_BIND(ocean_upward_velocity) {
  bind<float>(module);
  bind<double>(module);
}
