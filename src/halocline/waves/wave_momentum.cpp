#include "wave_momentum.hpp"

#include "bind.hpp"

namespace halocline::waves {
namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, wave_momentum_contract, &wave_momentum<T>);
}

}  // namespace

HALOCLINE_BIND(wave_momentum) {
  bind<float>(module);
  bind<double>(module);
}

}  // namespace halocline::waves
