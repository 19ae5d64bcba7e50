#include "atmosphere/boundary_layer/ysu.hpp"

#include "atmosphere/boundary_layer/column_mixing.hpp"
#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_ysu_contract, &atmosphere_ysu<T>, "critical", "entrainment",
         "free_length", "background", "cloud", "ice_entry");
  define(module, atmosphere_column_mixing_contract, &atmosphere_column_mixing<T>, "dt");
}

}  // namespace

HALOCLINE_BIND(atmosphere_ysu) {
  bind<float>(module);
  bind<double>(module);
}
