#include "atmosphere/convection/kain_fritsch.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_kain_fritsch_contract, &atmosphere_kain_fritsch<T>, "dt", "memory",
         "rain_rate", "removed", "shortest", "longest", "turbulent_energy", "shallow", "cloud",
         "ice_entry", "look");
}

}  // namespace

HALOCLINE_BIND(atmosphere_kain_fritsch) {
  bind<float>(module);
  bind<double>(module);
}
