#include "atmosphere/dynamics/acoustic_push.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, atmosphere_acoustic_push_contract, &atmosphere_acoustic_push<T>, "dt",
         "external_damping");
}

}  // namespace

HALOCLINE_BIND(atmosphere_acoustic_push) {
  bind<float>(module);
  bind<double>(module);
}
