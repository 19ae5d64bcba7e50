#include "ocean/checkerboard.hpp"

#include "bind.hpp"

using namespace halocline;

template <class T>
static void bind(nb::module_& module) {
  define(module, ocean_checkerboard_contract, &ocean_checkerboard<T>, "rate");
}

HALOCLINE_BIND(ocean_checkerboard) {
  bind<float>(module);
  bind<double>(module);
}
