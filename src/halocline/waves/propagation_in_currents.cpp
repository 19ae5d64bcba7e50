#include "propagation_in_currents.hpp"

#include "bind.hpp"

namespace halocline::waves {
namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, propagate_in_currents_contract, &propagate_in_currents<T>, "components", "x_first",
         "scheme", "behind_coast", "width_along", "width_across", "along_x", "along_y");
}

}  // namespace

HALOCLINE_BIND(propagation_in_currents) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
