#include "dispersion.hpp"

#include "bind.hpp"

namespace halocline::waves {
namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, linear_dispersion_contract, &linear_dispersion<T>, "gravity");
}

}  // namespace

HALOCLINE_BIND(dispersion) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
