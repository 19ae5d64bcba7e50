#include "ocean/overturning.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_overturn_contract, &ocean_overturn<T>, "numbers");
}

}  // namespace

HALOCLINE_BIND(ocean_overturning) {
  bind<float>(module);
  bind<double>(module);
}
