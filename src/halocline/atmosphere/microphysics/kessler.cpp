#include "atmosphere/microphysics/kessler.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_kessler_contract, &atmosphere_kessler<T>, "dt", "autoconversion",
         "threshold", "accretion", "courant");
}

}  // namespace

HALOCLINE_BIND(atmosphere_kessler) {
  bind<float>(module);
  bind<double>(module);
}
