#include "turning_in_currents.hpp"

#include "bind.hpp"

namespace halocline::waves {
namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, turn_in_currents_contract, &turn_in_currents<T>, "step", "steps", "scheme", "most",
         "refraction");
}

}  // namespace

HALOCLINE_BIND(turning_in_currents) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
