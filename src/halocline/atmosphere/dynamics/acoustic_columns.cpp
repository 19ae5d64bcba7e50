#include "atmosphere/dynamics/acoustic_columns.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_acoustic_columns_contract, &atmosphere_acoustic_columns<T>, "dt",
         "off_centring", "divergence_damping");
}

}  // namespace

HALOCLINE_BIND(atmosphere_acoustic_columns) {
  bind<float>(module);
  bind<double>(module);
}
