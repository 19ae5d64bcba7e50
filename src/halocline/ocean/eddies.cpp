#include "ocean/eddies.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, ocean_eddies_contract, &ocean_eddies<T>, "along", "flattening", "largest", "width",
         "smooth", "tile", "numbers");
}

}  // namespace

HALOCLINE_BIND(ocean_eddies) {
  bind<float>(module);
  bind<double>(module);
}
