#include "ocean/relaxation.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_relax_contract, &ocean_relax<T>, "tau");
}

}  // namespace

HALOCLINE_BIND(ocean_relaxation) {
  bind<float>(module);
  bind<double>(module);
}
