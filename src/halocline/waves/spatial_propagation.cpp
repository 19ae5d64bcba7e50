#include "spatial_propagation.hpp"

#include "bind.hpp"

namespace halocline::waves {
namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, propagate_space_contract, &propagate_space<T>, "components", "x_first", "scheme",
         "behind_coast", "width_along", "width_across");
}

}  // namespace

HALOCLINE_BIND(spatial_propagation) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
