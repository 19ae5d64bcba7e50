#include "ocean/entered.hpp"

#include "bind.hpp"

using namespace halocline;

template <class T>
static void bind(nb::module_& module) {
  define(module, ocean_entered_contract, &ocean_entered<T>, "tau", "per_light");
}

HALOCLINE_BIND(ocean_entered) {
  bind<float>(module);
  bind<double>(module);
}
