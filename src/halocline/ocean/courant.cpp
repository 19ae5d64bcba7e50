#include "ocean/courant.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_courant_contract, &ocean_courant<T>, "dt");
}

}  // namespace

HALOCLINE_BIND(ocean_courant) {
  bind<float>(module);
  bind<double>(module);
}
